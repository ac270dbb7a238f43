-- Settlement: holds.

-- Holds with their inner reasons. The customer's side of those that stand is in transactions.holds, which is shown as
-- it is; what is here is for operators only.
create table transaction_holds (
  customer_id uuid not null,
  transaction_id uuid not null,
  id uuid not null,
  kind text not null check (kind in ('screening', 'review', 'documents')),
  reason text not null check (length(reason) between 1 and 500),
  placed_by uuid not null,
  placed_at timestamptz not null,
  released_by uuid,
  released_at timestamptz,
  release_reason text check (length(release_reason) between 1 and 500),
  primary key (customer_id, transaction_id, id),
  check ((released_at is null) = (released_by is null)),
  check (released_at is not null or release_reason is null)
);

-- Payment files. A run collects what is to be paid in one currency for one date into one message to the bank.
create table settlement_runs (
  id uuid primary key,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- Payouts with this value date or an earlier one.
  value_date date not null,
  -- The day on which the bank is asked to pay.
  execution_date date not null,
  charge_bearer text not null check (charge_bearer in ('shared', 'debtor', 'creditor')),
  status text not null check (status in ('created', 'sent', 'cancelled')),
  message_id text not null unique check (length(message_id) between 1 and 35),
  payment_count int not null check (payment_count > 0),
  total_minor numeric(38, 0) not null check (total_minor > 0),
  version int not null default 1 check (version > 0),
  created_by uuid not null,
  created_at timestamptz not null,
  ended_by uuid,
  ended_at timestamptz,
  check ((status = 'created') = (ended_at is null)),
  check ((ended_at is null) = (ended_by is null))
);
create index settlement_runs_by_currency on settlement_runs (currency, id);

create table settlement_run_files (
  run_id uuid not null references settlement_runs (id),
  format text not null check (format in ('pain.001', 'csv')),
  content bytea not null,
  sha256 text not null check (sha256 = encode(sha256(content), 'hex')),
  primary key (run_id, format)
);

-- One instruction to the bank: a payout, a refund, or several payouts of a customer in one payment. Whether it was paid is
-- not here but with the transactions it is for.
create table payments (
  id uuid primary key,
  run_id uuid not null references settlement_runs (id),
  customer_id uuid not null,
  end_to_end_id text not null unique check (length(end_to_end_id) between 1 and 35),
  uetr uuid not null unique,
  currency text not null,
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  scheme text not null check (scheme in ('sepa', 'plain')),
  destination_masked text not null,
  -- What the bank's character set changed: [{field, given, sent}].
  adjustments json not null
);
create index payments_of_run on payments (run_id, id);

create table payment_items (
  customer_id uuid not null,
  transaction_id uuid not null,
  purpose text not null check (purpose in ('payout', 'refund')),
  -- Of the payout or of the refund: a retry is another one.
  attempt int not null check (attempt > 0),
  payment_id uuid not null references payments (id),
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  -- False once the run was cancelled: then it may be taken into another.
  live boolean not null default true,
  primary key (customer_id, transaction_id, purpose, attempt, payment_id)
);
-- Nothing is paid twice: an attempt is in one run that was not cancelled.
create unique index payment_items_once on payment_items (customer_id, transaction_id, purpose, attempt) where live;
create index payment_items_payment on payment_items (payment_id);

create index transactions_refund_due on transactions ((refund ->> 'currency'), customer_id, id)
  where refund ->> 'status' = 'pending';
create index transactions_payout_due on transactions (buy_currency, customer_id, id)
  where status = 'settling' and payout_status = 'sent';

-- Entries are append-only and were checked when they were written, so that the old ones need not be read again.
alter table journal_entries drop constraint journal_entries_kind_check;
alter table journal_entries add constraint journal_entries_kind_check check (kind in (
  'trade_executed', 'trade_cancelled', 'deposit_received', 'deposit_allocated', 'deposit_deallocated', 'deposit_returned',
  'payout_sent', 'payout_returned', 'refund_paid', 'refund_returned', 'balance_topped_up', 'proceeds_credited', 'close_out'
)) not valid;
