-- A client may end by itself, and when it was used last is kept to the minute: apart, so that writing it waits for no change of the client.
alter table oauth_clients add column expires_at timestamptz;

create table client_uses (
  client_id uuid primary key references oauth_clients,
  last_used_at timestamptz not null
);
