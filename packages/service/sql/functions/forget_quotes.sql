-- Deletes quotes that ended without a trade and were made before the day that was `kept_days` ago. Each quote is looked at once: the walk
-- through the customers keeps its place, so no index is needed for it, and what is kept is passed once. Up to `most` rows and customers are looked at;
-- fewer means that there is no more to do for now. One instance at a time; where somebody holds a row, nothing is done and the next run tries again.
-- It has the right of the tables' owner, so it holds by itself what may go: nothing of the last five years, by the database's clock in production.
create or replace function forget_quotes(at timestamptz, kept_days int, most int, out looked int, out gone int)
language plpgsql security definer set search_path from current set plan_cache_mode = force_generic_plan set enable_seqscan = off
set lock_timeout = '100ms' as $$
declare
  -- Five years have two leap days at most.
  days_min constant int := 1827;
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  oldest timestamptz;
  place quotes_forgotten;
  seen int;
  forgotten int;
  last uuid;
begin
  looked := 0;
  gone := 0;
  if kept_days is null or kept_days < days_min then
    raise exception 'quotes are kept for % days at least', days_min using errcode = 'insufficient_privilege';
  end if;
  oldest := date_trunc('day', case when is_production() then clock_timestamp() else at end - make_interval(days => kept_days), 'UTC');
  select * into place from quotes_forgotten for update skip locked;
  if not found then return; end if;
  -- More is to be kept than when the walk began.
  if place.until > oldest then place.until := null; end if;
  if place.through > oldest and not is_production() then
    -- The clock of a sandbox was moved back, to before quotes that are yet to be made.
    place := (true, 'epoch', null, nobody, nobody, nobody);
  end if;
  if place.until is null and oldest > place.through then
    -- The end of a quote may not be written down yet.
    if exists (select from ends_of_open_quotes() e where e.since < oldest + interval '1 day') then return; end if;
    place.until := oldest;
    place.customer_id := nobody;
  end if;
  while place.until is not null and looked < most loop
    select f.seen, f.forgotten, f.through into seen, forgotten, last
    from forget_quotes_of(place.customer_id, place.quote_id, uuid_floor(place.until), most - looked) f;
    looked := looked + seen;
    gone := gone + forgotten;
    if looked >= most then
      place.quote_id := last;
    else
      select q.customer_id into place.customer_id from quotes q where q.customer_id > place.customer_id
      order by q.customer_id, q.id limit 1;
      if found then
        place.quote_id := uuid_floor(place.through);
        looked := looked + 1;
      else
        place.through := place.until;
        place.until := null;
        place.customer_id := nobody;
      end if;
    end if;
  end loop;
  update quotes_forgotten f set (through, until, customer_id, quote_id, price_id) =
    (select place.through, place.until, place.customer_id, place.quote_id, place.price_id)
  where row(f.*) is distinct from row(place.*);
exception when lock_not_available then
  looked := 0;
  gone := 0;
end $$;
