-- Removes the rows of the trail under the next seals, up to one, and answers how many; 0 where another instance is at it, or has done it.
-- The one way by which rows leave the trail. It has the right of the tables' owner, so it holds by itself what may go: rows that are older
-- than what is kept, and than a year; whose hashes are kept; which an export covers that was handed out a week ago, so that whoever
-- misses its file can say so, under a head that was signed. Rows must be those that were sealed, by their number: what was put in or taken
-- out beside this stays, and shows.
create or replace function archive_audit(through bigint, kept_days int) returns bigint
language plpgsql security definer set search_path from current as $$
declare
  days_min constant int := 365;
  seals_max constant int := 500;
  oldest constant timestamptz := clock_timestamp() - make_interval(days => kept_days);
  tip record;
  last record;
  seal record;
  from_seal bigint;
  before_size bigint;
  gone bigint;
begin
  if kept_days is null or kept_days < days_min then
    raise exception 'the audit trail is kept for % days at least', days_min using errcode = 'insufficient_privilege';
  end if;
  select t.* into tip from log_tips t where t.log = 'audit' for update skip locked;
  if not found then return 0; end if;
  select coalesce(max(a.seals), 0), coalesce(max(a.size), 0) into from_seal, before_size from log_archives a where a.log = 'audit';
  if through <= from_seal then return 0; end if;
  select s.* into last from log_seals s where s.log = 'audit' and s.number = through;
  if not found or through > tip.looked or through > from_seal + seals_max or exists (
    select from log_seals s where s.log = 'audit' and s.number > from_seal and s.number <= through and s.sealed_at >= oldest
  ) then
    raise exception 'rows under seal % are not old enough, or too many', through using errcode = 'insufficient_privilege';
  end if;
  if not audit_export_covers(before_size, last.size) then
    raise exception 'no export covers the rows up to %', last.size using errcode = 'insufficient_privilege';
  end if;
  if not audit_hashes_are_kept(from_seal, through, before_size, last.size) then
    raise exception 'the hashes of the rows up to % are not kept', last.size using errcode = 'insufficient_privilege';
  end if;
  perform set_config('firmquote.archives', 'on', true);
  for seal in
    select s.* from log_seals s where s.log = 'audit' and s.number > from_seal and s.number <= through order by s.number
  loop
    if seal.late is null then
      delete from audit_log a
      where a.number > seal.after_key::bigint and a.number <= seal.through_key::bigint and a.at < oldest and not exists (
        select from log_seals l
        where l.log = 'audit' and l.late is not null and l.after_key = seal.after_key and a.number::text = any (l.late));
    else
      delete from audit_log a where a.number = any (seal.late::bigint[]) and a.at < oldest;
    end if;
    get diagnostics gone = row_count;
    if gone <> seal.rows then
      raise exception 'under seal % are % rows that may go, of %', seal.number, gone, seal.rows using errcode = 'restrict_violation';
    end if;
  end loop;
  perform set_config('firmquote.archives', '', true), set_config('firmquote.act', 'on', true);
  insert into log_archives (log, seals, size, rows, archived_at)
  values ('audit', through, last.size, last.size - before_size, clock_timestamp());
  perform record_act(json_build_object('kind', 'change', 'operation', 'sweep:archive_audit', 'resource', '/audit',
    'subjects', '{}'::text[], 'outcome', 'done', 'actor', 'service'), true);
  return last.size - before_size;
end $$;
