-- Of the previous version, which writes by it: goes with the next.
create or replace view statement_entries as
select id, entry_id as booking_id, number, kind, amount_minor, end_to_end_id, uetr, instruction_id, payment_information_id,
       detail_reference, structured_references, remittance_text, counterparty_name, counterparty_account, return_reason,
       original_reference, exchange, deposit_state, deposit_id, payment_state, payment_reason, payment_id, returned_deposit_id,
       booked_as, credited_account, account, booking_date, known_reference, known_end_to_end, same_as, same_reason, differs,
       maybe_same_as, completed, listed_by, missing_since, revise
from entry_details;
