-- How things are that are no rows elsewhere, so that operators are told once when they change, by whichever instance sees it first.
create table operator_conditions (
  kind text not null,
  key text not null,
  state text not null,
  changed_at timestamptz not null,
  primary key (kind, key)
);
