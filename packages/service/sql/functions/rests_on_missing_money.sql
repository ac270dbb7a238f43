-- Whether a trade was paid by a deposit that the bank's statements lack, or is to be paid out once more because of a return that they lack.
create or replace function rests_on_missing_money(of_customer uuid, of_trade uuid) returns boolean language sql stable as $$
  select exists (
    select from deposit_allocations a
    where a.customer_id = of_customer and a.transaction_id = of_trade and is_missing_deposit(a.deposit_id)
  ) or exists (
    select from bank_notices n join entry_details e on e.id = n.source_id
    where n.customer_id = of_customer and n.transaction_id = of_trade and n.kind = 'returned' and e.missing_since is not null)
$$;
