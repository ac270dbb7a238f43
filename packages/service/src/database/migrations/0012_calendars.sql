-- What operators have changed of the calendars and cut-offs that are built in. Every version is kept: the highest of
-- a currency and year, or of a currency, is in force. Version 1 is what is built in and has no row.

create table calendar_years (
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  year int not null check (year between 2000 and 2099),
  version int not null check (version > 1),
  -- True when `days` are all closing days of the year and nothing built in counts.
  complete boolean not null,
  -- [{"date", "state": "open" or "closed", "reason", "source"}], by date.
  days jsonb not null check (jsonb_typeof(days) = 'array'),
  reason text not null,
  -- The operator's OAuth client.
  changed_by uuid not null,
  changed_at timestamptz not null,
  primary key (currency, year, version)
);

create table cut_offs (
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  version int not null check (version > 1),
  time_of_day text not null check (time_of_day ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  zone text not null,
  reason text not null,
  source text not null,
  changed_by uuid not null,
  changed_at timestamptz not null,
  primary key (currency, version)
);

-- One row. Its version moves with every change of the two above, so that each instance sees in one small read whether
-- it has to load them again; its lock makes changes go one after the other.
create table date_rules (
  singleton boolean primary key default true check (singleton),
  version bigint not null
);
insert into date_rules (version) values (1);
