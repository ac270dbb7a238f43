-- Ed25519 keys that sign the terms of quotes and transactions. As signing_keys, in a table of their own: a key of one
-- kind must never sign or verify what is the other's.
create table evidence_keys (
  kid text primary key,
  alg text not null check (alg = 'EdDSA'),
  state text not null check (state in ('next', 'active', 'retired')),
  public_jwk jsonb not null,
  -- AES-256-GCM: 12 bytes nonce, 16 bytes tag, then the PKCS #8 key. The kid is authenticated with it.
  encrypted_private_key bytea,
  -- Which key encryption key it is under: the first 8 bytes of its SHA-256, in hex.
  encrypted_under text not null check (encrypted_under ~ '^[0-9a-f]{16}$'),
  published_at timestamptz not null,
  activated_at timestamptz check (activated_at >= published_at),
  retired_at timestamptz check (retired_at >= activated_at),
  check ((state = 'next') = (activated_at is null)),
  check ((state = 'retired') = (retired_at is not null)),
  check ((state = 'retired') = (encrypted_private_key is null))
);
create unique index evidence_keys_single on evidence_keys (state) where state <> 'retired';
