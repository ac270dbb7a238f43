-- With all slots locked: holds the limits against the positions as they are with these moves, and deals out what is left.
-- FQX01: a limit would be exceeded on the side that a move takes. FQX02: a position has no value to be held against it.
create or replace function deal_out_exposure(codes text[], minors numeric[], is_refusable boolean) returns void language plpgsql as $$
declare
  total_limit constant numeric := (select l.limit_usd_minor from exposure_limits l where l.key = 'total');
  each_limit constant numeric := (select l.limit_usd_minor from exposure_limits l where l.key = 'each');
  slots constant int := (select count(*) from exposure_slots);
  house record;
begin
  with hedged as (
    select h.currency, h.amount * (10::numeric ^ v.minor_units) as minor from exposure_hedges h left join exposure_values v on v.currency = h.currency
  ), net as (
    select n.currency, sum(n.minor) as minor, bool_or(n.minor is null) as unknown
    from (
      select p.currency, -sum(p.balance_minor) as minor from house_positions p group by p.currency
      union all select h.currency, trunc(h.minor) from hedged h
    ) n group by n.currency
  ), every as (
    select currency, coalesce(n.minor, 0) as after, coalesce(n.unknown, false) as unknown, coalesce(m.minor, 0) as move,
           v.numerator as num, v.denominator as den,
           coalesce(l.limit_usd_minor, case when currency <> 'USD' then each_limit end) as bound
    from net n
    full join exposure_values v using (currency)
    full join (select u.currency, u.minor from unnest(codes, minors) as u (currency, minor)) m using (currency)
    left join exposure_limits l on l.key = currency
  ), valued as (
    select e.*, exposure_up(abs(e.after), e.num, e.den) as worth, exposure_up(abs(e.after - e.move), e.num, e.den) as worth_before,
           exposure_down(abs(e.after), e.num, e.den) as worth_least
    from every e
  )
  select
    coalesce(bool_or((w.num is null or w.unknown)
      and (w.bound is not null and w.move <> 0 or total_limit is not null and w.currency <> 'USD' and (w.after <> 0 or w.unknown))), false) as unvalued,
    coalesce(bool_or(w.move <> 0 and sign(w.move) = sign(w.after) and w.worth > w.bound), false) as exceeded,
    coalesce(sum(w.worth) filter (where w.after > 0 and w.currency <> 'USD'), 0) as long_after,
    coalesce(sum(w.worth) filter (where w.after < 0 and w.currency <> 'USD'), 0) as short_after,
    coalesce(sum(w.worth_before) filter (where w.after - w.move > 0 and w.currency <> 'USD'), 0) as long_before,
    coalesce(sum(w.worth_before) filter (where w.after - w.move < 0 and w.currency <> 'USD'), 0) as short_before,
    coalesce(array_agg(w.currency order by w.currency) filter (where w.bound is not null and w.num is not null), '{}') as keys,
    coalesce(array_agg(exposure_share(w.bound - case when w.after >= 0 then w.worth else -w.worth_least end, slots) order by w.currency)
      filter (where w.bound is not null and w.num is not null), '{}') as ups,
    coalesce(array_agg(exposure_share(w.bound + case when w.after >= 0 then w.worth_least else -w.worth end, slots) order by w.currency)
      filter (where w.bound is not null and w.num is not null), '{}') as downs
  into house from valued w;
  if is_refusable then
    if house.unvalued then raise exception 'a position has no value in dollars' using errcode = 'FQX02'; end if;
    if house.exceeded
      or house.long_after > total_limit and house.long_after > house.long_before
      or house.short_after > total_limit and house.short_after > house.short_before then
      raise exception 'a limit of the house would be exceeded' using errcode = 'FQX01';
    end if;
  end if;
  if house.unvalued then
    update exposure_slots set keys = '{}', up_minor = '{}', down_minor = '{}';
  elsif total_limit is null then
    update exposure_slots set keys = house.keys, up_minor = house.ups, down_minor = house.downs;
  else
    update exposure_slots set keys = house.keys || 'total'::text,
      up_minor = house.ups || exposure_share(total_limit - house.long_after, slots),
      down_minor = house.downs || exposure_share(total_limit - house.short_after, slots);
  end if;
end $$;
