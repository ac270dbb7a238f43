-- Locks the usage of the customers whose items are accepted, and says whether these pass a limit together.
create or replace function exceeds_limits(decisions execution_decision[], day date) returns boolean
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  perform 1 from customer_usage u
    where u.customer_id in (select d.customer_id from unnest(decisions) d where d.outcome = 'ok')
    order by u.customer_id for update;
  return exists (
    select from (
      select d.customer_id, sum(d.usd_minor) as usd from unnest(decisions) d where d.outcome = 'ok' group by d.customer_id
    ) s
    join customer_usage u on u.customer_id = s.customer_id
    join customer_limits l on l.customer_id = s.customer_id
    where exceeded_limit(s.usd, daily_used(u.limit_day, u.daily_usd_minor, day), u.open_usd_minor, l.daily_usd_minor,
                         l.open_usd_minor) is not null);
end $$;
