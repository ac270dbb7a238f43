create or replace function keep_changed_trades() returns trigger language plpgsql as $$
begin
  insert into settlement_ladder (value_date, currency, trades_in, expected_minor, received_minor, outstanding_minor, trades_out, to_pay_minor)
  select s.value_date, s.currency, sum(s.trades_in), sum(s.expected), sum(s.received), sum(s.outstanding), sum(s.trades_out), sum(s.to_pay)
  from (
    select t.value_date, r.* from added t cross join lateral ladder_rungs(t) r
    union all
    select t.value_date, r.currency, -r.trades_in, -r.expected, -r.received, -r.outstanding, -r.trades_out, -r.to_pay
    from removed t cross join lateral ladder_rungs(t) r
  ) s
  group by 1, 2
  having sum(s.trades_in) <> 0 or sum(s.expected) <> 0 or sum(s.received) <> 0 or sum(s.outstanding) <> 0
    or sum(s.trades_out) <> 0 or sum(s.to_pay) <> 0;
  return null;
end $$;

create or replace trigger changed_trades_move_on_the_ladder after update on transactions referencing old table as removed new table as added
  for each statement execute function keep_changed_trades();
