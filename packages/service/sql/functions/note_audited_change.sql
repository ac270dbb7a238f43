-- Notes what a request changes, for the row that is written as it commits (`record_act`): the columns that differ, before and
-- after. Called only while `firmquote.act` is set. The first argument names the columns of the key; the second those that are
-- told as changed, and not with what they hold. Where `version` is part of the key a new row has the one before it as `before`.
-- What is noted is bounded: a long value by its digest, and after 64 kB the rest of the rows by their number. The approval that is
-- decided on is written last, and is kept beside them: whoever reads of the act has to find it, however much the act changes.
create or replace function note_audited_change() returns trigger language plpgsql as $$
declare
  keys text[] := string_to_array(tg_argv[0], ',');
  hidden text[] := string_to_array(coalesce(tg_argv[1], ''), ',');
  left_out text := coalesce(current_setting('firmquote.changes_left_out', true), '');
  noted text;
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  key jsonb;
  conditions text;
begin
  if tg_op = 'UPDATE' and before = after then return null; end if;
  -- Once rows are left out, what was noted is not read again: ten thousand rows would copy those 64 kB ten thousand times.
  if left_out = '' then
    noted := coalesce(current_setting('firmquote.changes', true), '');
  end if;
  if left_out <> '' or octet_length(noted) > 65536 then
    perform set_config('firmquote.changes_left_out', (coalesce(nullif(left_out, ''), '0')::int + 1)::text, true);
    if tg_table_name = 'approvals' then perform set_config('firmquote.approval_left_out', coalesce(after, before) ->> 'id', true); end if;
    return null;
  end if;
  select jsonb_object_agg(k, coalesce(after, before) -> k) into key from unnest(keys) k;
  if tg_op = 'INSERT' and 'version' = any (keys) then
    select coalesce(string_agg(format('t.%I = ($1).%I and ', k, k), ''), '') into conditions from unnest(keys) k where k <> 'version';
    execute format('select to_jsonb(t) from %I t where %s t.version < ($1).version order by t.version desc limit 1', tg_table_name, conditions)
      into before using new;
  end if;
  if before is not null and after is not null then
    select jsonb_object_agg(b.key, b.value), jsonb_object_agg(b.key, after -> b.key) into before, after
    from jsonb_each(before) b where b.value is distinct from after -> b.key;
  end if;
  noted := noted || case when noted = '' then '' else ',' end || json_build_object(
    'table', tg_table_name, 'key', key, 'before', audited_values(before, hidden), 'after', audited_values(after, hidden))::text;
  perform set_config('firmquote.changes', noted, true);
  return null;
end $$;

