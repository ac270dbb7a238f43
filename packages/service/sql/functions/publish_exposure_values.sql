-- Values that have moved by more than five basis points, or are new, are written; then what is left is dealt out anew.
create or replace function publish_exposure_values(codes text[], numerators numeric[], denominators numeric[], digits int[]) returns void
language plpgsql set lock_timeout = '500ms' as $$
declare
  written int;
begin
  insert into exposure_values as v (currency, numerator, denominator, minor_units)
    select g.currency, g.numerator, g.denominator, g.minor_units
    from unnest(codes, numerators, denominators, digits) as g (currency, numerator, denominator, minor_units)
    where not exists (
      select from exposure_values k where k.currency = g.currency
        and abs(g.numerator * k.denominator - k.numerator * g.denominator) * 2000 <= k.numerator * g.denominator)
    order by g.currency
    on conflict (currency) do update set numerator = excluded.numerator, denominator = excluded.denominator,
      minor_units = excluded.minor_units;
  get diagnostics written = row_count;
  if written = 0 or not exists (select from exposure_limits) then return; end if;
  perform 1 from exposure_slots s order by s.slot for update;
  update exposure_slots set keys = '{}', up_minor = '{}', down_minor = '{}';
end $$;
