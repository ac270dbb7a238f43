-- For the version before this one: commit_executions with the answer as it was. Its statements follow that function's settings.
create or replace function execute_quotes(
  at timestamptz, at_text text, day date, keys_expire_at timestamptz, repeats boolean, customer_ids uuid[],
  client_ids uuid[], quote_ids uuid[], transaction_ids uuid[], keys text[], fingerprints text[], received_ats timestamptz[], if_matches int[],
  expect_sells numeric[], expect_buys numeric[], client_references text[], metadatas text[], quote_events text[],
  transaction_events text[], entry_ids uuid[], places int[])
returns setof execution_answer
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set lock_timeout = '250ms' as $$
begin
  return query
    select e.ord, e.outcome, e.replayed, e.fingerprint, e.received_at, e.quote_status, e.quote_version, e.quote_expires_at,
      e.quote_closed_at, e.quote_transaction_id, e.limit_type, e.limit_minor, e.used_minor, e.customer_id, e.id, e.quote_id,
      e.reference, e.status, e.created_sequence, e.pair, e.sell_currency, e.buy_currency, e.fixed_side, e.sell_minor,
      e.buy_minor, e.market_minor, e.markup_minor, e.usd_minor, e.rate, e.pricing, e.trade_date, e.original_value_date,
      e.funding_cutoff_at, e.instructions, e.destination_id, e.destination_masked,
      ('[{"sequence":1,"at":"' || at_text || '","status":"' || e.status || '","actor":"client","code":"executed"}]')::json,
      e.client_reference, e.metadata, e.created_at, e.scenario, e.client_id, e.pre_funded
    from commit_executions(at, day, keys_expire_at, repeats, customer_ids, client_ids, quote_ids, transaction_ids,
      keys, fingerprints, received_ats, if_matches, expect_sells, expect_buys, client_references, metadatas, quote_events,
      transaction_events, entry_ids, places) e;
end $$;
