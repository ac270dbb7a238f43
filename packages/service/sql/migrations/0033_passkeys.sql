-- How persons sign in where there is no provider: passkeys, links that invite them, and codes for when all passkeys are lost.
create table passkeys (
  id uuid primary key,
  person_id uuid not null references persons,
  credential_id bytea not null,
  -- COSE, as the authenticator gave it.
  public_key bytea not null,
  -- Of signatures, as the authenticator counts; always 0 for those that do not count. Less than before is a copy.
  sign_count bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  constraint passkeys_credential_id_key unique (credential_id),
  constraint passkeys_credential_id_check check (length(credential_id) between 1 and 1023),
  constraint passkeys_name_check check (length(name) between 1 and 100),
  constraint passkeys_sign_count_check check (sign_count >= 0)
);
create index passkeys_of_person on passkeys (person_id);

create table person_invitations (
  id uuid primary key,
  person_id uuid not null references persons,
  -- SHA-256 of what the link holds.
  secret_hash bytea not null,
  state text not null,
  -- Person or client; null: the command line.
  invited_by uuid,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  constraint person_invitations_secret_hash_key unique (secret_hash),
  constraint person_invitations_secret_hash_check check (length(secret_hash) = 32),
  constraint person_invitations_state_check check (state in ('open', 'used', 'withdrawn')),
  constraint person_invitations_ended_check check ((state = 'open') = (ended_at is null))
);
create unique index person_invitations_open on person_invitations (person_id) where state = 'open';

create table recovery_codes (
  person_id uuid not null references persons,
  -- SHA-256: a code is 120 random bits, so its hash gives nothing to guess at.
  code_hash bytea not null,
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (code_hash),
  constraint recovery_codes_code_hash_check check (length(code_hash) = 32)
);
create index recovery_codes_of_person on recovery_codes (person_id);
