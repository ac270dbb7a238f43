-- Whatever the code does, nobody's balance is overdrawn. Not a CHECK: of an upsert that one would look at the row which was
-- to be inserted, and that is only the difference.
create or replace function refuse_overdraft() returns trigger language plpgsql as $$
begin
  raise exception 'balance of customer % in % is overdrawn', new.customer_id, new.currency
    using errcode = 'check_violation', constraint = 'balances_not_overdrawn';
end $$;

create or replace trigger balances_not_overdrawn after insert or update on balances for each row
  when (new.account = 'customer_balance' and new.balance > 0) execute function refuse_overdraft();
