-- What operators tell the market. Every instance follows it: the revision says whether anything changed, and the lock
-- on its row puts the changes of all instances into one order.
create table market_revision (
  singleton boolean primary key default true check (singleton),
  revision bigint not null check (revision > 0)
);
insert into market_revision (revision) values (1);

-- Halts, those that were lifted too. `halted_by` and `resumed_by` are the operators' OAuth clients.
create table market_halts (
  id uuid primary key,
  scope text not null check (scope in ('all', 'pair', 'customer')),
  pair text check (length(pair) = 6),
  customer_id uuid,
  reason text not null check (length(reason) between 1 and 200),
  halted_at timestamptz not null,
  halted_by uuid not null,
  resumed_at timestamptz,
  resumed_by uuid,
  resume_reason text check (length(resume_reason) between 1 and 200),
  -- How far the customers have been told, in the order of their ids: first of the close, then of the opening.
  closed_told_to uuid,
  closed_told boolean not null default false,
  opened_told_to uuid,
  opened_told boolean not null default false,
  check ((scope = 'pair') = (pair is not null)),
  check ((scope = 'customer') = (customer_id is not null)),
  check ((resumed_at is null) = (resumed_by is null)),
  check (resume_reason is null or resumed_at is not null),
  check (not opened_told or (closed_told and resumed_at is not null))
);
create unique index market_halts_current on market_halts (scope, coalesce(pair, customer_id::text, ''))
  where resumed_at is null;
create index market_halts_untold on market_halts (halted_at)
  where not closed_told or (resumed_at is not null and not opened_told);

-- How the book treats a pair, every version of it. A pair without a row is treated by default, as version 1.
create table market_pairs (
  pair text not null check (length(pair) = 6),
  version int not null check (version > 1),
  enabled boolean not null,
  staleness_ms int not null check (staleness_ms > 0),
  composite text not null check (composite in ('best', 'priority')),
  priority text[] not null check (cardinality(priority) <= 16),
  locked_prices text not null check (locked_prices in ('accept', 'refuse')),
  outlier_bps numeric(6, 2) check (outlier_bps > 0),
  jump_ticks int not null check (jump_ticks > 1),
  jump_ms int not null check (jump_ms > 0),
  frozen_ms int check (frozen_ms > 0),
  deviation_bps numeric(6, 2) check (deviation_bps > 0),
  agreement_ms int not null check (agreement_ms > 0),
  changed_at timestamptz not null,
  changed_by uuid not null,
  primary key (pair, version)
);

-- Sources switched off and on, every time. The newest row of a source counts; one without a row is on.
create table market_source_switches (
  source text not null check (length(source) between 1 and 200),
  number int not null check (number > 0),
  enabled boolean not null,
  reason text not null check (length(reason) between 1 and 200),
  changed_at timestamptz not null,
  changed_by uuid not null,
  primary key (source, number)
);

-- The composite price of a pair in each second and minute in which it ticked. Rates, so exact decimals.
create table market_bars_1s (
  pair text not null,
  at timestamptz not null,
  open numeric not null check (open > 0),
  high numeric not null,
  low numeric not null,
  close numeric not null,
  bid numeric not null check (bid > 0),
  ask numeric not null check (ask >= bid),
  ticks int not null check (ticks > 0),
  primary key (pair, at),
  check (low <= open and low <= close and high >= open and high >= close)
);
-- Bars arrive in the order of time, so block ranges find old ones and cost writers nothing.
create index market_bars_1s_age on market_bars_1s using brin (at);
create table market_bars_1m (like market_bars_1s including all);
