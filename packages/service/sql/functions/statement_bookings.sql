-- Of the previous version, which writes by it: goes with the next.
create or replace view statement_bookings as
select id, statement_id, line, account, currency, direction, status, amount_minor, booking_date, value_date, bank_reference,
       transaction_code, known_reference, in_statement, payments
from bank_entries;
