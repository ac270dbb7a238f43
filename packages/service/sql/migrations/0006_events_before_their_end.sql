alter table events validate constraint events_earlier_end;
