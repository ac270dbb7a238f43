-- Holds the accepted items against the customers' daily and open limits, in order. An item that only fails because
-- of others in the batch is put 'again'. The customers' usage is locked already.
create or replace function reserve_limits(decisions execution_decision[], day date)
returns setof execution_decision
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  return query
    with accepted as (
      select d.ord, d.usd_minor as usd, sum(d.usd_minor) over (partition by d.customer_id order by d.ord) as running,
             l.daily_usd_minor as daily_limit, l.open_usd_minor as open_limit, u.open_usd_minor as open,
             case when u.limit_day >= day then u.daily_usd_minor else 0 end as daily
      from unnest(decisions) d
      join customer_usage u on u.customer_id = d.customer_id
      join customer_limits l on l.customer_id = d.customer_id
      where d.outcome = 'ok'
    )
    select d.ord, d.customer_id,
      case
        when a.ord is null then d.outcome
        when a.daily + a.usd > a.daily_limit or a.open + a.usd > a.open_limit then 'limit_exceeded'
        when a.daily + a.running > a.daily_limit or a.open + a.running > a.open_limit then 'again'
        else 'ok'
      end,
      d.quote_status, d.quote_version, d.quote_expires_at, d.quote_closed_at, d.quote_transaction_id,
      d.sell_minor, d.buy_minor, d.usd_minor,
      case when a.daily + a.usd > a.daily_limit then 'daily' when a.open + a.usd > a.open_limit then 'openPosition' end,
      case when a.daily + a.usd > a.daily_limit then a.daily_limit else a.open_limit end,
      case when a.daily + a.usd > a.daily_limit then a.daily else a.open end,
      d.pre_funded, d.sell_currency
    from unnest(decisions) d left join accepted a on a.ord = d.ord;
end $$;
