-- Sign-ins that have begun in a browser and have not ended, and who persons are at the provider.
create table sign_in_attempts (
  -- SHA-256 of what comes back with the answer, and of what the browser holds meanwhile.
  state_hash bytea primary key,
  browser_hash bytea not null,
  -- What the answer is held against.
  expected json not null,
  expires_at timestamptz not null,
  constraint sign_in_attempts_hashes_check check (length(state_hash) = 32 and length(browser_hash) = 32)
);
create index sign_in_attempts_past on sign_in_attempts (expires_at);

create table person_identities (
  issuer text not null,
  subject text not null,
  person_id uuid not null references persons,
  created_at timestamptz not null,
  primary key (issuer, subject),
  -- One identity of each provider: another one does not become the person by saying its address.
  constraint person_identities_once unique (person_id, issuer)
);
