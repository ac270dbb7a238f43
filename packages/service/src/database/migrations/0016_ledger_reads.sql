-- Reading the ledger, and reports. An entry's id begins with the instant of its `at`, so the order of ids is the order
-- of time, and this one index finds an entry, pages through the journal of all customers, and cuts out a day of it.
create index journal_entries_id on journal_entries (id);

-- The smallest id of an instant: a bound for "at or after" over ids.
create function uuid_floor(at timestamptz) returns uuid language sql stable strict
return (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;

-- Closing balances of past days (UTC), so that a balance at an instant is one of them and the entries of part of a day.
-- A day has a row for each account that moved in it. Made from the journal, and can be made again from it.
create table ledger_days (
  customer_id uuid not null,
  account text not null,
  currency text not null,
  day date not null,
  balance numeric(38, 0) not null,
  primary key (customer_id, account, currency, day)
);

-- What trades brought into and took out of the house's position from their beginning to the end of the day, with what
-- it cost and yielded in US dollar cents. A cancelled trade counts as if it had not been made.
create table position_days (
  customer_id uuid not null,
  currency text not null,
  day date not null,
  bought_minor numeric(38, 0) not null,
  bought_usd_minor numeric(38, 0) not null,
  sold_minor numeric(38, 0) not null,
  sold_usd_minor numeric(38, 0) not null,
  primary key (customer_id, currency, day)
);

-- The last day that both tables above hold. One row.
create table ledger_closing (
  one boolean primary key default true check (one),
  closed_through date
);
insert into ledger_closing default values;

-- The legs of trades in the position accounts but for those in dollars, each with its dollars: the other leg's when
-- that is in dollars, else what the trade was worth when it was quoted. Bought positive; a leg that was cancelled has
-- the opposite signs of what it takes back.
create view position_legs as
  select e.customer_id, e.id as entry_id, e.at, p.currency,
         (p.amount > 0) <> (e.kind = 'trade_cancelled') as is_bought,
         p.amount,
         case when u.usd <> 0 then -u.usd else sign(p.amount) * coalesce(t.usd_minor, 0) end as usd_minor
  from journal_entries e
  cross join lateral (
    select q.currency, sum(q.amount) as amount
    from unnest(e.accounts, e.currencies, e.amounts) as q (account, currency, amount)
    where q.account = 'position' group by q.currency
  ) p
  cross join lateral (
    select coalesce(sum(q.amount), 0) as usd
    from unnest(e.accounts, e.currencies, e.amounts) as q (account, currency, amount)
    where q.account = 'position' and q.currency = 'USD'
  ) u
  left join transactions t on t.customer_id = e.customer_id and t.id = e.transaction_id
  where p.currency <> 'USD' and p.amount <> 0;

-- Reports made in the background. Their text lies here in pieces, so that any instance can make one and any other can
-- hand it out. `lease_until` is on the database's own clock: past it, the maker is gone and another begins anew.
create table report_jobs (
  id uuid primary key,
  report text not null,
  format text not null check (format in ('json', 'csv')),
  parameters json not null,
  requested_by uuid not null,
  status text not null check (status in ('queued', 'running', 'completed', 'failed')),
  attempts int not null default 0 check (attempts >= 0),
  lease uuid,
  lease_until timestamptz,
  rows_written bigint not null default 0,
  bytes_written bigint not null default 0,
  pieces int not null default 0,
  sha256 text,
  balanced boolean,
  failure text,
  created_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,
  expires_at timestamptz not null,
  check ((status = 'completed') = (sha256 is not null)),
  check ((status = 'failed') = (failure is not null)),
  check ((status = 'running') = (lease is not null))
);
create index report_jobs_waiting on report_jobs (created_at) where status in ('queued', 'running');

create table report_pieces (
  report_id uuid not null references report_jobs (id) on delete cascade,
  piece int not null check (piece > 0),
  content text not null,
  primary key (report_id, piece)
);
