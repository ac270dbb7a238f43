-- Quotes with all that was said and kept of them. A new column comes last: so PostgreSQL replaces the view in its place.
create or replace view priced_quotes as
select q.customer_id, q.id, q.client_id, q.status, q.version, q.pair, q.sell_currency, q.buy_currency, q.fixed_side,
       q.sell_minor, q.buy_minor, q.market_minor, q.markup_minor, q.usd_minor, q.tenor, q.trade_date, q.value_date,
       q.funding_cutoff_at, q.metadata, q.client_reference, q.validity_seconds, q.validity_truncated, q.created_at,
       q.expires_at, q.closed_at, q.status_reason, q.transaction_id, q.scenario, q.pre_funded, q.price_id,
       p.spread_rule_id, p.spread_rule_version, p.rate,
       quote_pricing(p.pricing, q.markup_minor, p.markup_unit, p.pricing_end) as pricing, p.evidence
from quotes q join quote_prices p on p.id = q.price_id;
