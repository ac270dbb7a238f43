-- What is paid is judged alike, whatever it is for.

-- Work for people may be about a withdrawal.
alter table reconciliation_exceptions
  add column withdrawal_id uuid,
  drop constraint exception_is_about_something,
  add constraint exception_is_about_something check (
    deposit_id is not null or transaction_id is not null or entry_id is not null or withdrawal_id is not null);
create index reconciliation_exceptions_withdrawal on reconciliation_exceptions (withdrawal_id) where withdrawal_id is not null;

-- Reports of a bank that could not be true when they came, such as a debit less a payment that it had not yet told to be
-- refused. When what they are about moves, or more is told of it, they are due again; who looks at them takes them out.
create table bank_reports_set_aside (
  -- An entry of a statement, or a status of a status report.
  source_id uuid not null,
  customer_id uuid not null,
  -- The transaction or the withdrawal.
  subject_id uuid not null,
  due boolean not null default false,
  primary key (customer_id, subject_id, source_id)
);
create index bank_reports_set_aside_source on bank_reports_set_aside (source_id);
create index bank_reports_set_aside_due on bank_reports_set_aside (source_id) where due;

create function wake_bank_reports() returns trigger language plpgsql as $$
begin
  update bank_reports_set_aside set due = true where customer_id = new.customer_id and subject_id = new.id;
  return null;
end $$;
create trigger transactions_wake_bank_reports after update on transactions for each row
  when (old.payout_status <> new.payout_status or old.payout_attempts <> new.payout_attempts
    or old.refund::text is distinct from new.refund::text)
  execute function wake_bank_reports();
create trigger withdrawals_wake_bank_reports after update on balance_withdrawals for each row
  when (old.status <> new.status or old.failure is distinct from new.failure) execute function wake_bank_reports();

create function wake_bank_reports_of_notice() returns trigger language plpgsql as $$
begin
  update bank_reports_set_aside set due = true
  where customer_id = new.customer_id and subject_id = new.transaction_id and source_id <> new.source_id;
  return null;
end $$;
create trigger notices_wake_bank_reports after insert on bank_notices for each row execute function wake_bank_reports_of_notice();
