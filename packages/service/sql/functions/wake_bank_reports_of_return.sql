-- What the house sends back of a deposit is nobody's but its own.
create or replace function wake_bank_reports_of_return() returns trigger language plpgsql as $$
begin
  update bank_reports_set_aside set due = true
  where customer_id = '00000000-0000-0000-0000-000000000000' and subject_id = new.id;
  return null;
end $$;

create or replace trigger deposit_returns_wake_bank_reports after update on deposit_returns for each row
  when (old.status <> new.status or old.failure is distinct from new.failure) execute function wake_bank_reports_of_return();
