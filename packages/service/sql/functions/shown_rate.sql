-- `rate` of a quote as it was shown. The market's own side, and who gave it, belong to the make-up of the price.
create or replace function shown_rate(m market_prices, disclosure text, rate numeric, inverse numeric) returns json
language sql stable as $$
  select ('{"pair":"' || m.pair || '","baseCurrency":"' || left(m.pair, 3) || '","quoteCurrency":"' || right(m.pair, 3)
    || '","side":"' || m.side || '","value":"' || rate || '","inverse":"' || inverse || '","mid":"' || m.mid
    || case disclosure when 'full' then '","market":"' || m.market else '' end || '","asOf":"' || m.as_of
    || case disclosure when 'full' then '","source":"' || m.source else '' end || '"}')::json
$$;
