-- What one operator proposed and another one decides. `request` belongs to the room that proposed it.
create table approvals (
  id uuid primary key,
  kind text not null check (kind ~ '^[a-z_]{1,40}$'),
  -- Id of what it is about, as the API writes it.
  subject text not null check (length(subject) between 1 and 64),
  request json not null,
  reason text not null check (length(reason) between 1 and 500),
  status text not null check (status in ('pending', 'approved', 'rejected', 'withdrawn')),
  proposed_by uuid not null,
  proposed_at timestamptz not null,
  decided_by uuid,
  decided_at timestamptz,
  note text check (length(note) between 1 and 500),
  check ((status = 'pending') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  -- Four eyes are two persons.
  check (status not in ('approved', 'rejected') or decided_by <> proposed_by),
  check (status <> 'withdrawn' or decided_by = proposed_by)
);
-- One proposal at a time for each thing.
create unique index approvals_pending on approvals (subject) where status = 'pending';

-- Money that went back, deposits that name a virtual account, and deposits that are set aside on purpose.
alter table deposits
  add column returned_minor numeric(38, 0) not null default 0 check (returned_minor >= 0),
  add column virtual_account text check (length(virtual_account) between 1 and 64),
  drop constraint deposits_status_check,
  drop constraint deposits_check,
  drop constraint deposits_check1,
  drop constraint deposits_check2,
  drop constraint deposits_check3,
  drop constraint deposits_check5,
  add constraint deposit_status_known check (status in ('unmatched', 'partially_matched', 'matched', 'returned', 'ignored')),
  add constraint deposit_adds_up check (allocated_minor + excess_minor + returned_minor <= amount_minor),
  add constraint deposit_unmatched_is_whole check (status <> 'unmatched' or allocated_minor + excess_minor + returned_minor = 0),
  add constraint deposit_matched_is_placed check ((status = 'matched') = (allocated_minor > 0 and allocated_minor + returned_minor = amount_minor)),
  add constraint deposit_returned_is_gone check ((status = 'returned') = (returned_minor = amount_minor)),
  add constraint deposit_matched_has_customer check (allocated_minor + excess_minor = 0 or customer_id is not null),
  -- Nothing gets lost: money that is in suspense is somebody's work, unless somebody has set it aside.
  add constraint deposit_is_somebodys_work check (
    exception_type is not null or status = 'ignored' or allocated_minor + excess_minor + returned_minor = amount_minor);
create index deposits_remitter on deposits (remitter_account) where remitter_account is not null;

-- 0 to 100, by rule; none where a person decided.
alter table deposit_allocations add column score smallint check (score between 0 and 100);
create index deposit_allocations_at on deposit_allocations (at);

-- What became of a deposit, one row for each of its versions.
create table deposit_history (
  deposit_id uuid not null references deposits (id),
  version int not null,
  at timestamptz not null,
  -- `matcher`, `bank_feed`, or the OAuth client of an operator.
  actor text not null,
  action text not null,
  reason text,
  detail json not null,
  primary key (deposit_id, version)
);
create trigger deposit_history_is_append_only before update or delete or truncate on deposit_history
  for each statement execute function refuse_change();
-- Deposits that are older than their history begin it with what is known.
insert into deposit_history (deposit_id, version, at, actor, action, detail)
  select id, version, updated_at, 'matcher', 'received', '{}' from deposits;

-- Work for a person. One open exception for each deposit; closed ones stay.
create table reconciliation_exceptions (
  id uuid primary key,
  type text not null check (type in (
    'unmatched', 'ambiguous', 'short', 'excess', 'wrong_currency', 'third_party', 'late', 'duplicate', 'returned', 'payout_mismatch'
  )),
  reason text not null,
  deposit_id uuid references deposits (id),
  customer_id uuid,
  transaction_id uuid,
  status text not null check (status in ('open', 'resolved')),
  assignee text check (length(assignee) between 1 and 100),
  opened_at timestamptz not null,
  resolved_at timestamptz,
  resolution text,
  version int not null check (version > 0),
  check (deposit_id is not null or transaction_id is not null),
  check ((status = 'open') = (resolved_at is null) and (resolved_at is null) = (resolution is null))
);
create unique index reconciliation_exceptions_deposit on reconciliation_exceptions (deposit_id) where status = 'open';
create index reconciliation_exceptions_transaction on reconciliation_exceptions (transaction_id) where transaction_id is not null;
create index reconciliation_exceptions_open on reconciliation_exceptions (id) where status = 'open';
insert into reconciliation_exceptions (id, type, reason, deposit_id, customer_id, status, opened_at, version)
  select id, exception_type, exception_reason, id, customer_id, 'open', updated_at, 1 from deposits where exception_type is not null;

create table exception_history (
  exception_id uuid not null references reconciliation_exceptions (id),
  version int not null,
  at timestamptz not null,
  actor text not null,
  action text not null check (action in ('opened', 'assigned', 'resolved')),
  note text,
  detail json not null,
  primary key (exception_id, version)
);
create trigger exception_history_is_append_only before update or delete or truncate on exception_history
  for each statement execute function refuse_change();
insert into exception_history (exception_id, version, at, actor, action, detail)
  select id, 1, opened_at, 'matcher', 'opened', '{}' from reconciliation_exceptions;

-- Accounts at the house's banks that belong to one customer: what arrives there is the customer's.
create table virtual_accounts (
  id uuid primary key,
  customer_id uuid not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- Capitals and digits only.
  number text not null check (number ~ '^[A-Z0-9]{4,64}$'),
  status text not null check (status in ('active', 'closed')),
  created_at timestamptz not null,
  created_by uuid not null,
  closed_at timestamptz
);
create unique index virtual_accounts_number on virtual_accounts (number) where status = 'active';
create index virtual_accounts_customer on virtual_accounts (customer_id, id);

-- Accounts that a customer has paid from before, learnt from what operators matched by hand.
create table known_remitters (
  id uuid primary key,
  customer_id uuid not null,
  account text not null,
  name text,
  learnt_at timestamptz not null,
  learnt_by uuid not null,
  deposit_id uuid not null,
  unique (customer_id, account)
);
create index known_remitters_account on known_remitters (account);
create index known_remitters_deposit on known_remitters (deposit_id);

-- Every version of the matching rules; the newest is in force.
create table matching_settings (
  version int primary key check (version > 1),
  document json not null,
  changed_by uuid not null,
  created_at timestamptz not null
);

alter table journal_entries
  drop constraint journal_entries_kind_check,
  add constraint journal_entries_kind_check check (kind in (
    'trade_executed', 'trade_cancelled', 'deposit_received', 'deposit_allocated', 'deposit_deallocated', 'deposit_returned',
    'payout_sent', 'payout_returned'
  ));
