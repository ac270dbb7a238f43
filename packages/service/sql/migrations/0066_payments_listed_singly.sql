-- A statement may list the payments of a notified sum one by one: they are looked up by what they were ordered in together.
-- It may have been made before, concurrently.
create index if not exists entry_details_block on entry_details (payment_information_id, account, booking_date)
  where payment_information_id is not null and same_as is null;
