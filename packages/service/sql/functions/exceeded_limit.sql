-- Which limit of a customer a further value passes, of those that count on a day; null when there is room for it.
-- packages/service/src/customers/limits.ts says the same of profiles; packages/service/test/sql-twins.test.ts compares both.
create or replace function exceeded_limit(
  usd_minor numeric, daily_minor numeric, open_minor numeric, daily_limit numeric, open_limit numeric)
returns text language sql immutable
return case when daily_minor + usd_minor > daily_limit then 'daily' when open_minor + usd_minor > open_limit then 'openPosition' end;
