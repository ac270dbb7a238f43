-- Whether somebody has posted to a day up to this one, and has not ended yet.
create or replace function is_posted_to(through date) returns boolean language sql volatile strict as $$
  select exists (
    select from pg_locks l
    where l.locktype = 'advisory' and l.classid = 7101 and l.objsubid = 2 and l.objid::bigint <= ledger_day_key(through)
      and l.database = (select d.oid from pg_database d where d.datname = current_database()))
$$;
