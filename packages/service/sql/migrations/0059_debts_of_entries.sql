-- The customer that owes what an entry was booked as (`customer_receivable`), so that it can be undone when the bank has never booked it.
alter table entry_details add column booked_for uuid;
