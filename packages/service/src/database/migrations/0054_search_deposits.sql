-- What operators have in hand when they look for a deposit. Parts of names and texts are looked for in a range of dates.
create index deposits_bank_reference on deposits (bank_reference);
create index deposits_amount on deposits (currency, amount_minor, received_at, id);
create index deposits_customer on deposits (customer_id, received_at, id) where customer_id is not null;
-- Shared by several customers: few.
create index deposits_shared on deposits (received_at, id) where customer_id is null and allocated_minor + excess_minor > 0;
create index deposits_status on deposits (status, received_at, id);
create index deposits_status_currency on deposits (status, currency, received_at, id);
create index deposits_value_date on deposits (value_date);
create index deposits_booked_on on deposits (booked_on) where booked_on is not null;
