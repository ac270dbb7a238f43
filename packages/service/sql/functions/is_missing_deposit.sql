-- Whether a deposit is one of `missing_deposits`.
create or replace function is_missing_deposit(of_deposit uuid) returns boolean language sql stable as $$
  select exists (
    select from entry_details e where e.deposit_id = of_deposit and e.missing_since is not null
  ) or exists (
    select from deposit_returns r
    join bank_notices n on n.customer_id = '00000000-0000-0000-0000-000000000000' and n.transaction_id = r.id and n.kind = 'returned'
    join entry_details e on e.id = n.source_id and e.missing_since is not null
    where r.deposit_id = of_deposit)
$$;