create or replace trigger approvals_are_audited after insert or update or delete on approvals
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id');
create or replace trigger balance_references_are_audited after insert or update or delete on balance_references
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('customer_id');
create or replace trigger balance_top_ups_are_audited after insert or update or delete on balance_top_ups
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('customer_id,id');
create or replace trigger balance_withdrawals_are_audited after insert or update or delete on balance_withdrawals
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('customer_id,id');
create or replace trigger calendar_imports_are_audited after insert or update or delete on calendar_imports
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id');
create or replace trigger calendar_years_are_audited after insert or update or delete on calendar_years
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('currency,year,version');
create or replace trigger client_keys_are_audited after insert or update or delete on client_keys
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('client_id,kid');
create or replace trigger client_secrets_are_audited after insert or update or delete on client_secrets
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id', 'secret_hash');
create or replace trigger collection_accounts_are_audited after insert or update or delete on collection_accounts
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('currency');
create or replace trigger customer_limits_are_audited after insert or update or delete on customer_limits
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('customer_id');
create or replace trigger customers_are_audited after insert or update or delete on customers
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id');
create or replace trigger cut_offs_are_audited after insert or update or delete on cut_offs
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('currency,version');
create or replace trigger deposit_allocations_are_audited after insert or update or delete on deposit_allocations
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('deposit_id');
create or replace trigger deposit_returns_are_audited after insert or update or delete on deposit_returns
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id');
create or replace trigger deposits_are_audited after insert or update or delete on deposits
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id');
create or replace trigger exposure_hedges_are_audited after insert or update or delete on exposure_hedges
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('currency');
create or replace trigger known_remitters_are_audited after insert or update or delete on known_remitters
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id');
create or replace trigger market_accepted_prices_are_audited after insert or update or delete on market_accepted_prices
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('pair,number');
create or replace trigger market_halts_are_audited after insert or update or delete on market_halts
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id');
create or replace trigger market_pairs_are_audited after insert or update or delete on market_pairs
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('pair,version');
create or replace trigger market_sequence_resets_are_audited after insert or update or delete on market_sequence_resets
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('source,number');
create or replace trigger market_source_switches_are_audited after insert or update or delete on market_source_switches
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('source,number');
create or replace trigger matching_settings_are_audited after insert or update or delete on matching_settings
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('version');
create or replace trigger oauth_clients_are_audited after insert or update or delete on oauth_clients
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id');
create or replace trigger payments_are_audited after insert or update or delete on payments
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id');
create or replace trigger pricing_settings_are_audited after insert or update or delete on pricing_settings
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('kind,version');
create or replace trigger reconciliation_exceptions_are_audited after insert or update or delete on reconciliation_exceptions
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id');
create or replace trigger report_jobs_are_audited after insert or update or delete on report_jobs
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id');
create or replace trigger report_schedules_are_audited after insert or update or delete on report_schedules
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id');
create or replace trigger reversed_top_ups_are_audited after insert or update or delete on reversed_top_ups
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('customer_id,id');
create or replace trigger revoked_tokens_are_audited after insert or update or delete on revoked_tokens
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('client_id');
create or replace trigger sandbox_settings_are_audited after insert or update or delete on sandbox_settings
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('singleton');
create or replace trigger settlement_instructions_are_audited after insert or update or delete on settlement_instructions
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('customer_id,id');
create or replace trigger settlement_runs_are_audited after insert or update or delete on settlement_runs
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id');
create or replace trigger spread_rule_draft_are_audited after insert or update or delete on spread_rule_draft
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('singleton');
create or replace trigger spread_rule_set_are_audited after insert or update or delete on spread_rule_set
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('singleton');
create or replace trigger spread_rules_are_audited after insert or update or delete on spread_rules
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id,version');
create or replace trigger entry_details_are_audited after update on entry_details
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id');
create or replace trigger statement_files_are_audited after insert or update or delete on statement_files
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id');
create or replace trigger statement_mappings_are_audited after insert or update or delete on statement_mappings
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('name');
create or replace trigger swap_point_policies_are_audited after insert or update or delete on swap_point_policies
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('version');
create or replace trigger swap_point_versions_are_audited after insert or update or delete on swap_point_versions
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('pair,version');
create or replace trigger transaction_holds_are_audited after insert or update or delete on transaction_holds
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('customer_id,transaction_id,id');
create or replace trigger transactions_are_audited after update on transactions
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('customer_id,id');
create or replace trigger virtual_accounts_are_audited after insert or update or delete on virtual_accounts
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id');
create or replace trigger passkeys_are_audited after insert or delete or update of name on passkeys
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id', 'public_key');
create or replace trigger person_invitations_are_audited after insert or update on person_invitations
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id', 'secret_hash');
create or replace trigger person_identities_are_audited after insert or update on person_identities
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('person_id,issuer,subject');
create or replace trigger recovery_codes_are_audited after insert or update or delete on recovery_codes
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('person_id', 'code_hash');
create or replace trigger persons_are_audited after insert or update or delete on persons
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id');
create or replace trigger roles_are_audited after insert or update or delete on roles
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('name');
create or replace trigger webhook_endpoints_are_audited after insert or update or delete on webhook_endpoints
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id', 'sealed');
create or replace trigger webhook_deliveries_are_audited after insert or update on webhook_deliveries
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('endpoint_id,event_id', 'log');
create or replace trigger sessions_are_audited after insert or update of authenticated_at, ended_at on sessions
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('id', 'secret_hash');
create or replace trigger four_eyes_policies_are_audited after insert or update or delete on four_eyes_policies
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('version');
create or replace trigger log_archives_are_audited after insert on log_archives
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('log,seals');
create or replace trigger log_heads_are_audited after insert on log_heads
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('log,size,signed_at');
create or replace trigger signing_keys_are_audited after insert or update or delete on signing_keys
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('kid', 'encrypted_private_key');
create or replace trigger evidence_keys_are_audited after insert or update or delete on evidence_keys
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('kid', 'encrypted_private_key');
create or replace trigger key_encryption_are_audited after insert or update or delete on key_encryption
  for each row when (current_setting('firmquote.act', true) <> '') execute function note_audited_change('singleton');
