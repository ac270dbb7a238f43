create or replace function keep_changed_quotes() returns trigger language plpgsql as $$
begin
  insert into house_open_quotes (expires_by, currency, long_minor, short_minor, quotes)
  select s.expires_by, s.currency, sum(s.long_minor), sum(s.short_minor), sum(s.quotes)
  from (
    select expires_by(q.expires_at) as expires_by, l.* from added q cross join lateral quote_legs(q) l where q.status = 'open'
    union all
    select expires_by(q.expires_at), l.currency, -l.long_minor, -l.short_minor, -l.quotes
    from removed q cross join lateral quote_legs(q) l where q.status = 'open'
  ) s
  group by 1, 2 having sum(s.long_minor) <> 0 or sum(s.short_minor) <> 0 or sum(s.quotes) <> 0;
  return null;
end $$;

create or replace trigger changed_quotes_are_counted after update on quotes referencing old table as removed new table as added
  for each statement execute function keep_changed_quotes();
