-- Writes who does what, with what was noted in this transaction (`note_audited_change`), as it is about to commit. Answers whether
-- there was anything to write; `always` writes nevertheless.
create or replace function record_act(act json, always boolean) returns boolean language plpgsql as $$
declare
  noted text := coalesce(current_setting('firmquote.changes', true), '');
  left_out text := coalesce(current_setting('firmquote.changes_left_out', true), '');
  noted_changes json;
begin
  if noted = '' and not always then return false; end if;
  if left_out <> '' then noted := noted || format(',{"table":"more","rows":%s}', left_out); end if;
  noted_changes := ('[' || noted || ']')::json;
  insert into audit_log (at, kind, operation, resource, subjects, outcome, actor, actor_id, person_id, customer_id, token_id, address,
    request_id, approval_id, count, changes)
  select coalesce(a.at, date_trunc('milliseconds', clock_timestamp())), a.kind, a.operation, a.resource,
    array(
      select distinct s from (
        select unnest(a.subjects) union select k.value from json_array_elements(noted_changes) c, json_each_text(c -> 'key') k
        where k.value ~ '^[0-9a-f]{8}-[0-9a-f]{4}-'
        union select current_setting('firmquote.approval_left_out', true) where current_setting('firmquote.approval_left_out', true) <> ''
      ) x (s) where s is not null order by s
    ),
    a.outcome, a.actor, a.actor_id, a.person_id, a.customer_id, a.token_id, a.address, a.request_id,
    coalesce(
      (select (c -> 'key' ->> 'id')::uuid from json_array_elements(noted_changes) c where c ->> 'table' = 'approvals' limit 1),
      nullif(current_setting('firmquote.approval_left_out', true), '')::uuid),
    coalesce(a.count, 1), noted_changes
  from json_populate_record(null::audit_log, act) a;
  perform set_config('firmquote.changes', '', true), set_config('firmquote.changes_left_out', '', true),
    set_config('firmquote.approval_left_out', '', true);
  return true;
end $$;
