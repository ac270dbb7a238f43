-- What has become of a quote is told before anything else, and its version only while it is open: whoever asks again for
-- an execution whose answer was lost is told of the transaction. The customers are locked: until the commit nobody else executes or ends a
-- quote of theirs.
create or replace function decide_executions(items execution_item[]) returns setof execution_decision language plpgsql as $$
begin
  perform 1 from customer_usage u
    where u.customer_id in (select i.customer_id from unnest(items) i) order by u.customer_id for update;
  return query select d.ord, d.customer_id, d.outcome, d.status, d.version, d.expires_at, d.closed_at, d.transaction_id, d.sell_minor, d.buy_minor, d.usd_minor,
    null::text, null::numeric, null::numeric, d.pre_funded, d.sell_currency
  from (
    select i.ord, i.customer_id, i.quote_id, q.status, q.version, q.expires_at, q.closed_at, q.transaction_id, q.sell_minor,
      q.buy_minor, q.usd_minor, q.pre_funded, q.sell_currency,
      case
        when q.status is null then 'quote_not_found'
        when q.status = 'executed' then 'quote_already_executed'
        when c.status <> 'active' then 'customer_suspended'
        when q.status = 'expired' or (q.status = 'open' and (q.expires_at <= i.received_at
          or q.created_at > i.received_at + interval '500 milliseconds')) then 'quote_expired'
        when q.status = 'cancelled' then 'quote_cancelled'
        when q.status = 'withdrawn' then 'quote_withdrawn'
        when i.if_match <> q.version then 'version_mismatch'
        when i.expect_sell <> q.sell_minor or i.expect_buy <> q.buy_minor then 'quote_terms_mismatch'
        when h.currency is null or s.id is null then 'settlement_instructions_missing'
        else 'ok'
      end as outcome
    from (select * from unnest(items) x order by x.customer_id, x.quote_id, x.ord) i
    left join lateral (
      select * from current_quotes x where x.customer_id = i.customer_id and x.id = i.quote_id limit 1
    ) q on true
    left join lateral (select x.status from customers x where x.id = i.customer_id limit 1) c on true
    left join lateral (select x.currency from collection_accounts x where x.currency = q.sell_currency limit 1) h on true
    left join lateral (
      select x.id from settlement_instructions x
      where x.customer_id = q.customer_id and x.currency = q.buy_currency and x.status = 'active' limit 1
    ) s on true
  ) d;
end $$;
