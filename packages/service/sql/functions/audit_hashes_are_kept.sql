-- Whether the leaves of the log's tree hold the hashes of the rows under these seals, one by one: rows may go whose hashes stay.
create or replace function audit_hashes_are_kept(from_seal bigint, through bigint, before_size bigint, size bigint) returns boolean
language sql stable as $$
  select (
    select string_agg(substring(n.leaves from 32 * i + 1 for 4), '' order by n.place, i)
    from log_nodes n cross join generate_series(0, 255) i
    where n.log = 'audit' and n.level = 8 and n.place between before_size / 256 and (size - 1) / 256
      and n.place * 256 + i >= before_size and n.place * 256 + i < size
  ) is not distinct from (
    select string_agg(s.fingerprints, '' order by s.number) from log_seals s
    where s.log = 'audit' and s.number > from_seal and s.number <= through
  )
$$;
