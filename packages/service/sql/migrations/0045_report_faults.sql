-- A report of a schedule that could not be made, and a schedule that cannot run, are work for people: one exception for each slot and reason.
alter table reconciliation_exceptions
  add column schedule_id uuid,
  add column report_id uuid,
  add column slot date,
  drop constraint exception_is_about_something,
  drop constraint reconciliation_exceptions_type_check,
  add constraint exception_is_about_something check (deposit_id is not null or transaction_id is not null or entry_id is not null
    or withdrawal_id is not null or status_id is not null or return_id is not null or log_fault is not null or schedule_id is not null),
  add constraint reconciliation_exceptions_type_check check (type in ('unmatched', 'ambiguous', 'short', 'excess', 'wrong_currency',
    'third_party', 'late', 'duplicate', 'returned', 'payout_mismatch', 'not_applied', 'implausible_date', 'log_fault', 'report_failed'));
create unique index reconciliation_exceptions_report on reconciliation_exceptions (schedule_id, slot, reason)
  where schedule_id is not null;
