-- The smallest id of an instant: a bound for "at or after" over ids.
create or replace function uuid_floor(at timestamptz) returns uuid language sql stable strict
return (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;
