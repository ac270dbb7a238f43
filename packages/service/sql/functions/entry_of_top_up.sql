-- The journal entry of a top-up by hand that no bank has told of: what is open of it between bank and ledger. It has the top-up's id; booked after
-- its day was closed only the end of that, and of top-ups from before they shared it an id of its own.
create or replace function entry_of_top_up(t balance_top_ups) returns uuid language sql stable as $$
  select i.subject_id from bank_open_items i
  where i.currency = t.currency and i.kind = 'journal_entry' and i.customer_id = t.customer_id and i.amount_minor = -t.amount_minor
  order by i.subject_id = t.id desc, right(i.subject_id::text, 22) = right(t.id::text, 22) desc, i.since = t.at desc, i.subject_id
  limit 1
$$;
