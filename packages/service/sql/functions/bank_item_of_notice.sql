-- What a bank tells of a return is told of its deposit. What it has told by an entry that it never booked is told no more.
create or replace function bank_item_of_notice() returns trigger language plpgsql as $$
declare
  notice bank_notices := case tg_op when 'DELETE' then old else new end;
begin
  perform move_bank_item(notice.currency,
    case notice.purpose when 'deposit_return' then (select r.deposit_id from deposit_returns r where r.id = notice.transaction_id) else notice.transaction_id end,
    case notice.purpose when 'withdrawal' then 'withdrawal' when 'deposit_return' then 'deposit' else 'transaction' end,
    case when notice.purpose <> 'deposit_return' then notice.customer_id end,
    case when (notice.kind = 'paid') = (tg_op = 'INSERT') then -notice.amount_minor else notice.amount_minor end, notice.at);
  return null;
end $$;

create or replace trigger notices_move_bank_items after insert on bank_notices for each row
  when (new.kind <> 'rejected') execute function bank_item_of_notice();
create or replace trigger forgotten_notices_move_bank_items after delete on bank_notices for each row
  when (old.kind <> 'rejected') execute function bank_item_of_notice();
