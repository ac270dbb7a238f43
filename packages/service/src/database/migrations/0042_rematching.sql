-- Deposits that no rule has matched and nobody has touched, by what may make them clear later: a reference that their text
-- names, the account that they came in on, its owner, the account of the remitter. `held`: somebody else pays.
create table deposit_keys (
  kind text not null check (kind in ('reference', 'account', 'owner', 'remitter', 'held')),
  key text not null,
  currency text not null,
  amount_minor numeric(38, 0) not null,
  deposit_id uuid not null references deposits (id),
  primary key (kind, key, currency, amount_minor, deposit_id)
);
create index deposit_keys_deposit on deposit_keys (deposit_id);
create index deposit_keys_pages on deposit_keys (kind, key, deposit_id);

-- What has come into being or changed since the last look, by which such a deposit may be clear now. Written in the commit
-- of the change, read and deleted by the sweep.
create table match_changes (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('trade', 'reference', 'account', 'remitter', 'customer', 'deposit', 'rules')),
  -- Of a trade.
  customer_id uuid,
  currency text,
  -- Reference, account, or id of a customer or deposit.
  key text not null,
  due_at timestamptz not null default now()
);

-- Changes that concern more deposits than are looked at in one go, and how far the look has come.
create table match_walks (
  kind text not null check (kind in ('group', 'owner', 'account', 'remitter', 'held', 'all')),
  key text not null,
  currency text not null,
  after_minor numeric(38, 0) not null default -1,
  after_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- Something has changed meanwhile: once more from the beginning.
  again boolean not null default false,
  primary key (kind, key, currency)
);

-- A trade that nothing waits for costs two looks at an index.
create function note_new_trades() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  insert into match_changes (kind, customer_id, currency, key)
  select 'trade', n.customer_id, n.sell_currency, n.reference from written n
  where not n.pre_funded and (
    exists (select from deposit_keys k where k.kind = 'reference' and k.key = n.reference)
    or exists (select from deposit_keys k where k.kind = 'owner' and k.key = n.customer_id::text and k.currency = n.sell_currency));
  return null;
end $$;
create trigger transactions_are_new_to_deposits after insert on transactions referencing new table as written
  for each statement execute function note_new_trades();

create function note_changed_trade() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  insert into match_changes (kind, customer_id, currency, key)
  select 'trade', new.customer_id, new.sell_currency, new.reference
  where exists (select from deposit_keys k where k.kind = 'owner' and k.key = new.customer_id::text and k.currency = new.sell_currency)
    or exists (select from deposit_keys k where k.kind = 'reference' and k.key = new.reference);
  return null;
end $$;
create trigger transactions_change_for_deposits after update on transactions for each row
  when (old.received_minor <> new.received_minor or old.shortfall_minor <> new.shortfall_minor
    or (old.status in ('awaiting_funds', 'partially_funded', 'overdue')) <> (new.status in ('awaiting_funds', 'partially_funded', 'overdue')))
  execute function note_changed_trade();

create function note_match_change() returns trigger language plpgsql as $$
begin
  case tg_table_name
    when 'balance_references' then insert into match_changes (kind, key) values ('reference', new.reference);
    when 'virtual_accounts' then insert into match_changes (kind, key) values ('account', new.number);
    when 'known_remitters' then insert into match_changes (kind, key) values ('remitter', new.account);
    when 'settlement_instructions' then insert into match_changes (kind, key) values ('customer', new.customer_id::text);
    when 'customers' then insert into match_changes (kind, key) values ('customer', new.id::text);
    when 'matching_settings' then insert into match_changes (kind, key) values ('rules', '');
  end case;
  return null;
end $$;
create trigger references_are_new_to_deposits after insert on balance_references for each row execute function note_match_change();
create trigger accounts_are_new_to_deposits after insert on virtual_accounts for each row execute function note_match_change();
create trigger remitters_are_new_to_deposits after insert on known_remitters for each row execute function note_match_change();
create trigger payees_are_new_to_deposits after insert on settlement_instructions for each row execute function note_match_change();
create trigger customers_change_for_deposits after update on customers for each row
  when (old.name <> new.name or old.settings <> new.settings) execute function note_match_change();
create trigger rules_change_for_deposits after insert on matching_settings for each row execute function note_match_change();

-- Deposits that are there already have no keys yet: they get them when they are looked at once.
insert into match_changes (kind, key) select 'rules', '' where exists (select from deposits where status = 'unmatched' and version = 1);
