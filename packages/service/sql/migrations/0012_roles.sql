-- Scopes under a name. Those that every service has are in the code; these are the operators' own.
create table roles (
  name text primary key,
  description text not null,
  scopes text[] not null,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint roles_name_check check (name ~ '^[a-z][a-z0-9-]{0,39}$'),
  constraint roles_description_check check (length(description) between 1 and 200),
  constraint roles_scopes_check check (cardinality(scopes) between 1 and 100),
  constraint roles_scopes_are_operators check (array_to_string(scopes, ' ') ~ '^(operator:([a-z-]+(:read)?|\*)( |$))+$'),
  constraint roles_version_check check (version > 0)
);

-- Programs of operators have scopes of their own, roles, or both.
alter table oauth_clients
  add column roles text[] not null default '{}',
  add constraint oauth_clients_roles_check check (cardinality(roles) <= 20 and (kind = 'operator' or roles = '{}'));
