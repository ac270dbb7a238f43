-- Quotes with what has become of them. That one is executed is told by its trade, and by the quote itself only where it was executed before
-- 0053 had migrated the database.
create or replace view current_quotes as
select q.customer_id, q.id, q.client_id,
       case when t.id is null then q.status else 'executed' end as status,
       -- After its time readers see an open quote as expired, with the next version: executed it has another one. As in book_trades.
       q.version + case when t.id is null then 0 when t.created_at >= q.expires_at - interval '500 milliseconds' then 2 else 1 end as version,
       q.pair, q.sell_currency, q.buy_currency, q.fixed_side, q.sell_minor, q.buy_minor, q.market_minor, q.markup_minor,
       q.usd_minor, q.tenor, q.trade_date, q.value_date, q.funding_cutoff_at, q.metadata, q.client_reference,
       q.validity_seconds, q.validity_truncated, q.created_at, q.expires_at, coalesce(t.created_at, q.closed_at) as closed_at,
       q.status_reason, coalesce(t.id, q.transaction_id) as transaction_id, q.scenario, q.pre_funded, q.price_id, q.spread_id,
       q.rate, q.inverse, q.cost_vs_mid_bps, q.reference_percent
from quotes q
-- What is closed says so itself, and costs no look. The order is that of the index to be used: before anything is known of the table, any other
-- that begins with the customer looks as good.
left join lateral (
  select x.id, x.created_at, x.quote_id from transactions x
  where q.closed_at is null and x.customer_id = q.customer_id and x.quote_id >= q.id
  order by x.customer_id, x.quote_id limit 1
) t on t.quote_id = q.id;
