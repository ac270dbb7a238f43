-- An update finds room in its page when the disk is full, and so does a short entry of the log. A set that does not fit
-- into memory is written to the disk of the data (64 kB are held, 5,000 rows are more than twice that), and needs no log.
create or replace function beat(p_instance uuid) returns bigint
  language plpgsql
  set work_mem = '64kB'
  set temp_tablespaces = ''
as $$
declare
  rows bigint;
begin
  select count(*) into rows from generate_series(1, 5000);
  insert into instance_heartbeats as h (instance, beat_at) values (p_instance, clock_timestamp())
    on conflict (instance) do update set beat_at = excluded.beat_at;
  delete from instance_heartbeats where beat_at < clock_timestamp() - interval '1 day' and instance <> p_instance;
  return rows;
end $$;
