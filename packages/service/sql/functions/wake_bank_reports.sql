create or replace function wake_bank_reports() returns trigger language plpgsql as $$
begin
  update bank_reports_set_aside set due = true where customer_id = new.customer_id and subject_id = new.id;
  return null;
end $$;

create or replace trigger transactions_wake_bank_reports after update on transactions for each row
  when (old.payout_status <> new.payout_status or old.payout_attempts <> new.payout_attempts
    or old.refund::text is distinct from new.refund::text)
  execute function wake_bank_reports();
create or replace trigger withdrawals_wake_bank_reports after update on balance_withdrawals for each row
  when (old.status <> new.status or old.failure is distinct from new.failure) execute function wake_bank_reports();
