-- Who has signed in, where and when. What the browser holds is kept as a hash only.
create table sessions (
  id uuid primary key,
  person_id uuid not null references persons,
  -- SHA-256 of what the cookie holds; another one from each sign-in on.
  secret_hash bytea not null,
  method text not null,
  started_at timestamptz not null,
  last_used_at timestamptz not null,
  -- When the person has shown last that it is the one: at the start, or later for what moves money.
  authenticated_at timestamptz not null,
  ends_at timestamptz not null,
  ended_at timestamptz,
  address text not null,
  user_agent text,
  constraint sessions_secret_hash_key unique (secret_hash),
  constraint sessions_secret_hash_check check (length(secret_hash) = 32),
  constraint sessions_method_check check (method in ('provider', 'passkey', 'recovery_code', 'invitation', 'sandbox')),
  constraint sessions_user_agent_check check (length(user_agent) <= 500)
);
create index sessions_of_person on sessions (person_id) where ended_at is null;
create index sessions_past on sessions (ends_at);
