-- Deletes prices that no quote names any more, behind forget_quotes, up to `most` of them looked at. A quote names a price that is an hour old
-- at most (PRICE_SHARED_MS), so quotes made up to `through` name none that is younger, and those after it none that is a month older: of these, prices that were dealt on
-- are in `traded_prices`, and the others are named by nothing. It goes by what forget_quotes has done and takes nobody's word.
create or replace function forget_prices(most int, out looked int, out gone int)
language plpgsql security definer set search_path from current set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  place quotes_forgotten;
  ids uuid[];
  unnamed uuid[];
  more int;
begin
  looked := 0;
  gone := 0;
  select * into place from quotes_forgotten for update skip locked;
  if not found then return; end if;
  select array_agg(p.id order by p.id), array_agg(p.id) filter (where not p.is_traded) into ids, unnamed from (
    select x.id, exists (select from traded_prices t where t.price_id = x.id) as is_traded
    from (select id from market_prices union all select id from quote_prices) x
    where x.id > place.price_id and x.id < uuid_floor(greatest(place.through - interval '30 days', 'epoch'))
    order by x.id limit most
  ) p;
  if ids is null then return; end if;
  looked := cardinality(ids);
  perform set_config('firmquote.forgets', 'on', true);
  delete from market_prices p where p.id = any (unnamed);
  get diagnostics gone = row_count;
  delete from quote_prices p where p.id = any (unnamed);
  get diagnostics more = row_count;
  gone := gone + more;
  perform set_config('firmquote.forgets', '', true);
  delete from traded_prices t where t.price_id <= ids[looked];
  update quotes_forgotten set price_id = ids[looked];
end $$;
