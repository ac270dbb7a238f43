create or replace function keep_removed_quotes() returns trigger language plpgsql as $$
begin
  insert into house_open_quotes (expires_by, currency, long_minor, short_minor, quotes)
  select expires_by(q.expires_at), l.currency, -sum(l.long_minor), -sum(l.short_minor), -sum(l.quotes)
  from removed q cross join lateral quote_legs(q) l where q.status = 'open' group by 1, 2;
  return null;
end $$;

create or replace trigger deleted_quotes_are_counted after delete on quotes referencing old table as removed
  for each statement execute function keep_removed_quotes();
