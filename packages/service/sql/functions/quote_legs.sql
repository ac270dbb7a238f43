-- What one quote counts, in each of its currencies. The leg that is not fixed enters a position at the market's price.
create or replace function quote_legs(q quotes) returns table (currency text, long_minor numeric, short_minor numeric, quotes bigint)
language sql immutable as $$
  values
    (q.sell_currency, case q.fixed_side when 'sell' then q.sell_minor else q.market_minor end, 0::numeric, 1::bigint),
    (q.buy_currency, 0, case q.fixed_side when 'sell' then q.market_minor else q.buy_minor end, 0)
$$;
