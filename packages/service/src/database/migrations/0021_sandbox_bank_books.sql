-- The books of the sandbox's bank, and the files in which it tells of them. In production these tables stay empty.

create table sandbox_bank_accounts (
  id uuid primary key,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- As customers are told to pay to, and as the bank's files name it.
  account text not null check (length(account) between 1 and 64),
  is_iban boolean not null,
  holder text not null,
  bic text,
  -- How many statements there have been, and what the last one closed with. May be negative: the bank lends.
  statements int not null default 0 check (statements >= 0),
  closing_minor numeric(38, 0) not null default 0,
  unique (account, currency)
);

-- What the bank sends, byte for byte. `told_at` is set when the service has taken it in.
create table sandbox_bank_files (
  id uuid primary key,
  sequence bigint generated always as identity unique,
  kind text not null check (kind in ('camt.054', 'camt.053', 'pain.002')),
  name text not null,
  entries int not null check (entries > 0),
  content bytea not null,
  sha256 text not null check (sha256 = encode(sha256(content), 'hex')),
  created_at timestamptz not null,
  -- Real time: who made it tells it at once; others only when that has not happened for a while.
  written_at timestamptz not null default clock_timestamp(),
  told_at timestamptz
);
create index sandbox_bank_files_untold on sandbox_bank_files (sequence) where told_at is null;

create table sandbox_bank_statements (
  id uuid primary key,
  account_id uuid not null references sandbox_bank_accounts (id),
  number int not null check (number > 0),
  day date not null,
  opening_minor numeric(38, 0) not null,
  closing_minor numeric(38, 0) not null,
  file_id uuid not null references sandbox_bank_files (id) deferrable initially deferred,
  unique (account_id, number)
);

create table sandbox_bank_entries (
  id bigint generated always as identity primary key,
  account_id uuid not null references sandbox_bank_accounts (id),
  -- What brought it about, such as a deposit of a trade or a payment of a file: nothing is booked twice.
  source text not null unique,
  direction text not null check (direction in ('credit', 'debit')),
  kind text not null check (kind in ('payment', 'return', 'charge', 'interest')),
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  end_to_end_id text,
  uetr uuid,
  payment_information_id text,
  remittance_text text,
  counterparty_name text,
  counterparty_account text,
  -- Of a return: the entry that comes back, and why.
  original_id bigint references sandbox_bank_entries (id),
  return_reason text,
  booking_date date not null,
  value_date date not null,
  booked_at timestamptz not null,
  notification_id uuid not null references sandbox_bank_files (id) deferrable initially deferred,
  statement_id uuid references sandbox_bank_statements (id) deferrable initially deferred
) with (fillfactor = 85);
create index sandbox_bank_entries_open on sandbox_bank_entries (account_id, booking_date, id) where statement_id is null;
create index sandbox_bank_entries_day on sandbox_bank_entries (booking_date) where statement_id is null;

-- Payment files that operators have handed to the bank.
create table sandbox_bank_runs (
  run_id uuid primary key references settlement_runs (id),
  due_at timestamptz not null
);

-- `runs`: released on the value date, and paid by payment files only.
alter table sandbox_settings drop constraint sandbox_settings_settlement_check;
alter table sandbox_settings add constraint sandbox_settings_settlement_check
  check (settlement in ('fast', 'calendar', 'runs'));

alter table statement_files drop constraint statement_files_source_check;
alter table statement_files add constraint statement_files_source_check
  check (source in ('api', 'command', 'folder', 'sandbox'));

-- As before, but that a trade whose payout waits for a payment file has no job, and that no bank returns what was credited
-- to a balance.
create or replace function sandbox_bank_sees_changes() returns trigger language plpgsql as $$
begin
  insert into sandbox_bank_jobs (customer_id, transaction_id, kind, step, due_at)
  select c.customer_id, c.id, c.kind, c.payout_attempts, c.updated_at + c.delay
  from (
    select a.customer_id, a.id, a.payout_attempts, a.updated_at,
      case a.status
        when 'funded' then case when s.settlement = 'fast' and json_array_length(a.holds) = 0 then 'release' end
        when 'settling' then case when s.settlement <> 'runs' then 'payout' end
        when 'settlement_failed' then
          case when a.scenario = 908 and a.payout_status = 'rejected' and a.payout_attempts = 1 then 'retry' end
        when 'settled' then
          case when a.scenario = 909 and a.payout_attempts = 1 and a.proceeds <> 'balance' then 'return' end
      end as kind,
      case when a.status = 'settling' and a.timeline -> -1 ->> 'actor' <> 'operator'
        then interval '0' else interval '5 seconds' end as delay
    from stale b
    join fresh a on a.customer_id = b.customer_id and a.id = b.id
    cross join sandbox_settings s
    where a.status <> b.status or (a.status = 'funded' and json_array_length(a.holds) < json_array_length(b.holds))
  ) c
  where c.kind is not null
  on conflict (customer_id, transaction_id, kind, step) do update set due_at = excluded.due_at;
  return null;
end $$;

-- A file that was handed over is executed a little later; the payouts of one that was given up are the bank's again.
create function sandbox_bank_sees_runs() returns trigger language plpgsql as $$
begin
  insert into sandbox_bank_runs (run_id, due_at)
  select f.id, f.ended_at + interval '5 seconds'
  from stale b join fresh f on f.id = b.id
  where f.status = 'sent' and b.status <> 'sent'
  on conflict do nothing;
  insert into sandbox_bank_jobs (customer_id, transaction_id, kind, step, due_at)
  select i.customer_id, i.transaction_id, 'payout', i.attempt, f.ended_at + interval '5 seconds'
  from stale b
  join fresh f on f.id = b.id
  join payments p on p.run_id = f.id
  join payment_items i on i.payment_id = p.id
  cross join sandbox_settings s
  where f.status = 'cancelled' and b.status <> 'cancelled' and i.purpose = 'payout' and s.settlement <> 'runs'
  on conflict do nothing;
  return null;
end $$;

create or replace function enable_sandbox_bank() returns void language plpgsql as $$
begin
  if (
    select count(*) from pg_trigger
    where (tgrelid = 'transactions'::regclass and tgname in ('sandbox_bank_inserts', 'sandbox_bank_updates'))
      or (tgrelid = 'settlement_runs'::regclass and tgname = 'sandbox_bank_runs')
  ) = 3 then return; end if;
  create or replace trigger sandbox_bank_inserts after insert on transactions
    referencing new table as fresh for each statement execute function sandbox_bank_sees_trades();
  create or replace trigger sandbox_bank_updates after update on transactions
    referencing old table as stale new table as fresh for each statement execute function sandbox_bank_sees_changes();
  create or replace trigger sandbox_bank_runs after update on settlement_runs
    referencing old table as stale new table as fresh for each statement execute function sandbox_bank_sees_runs();
end $$;

create or replace function disable_sandbox_bank() returns void language plpgsql as $$
begin
  if not exists (
    select from pg_trigger
    where (tgrelid = 'transactions'::regclass and tgname in ('sandbox_bank_inserts', 'sandbox_bank_updates'))
      or (tgrelid = 'settlement_runs'::regclass and tgname = 'sandbox_bank_runs')
  ) then return; end if;
  drop trigger if exists sandbox_bank_inserts on transactions;
  drop trigger if exists sandbox_bank_updates on transactions;
  drop trigger if exists sandbox_bank_runs on settlement_runs;
end $$;
