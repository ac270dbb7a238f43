-- Marks a rule with the versions of the set at which it comes into force and goes out of it. Whoever changes rules holds the row of
-- the set until the next version is written.
create or replace function mark_spread_rule() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.from_set := (select s.version + 1 from spread_rule_set s);
  elsif old.active and not new.active then
    new.until_set := (select s.version + 1 from spread_rule_set s);
  end if;
  return new;
end $$;

create or replace trigger spread_rules_are_marked before insert or update of active on spread_rules
  for each row execute function mark_spread_rule();
