-- Of the previous version: goes with the next.
create or replace function expire_quotes_until(until timestamptz, at timestamptz, id_time text, most int) returns int language sql as $$
  select expire_quotes(array_agg(d.customer_id), array_agg(d.id), at, id_time) from due_quotes('-infinity', until, most) d
$$;
