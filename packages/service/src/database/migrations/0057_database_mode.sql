-- Whether the database is a sandbox's or a production's, said once: what a sandbox has made (credentials that lie in a file,
-- limits without end, trades at made-up prices) must never be found in production, nor be done to it.
create table database_mode (
  singleton boolean primary key default true check (singleton),
  mode text not null check (mode in ('sandbox', 'production')),
  since timestamptz not null default now()
);

-- A database of before: only a sandbox has made clients for its file, or a key of its own to encrypt keys with.
insert into database_mode (mode)
select case when s.is_sandbox then 'sandbox' else 'production' end
from (select exists (select from sandbox_clients) or exists (select from sandbox_key_encryption_key) as is_sandbox) s
where s.is_sandbox or exists (select from oauth_clients) or exists (select from signing_keys);
