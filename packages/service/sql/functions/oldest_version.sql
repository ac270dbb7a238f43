-- The last migration of the oldest version that may run on this database: what that one cannot read is not written
-- (docs/decisions/0074 and 0076). Before anything is known of it, none is too old.
create or replace function oldest_version() returns text language sql stable
return coalesce((select m.runs_with collate "C" from schema_migrations m order by m.name desc limit 1), '');
