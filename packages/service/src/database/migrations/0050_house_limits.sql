-- The house's exposure limits were held by each instance against positions of the last second, so several instances could
-- take the house over them. Now the commit that moves a position holds them.
--
-- Far from the limits nobody waits: what is left of them is dealt out to slots, and an execution takes from the slot of its
-- connection. Where a slot has too little, all of them are locked: then no other move is under way, the limits are held
-- against the positions as they are, and what is left is dealt out anew. So trades go one after the other only close to a
-- limit, and one is refused only when it would really go over.
create table exposure_limits (
  -- A currency; `each` for every currency that is not listed, but the dollar; `total` for all but the dollar together.
  key text primary key,
  limit_usd_minor numeric(38, 0) not null check (limit_usd_minor >= 0)
);
create table exposure_hedges (currency text primary key, amount numeric not null);
-- What minor units of a currency are worth in US dollar cents, as an exact fraction. Instances write it when it moves.
create table exposure_values (
  currency text primary key,
  numerator numeric not null check (numerator > 0),
  denominator numeric not null check (denominator > 0),
  minor_units int not null
);
-- What of each limit a slot may still take, in US dollar cents, upwards (longer) and downwards; -1 where a limit is exceeded
-- already. Empty: to be dealt out.
create table exposure_slots (
  slot int primary key,
  keys text[] not null default '{}',
  up_minor numeric[] not null default '{}',
  down_minor numeric[] not null default '{}'
) with (fillfactor = 50);
insert into exposure_slots (slot) select generate_series(0, 7);

-- The limits in force are those of the newest document. Whoever moves a position shares lock 7103 until the commit, so that
-- nothing is under way when limits change.
create function set_exposure_limits(document json) returns void language plpgsql as $$
begin
  delete from exposure_limits;
  delete from exposure_hedges;
  insert into exposure_limits (key, limit_usd_minor)
    select 'total', (document ->> 'total')::numeric * 100 where document ->> 'total' is not null
    union all
    select 'each', (document ->> 'perCurrency')::numeric * 100 where document ->> 'perCurrency' is not null
    union all
    select c ->> 'currency', (c ->> 'limit')::numeric * 100 from json_array_elements(document -> 'currencies') c;
  insert into exposure_hedges (currency, amount)
    select h ->> 'currency', (h ->> 'amount')::numeric from json_array_elements(document -> 'hedges') h;
  update exposure_slots set keys = '{}', up_minor = '{}', down_minor = '{}';
end $$;
create function exposure_limits_are_set() returns trigger language plpgsql set lock_timeout = '2s' as $$
begin
  perform pg_advisory_xact_lock(7103, 0);
  perform set_exposure_limits(new.document);
  return null;
end $$;
create trigger exposure_limits_come_into_force after insert on pricing_settings
  for each row when (new.kind = 'exposure_limits') execute function exposure_limits_are_set();
select set_exposure_limits(d.document) from (
  select p.document from pricing_settings p where p.kind = 'exposure_limits' order by p.version desc limit 1
) d;

-- Values that have moved by more than five basis points, or are new, are written; then what is left is dealt out anew.
create function publish_exposure_values(codes text[], numerators numeric[], denominators numeric[], digits int[]) returns void
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

-- US dollar cents of an amount that is not negative: up as the limits are, which are never undercounted, or down.
create function exposure_up(minor numeric, numerator numeric, denominator numeric) returns numeric
language sql immutable return div(minor * numerator + denominator - 1, denominator);
create function exposure_down(minor numeric, numerator numeric, denominator numeric) returns numeric
language sql immutable return div(minor * numerator, denominator);

create function exposure_share(room numeric, slots int) returns numeric language sql immutable
return case when room < 0 then -1 else div(room, slots) end;

-- Takes from one slot what moves of positions need, which is theirs whatever others do. FQX00: it has too little.
create function take_from_slot(of_slot int, codes text[], minors numeric[]) returns void language plpgsql as $$
declare
  s exposure_slots;
  v exposure_values;
  total int;
  place int;
  need numeric;
  give numeric;
  is_short boolean := false;
