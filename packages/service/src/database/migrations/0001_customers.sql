-- Customers, what they are charged, what they may do, where their money goes.
-- Every table that a trade touches carries customer_id first in its key, so that it can be distributed by it.

create table customers (
  id uuid primary key,
  name text not null check (length(name) between 1 and 200),
  group_name text check (length(group_name) between 1 and 64),
  status text not null default 'active' check (status in ('active', 'suspended')),
  status_reason text,
  -- Behaviour that is the customer's own: pricingDisclosure, requireStatusCheck, requireIdempotencyKey,
  -- permittedValidities, amountRounding. Only what differs from the service's defaults.
  settings jsonb not null default '{}',
  external_reference text,
  version int not null default 1 check (version > 0),
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- Limits as set by the operator. Money limits are in US dollar cents, the currency that every trade is valued in.
create table customer_limits (
  customer_id uuid primary key references customers (id),
  daily_usd_minor numeric(38, 0) not null check (daily_usd_minor >= 0),
  open_usd_minor numeric(38, 0) not null check (open_usd_minor >= 0),
  trade_usd_minor numeric(38, 0) not null check (trade_usd_minor >= 0),
  max_open_quotes int not null check (max_open_quotes between 1 and 1000000),
  -- Quotas that differ from the service's, by policy: {"quotes": {"perMinute": 120, "burst": 20}}.
  rates jsonb not null default '{}',
  version int not null default 1 check (version > 0),
  updated_at timestamptz not null
);

-- What is used of the limits, and the end of the customer's event feed. One row a customer, locked by everything
-- that trades for the customer: it is what makes the feed gapless and the limits exact.
create table customer_usage (
  customer_id uuid primary key references customers (id),
  last_event_sequence bigint not null default 0 check (last_event_sequence >= 0),
  limit_day date,
  daily_usd_minor numeric(38, 0) not null default 0 check (daily_usd_minor >= 0),
  open_usd_minor numeric(38, 0) not null default 0 check (open_usd_minor >= 0)
);

-- A rule that is replaced keeps its row: quotes name the version that they were priced with.
create table spread_rules (
  id uuid not null,
  version int not null check (version > 0),
  customer_id uuid references customers (id),
  group_name text,
  pair text check (pair ~ '^[A-Z]{6}$'),
  spread_bps numeric(9, 2) not null check (spread_bps >= 0 and spread_bps < 5000),
  valid_from timestamptz,
  valid_to timestamptz,
  active boolean not null,
  created_at timestamptz not null,
  primary key (id, version),
  check (customer_id is null or group_name is null),
  check (valid_from is null or valid_to is null or valid_from < valid_to)
);
create unique index spread_rules_active on spread_rules (id) where active;
-- Two rules for one target may not overlap in time; the service checks that, the index holds the commonest case.
create unique index spread_rules_target
  on spread_rules (coalesce(customer_id, '00000000-0000-0000-0000-000000000000'), coalesce(group_name, ''), coalesce(pair, ''))
  where active and valid_from is null and valid_to is null;

-- One number for the whole set of rules, so that two operators cannot overwrite each other (If-Match).
create table spread_rule_set (
  singleton boolean primary key default true check (singleton),
  version int not null check (version > 0)
);
insert into spread_rule_set (version) values (1);

-- Where the customer's bought currency is paid to.
create table settlement_instructions (
  customer_id uuid not null references customers (id),
  id uuid not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  account_holder text not null,
  bank_name text,
  bank_country text,
  bic text,
  iban text,
  account_number text,
  routing_number text,
  status text not null check (status in ('active', 'retired')),
  created_at timestamptz not null,
  primary key (customer_id, id),
  check (iban is not null or account_number is not null)
);
create unique index settlement_instructions_active on settlement_instructions (customer_id, currency) where status = 'active';

-- The house's own accounts at banks: where customers send the sold currency.
create table collection_accounts (
  currency text primary key check (currency ~ '^[A-Z]{3}$'),
  -- accountHolder, bankName, bic, iban, accountNumber, routingNumber, rails
  details json not null,
  updated_at timestamptz not null
);
