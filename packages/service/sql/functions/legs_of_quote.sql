-- What one quote counts, in each of its currencies. The leg that is not fixed enters a position at the market's price.
create or replace function legs_of_quote(
  sell_currency text, buy_currency text, fixed_side text, sell_minor numeric, buy_minor numeric, market_minor numeric)
returns table (currency text, long_minor numeric, short_minor numeric, quotes bigint) language sql immutable as $$
  values
    (sell_currency, case fixed_side when 'sell' then sell_minor else market_minor end, 0::numeric, 1::bigint),
    (buy_currency, 0, case fixed_side when 'sell' then market_minor else buy_minor end, 0)
$$;