begin
  select * into strict s from exposure_slots x where x.slot = of_slot for update;
  if cardinality(s.keys) = 0 then raise exception 'nothing was dealt out' using errcode = 'FQX00'; end if;
  total := array_position(s.keys, 'total');
  for i in 1..cardinality(codes) loop
    place := array_position(s.keys, codes[i]);
    if place is null and exists (
      select from exposure_limits l where l.key = codes[i] or (l.key = 'each' and codes[i] <> 'USD')
    ) then
      raise exception 'nothing was dealt out of %', codes[i] using errcode = 'FQX00';
    end if;
    if place is null and (total is null or codes[i] = 'USD') then continue; end if;
    select * into v from exposure_values x where x.currency = codes[i];
    if not found then raise exception '% has no value', codes[i] using errcode = 'FQX00'; end if;
    need := exposure_up(abs(minors[i]), v.numerator, v.denominator);
    give := exposure_down(abs(minors[i]), v.numerator, v.denominator);
    if place is not null then
      -- What a move takes on one side it gives to the other; but beyond a limit nothing is there to be given.
      if minors[i] > 0 then
        s.up_minor[place] := s.up_minor[place] - need;
        is_short := is_short or s.up_minor[place] < 0;
        if s.down_minor[place] >= 0 then s.down_minor[place] := s.down_minor[place] + give; end if;
      else
        s.down_minor[place] := s.down_minor[place] - need;
        is_short := is_short or s.down_minor[place] < 0;
        if s.up_minor[place] >= 0 then s.up_minor[place] := s.up_minor[place] + give; end if;
      end if;
    end if;
    -- Of the total nothing is given back: it may be that a move only makes the other side longer.
    if total is not null and codes[i] <> 'USD' then
      if minors[i] > 0 then
        s.up_minor[total] := s.up_minor[total] - need;
        is_short := is_short or s.up_minor[total] < 0;
      else
        s.down_minor[total] := s.down_minor[total] - need;
        is_short := is_short or s.down_minor[total] < 0;
      end if;
    end if;
  end loop;
  if is_short then
    raise exception 'too little is left in the slot' using errcode = 'FQX00';
  end if;
  update exposure_slots x set up_minor = s.up_minor, down_minor = s.down_minor where x.slot = of_slot;
end $$;

-- With all slots locked: holds the limits against the positions as they are with these moves, and deals out what is left.
-- FQX01: a limit would be exceeded on the side that a move takes. FQX02: a position has no value to be held against it.
create function deal_out_exposure(codes text[], minors numeric[], is_refusable boolean) returns void language plpgsql as $$
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
      or house.short_after > total_limit and house.short_after > house.short_before
    then
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

-- Executions are refused; what takes a trade back or closes it out is not, but what it moves counts.
create function hold_house_limits() returns trigger language plpgsql as $$
declare
  codes text[];
  minors numeric[];
begin
  if not exists (select from written w where 'position' = any (w.accounts)) then return null; end if;
  perform pg_advisory_xact_lock_shared(7103, 0);
  -- Until the first instance that knows of this has told what positions are worth, nothing can be held.
  if not exists (select from exposure_limits) or not exists (select from exposure_values) then return null; end if;
  select array_agg(m.currency order by m.currency), array_agg(m.minor order by m.currency) into codes, minors
  from (
    select p.currency, -sum(p.amount) as minor
    from written w, unnest(w.accounts, w.currencies, w.amounts) as p (account, currency, amount)
    where p.account = 'position' group by p.currency having sum(p.amount) <> 0
  ) m;
  if codes is null then return null; end if;
  begin
    perform take_from_slot(pg_backend_pid() % 8, codes, minors);
    return null;
  exception when sqlstate 'FQX00' then
    -- The slot is given back, so that two who need all of them do not wait for each other.
  end;
  perform 1 from exposure_slots s order by s.slot for update;
  perform deal_out_exposure(codes, minors, exists (select from written w where w.kind = 'trade_executed'));
  return null;
end $$;
-- After journal_keeps_positions, by their names: what is moved is in house_positions.
create trigger journal_within_house_limits after insert on journal_entries referencing new table as written
  for each statement execute function hold_house_limits();
