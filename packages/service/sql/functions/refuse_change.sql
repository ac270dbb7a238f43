create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  -- The one way out of the trail is archive_audit, which holds what may go.
  if tg_table_name = 'audit_log' and tg_op = 'DELETE' and current_setting('firmquote.archives', true) = 'on' then return null; end if;
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

create or replace trigger journal_is_append_only before update or delete or truncate on journal_entries
  for each statement execute function refuse_change();
create or replace trigger deposit_history_is_append_only before update or delete or truncate on deposit_history
  for each statement execute function refuse_change();
create or replace trigger exception_history_is_append_only before update or delete or truncate on exception_history
  for each statement execute function refuse_change();
create or replace trigger funding_instructions_are_append_only before update or delete or truncate on funding_instructions
  for each statement execute function refuse_change();
create or replace trigger audit_log_is_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();
create or replace trigger log_seals_are_append_only before update or delete or truncate on log_seals
  for each statement execute function refuse_change();
create or replace trigger log_heads_are_append_only before update or delete or truncate on log_heads
  for each statement execute function refuse_change();
create or replace trigger log_nodes_are_append_only before update or delete or truncate on log_nodes
  for each statement execute function refuse_change();
create or replace trigger log_exports_are_append_only before update or delete or truncate on log_exports
  for each statement execute function refuse_change();
create or replace trigger log_archives_are_append_only before update or delete or truncate on log_archives
  for each statement execute function refuse_change();
