-- Trades with all that is shown of them. A new column comes last: so PostgreSQL replaces the view in its place. Each look-up
-- has a limit: so it goes through its index, also where the planner takes the table for a small one.
create or replace view priced_transactions as
select t.customer_id, t.id, t.quote_id, t.reference, t.status, t.status_reason, t.version, t.change_sequence,
       t.created_sequence, t.pair, t.sell_currency, t.buy_currency, t.fixed_side, t.sell_minor, t.buy_minor, t.market_minor,
       t.markup_minor, t.usd_minor, t.trade_date, t.value_date, t.original_value_date, t.funding_cutoff_at, t.received_minor,
       t.excess_minor, t.shortfall_minor, t.deposits, t.destination_id, t.destination_masked, t.payout_status,
       t.payout_attempts, t.payout_reference, t.paid_at, t.settled_at, t.refund, t.holds, t.failure, t.timeline,
       t.client_reference, t.metadata, t.created_at, t.updated_at, t.scenario, t.client_id, t.pre_funded, t.proceeds,
       t.first_funding_cutoff_at, t.first_destination_id, t.first_destination_masked,
       coalesce(t.rate, p.rate) as rate,
       coalesce(t.pricing, p.pricing) as pricing,
       p.evidence, coalesce(t.instructions, i.details) as instructions, t.acted_by
from transactions t
-- What the quote has of its price; nothing for trades of before that do not name one.
left join lateral (
  select x.spread_id, x.rate, x.inverse, x.cost_vs_mid_bps, x.reference_percent from quotes x
  where t.price_id is not null and x.customer_id = t.customer_id and x.id = t.quote_id limit 1
) q on true
left join lateral price_of_quote(
  t.price_id, q.spread_id, q.rate, q.inverse, q.cost_vs_mid_bps, q.reference_percent, t.markup_minor) p on true
left join lateral (
  select * from funding_instructions x where x.customer_id = t.customer_id and x.id = t.instructions_id limit 1
) i on true;
