create or replace function keep_removed_trades() returns trigger language plpgsql as $$
begin
  insert into settlement_ladder (value_date, currency, trades_in, expected_minor, received_minor, outstanding_minor, trades_out, to_pay_minor)
  select t.value_date, r.currency, -sum(r.trades_in), -sum(r.expected), -sum(r.received), -sum(r.outstanding), -sum(r.trades_out), -sum(r.to_pay)
  from removed t cross join lateral ladder_rungs(t) r group by 1, 2;
  return null;
end $$;

create or replace trigger deleted_trades_are_off_the_ladder after delete on transactions referencing old table as removed
  for each statement execute function keep_removed_trades();
