-- `pricing` of a quote as it was shown.
create or replace function quote_pricing(pricing text, markup_minor numeric, markup_unit numeric, pricing_end text) returns json
language sql immutable as $$
  select case when pricing_end is null then pricing else pricing || (markup_minor * markup_unit)::text || pricing_end end::json
$$;
