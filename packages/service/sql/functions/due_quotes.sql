-- Open quotes whose time was over at `until`, those that ran out first and no earlier than `since`. One stretch after the other, so that one
-- that cannot be ended for hours does not make each look read these hours.
create or replace function due_quotes(since timestamptz, until timestamptz, most int)
returns table (customer_id uuid, id uuid, expires_at timestamptz)
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  stretch record;
  found_now int;
begin
  for stretch in
    select e.since, e.before from ends_of_open_quotes() e
    where e.since <= until and e.before > due_quotes.since order by e.since
  loop
    return query
      select q.customer_id, q.id, q.expires_at from quotes q
      where q.status = 'open' and q.expires_at >= greatest(stretch.since, due_quotes.since) and q.expires_at < stretch.before
        and q.expires_at <= until
        and (select t.quote_id from transactions t where t.customer_id = q.customer_id and t.quote_id >= q.id
          order by t.customer_id, t.quote_id limit 1) is distinct from q.id
      order by q.expires_at limit most;
    get diagnostics found_now = row_count;
    most := most - found_now;
    exit when most <= 0;
  end loop;
end $$;
