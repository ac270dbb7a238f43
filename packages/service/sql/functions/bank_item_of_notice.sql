-- What a bank tells of a return is told of its deposit.
create or replace function bank_item_of_notice() returns trigger language plpgsql as $$
begin
  perform move_bank_item(new.currency,
    case new.purpose when 'deposit_return' then (select r.deposit_id from deposit_returns r where r.id = new.transaction_id) else new.transaction_id end,
    case new.purpose when 'withdrawal' then 'withdrawal' when 'deposit_return' then 'deposit' else 'transaction' end,
    case when new.purpose <> 'deposit_return' then new.customer_id end,
    case new.kind when 'paid' then -new.amount_minor else new.amount_minor end, new.at);
  return null;
end $$;

create or replace trigger notices_move_bank_items after insert on bank_notices for each row
  when (new.kind <> 'rejected') execute function bank_item_of_notice();
