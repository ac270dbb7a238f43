-- Balances that are less than what was brought into them by money of which nothing is there, and why: by deposits, and by withdrawals that came back, which
-- the bank's statements lack, or by deposits that their remitters' banks have taken back and nobody has decided on. What is paid from a balance is covered by
-- the rest of it, so both count together; deposits also brought the proceeds of the trades that they have paid. Of all balances at once: whoever asks looks
-- at any number of payments. Not in SQL, so that no statement makes it a part of itself and looks it up for each of them.
create or replace function unbacked_balances() returns table (of_customer uuid, of_currency text, held text) language plpgsql stable as $$
begin
  return query with gone as materialized (
    select g.deposit_id, bool_or(g.is_missing) as is_missing, bool_or(not g.is_missing) as is_returned from (
      select m.deposit_id, true from missing_deposits() m
      union all
      select x.deposit_id, false from reconciliation_exceptions x where x.status = 'open' and x.type = 'returned' and x.deposit_id is not null
    ) g (deposit_id, is_missing) group by g.deposit_id
  ), allocated as materialized (
    select g.is_missing, g.is_returned, a.* from gone g cross join lateral (
      select a.customer_id, a.transaction_id, a.allocated_minor, d.currency
      from deposit_allocations a join deposits d on d.id = a.deposit_id where a.deposit_id = g.deposit_id offset 0) a
  ), paid as (
    select a.customer_id, a.transaction_id, bool_or(a.is_missing) as is_missing, bool_or(a.is_returned) as is_returned
    from allocated a where a.transaction_id is not null group by a.customer_id, a.transaction_id
  ), brought (customer, currency, minor, is_missing, is_returned) as (
    select a.customer_id, a.currency, a.allocated_minor, a.is_missing, a.is_returned from allocated a where a.transaction_id is null
    union all
    select t.customer_id, t.buy_currency, t.buy_minor, p.is_missing, p.is_returned from paid p cross join lateral (
      select t.* from transactions t where t.customer_id = p.customer_id and t.id = p.transaction_id offset 0) t
    where t.status = 'settled' and t.proceeds = 'balance'
    union all
    select n.customer_id, n.currency, n.amount_minor, true, false from entry_details e join bank_notices n on n.source_id = e.id
    where e.missing_since is not null and n.kind = 'returned' and n.purpose = 'withdrawal'
  )
  select b.customer, b.currency, case
    when sum(b.minor) filter (where b.is_missing) > 0 then 'not_in_statement'
    when sum(b.minor) filter (where b.is_returned) > 0 then 'deposit_returned' end
  from brought b group by b.customer, b.currency
  having sum(b.minor) > coalesce((
    select -k.balance from balances k where k.customer_id = b.customer and k.account = 'customer_balance' and k.currency = b.currency), 0);
end $$;
