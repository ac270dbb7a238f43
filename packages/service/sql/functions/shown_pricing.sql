-- `pricing` of a quote as it was shown. `reference` has provider, rate and date in this order.
create or replace function shown_pricing(
  s quote_spreads, reference json, markup_minor numeric, cost_vs_mid_bps numeric, reference_percent numeric) returns json
language sql stable as $$
  select ('{' || case when s.disclosure = 'none' then '' else '"spreadBps":"' || s.spread_bps || '",'
      || case s.disclosure when 'full' then '"components":' || s.components || ',' else '' end
      || '"markup":{"amount":"' || markup_minor * s.markup_unit || '","currency":"' || s.markup_currency
      || '"},"costVsMidBps":"' || cost_vs_mid_bps || '",' end
    || case when reference_percent is null then ''
       else '"reference":' || rtrim(reference::text, '}') || ',"differencePercent":"' || reference_percent || '"},' end
    || '"fees":[]}')::json
$$;
