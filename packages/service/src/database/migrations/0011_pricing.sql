-- Tiers and bounds of spread rules. A rule that says nothing of them means what it always meant: any tenor, any
-- validity, any amount, no bounds.
alter table spread_rules
  add column tenor text check (tenor in ('today', 'tom', 'spot')),
  -- For promises of up to so many seconds, inclusive.
  add column validity_up_to_seconds int check (validity_up_to_seconds between 1 and 86400),
  -- For fixed amounts worth so much or more, in US dollar cents.
  add column amount_from_usd_minor numeric(38, 0) not null default 0 check (amount_from_usd_minor >= 0),
  -- Bounds of the whole spread, premiums included.
  add column min_bps numeric(9, 2) check (min_bps >= 0 and min_bps < 5000),
  add column max_bps numeric(9, 2) check (max_bps >= 0 and max_bps < 5000),
  add constraint spread_rule_bounds check (min_bps is null or max_bps is null or min_bps <= max_bps);

drop index spread_rules_target;
create unique index spread_rules_target on spread_rules (
  coalesce(customer_id, '00000000-0000-0000-0000-000000000000'), coalesce(group_name, ''), coalesce(pair, ''),
  coalesce(tenor, ''), coalesce(validity_up_to_seconds, 0), amount_from_usd_minor
) where active and valid_from is null and valid_to is null;

-- The next set of spread rules, while operators work on it. One for the whole service; `rules` null is none.
create table spread_rule_draft (
  singleton boolean primary key default true check (singleton),
  version int not null check (version > 0),
  -- Version of the set in force that the draft was made from: it replaces that one and no other.
  based_on int,
  rules json,
  changed_at timestamptz,
  check ((rules is null) = (based_on is null))
);
insert into spread_rule_draft (version) values (1);

-- Settings of pricing and risk that operators change as one document each. Every version stays, because quotes name
-- the one that they were priced with; the newest is in force. The primary key is what keeps two operators from writing
-- the same next version.
create table pricing_settings (
  kind text not null check (kind in ('pricing_policy', 'amount_limits', 'exposure_limits')),
  version int not null check (version > 1),
  document json not null,
  changed_by uuid,
  created_at timestamptz not null,
  primary key (kind, version)
);

-- The house's position is a sum over these. The balance itself is not in the index: executions change it all the time,
-- and would no longer be able to do that in place.
create index balances_position on balances (currency) where account = 'position';
