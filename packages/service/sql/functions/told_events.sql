-- Of the previous version: goes with the next.
create or replace view told_events as select * from feed_events;
