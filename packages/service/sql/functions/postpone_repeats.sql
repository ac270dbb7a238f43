-- Of several items that may take one quote the first goes on; the others are put 'again', once that one has ended.
create or replace function postpone_repeats(items execution_item[], decisions execution_decision[]) returns setof execution_decision
language sql as $$
  select d.ord, d.customer_id,
    case when d.outcome = 'ok' and row_number() over (partition by d.outcome, i.customer_id, i.quote_id order by d.ord) > 1
      then 'again' else d.outcome end,
    d.quote_status, d.quote_version, d.quote_expires_at, d.quote_closed_at, d.quote_transaction_id, d.sell_minor,
    d.buy_minor, d.usd_minor, d.limit_type, d.limit_minor, d.used_minor,
    d.pre_funded, d.sell_currency
  from unnest(decisions) d join unnest(items) i on i.ord = d.ord
$$;
