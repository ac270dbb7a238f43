-- A notice is about what was to be paid: a trade, a withdrawal or the return of a deposit.
create or replace function notify_of_payment() returns trigger language plpgsql as $$
begin
  perform notify_operators('payment.failed', new.at, new.transaction_id::text, json_build_object(
    case new.purpose when 'withdrawal' then 'withdrawalId' when 'deposit_return' then 'returnId' else 'transactionId' end,
    new.transaction_id, 'purpose', new.purpose, 'reason', new.kind, 'currency', new.currency, 'customerId', new.customer_id));
  return null;
end $$;

create or replace trigger failed_payments_notify_operators after insert on bank_notices for each row
  when (new.kind in ('rejected', 'returned')) execute function notify_of_payment();
