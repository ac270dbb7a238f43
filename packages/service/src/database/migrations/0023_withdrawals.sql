-- Money that goes out of balances, to the customer's own account.
create table balance_withdrawals (
  customer_id uuid not null references customers (id),
  id uuid not null,
  -- From the same sequence as those of transactions: no two are the same, whatever a bank hands on.
  reference text not null unique default reference_of(reference_digits(nextval('transaction_references'))),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  status text not null check (status in ('pending', 'paid', 'failed', 'cancelled')),
  -- The settlement instruction that the customer had then.
  destination_id uuid not null,
  destination_masked text not null,
  client_reference text,
  requested_as text not null check (requested_as in ('customer', 'operator')),
  requested_by uuid not null,
  approved_by uuid,
  -- An operator's reason.
  reason text check (length(reason) between 1 and 500),
  bank_reference text check (length(bank_reference) between 1 and 140),
  paid_at timestamptz,
  -- Why it failed: the bank refused it, or sent it back after it was paid.
  failure text check (failure in ('rejected', 'returned')),
  -- What the bank, or the one who cancelled it, said.
  detail text check (length(detail) between 1 and 500),
  version int not null default 1 check (version > 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (customer_id, id),
  check ((status = 'failed') = (failure is not null)),
  check ((status = 'paid' or failure = 'returned') = (paid_at is not null))
);
create unique index balance_withdrawals_id on balance_withdrawals (id);
create index balance_withdrawals_due on balance_withdrawals (currency, customer_id, id) where status = 'pending';

-- Payments of runs are for withdrawals as well.
alter table payment_items
  drop constraint payment_items_pkey,
  alter column transaction_id drop not null,
  add column withdrawal_id uuid,
  drop constraint payment_items_purpose_check,
  add constraint payment_items_purpose_check check (purpose in ('payout', 'refund', 'withdrawal')),
  add constraint payment_items_subject check (
    (purpose = 'withdrawal') = (withdrawal_id is not null) and (withdrawal_id is null) = (transaction_id is not null));
create unique index payment_items_subjects
  on payment_items (customer_id, transaction_id, withdrawal_id, purpose, attempt, payment_id) nulls not distinct;
create unique index payment_items_withdrawal_once on payment_items (withdrawal_id) where live and withdrawal_id is not null;
create index payment_items_withdrawal on payment_items (withdrawal_id) where withdrawal_id is not null;

-- Entries of withdrawals name them.
alter table journal_entries add column withdrawal_id uuid;
create or replace function post_entries(batch json) returns void language sql as $$
  with written as (
    insert into journal_entries (customer_id, id, kind, at, transaction_id, deposit_id, withdrawal_id, accounts, currencies, amounts)
    select customer_id, id, kind, at, transaction_id, deposit_id, withdrawal_id, accounts, currencies, amounts
    from json_populate_recordset(null::journal_entries, batch)
    returning customer_id, accounts, currencies, amounts
  )
  insert into balances (customer_id, account, currency, balance)
  select w.customer_id, p.account, p.currency, sum(p.amount)
  from written w, unnest(w.accounts, w.currencies, w.amounts) as p (account, currency, amount)
  group by w.customer_id, p.account, p.currency
  order by w.customer_id, p.account, p.currency
  on conflict (customer_id, account, currency) do update set balance = balances.balance + excluded.balance
$$;

-- Entries are append-only and were checked when they were written, so that the old ones need not be read again.
alter table journal_entries drop constraint journal_entries_kind_check;
alter table journal_entries add constraint journal_entries_kind_check check (kind in (
  'trade_executed', 'trade_cancelled', 'deposit_received', 'deposit_allocated', 'deposit_deallocated', 'deposit_returned',
  'payout_sent', 'payout_returned', 'refund_paid', 'refund_returned', 'balance_topped_up', 'proceeds_credited', 'close_out',
  'withdrawal_requested', 'withdrawal_paid', 'withdrawal_undone', 'withdrawal_returned'
)) not valid;
