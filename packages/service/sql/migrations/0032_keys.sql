-- Keys can be revoked: then they verify nothing, and their private halves are gone as those of retired ones are.
do $$
declare t text;
begin
  foreach t in array array['signing_keys', 'evidence_keys'] loop
    execute format('alter table %I
      add column revoked_at timestamptz, add column revocation_reason text,
      drop constraint %I, drop constraint %I, drop constraint %I, drop constraint %I,
      add constraint %I check (state in (''next'', ''active'', ''retired'', ''revoked'')),
      add constraint %I check (case state when ''next'' then activated_at is null when ''revoked'' then true else activated_at is not null end),
      add constraint %I check ((state in (''retired'', ''revoked'')) = (retired_at is not null)),
      add constraint %I check ((state in (''retired'', ''revoked'')) = (encrypted_private_key is null)),
      add constraint %I check ((state = ''revoked'') = (revoked_at is not null and revocation_reason is not null))',
      t, t || '_state_check', t || '_check2', t || '_check3', t || '_check4',
      t || '_state_check', t || '_activated', t || '_ended', t || '_private_half', t || '_revoked');
    execute format('drop index %I', t || '_single');
    execute format('create unique index %I on %I (state) where state in (''next'', ''active'')', t || '_single', t);
  end loop;
end $$;

-- What everything that is kept sealed is sealed under from now on. What was sealed before under another key is sealed anew.
create table key_encryption (
  singleton boolean primary key default true check (singleton),
  -- The first 8 bytes of the SHA-256 of the key encryption key, in hex.
  sealed_under text not null check (sealed_under ~ '^[0-9a-f]{16}$'),
  since timestamptz not null
);
insert into key_encryption (sealed_under, since) select encrypted_under, now() from signing_keys where state = 'active';

-- Which key encryption keys each instance has that runs: sealing under another one begins when all of them have it.
create table key_holders (
  instance uuid primary key,
  opens text[] not null,
  seen_at timestamptz not null
);

-- A head that a revoked key has signed is signed anew, for the same size.
alter table log_heads drop constraint log_heads_pkey, add primary key (log, size, signed_at);
