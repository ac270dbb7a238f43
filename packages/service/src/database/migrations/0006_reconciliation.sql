-- Money that arrived at the house's accounts, and which trade each part of it went to. A deposit has no customer until
-- it is matched, so unlike what a trade touches it is keyed by its own id.
create table deposits (
  id uuid primary key,
  -- The house's account and the bank's own reference of the booking: what arrives twice is one deposit.
  account text not null check (length(account) between 1 and 64),
  bank_reference text not null check (length(bank_reference) between 1 and 140),
  -- SHA-256 over the content as it was told, to know a repetition from another booking under the same reference.
  fingerprint text not null,
  source text not null check (source in ('operator', 'sandbox', 'statement')),
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  remitter_name text,
  remitter_account text,
  remittance_text text,
  value_date date not null,
  received_at timestamptz not null,
  status text not null check (status in ('unmatched', 'partially_matched', 'matched')),
  exception_type text check (exception_type in (
    'unmatched', 'ambiguous', 'short', 'excess', 'wrong_currency', 'third_party', 'late', 'duplicate', 'returned', 'payout_mismatch'
  )),
  exception_reason text,
  customer_id uuid,
  allocated_minor numeric(38, 0) not null default 0 check (allocated_minor >= 0),
  -- Paid too much: owed back to the customer, no longer in suspense.
  excess_minor numeric(38, 0) not null default 0 check (excess_minor >= 0),
  version int not null default 1 check (version > 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (account, bank_reference),
  check (allocated_minor + excess_minor <= amount_minor),
  check ((status = 'unmatched') = (allocated_minor + excess_minor = 0)),
  check ((status = 'matched') = (allocated_minor = amount_minor)),
  check ((status = 'unmatched') = (customer_id is null)),
  check ((exception_type is null) = (exception_reason is null)),
  -- Nothing gets lost: money that no trade took is always somebody's work.
  check (status = 'matched' or exception_type is not null)
) with (fillfactor = 85);
create index deposits_received on deposits (received_at, id);
create index deposits_unsettled on deposits (received_at, id) where status <> 'matched';

create table deposit_allocations (
  customer_id uuid not null,
  transaction_id uuid not null,
  deposit_id uuid not null references deposits (id),
  allocated_minor numeric(38, 0) not null check (allocated_minor > 0),
  excess_minor numeric(38, 0) not null check (excess_minor >= 0),
  -- Forgiven of what was expected because of this deposit.
  shortfall_minor numeric(38, 0) not null check (shortfall_minor >= 0),
  rule text not null,
  matched_by text not null check (matched_by in ('auto', 'manual')),
  actor text not null,
  -- What the rule saw: reference, amounts, tolerance.
  evidence json not null,
  at timestamptz not null,
  primary key (customer_id, transaction_id, deposit_id)
);
create index deposit_allocations_deposit on deposit_allocations (deposit_id);

-- The operator's list goes across customers, newest first, by status.
create index transactions_by_status on transactions (status, id);
