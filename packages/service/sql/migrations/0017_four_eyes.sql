-- Which commands take two persons, as operators set it; every version is kept.
create table four_eyes_policies (
  version integer primary key check (version > 1),
  document json not null,
  changed_by uuid not null,
  changed_at timestamptz not null
);

-- What one person has done alone, in US dollar cents, for as long as the policy may add it up.
create table acted_amounts (
  id uuid primary key,
  kind text not null,
  -- The pair of eyes: a person, or a client that nobody answers for.
  acted_by uuid not null,
  -- None where it is for the house.
  customer_id uuid,
  usd_minor numeric(38, 0) not null check (usd_minor > 0),
  at timestamptz not null
);
create index acted_amounts_by_actor on acted_amounts (acted_by, at);
create index acted_amounts_by_customer on acted_amounts (customer_id, at);
create index acted_amounts_by_time on acted_amounts (at);

-- What a second person is shown, and what came of it.
alter table approvals
  add column why json not null default '[]',
  add column effects json not null default '[]',
  add column effects_digest text,
  add column affected json not null default '[]',
  add column result json;
