-- In ISO 20022 what the bank books is an entry (Ntry), and the payments in it are its transaction details (TxDtls).
-- Instances of the previous version go on by views with the old names.
alter table statement_bookings rename to bank_entries;
alter table statement_entries rename to entry_details;
alter table entry_details rename column booking_id to entry_id;
alter table statement_listings rename to entry_listings;
alter table entry_listings rename column booking_id to entry_id;

do $$
declare
  it record;
  -- In this order: no name of the second holds one of the first.
  before constant text[] := '{statement_entries,statement_bookings,statement_listings,booking_id,listings_booking}';
  after constant text[] := '{entry_details,bank_entries,entry_listings,entry_id,listings_entry}';
  named text;
begin
  for it in
    select 'constraint' as kind, c.conrelid::regclass as of_table, c.conname as name from pg_constraint c
    where c.conrelid in ('bank_entries'::regclass, 'entry_details'::regclass, 'entry_listings'::regclass)
    union all
    select 'index', i.indrelid::regclass, i.indexrelid::regclass::text from pg_index i
    where i.indrelid in ('bank_entries'::regclass, 'entry_details'::regclass, 'entry_listings'::regclass)
      and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
  loop
    named := it.name;
    for i in 1 .. cardinality(before) loop named := replace(named, before[i], after[i]); end loop;
    if named = it.name then continue; end if;
    if it.kind = 'index' then execute format('alter index %I rename to %I', it.name, named);
    else execute format('alter table %s rename constraint %I to %I', it.of_table, it.name, named);
    end if;
  end loop;
end $$;

-- Details without keys were of versions before 0053.
drop index entry_details_no_keys;
