-- As legs_of_quote, of a row.
create or replace function quote_legs(q quotes) returns table (currency text, long_minor numeric, short_minor numeric, quotes bigint)
language sql immutable as $$
  select l.* from legs_of_quote(q.sell_currency, q.buy_currency, q.fixed_side, q.sell_minor, q.buy_minor, q.market_minor) l
$$;
