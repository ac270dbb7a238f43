-- What a bank has told of a deposit that could not be taken back is looked at again once it is, by somebody's word or by another entry.
create or replace function wake_bank_reports_of_deposit() returns trigger language plpgsql as $$
begin
  update bank_reports_set_aside set due = true
  where customer_id = '00000000-0000-0000-0000-000000000000' and subject_id = new.id;
  return null;
end $$;

create or replace trigger deposits_wake_bank_reports after update on deposits for each row
  when (old.status <> 'returned' and new.status = 'returned') execute function wake_bank_reports_of_deposit();
