-- What withdrawals have brought back into a balance by entries that the bank's statements lack.
create or replace function balance_regained_by_missing_money(of_customer uuid, of_currency text) returns numeric language sql stable as $$
  select coalesce((
    select sum(n.amount_minor) from entry_details e join bank_notices n on n.source_id = e.id
    where e.missing_since is not null and n.kind = 'returned' and n.purpose = 'withdrawal'
      and n.customer_id = of_customer and n.currency = of_currency
  ), 0)
$$;
