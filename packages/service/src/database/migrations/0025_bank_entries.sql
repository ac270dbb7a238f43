-- Deposits by what their payments were called, for when they are taken back.
create index statement_entries_deposit_uetr on statement_entries (uetr) where uetr is not null;
create index statement_entries_deposit_end_to_end on statement_entries (end_to_end_id) where end_to_end_id is not null;
