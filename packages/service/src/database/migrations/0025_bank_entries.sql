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
