-- The audit trail and the journal are sealed: what stands in them is hashed, batch by batch, into a tree of hashes (RFC 9162) whose
-- root tells of any change. A seal covers the rows whose key is in (after_key, through_key], or those that `late` names, which
-- came when theirs was sealed. Four bytes of the hash of each row are kept to name the row that does not fit.
create table log_seals (
  log text not null check (log in ('audit', 'journal')),
  number bigint not null,
  sealed_at timestamptz not null,
  rows integer not null check (rows > 0),
  after_key text not null,
  through_key text not null,
  late text[],
  fingerprints bytea not null,
  size bigint not null,
  root bytea not null,
  primary key (log, number),
  check (length(fingerprints) = 4 * rows),
  check (length(root) = 32)
);
-- Where the sealing of a log stands. `looked` is the last seal that was looked at a second time, for rows that came late.
create table log_tips (
  log text primary key,
  seals bigint not null default 0,
  looked bigint not null default 0,
  size bigint not null default 0,
  through_key text,
  peaks bytea not null default ''
);
insert into log_tips (log) values ('audit'), ('journal');
-- Roots that were signed: who keeps one elsewhere can show what the log was then. `peaks` are what the tree goes on from.
create table log_heads (
  log text not null,
  size bigint not null,
  seals bigint not null,
  root bytea not null,
  peaks bytea not null,
  signed_at timestamptz not null,
  jws text not null,
  primary key (log, size)
);
