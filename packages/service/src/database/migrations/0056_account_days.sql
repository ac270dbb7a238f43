-- Entries and statements are looked for by account and day; the entry that a listing is, by its booking.
create index statement_bookings_account_day on statement_bookings (account, booking_date, id);
create index bank_statements_account_day on bank_statements (account, period_to, id);
create index statement_listings_booking on statement_listings (booking_id);
