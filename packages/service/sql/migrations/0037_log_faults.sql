-- A row of a sealed log that is not as it was sealed is work for people: one exception for one fault, however often it is found.
alter table reconciliation_exceptions
  add column log_fault text,
  drop constraint exception_is_about_something,
  drop constraint reconciliation_exceptions_type_check,
  add constraint exception_is_about_something check (deposit_id is not null or transaction_id is not null or entry_id is not null
    or withdrawal_id is not null or status_id is not null or return_id is not null or log_fault is not null),
  add constraint reconciliation_exceptions_type_check check (type in ('unmatched', 'ambiguous', 'short', 'excess', 'wrong_currency',
    'third_party', 'late', 'duplicate', 'returned', 'payout_mismatch', 'not_applied', 'implausible_date', 'log_fault'));
create unique index reconciliation_exceptions_log_fault on reconciliation_exceptions (log_fault) where log_fault is not null;
