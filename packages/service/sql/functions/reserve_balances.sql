-- Holds the accepted items of pre-funded customers against their balances, in order; an item that only fails because of
-- others in the batch is put 'again'. The customers' usage is locked already, by which executions for one customer go
-- one after the other; whatever else takes from a balance takes that lock too.
create or replace function reserve_balances(decisions execution_decision[]) returns setof execution_decision
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  return query
    with wanted as (
      select d.ord, d.sell_minor, sum(d.sell_minor) over (partition by d.customer_id, d.sell_currency order by d.ord) as running,
             coalesce(-b.balance, 0) as available
      from unnest(decisions) d
      left join balances b
        on b.customer_id = d.customer_id and b.account = 'customer_balance' and b.currency = d.sell_currency
      where d.outcome = 'ok' and d.pre_funded
    )
    select d.ord, d.customer_id,
      case
        when w.ord is null then d.outcome
        when w.sell_minor > w.available then 'limit_exceeded'
        when w.running > w.available then 'again'
        else 'ok'
      end,
      d.quote_status, d.quote_version, d.quote_expires_at, d.quote_closed_at, d.quote_transaction_id,
      d.sell_minor, d.buy_minor, d.usd_minor,
      case when w.sell_minor > w.available then 'balance' else d.limit_type end,
      case when w.sell_minor > w.available then w.available else d.limit_minor end,
      case when w.sell_minor > w.available then w.sell_minor else d.used_minor end,
      d.pre_funded, d.sell_currency
    from unnest(decisions) d left join wanted w on w.ord = d.ord;
end $$;
