-- Notes each version of the set of spread rules with what has changed in it. Who has changed it is written beside it in the same
-- commit, where it is known.
create or replace function note_spread_version() returns trigger language plpgsql as $$
begin
  insert into spread_rule_versions (version, at, rules, added, changed, removed)
  select new.version, clock_timestamp(), (select count(*) from spread_rules where active),
    count(*) filter (where went is null), count(*) filter (where came is not null and went is not null),
    count(*) filter (where came is null)
  from (select id as came from spread_rules where from_set = new.version) c
  full join (select id as went from spread_rules where until_set = new.version) w on came = went;
  return null;
end $$;

create or replace trigger spread_versions_are_noted after update of version on spread_rule_set
  for each row when (old.version <> new.version) execute function note_spread_version();
