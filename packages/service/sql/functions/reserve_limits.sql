-- Holds the accepted items against the customers' daily and open limits, in order. An item that only fails because
-- of others in the batch is put 'again'. The customers' usage is locked already.
create or replace function reserve_limits(decisions execution_decision[], day date)
returns setof execution_decision
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  return query
    with used as (
      select d.ord, d.usd_minor as usd, sum(d.usd_minor) over (partition by d.customer_id order by d.ord) as running,
             l.daily_usd_minor as daily_limit, l.open_usd_minor as open_limit, u.open_usd_minor as open,
             daily_used(u.limit_day, u.daily_usd_minor, day) as daily
      from unnest(decisions) d
      join customer_usage u on u.customer_id = d.customer_id
      join customer_limits l on l.customer_id = d.customer_id
      where d.outcome = 'ok'
    ), accepted as (
      select u.*, exceeded_limit(u.usd, u.daily, u.open, u.daily_limit, u.open_limit) as passed,
             exceeded_limit(u.running, u.daily, u.open, u.daily_limit, u.open_limit) is not null as passed_together
      from used u
    )
    select d.ord, d.customer_id,
      case when a.ord is null then d.outcome when a.passed is not null then 'limit_exceeded' when a.passed_together then 'again'
           else 'ok' end,
      d.quote_status, d.quote_version, d.quote_expires_at, d.quote_closed_at, d.quote_transaction_id,
      d.sell_minor, d.buy_minor, d.usd_minor, a.passed,
      case a.passed when 'daily' then a.daily_limit else a.open_limit end,
      case a.passed when 'daily' then a.daily else a.open end,
      d.pre_funded, d.sell_currency
    from unnest(decisions) d left join accepted a on a.ord = d.ord;
end $$;
