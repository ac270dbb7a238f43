-- A deposit may pay for several customers: then its allocations name them, and the deposit names none.
alter table deposits drop constraint deposit_matched_has_customer;
create index deposit_allocations_customer on deposit_allocations (customer_id, deposit_id);
