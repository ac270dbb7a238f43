-- Exports of sealed logs that were handed out whole: rows of the trail that one covers may be removed once they are old enough. When it
-- was is the database's word.
create table log_exports (
  id uuid primary key,
  log text not null check (log in ('audit', 'journal')),
  -- Rows after so many, and up to so many: the size of the head at its end.
  from_size bigint not null check (from_size >= 0),
  size bigint not null,
  root bytea not null check (length(root) = 32),
  -- Of the file.
  sha256 bytea not null check (length(sha256) = 32),
  exported_at timestamptz not null default now(),
  check (size > from_size)
);
create index log_exports_size on log_exports (log, size);
-- Up to which seal the rows of the trail were removed (`archive_audit`). Their hashes stay in log_nodes.
create table log_archives (
  log text not null check (log = 'audit'),
  seals bigint not null,
  size bigint not null,
  rows bigint not null check (rows > 0),
  archived_at timestamptz not null,
  primary key (log, seals)
);
