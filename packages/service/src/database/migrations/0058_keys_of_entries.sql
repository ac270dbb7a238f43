-- An entry is looked up by one key at a time. Led by the key, only one index fits each way of looking, whatever the planner
-- knows of accounts and days: led by the account it read all entries of an account or day for every batch of a file.
create index statement_entries_reference_key on statement_entries (known_reference, account, booking_date)
  where known_reference is not null and same_as is null;
create index statement_entries_end_to_end_key on statement_entries (known_end_to_end, account, amount_minor)
  where known_end_to_end is not null and same_as is null;
create index statement_bookings_reference_key on statement_bookings (known_reference, account, booking_date)
  where known_reference is not null;
drop index statement_entries_known_reference, statement_entries_known_end_to_end, statement_bookings_reference_day;
