-- Writes down a notification of operators, in the commit of what caused it.
create or replace function notify_operators(type text, at timestamptz, resource text, data json) returns void
language plpgsql as $$
begin
  insert into operator_events (id, type, at, resource, data)
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(r.random, 1, 3)
          || substr(r.random, 17, 16))::uuid, type, at, resource, data
  from (select replace(gen_random_uuid()::text, '-', '') as random) r;
end $$;
