-- Keeps what quotes name of prices and spreads, where it is not kept yet.
create or replace function keep_quoted_prices(prices json, spreads json, heads spread_head[]) returns void language plpgsql as $$
begin
  -- In the order of their ids: another batch may be writing the same.
  if prices is not null then
    insert into market_prices
    select p.* from json_populate_recordset(null::market_prices, prices) p order by p.id on conflict (id) do nothing;
  end if;
  if spreads is not null then
    insert into quote_spreads
    select s.* from json_populate_recordset(null::quote_spreads, spreads) s order by s.id on conflict (id) do nothing;
  end if;
  if exists (
    select from unnest(heads) h
    where (select m.id from market_prices m where m.id = h.price_id limit 1) is null
      or (select s.id from quote_spreads s where s.id = h.spread_id limit 1) is null
  ) then
    raise exception 'a price of these quotes is not kept' using errcode = 'foreign_key_violation';
  end if;
end $$;
