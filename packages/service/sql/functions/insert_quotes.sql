-- Of the previous version: goes with the next. Its quotes name a row of quote_prices, which is kept as it was.
create or replace function insert_quotes(
  at timestamptz, keys_expire_at timestamptz, prices json, heads quote_head[], items quote_item[],
  client_references text[], metadatas text, keyed boolean, max_open int[])
returns table (ord int, outcome text, open bigint, fingerprint text, quote_id uuid)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set lock_timeout = '250ms' as $$
begin
  if prices is not null then
    -- In the order of their ids: another batch may be writing the same.
    insert into quote_prices (id, spread_rule_id, spread_rule_version, rate, pricing, pricing_end, markup_unit, evidence)
    select p.id, p.spread_rule_id, p.spread_rule_version, p.rate::json, p.pricing, p.pricing_end, p.markup_unit, p.evidence::json
    from json_to_recordset(prices) as p (
      id uuid, spread_rule_id uuid, spread_rule_version int, rate text, pricing text, pricing_end text, markup_unit numeric,
      evidence text)
    order by p.id
    on conflict (id) do nothing;
  end if;
  return query select * from write_quotes(
    at, keys_expire_at, null, null,
    (select array_agg(
       (h.customer_id, h.client_id, h.price_id, null, null, null, null, null, h.pair, h.sell_currency, h.buy_currency, h.fixed_side,
        h.tenor, h.trade_date, h.value_date, h.funding_cutoff_at, h.validity_seconds, h.validity_truncated, h.scenario,
        h.pre_funded)::spread_head order by h.ordinality)
     from unnest(heads) with ordinality h),
    items, client_references, metadatas, keyed, max_open);
end $$;
