-- Of the previous version, whose book_trades may be at work while this one migrates: goes with the next.
create or replace function oldest_version() returns text language sql stable
return coalesce((select m.runs_with collate "C" from schema_migrations m order by m.name desc limit 1), '');
