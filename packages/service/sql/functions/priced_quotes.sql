-- Quotes with all that was said and kept of them. A new column comes last: so PostgreSQL replaces the view in its place.
create or replace view priced_quotes as
select q.customer_id, q.id, q.client_id, q.status, q.version, q.pair, q.sell_currency, q.buy_currency, q.fixed_side,
       q.sell_minor, q.buy_minor, q.market_minor, q.markup_minor, q.usd_minor, q.tenor, q.trade_date, q.value_date,
       q.funding_cutoff_at, q.metadata, q.client_reference, q.validity_seconds, q.validity_truncated, q.created_at,
       q.expires_at, q.closed_at, q.status_reason, q.transaction_id, q.scenario, q.pre_funded, q.price_id,
       p.spread_rule_id, p.spread_rule_version, p.rate, p.pricing, p.evidence
from current_quotes q cross join lateral price_of_quote(
  q.price_id, q.spread_id, q.rate, q.inverse, q.cost_vs_mid_bps, q.reference_percent, q.markup_minor) p;
