-- What statements and status reports tell and could not be applied: tried again later and later, and work for people meanwhile.
create table apply_failures (
  -- An entry of a statement, or a status of a report.
  subject_id uuid primary key,
  kind text not null check (kind in ('credit', 'payment', 'deposit_return', 'status')),
  attempts int not null check (attempts > 0),
  -- Stable code of the problem, or `internal_error`.
  reason text not null check (length(reason) between 1 and 64),
  detail text,
  first_at timestamptz not null,
  last_at timestamptz not null,
  next_at timestamptz not null
) with (fillfactor = 70);

alter table reconciliation_exceptions
  add column status_id uuid references payment_statuses (id),
  drop constraint exception_is_about_something,
  add constraint exception_is_about_something check (
    deposit_id is not null or transaction_id is not null or entry_id is not null or withdrawal_id is not null
    or status_id is not null),
  drop constraint reconciliation_exceptions_type_check,
  add constraint reconciliation_exceptions_type_check check (type in (
    'unmatched', 'ambiguous', 'short', 'excess', 'wrong_currency', 'third_party', 'late', 'duplicate', 'returned', 'payout_mismatch',
    'not_applied'
  ));
create unique index reconciliation_exceptions_status on reconciliation_exceptions (status_id) where status = 'open';
alter table exception_history
  drop constraint exception_history_action_check,
  add constraint exception_history_action_check check (action in ('opened', 'assigned', 'resolved', 'retried'));
