-- The day on which the bank booked a deposit, where a statement tells: whether money was late is judged by it.
alter table deposits add column booked_on date;
-- Of what is not matched to the end; the others have been judged.
update deposits d set booked_on = b.booking_date
  from statement_entries e join statement_bookings b on b.id = e.booking_id
  where e.deposit_id = d.id and d.status <> 'matched';
