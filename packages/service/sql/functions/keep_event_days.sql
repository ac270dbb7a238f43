-- Makes the tables of a week of days from `at` on, and drops those of days that ended before `oldest`. Locks that are not to be had
-- at once are left to the next time: nobody waits long for this. In the default part, where events are whose day had no table
-- (the first day, a clock that was moved), up to so many are deleted one by one. Answers how many were deleted or dropped.
-- It has the right of the tables' owner, so it holds by itself what may go: in production nothing of the last 29 days, which is a day
-- less than events are kept, since clocks differ; and the days it makes are about now.
create or replace function keep_event_days(at timestamptz, oldest timestamptz, most int) returns bigint
language plpgsql security definer set search_path from current set lock_timeout = '100ms' as $$
declare
  gone bigint;
  first timestamptz;
  name text;
  part record;
begin
  if is_production() and (oldest > clock_timestamp() - interval '29 days'
      or at not between clock_timestamp() - interval '1 day' and clock_timestamp() + interval '1 day') then
    raise exception 'events are kept for 30 days' using errcode = 'insufficient_privilege';
  end if;
  if not pg_try_advisory_xact_lock(7104, 0) then return 0; end if;
  delete from events_default d where (d.customer_id, d.sequence) in (
    select x.customer_id, x.sequence from events_default x where x.at < oldest limit most);
  get diagnostics gone = row_count;
  for day in 0..7 loop
    first := date_trunc('day', at at time zone 'UTC') at time zone 'UTC' + day * interval '24 hours';
    name := 'events_' || to_char(first at time zone 'UTC', 'YYYYMMDD');
    -- A day that has begun in the default part ends there.
    continue when to_regclass(name) is not null
      or exists (select from event_days() w where w.is_first and w.ends > first)
      or exists (select from events_default d where d.at >= first and d.at < first + interval '24 hours');
    begin
      execute format('create table %I (like events including constraints, primary key (customer_id, sequence))', name);
      execute format('alter table events attach partition %I for values from (%L) to (%L)', name, first, first + interval '24 hours');
    exception when lock_not_available then
    end;
  end loop;
  for part in select w.name, w.events from event_days() w where w.ends <= oldest loop
    begin
      execute format('drop table %s', part.name);
      gone := gone + part.events;
    exception when lock_not_available then
    end;
  end loop;
  return gone;
end $$;
