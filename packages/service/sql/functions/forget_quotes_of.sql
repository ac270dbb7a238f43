-- Looks at the next `most` quotes of a customer, in the order of their ids, and deletes those that ended without a trade. The prices of the others
-- are kept for as long as they are. Answers how many it saw and deleted, and the last that it saw. Only `forget_quotes` calls it, which
-- holds what may go and has the right to delete.
create or replace function forget_quotes_of(
  customer uuid, after uuid, before uuid, most int, out seen int, out forgotten int, out through uuid)
language plpgsql as $$
declare
  ids uuid[];
  ended uuid[];
  traded uuid[];
begin
  select array_agg(p.id order by p.id), array_agg(p.id) filter (where p.status in ('expired', 'cancelled', 'withdrawn')),
         array_agg(distinct p.price_id) filter (where p.status not in ('expired', 'cancelled', 'withdrawn'))
    into ids, ended, traded
  from (
    select q.id, q.status, q.price_id from quotes q
    where q.customer_id = customer and q.id > after and q.id < before
    order by q.customer_id, q.id limit most
  ) p;
  delete from quotes q where q.customer_id = customer and q.id = any (ended);
  get diagnostics forgotten = row_count;
  -- Keys are kept for days. In a sandbox whose clock goes back afterwards they would name quotes that are gone.
  if ended is not null and not is_production() then
    delete from idempotency_keys k
    where k.customer_id = customer and k.operation = 'quotes' and k.quote_id = any (ended);
  end if;
  insert into traded_prices (price_id) select unnest(traded) on conflict (price_id) do nothing;
  seen := coalesce(cardinality(ids), 0);
  through := ids[seen];
end $$;
