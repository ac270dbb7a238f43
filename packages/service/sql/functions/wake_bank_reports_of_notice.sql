create or replace function wake_bank_reports_of_notice() returns trigger language plpgsql as $$
begin
  update bank_reports_set_aside set due = true
  where customer_id = new.customer_id and subject_id = new.transaction_id and source_id <> new.source_id;
  return null;
end $$;

create or replace trigger notices_wake_bank_reports after insert on bank_notices for each row execute function wake_bank_reports_of_notice();
