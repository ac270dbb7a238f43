-- Takes from one slot what moves of positions need, which is theirs whatever others do. FQX00: it has too little.
create or replace function take_from_slot(of_slot int, codes text[], minors numeric[]) returns void language plpgsql as $$
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
