-- Swap points: what lies between the rate for spot and one for an earlier value date. Points belong to the trade date on
-- which they were made, because the days that they span change with it; what is older is never read again.

-- What an operator has set for a pair. Every version is kept, the newest is in force on its trade date.
create table swap_point_versions (
  pair text not null check (pair ~ '^[A-Z]{6}$'),
  version int not null check (version > 1),
  trade_date date not null,
  -- {"on": {"bid", "ask"} or null, "tn": the same}, in pips as texts.
  points jsonb not null,
  source text not null,
  reason text not null,
  -- The operator's OAuth client.
  changed_by uuid not null,
  changed_at timestamptz not null,
  primary key (pair, version)
);
create index swap_point_versions_of_day on swap_point_versions (trade_date);

-- What sources push: the newest of each source, pair and leg.
create table pushed_swap_points (
  source text not null check (source ~ '^[a-z0-9][a-z0-9._-]{0,49}$' and source <> 'operator'),
  pair text not null check (pair ~ '^[A-Z]{6}$'),
  leg text not null check (leg in ('on', 'tn')),
  bid numeric not null,
  ask numeric not null check (bid <= ask),
  trade_date date not null,
  made_at timestamptz not null,
  pushed_by uuid not null,
  primary key (source, pair, leg)
);
create index pushed_swap_points_of_day on pushed_swap_points (trade_date);

-- How prices before spot are made where there are no points. Every version is kept: quotes name theirs.
create table swap_point_policies (
  version int primary key check (version > 1),
  document jsonb not null,
  changed_by uuid not null,
  changed_at timestamptz not null
);

-- One row. Its version moves with every change of the three above, so that each instance sees in one small read whether
-- it has to load them again.
create table swap_points_state (
  singleton boolean primary key default true check (singleton),
  version bigint not null
);
insert into swap_points_state (version) values (1);
