-- Money that the house sends back to remitters: paid by settlement runs, as everything that the house pays.
create table deposit_returns (
  id uuid primary key,
  deposit_id uuid not null references deposits (id),
  -- From the same sequence as those of transactions: no two are the same, whatever a bank hands on.
  reference text not null unique default reference_of(reference_digits(nextval('transaction_references'))),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  status text not null check (status in ('pending', 'paid', 'failed', 'cancelled')),
  account_holder text not null,
  bic text,
  iban text,
  account_number text,
  routing_number text,
  -- Why it failed: the bank refused it, or sent it back after it was paid.
  failure text check (failure in ('rejected', 'returned')),
  detail text check (length(detail) between 1 and 500),
  bank_reference text check (length(bank_reference) between 1 and 140),
  paid_at timestamptz,
  -- When what failed or was cancelled came back into suspense.
  reopened_at timestamptz,
  requested_by uuid not null,
  approved_by uuid,
  reason text not null check (length(reason) between 1 and 500),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (iban is not null or account_number is not null),
  check ((status = 'failed') = (failure is not null))
);
create index deposit_returns_deposit on deposit_returns (deposit_id);
create index deposit_returns_due on deposit_returns (currency, id) where status = 'pending';
create index deposit_returns_failed on deposit_returns (id) where status = 'failed' and reopened_at is null;

-- They belong to no customer: their payments are kept under the house's id.
alter table payment_items
  add column return_id uuid references deposit_returns (id),
  drop constraint payment_items_purpose_check,
  add constraint payment_items_purpose_check check (purpose in ('payout', 'refund', 'withdrawal', 'deposit_return')),
  drop constraint payment_items_subject,
  add constraint payment_items_subject check (
    (purpose = 'withdrawal') = (withdrawal_id is not null) and (purpose = 'deposit_return') = (return_id is not null)
    and (purpose in ('payout', 'refund')) = (transaction_id is not null));
create unique index payment_items_return_once on payment_items (return_id) where live and return_id is not null;
create index payment_items_return on payment_items (return_id) where return_id is not null;

alter table reconciliation_exceptions
  add column return_id uuid references deposit_returns (id),
  drop constraint exception_is_about_something,
  add constraint exception_is_about_something check (
    deposit_id is not null or transaction_id is not null or entry_id is not null or withdrawal_id is not null
    or status_id is not null or return_id is not null);

do $$
declare
  kinds text;
begin
  select string_agg(distinct quote_literal(m[1]), ', ') into strict kinds
  from pg_constraint c, regexp_matches(pg_get_constraintdef(c.oid), $re$'([a-z_]+)'$re$, 'g') m
  where c.conname = 'journal_entries_kind_check' and c.conrelid = 'journal_entries'::regclass;
  alter table journal_entries drop constraint journal_entries_kind_check;
  execute format('alter table journal_entries add constraint journal_entries_kind_check check (kind in (%s, %L, %L, %L, %L)) not valid', kinds,
    'return_ordered', 'return_paid', 'return_undone', 'return_reopened');
end $$;

-- What a bank tells of a return is told of its deposit.
create or replace function bank_item_of_notice() returns trigger language plpgsql as $$
begin
  perform move_bank_item(new.currency,
    case new.purpose when 'deposit_return' then (select r.deposit_id from deposit_returns r where r.id = new.transaction_id) else new.transaction_id end,
    case new.purpose when 'withdrawal' then 'withdrawal' when 'deposit_return' then 'deposit' else 'transaction' end,
    case when new.purpose <> 'deposit_return' then new.customer_id end,
    case new.kind when 'paid' then -new.amount_minor else new.amount_minor end, new.at);
  return null;
end $$;
