create or replace function note_match_change() returns trigger language plpgsql as $$
begin
  case tg_table_name
    when 'balance_references' then insert into match_changes (kind, key) values ('reference', new.reference);
    when 'virtual_accounts' then insert into match_changes (kind, key) values ('account', new.number);
    when 'known_remitters' then insert into match_changes (kind, key) values ('remitter', new.account);
    when 'settlement_instructions' then insert into match_changes (kind, key) values ('customer', new.customer_id::text);
    when 'customers' then insert into match_changes (kind, key) values ('customer', new.id::text);
    when 'balance_top_ups' then insert into match_changes (kind, key)
      select 'deposit', d.id::text from deposits_under(new.bank_reference) d
      where d.currency = new.currency and d.status = 'unmatched' and d.version = 1;
    when 'matching_settings' then insert into match_changes (kind, key) values ('rules', '');
  end case;
  return null;
end $$;

create or replace trigger references_are_new_to_deposits after insert on balance_references for each row execute function note_match_change();
create or replace trigger accounts_are_new_to_deposits after insert on virtual_accounts for each row execute function note_match_change();
create or replace trigger remitters_are_new_to_deposits after insert on known_remitters for each row execute function note_match_change();
create or replace trigger payees_are_new_to_deposits after insert on settlement_instructions for each row execute function note_match_change();
create or replace trigger customers_change_for_deposits after update on customers for each row
  when (old.name <> new.name or old.settings <> new.settings) execute function note_match_change();
create or replace trigger top_ups_are_new_to_deposits after insert on balance_top_ups for each row execute function note_match_change();
create or replace trigger rules_change_for_deposits after insert on matching_settings for each row execute function note_match_change();
