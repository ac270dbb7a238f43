-- What a quote says and keeps of its price, out of what it names and has: rate and pricing as they were shown, and the evidence. A quote
-- without a spread_id names a row of quote_prices, which has all of it as text. Each look-up has a limit: so it goes through its index.
create or replace function price_of_quote(
  price_id uuid, spread_id uuid, rate numeric, inverse numeric, cost_vs_mid_bps numeric, reference_percent numeric, markup_minor numeric)
returns table (spread_rule_id uuid, spread_rule_version int, rate json, pricing json, evidence json)
language sql stable rows 1 as $$
  select coalesce(s.spread_rule_id, p.spread_rule_id), coalesce(s.spread_rule_version, p.spread_rule_version),
    case when s.id is null then p.rate else shown_rate(m, s.disclosure, $3, $4) end,
    case when s.id is null then quote_pricing(p.pricing, $7, p.markup_unit, p.pricing_end)
         else shown_pricing(s, m.reference, $7, $5, $6) end,
    case when s.id is null then p.evidence else kept_evidence(m.evidence, s) end
  from (select) one
  left join lateral (select * from quote_prices x where $2 is null and x.id = $1 limit 1) p on true
  left join lateral (select * from quote_spreads x where x.id = $2 limit 1) s on true
  left join lateral (select * from market_prices x where $2 is not null and x.id = $1 limit 1) m on true
  where p.id is not null or s.id is not null and m.id is not null
$$;
