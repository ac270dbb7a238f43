-- A customer's trades in the order of their last change: those of one instant are few, so they are put in order when they are read, and the id
-- need not stand in each entry. The index may have been made before, concurrently.
create index if not exists transactions_changed on transactions (customer_id, updated_at);
drop index transactions_updated;
