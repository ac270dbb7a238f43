-- The hashes of sealed logs, kept where rows are not: of every 256 rows (with those of the rows), and of each pair of such subtrees.
-- A proof about any row then reads a few rows, however long the log is, and stays possible when rows were archived.
create table log_nodes (
  log text not null check (log in ('audit', 'journal')),
  -- Above the leaves: 8 is 256 rows.
  level smallint not null check (level >= 8),
  -- From 0, among those of the level.
  place bigint not null check (place >= 0),
  hash bytea not null check (length(hash) = 32),
  leaves bytea check (length(leaves) = 32 * 256),
  primary key (log, level, place),
  check ((level = 8) = (leaves is not null))
);
-- How many whole blocks of 256 rows have their hashes in log_nodes.
alter table log_tips add column blocks bigint not null default 0;
create index log_seals_size on log_seals (log, size);
create index log_seals_sealed_at on log_seals (log, sealed_at);
create index log_seals_late on log_seals (log, after_key) where late is not null;
