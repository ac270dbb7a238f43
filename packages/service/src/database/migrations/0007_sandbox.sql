-- The sandbox: its controls, and a bank that moves money by itself. In production the tables stay empty and
-- enable_sandbox_bank() is never called.
create table sandbox_settings (
  singleton boolean primary key default true check (singleton),
  -- Business time less real time.
  clock_offset_ms bigint not null default 0,
  auto_deposit boolean not null default true,
  settlement text not null default 'fast' check (settlement in ('fast', 'calendar')),
  customer_id uuid,
  -- True once the sandbox customer has all that it trades with.
  seeded boolean not null default false
);
insert into sandbox_settings default values;

-- OAuth clients that were made for sandbox.json, as `cli_…`, so that a file of another database is not believed.
create table sandbox_clients (
  client_id text primary key,
  kind text not null check (kind in ('customer', 'operator')),
  created_at timestamptz not null
);

-- What the simulated bank is going to do. `kind`: deposit (money arrives), release (funded to settling, when settlement
-- is fast), payout (confirm or reject), retry, return. `step` tells several of one kind apart.
create table sandbox_bank_jobs (
  customer_id uuid not null,
  transaction_id uuid not null,
  kind text not null check (kind in ('deposit', 'release', 'payout', 'retry', 'return')),
  step int not null,
  due_at timestamptz not null,
  primary key (customer_id, transaction_id, kind, step)
);
create index sandbox_bank_jobs_due on sandbox_bank_jobs (kind, due_at);

-- The bank learns of trades from the rows themselves, in the commit that writes them: whatever executes or moves a
-- trade knows nothing of the sandbox, and a crash loses nothing.
create function sandbox_bank_sees_trades() returns trigger language plpgsql as $$
begin
  if not (select s.auto_deposit from sandbox_settings s) then return null; end if;
  insert into sandbox_bank_jobs (customer_id, transaction_id, kind, step, due_at)
  select f.customer_id, f.id, 'deposit', n.step, f.created_at + interval '5 seconds' + (n.step - 1) * interval '1 second'
  from fresh f
  cross join generate_series(1, case f.scenario when 907 then 0 when 910 then 2 else 1 end) as n (step)
  where f.status = 'awaiting_funds'
  on conflict do nothing;
  return null;
end $$;

-- 908: the first payout is rejected, the second one works. 909: the first payout is returned after it was confirmed.
-- A payout that an operator released is confirmed later, so that there is time to do that by hand.
create function sandbox_bank_sees_changes() returns trigger language plpgsql as $$
begin
  insert into sandbox_bank_jobs (customer_id, transaction_id, kind, step, due_at)
  select c.customer_id, c.id, c.kind, c.payout_attempts, c.updated_at + c.delay
  from (
    select a.customer_id, a.id, a.payout_attempts, a.updated_at,
      case a.status
        when 'funded' then case when s.settlement = 'fast' and json_array_length(a.holds) = 0 then 'release' end
        when 'settling' then 'payout'
        when 'settlement_failed' then
          case when a.scenario = 908 and a.payout_status = 'rejected' and a.payout_attempts = 1 then 'retry' end
        when 'settled' then case when a.scenario = 909 and a.payout_attempts = 1 then 'return' end
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

-- Makes the bank watch. Takes its lock on the table only when something is to be done.
create function enable_sandbox_bank() returns void language plpgsql as $$
begin
  if exists (select from pg_trigger where tgrelid = 'transactions'::regclass and tgname = 'sandbox_bank_inserts')
    and exists (select from pg_trigger where tgrelid = 'transactions'::regclass and tgname = 'sandbox_bank_updates')
  then return; end if;
  create or replace trigger sandbox_bank_inserts after insert on transactions
    referencing new table as fresh for each statement execute function sandbox_bank_sees_trades();
  create or replace trigger sandbox_bank_updates after update on transactions
    referencing old table as stale new table as fresh for each statement execute function sandbox_bank_sees_changes();
end $$;

create function disable_sandbox_bank() returns void language plpgsql as $$
begin
  if not exists (
    select from pg_trigger where tgrelid = 'transactions'::regclass and tgname in ('sandbox_bank_inserts', 'sandbox_bank_updates')
  ) then return; end if;
  drop trigger if exists sandbox_bank_inserts on transactions;
  drop trigger if exists sandbox_bank_updates on transactions;
end $$;
