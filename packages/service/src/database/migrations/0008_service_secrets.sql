-- Keys that all instances of the service share and nobody else needs, made by whichever instance starts first.
create table service_secrets (
  name text primary key,
  value bytea not null,
  created_at timestamptz not null default now()
);
