-- Events are going to lie in tables by day that are dropped whole. What is there becomes the first of them, up to a day that no
-- event has reached; this and the next two files, each in a transaction of its own, hold nobody up while it is made sure of.
do $$
declare
  last timestamptz;
begin
  select greatest(now(), max(e.at)) into last from events e;
  execute format('alter table events add constraint events_earlier_end check (at < %L) not valid',
    date_trunc('day', last at time zone 'UTC') at time zone 'UTC' + interval '48 hours');
end $$;
