-- Deposits that the bank's statements lack, and those of which something was sent back and came back by an entry that they lack.
create or replace function missing_deposits() returns table (deposit_id uuid) language sql stable as $$
  select e.deposit_id from entry_details e where e.missing_since is not null and e.deposit_id is not null
  union
  select r.deposit_id from entry_details e
  join bank_notices n on n.source_id = e.id and n.kind = 'returned' and n.purpose = 'deposit_return'
  join deposit_returns r on r.id = n.transaction_id
  where e.missing_since is not null
$$;
