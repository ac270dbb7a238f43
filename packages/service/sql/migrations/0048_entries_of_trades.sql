-- Each trade has one entry that books it, and its id begins with when the trade was made: the primary key finds it. What is found by the
-- trade's id is what comes later. The index may have been made before, concurrently.
create index if not exists journal_entries_later on journal_entries (customer_id, transaction_id)
  where transaction_id is not null and kind <> 'trade_executed';
drop index journal_entries_transaction;
