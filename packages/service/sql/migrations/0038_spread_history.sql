-- Which spread rules were in force at which version of the set, and who has changed it. A trigger keeps both.
alter table spread_rules
  -- The versions of the set at which a rule came into force and went out of it; 0 where that was before this was kept.
  add column from_set integer not null default 0,
  add column until_set integer;
alter table spread_rule_draft add column restores integer;

create table spread_rule_versions (
  version integer primary key,
  at timestamptz not null,
  rules integer not null,
  added integer not null,
  changed integer not null,
  removed integer not null,
  -- A person or an OAuth client; null for the service itself, and for a change of which nobody is known.
  changed_by uuid,
  reason text check (length(reason) between 1 and 500),
  approval_id uuid references approvals (id),
  approved_by uuid,
  -- The version whose rules it put in force again.
  restores integer,
  constraint spread_version_is_approved_by_somebody check ((approval_id is null) = (approved_by is null))
);

update spread_rules set until_set = 0 where not active;
update spread_rules set from_set = s.version from spread_rule_set s where active;
insert into spread_rule_versions (version, at, rules, added, changed, removed)
select s.version, coalesce(max(r.created_at), 'epoch'), count(r.id), 0, 0, 0
from spread_rule_set s left join spread_rules r on r.active group by s.version;

create index spread_rules_from_set on spread_rules (from_set);
create index spread_rules_until_set on spread_rules (until_set) where until_set > 0;
