-- What one open trade brings in and pays out.
create or replace function ladder_rungs(t transactions)
returns table (currency text, trades_in bigint, expected numeric, received numeric, outstanding numeric, trades_out bigint, to_pay numeric)
language sql immutable as $$
  select v.* from (values
    (t.sell_currency, 1::bigint, t.sell_minor, t.received_minor,
     greatest(t.sell_minor - t.received_minor - t.shortfall_minor, 0), 0::bigint, 0::numeric),
    (t.buy_currency, 0, 0, 0, 0, 1, t.buy_minor)
  ) as v (currency, trades_in, expected, received, outstanding, trades_out, to_pay)
  where t.status in ('awaiting_funds', 'partially_funded', 'funded', 'overdue', 'settling', 'settlement_failed')
$$;
