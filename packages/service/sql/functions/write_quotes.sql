-- Writes quotes, with what they name where it may not be kept yet: `prices` are rows of market_prices, `spreads` of quote_spreads.
-- Answers those that were not written, and why: a key that is known, customer_suspended, too_many_open_quotes. A suspended customer gets
-- no quote, whatever an instance still thinks of it: the row is looked at in the commit that writes.
create or replace function write_quotes(
  at timestamptz, keys_expire_at timestamptz, prices json, spreads json, heads spread_head[], items quote_item[],
  client_references text[], metadatas text, keyed boolean, max_open int[])
returns table (ord int, outcome text, open bigint, fingerprint text, quote_id uuid)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set lock_timeout = '250ms' as $$
declare
  metadata_lines text[] := string_to_array(metadatas, E'\n');
  refused uuid[] := '{}';
  found record;
begin
  perform keep_quoted_prices(prices, spreads, heads);
  if keyed then
    for found in select * from claim_quote_keys(items, heads, at, keys_expire_at) loop
      ord := found.n - 1; outcome := 'known'; fingerprint := found.fingerprint; quote_id := found.quote_id;
      refused := refused || items[found.n].id;
      return next;
    end loop;
  end if;
  for found in select * from refused_quotes(items, heads, refused, at, max_open) loop
    ord := found.n - 1; outcome := found.outcome; open := found.open; fingerprint := null; quote_id := null;
    refused := refused || found.id;
    if found.key is not null then
      delete from idempotency_keys k
      where k.customer_id = found.customer_id and k.operation = 'quotes' and k.key = found.key;
    end if;
    return next;
  end loop;

  insert into quotes (
    customer_id, id, client_id, status, version, pair, sell_currency, buy_currency, fixed_side, sell_minor, buy_minor,
    market_minor, markup_minor, usd_minor, tenor, trade_date, value_date, funding_cutoff_at, price_id, metadata,
    client_reference, validity_seconds, validity_truncated, created_at, expires_at, scenario, pre_funded, spread_id, rate, inverse,
    cost_vs_mid_bps, reference_percent)
  select h.customer_id, i.id, h.client_id, 'open', 1, h.pair, h.sell_currency, h.buy_currency, h.fixed_side, i.sell_minor,
    i.buy_minor, i.market_minor, i.markup_minor, i.usd_minor, h.tenor, h.trade_date, h.value_date, h.funding_cutoff_at,
    h.price_id, coalesce(metadata_lines[i.ordinality], '{}')::json, client_references[i.ordinality], h.validity_seconds,
    h.validity_truncated, i.created_at, i.expires_at, h.scenario, h.pre_funded, h.spread_id, h.rate, h.inverse,
    h.cost_vs_mid_bps, h.reference_percent
  from unnest(items) with ordinality i join unnest(heads) with ordinality h on h.ordinality = i.head
  where i.id <> all (refused);
end $$;
