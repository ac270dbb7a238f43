-- What statements say of payments of the house: each entry that is no deposit is held against what was to be paid.

alter table statement_entries
  -- `due`: yet to be looked at; `unknown_account`: on an account that is none of the house; then what was found:
  -- `applied` (trades have moved), `known` (they were there already), `mismatch` (ours, and something is wrong),
  -- `unknown` (none of ours). `none`: pending or information, or a credit that is a deposit.
  add column payment_state text not null default 'none' check (payment_state in (
    'none', 'due', 'unknown_account', 'applied', 'known', 'mismatch', 'unknown'
  )),
  add column payment_reason text check (length(payment_reason) between 1 and 40),
  -- The payment of a settlement run that it is, where it is one.
  add column payment_id uuid references payments (id),
  -- A debit may be a deposit that its remitter's bank has taken back.
  add column returned_deposit_id uuid references deposits (id),
  add check (payment_reason is null or payment_state in ('mismatch', 'unknown'));
create index statement_entries_payment_due on statement_entries (id) where payment_state = 'due';
create index statement_entries_returned_deposit on statement_entries (returned_deposit_id) where returned_deposit_id is not null;

update statement_entries e
  set payment_state = case when s.is_own then 'due' else 'unknown_account' end
  from statement_bookings b join bank_statements s on s.id = b.statement_id
  where b.id = e.booking_id and b.status = 'booked' and e.amount_minor > 0 and (b.direction = 'debit' or e.kind <> 'payment');

-- What a bank has told of a payout or refund, one row for each source and trade. Each attempt leaves the house once and
-- comes back once: what is told beyond that is another movement of money, and a person's work.
create table bank_notices (
  customer_id uuid not null,
  transaction_id uuid not null,
  purpose text not null,
  attempt int not null check (attempt > 0),
  kind text not null check (kind in ('paid', 'rejected', 'returned')),
  -- What told it: an entry of a statement or of a status report.
  source_id uuid not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  at timestamptz not null,
  primary key (customer_id, transaction_id, source_id)
);
create index bank_notices_source on bank_notices (source_id);
create unique index bank_notices_once on bank_notices (customer_id, transaction_id, purpose, attempt, kind) where kind <> 'rejected';

-- Work for people may be about an entry of a statement that nothing else is known of.
alter table reconciliation_exceptions
  add column entry_id uuid references statement_entries (id),
  drop constraint reconciliation_exceptions_check,
  add constraint exception_is_about_something check (deposit_id is not null or transaction_id is not null or entry_id is not null);
create unique index reconciliation_exceptions_entry on reconciliation_exceptions (entry_id) where status = 'open';

-- By which an earlier entry is found when its payment comes back.
create index statement_entries_detail_reference on statement_entries (detail_reference) where detail_reference is not null;
create index statement_bookings_bank_reference on statement_bookings (account, bank_reference) where bank_reference is not null;
