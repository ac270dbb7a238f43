-- What of the daily limit is used on a day. The row may be a day ahead: instances do not reach the roll of the day at the
-- same instant. packages/service/src/customers/limits.ts says the same of profiles; packages/service/test/sql-twins.test.ts compares both.
create or replace function daily_used(limit_day date, used_minor numeric, day date) returns numeric language sql immutable
return case when limit_day >= day then used_minor else 0 end;
