-- For instances of the previous version.
create or replace view told_events as select * from feed_events;
