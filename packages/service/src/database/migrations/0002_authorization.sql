-- OAuth clients, what they prove themselves with, and the keys that sign their tokens.
-- Instants here are real time: tokens do not follow the sandbox clock.

create table oauth_clients (
  id uuid primary key,
  kind text not null check (kind in ('customer', 'operator')),
  -- Null for operators.
  customer_id uuid references customers (id),
  name text not null check (length(name) between 1 and 200),
  scopes text[] not null check (cardinality(scopes) between 1 and 20),
  -- Empty: the audience that the service has for the kind, whatever it is configured to be now.
  audiences text[] not null default '{}' check (cardinality(audiences) <= 10),
  -- Addresses and CIDR ranges; empty: from anywhere.
  ip_allow_list text[] not null default '{}' check (cardinality(ip_allow_list) <= 50),
  -- A revoked client keeps its row, because trades name it, and never comes back.
  status text not null default 'active' check (status in ('active', 'suspended', 'revoked')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((kind = 'customer') = (customer_id is not null)),
  -- The two worlds of scopes never mix.
  check (
    (kind = 'customer' and scopes <@ array['quotes:read', 'quotes:write', 'trades:execute', 'transactions:read', 'webhooks:manage'])
    or (kind = 'operator' and scopes <@ array['operator:*', 'operator:customers', 'operator:spreads',
      'operator:limits', 'operator:market', 'operator:deposits', 'operator:transactions', 'operator:sandbox'])
  )
);
create index oauth_clients_customer on oauth_clients (customer_id, created_at);

-- SHA-256 is enough only because the service makes the secrets itself, of 256 random bits: there is nothing to
-- guess, so nothing that a slow hash would protect.
create table client_secrets (
  id uuid primary key,
  client_id uuid not null references oauth_clients (id),
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  -- Two places and no third: at most two secrets live at once.
  place smallint not null check (place in (1, 2)),
  created_at timestamptz not null,
  expires_at timestamptz check (expires_at > created_at),
  revoked_at timestamptz
);
create unique index client_secrets_live on client_secrets (client_id, place) where revoked_at is null;

-- Public keys for private_key_jwt.
create table client_keys (
  client_id uuid not null references oauth_clients (id),
  kid text not null check (length(kid) between 1 and 128),
  public_jwk jsonb not null,
  created_at timestamptz not null,
  primary key (client_id, kid)
);

-- Keys that sign access tokens. The next key is in the JWKS from its first day, so that every verifier knows it
-- before it is used; a retired one stays there until its last token has expired, and loses its private half at once.
create table signing_keys (
  kid text primary key,
  alg text not null check (alg = 'ES256'),
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
create unique index signing_keys_single on signing_keys (state) where state <> 'retired';

-- The key encryption key of installations that were given none, which only the sandbox may be. It protects nothing
-- from whoever reads this database; it is here so that the sandbox runs the same code as production.
create table sandbox_key_encryption_key (
  singleton boolean primary key default true check (singleton),
  key bytea not null check (octet_length(key) = 32)
);

-- Assertions of private_key_jwt that were used: each counts once, on whichever instance.
create table used_assertions (
  client_id uuid not null references oauth_clients (id),
  jti_hash bytea not null check (octet_length(jti_hash) = 32),
  expires_at timestamptz not null,
  primary key (client_id, jti_hash)
);
create index used_assertions_expiry on used_assertions (expires_at);

-- Tokens withdrawn before they expire: one (jti), or every token of the client made up to revoked_at (jti null).
create table revoked_tokens (
  client_id uuid not null references oauth_clients (id),
  jti uuid,
  revoked_at timestamptz not null,
  expires_at timestamptz not null
);
create unique index revoked_tokens_single on revoked_tokens (client_id, jti) where jti is not null;
create unique index revoked_tokens_all on revoked_tokens (client_id) where jti is null;
create index revoked_tokens_expiry on revoked_tokens (expires_at);
