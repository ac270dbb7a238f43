-- A close-out changes what the house has of one currency against its own result, not against another currency: it is no
-- leg of a trade, and has no price.
create or replace view position_legs as
  select e.customer_id, e.id as entry_id, e.at, p.currency,
         (p.amount > 0) <> (e.kind = 'trade_cancelled') as is_bought,
         p.amount,
         case when u.usd <> 0 then -u.usd else sign(p.amount) * coalesce(t.usd_minor, 0) end as usd_minor
  from journal_entries e
  cross join lateral (
    select q.currency, sum(q.amount) as amount
    from unnest(e.accounts, e.currencies, e.amounts) as q (account, currency, amount)
    where q.account = 'position' group by q.currency
  ) p
  cross join lateral (
    select coalesce(sum(q.amount), 0) as usd
    from unnest(e.accounts, e.currencies, e.amounts) as q (account, currency, amount)
    where q.account = 'position' and q.currency = 'USD'
  ) u
  left join transactions t on t.customer_id = e.customer_id and t.id = e.transaction_id
  where e.kind <> 'close_out' and p.currency <> 'USD' and p.amount <> 0;
