-- Executes a batch of quotes in one commit: idempotency, compare-and-swap, limits, transaction, ledger, events.
-- One array for each column of execution_item; items are in the order of customer and quote, in which rows are locked.
-- `at` is business time of the commit, `day` the day that daily limits are counted on; `repeats` when two items name one
-- quote. `keys` is null when no item has an Idempotency-Key. Answers one row for each item; those that were executed are named by `id`, the
-- others by `ord`. An execution of before that is known by its key is 'created' and `replayed`, and `quote_transaction_id` names its
-- transaction.
create or replace function commit_executions(
  at timestamptz, day date, keys_expire_at timestamptz, repeats boolean, customer_ids uuid[],
  client_ids uuid[], quote_ids uuid[], transaction_ids uuid[], keys text[], fingerprints text[], received_ats timestamptz[], if_matches int[],
  expect_sells numeric[], expect_buys numeric[], client_references text[], metadatas text[], quote_events text[],
  transaction_events text[], entry_ids uuid[], places int[])
returns setof execution_result
-- The statements are planned once for each connection, with the indexes that they are made for: planning them anew
-- would cost more than running them, and early statistics of a new database would tempt the planner to read it all.
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set lock_timeout = '250ms' as $$
declare
  items execution_item[];
  done int;
begin
  select array_agg((i.n - 1, i.customer_id, i.client_id, i.quote_id, i.transaction_id, i.key, i.fingerprint, i.received_at,
                    i.if_match, i.expect_sell, i.expect_buy, i.client_reference, i.metadata, i.quote_event,
                    i.transaction_event, i.entry_id, i.place)::execution_item) into items
  from unnest(customer_ids, client_ids, quote_ids, transaction_ids, keys, fingerprints, received_ats, if_matches,
              expect_sells, expect_buys, client_references, metadatas, quote_events, transaction_events, entry_ids, places)
    with ordinality
    as i (customer_id, client_id, quote_id, transaction_id, key, fingerprint, received_at, if_match, expect_sell, expect_buy,
          client_reference, metadata, quote_event, transaction_event, entry_id, place, n);

  if not repeats then
    begin
      return query select * from book_trades(items, at, day);
      get diagnostics done = row_count;
      if done = cardinality(items) then return; end if;
      raise exception 'not all of them' using errcode = 'FQ001';
    exception when unique_violation or check_violation or sqlstate 'FQ001' then
      -- What was written is undone. A key was used before, a balance does not cover, or an item has to be refused.
    end;
  end if;

  return query select * from decide_and_book(items, at, day, keys_expire_at, repeats, keys is not null);
end $$;
