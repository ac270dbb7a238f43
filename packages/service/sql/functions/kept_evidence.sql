-- The evidence of a quote: the market's part between what is the customer's. `market` is an object that is never empty.
create or replace function kept_evidence(market json, s quote_spreads) returns json language sql stable as $$
  select ('{' || coalesce('"estimatedCurrencies":' || s.estimated_currencies || ',', '')
    || substr(market::text, 2, length(market::text) - 2)
    || ',"spreadBps":"' || s.spread_bps || '","components":' || s.components
    || ',"pricingPolicyVersion":' || s.pricing_policy_version || ',"amountRounding":"' || s.amount_rounding
    || '","rateDecimals":' || s.rate_decimals
    || coalesce(',"settlementIncrement":"' || s.settlement_increment || '"', '') || '}')::json
$$;
