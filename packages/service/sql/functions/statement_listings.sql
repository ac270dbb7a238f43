-- Of the previous version, which writes by it: goes with the next.
create or replace view statement_listings as
select file_id, position, statement_position, line, entry_id as booking_id, is_new from entry_listings;
