-- Deposits by what their payments were called, for when they are taken back.
create index statement_entries_deposit_uetr on statement_entries (uetr) where uetr is not null;
create index statement_entries_deposit_end_to_end on statement_entries (end_to_end_id) where end_to_end_id is not null;

-- What people make of entries that no machine can decide: money of the house itself, or a payment after all.
alter table statement_entries
  drop constraint statement_entries_payment_state_check,
  add constraint statement_entries_payment_state_check check (payment_state in (
    'none', 'due', 'unknown_account', 'applied', 'known', 'mismatch', 'unknown', 'by_hand'
  )),
  -- The account of the ledger that it was booked to, or `deposit`, `payout`, `refund`.
  add column booked_as text check (length(booked_as) between 1 and 40);

-- A deposit that was the house's own money, such as interest: the account that it was booked to.
alter table deposits add column booked_as text check (length(booked_as) between 1 and 40);

-- One more kind of journal entry, whatever kinds there are.
do $$
declare
  kinds text;
begin
  select string_agg(distinct quote_literal(m[1]), ', ') into strict kinds
  from pg_constraint c, regexp_matches(pg_get_constraintdef(c.oid), $re$'([a-z_]+)'$re$, 'g') m
  where c.conname = 'journal_entries_kind_check' and c.conrelid = 'journal_entries'::regclass;
  alter table journal_entries drop constraint journal_entries_kind_check;
  execute format('alter table journal_entries add constraint journal_entries_kind_check check (kind in (%s, %L)) not valid', kinds, 'bank_entry_booked');
end $$;

-- Status reports (pain.002): what the bank says of payments before and besides its statements.
alter table statement_files
  drop constraint statement_files_format_check,
  add constraint statement_files_format_check check (format in ('camt', 'mt940', 'csv', 'json', 'pain.002')),
  add column payment_statuses int not null default 0 check (payment_statuses >= 0);

create table payment_statuses (
  id uuid primary key,
  file_id uuid not null references statement_files (id),
  position int not null check (position >= 0),
  line int not null,
  -- Of a whole file of ours, of a block in it, or of one payment.
  level text not null check (level in ('file', 'block', 'payment')),
  -- ISO external code, such as RJCT or ACSC, as the bank writes it.
  status text not null check (length(status) between 1 and 35),
  reason_code text,
  reason_text text,
  original_id text,
  end_to_end_id text,
  instruction_id text,
  uetr text,
  amount_minor numeric(38, 0),
  currency text,
  -- As of an entry; `noted`: it moves nothing.
  state text not null check (state in ('due', 'noted', 'applied', 'known', 'mismatch', 'unknown')),
  mismatch_reason text,
  unique (file_id, position)
);
create index payment_statuses_due on payment_statuses (id) where state = 'due';

-- The last that the bank has said of a payment in status reports.
alter table payments
  add column bank_status text check (length(bank_status) between 1 and 35),
  add column bank_status_reason text,
  add column bank_status_at timestamptz;
