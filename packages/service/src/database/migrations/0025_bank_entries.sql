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

-- The bank and the ledger agree, thing by thing.

-- Whether a statement with a closing balance has told of a booking. Notifications and reports come before it.
alter table statement_bookings add column in_statement boolean not null default false;
update statement_bookings b set in_statement = true
  where exists (
    select from statement_listings l join bank_statements s on s.file_id = l.file_id and s.position = l.statement_position
    where l.booking_id = b.id and s.kind = 'statement' and s.opening_minor is not null and s.closing_minor is not null);
create index statement_bookings_not_in_statement on statement_bookings (account, currency) where not in_statement and status = 'booked';
-- Entries that are not in the books.
create index statement_entries_not_booked on statement_entries (booking_id)
  where payment_state in ('due', 'mismatch') or (payment_state = 'unknown' and deposit_state = 'none') or deposit_state = 'due';

-- What the bank has more than the ledger because of one thing (a deposit, a transaction, an entry of the journal): entries of
-- statements that are it less postings to `bank` for it. Only what is not nothing is here, so it stays small however long the
-- history is. Triggers keep it, so that no way of posting can forget it.
create table bank_open_items (
  currency text not null,
  subject_id uuid not null,
  kind text not null check (kind in ('deposit', 'transaction', 'journal_entry')),
  customer_id uuid,
  amount_minor numeric(38, 0) not null,
  since timestamptz not null,
  primary key (currency, subject_id)
) with (fillfactor = 70);

create function move_bank_item(of_currency text, subject uuid, of_kind text, of_customer uuid, minor numeric, at timestamptz) returns void
language plpgsql as $$
begin
  if minor = 0 then return; end if;
  insert into bank_open_items (currency, subject_id, kind, customer_id, amount_minor, since)
  values (of_currency, subject, of_kind, of_customer, minor, at)
  on conflict (currency, subject_id) do update set amount_minor = bank_open_items.amount_minor + excluded.amount_minor;
  delete from bank_open_items i where i.currency = of_currency and i.subject_id = subject and i.amount_minor = 0;
end $$;

create function bank_item_of_journal() returns trigger language plpgsql as $$
declare
  moved record;
begin
  -- What people book of an entry that is nothing else is the entry.
  if new.kind = 'bank_entry_booked' and new.deposit_id is null then return null; end if;
  for moved in
    select p.currency, sum(p.amount) as amount from unnest(new.accounts, new.currencies, new.amounts) as p (account, currency, amount)
    where p.account = 'bank' group by p.currency
  loop
    perform move_bank_item(
      moved.currency, coalesce(new.deposit_id, new.transaction_id, new.id),
      case when new.deposit_id is not null then 'deposit' when new.transaction_id is not null then 'transaction' else 'journal_entry' end,
      case when new.deposit_id is null then new.customer_id end, -moved.amount, new.at);
  end loop;
  return null;
end $$;
create trigger journal_moves_bank_items after insert on journal_entries for each row
  when ('bank' = any (new.accounts)) execute function bank_item_of_journal();

create function bank_item_of_notice() returns trigger language plpgsql as $$
begin
  perform move_bank_item(new.currency, new.transaction_id, 'transaction', new.customer_id,
    case new.kind when 'paid' then -new.amount_minor else new.amount_minor end, new.at);
  return null;
end $$;
create trigger notices_move_bank_items after insert on bank_notices for each row
  when (new.kind <> 'rejected') execute function bank_item_of_notice();

-- The deposit that an entry takes back, where it does.
create function taken_back_by(e statement_entries) returns uuid language sql immutable as $$
  select case when e.payment_state in ('applied', 'known') or (e.payment_state = 'by_hand' and e.booked_as = 'deposit')
    then e.returned_deposit_id end
$$;
create function bank_item_of_entry() returns trigger language plpgsql as $$
declare
  of_currency text;
  told timestamptz;
begin
  select b.currency, b.booking_date::timestamptz into strict of_currency, told from statement_bookings b where b.id = new.booking_id;
  if old.deposit_id is distinct from new.deposit_id then
    if old.deposit_id is not null then perform move_bank_item(of_currency, old.deposit_id, 'deposit', null, -old.amount_minor, told); end if;
    if new.deposit_id is not null then perform move_bank_item(of_currency, new.deposit_id, 'deposit', null, new.amount_minor, told); end if;
  end if;
  if taken_back_by(old) is distinct from taken_back_by(new) then
    if taken_back_by(old) is not null then perform move_bank_item(of_currency, taken_back_by(old), 'deposit', null, old.amount_minor, told); end if;
    if taken_back_by(new) is not null then perform move_bank_item(of_currency, taken_back_by(new), 'deposit', null, -new.amount_minor, told); end if;
  end if;
  return null;
end $$;
create trigger entries_move_bank_items after update on statement_entries for each row
  when (old.deposit_id is distinct from new.deposit_id or new.returned_deposit_id is not null or old.returned_deposit_id is not null)
  execute function bank_item_of_entry();

-- What is there already.
insert into bank_open_items (currency, subject_id, kind, customer_id, amount_minor, since)
  select currency, subject_id, min(kind), case when min(kind) <> 'deposit' then min(customer_id::text)::uuid end, sum(amount), min(at)
  from (
    select p.currency, coalesce(e.deposit_id, e.transaction_id, e.id) as subject_id,
      case when e.deposit_id is not null then 'deposit' when e.transaction_id is not null then 'transaction' else 'journal_entry' end as kind,
      e.customer_id, -p.amount as amount, e.at
    from journal_entries e, unnest(e.accounts, e.currencies, e.amounts) as p (account, currency, amount)
    where p.account = 'bank'
    union all
    select b.currency, e.deposit_id, 'deposit', null, e.amount_minor, b.booking_date::timestamptz
    from statement_entries e join statement_bookings b on b.id = e.booking_id where e.deposit_id is not null
  ) s
  group by currency, subject_id having sum(amount) <> 0;
