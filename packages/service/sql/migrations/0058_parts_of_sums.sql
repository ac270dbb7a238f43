-- The payment of a sum that details are the same as, while the sum carries the money. `same_as` is the sum then.
alter table entry_details add column same_part uuid references entry_details (id);
create index if not exists entry_details_same_part on entry_details (same_part) where same_part is not null;
-- Payments of sums are looked up like those that carry their money themselves. They may have been made before, concurrently.
create index if not exists entry_details_part_day on entry_details (account, booking_date, amount_minor) where same_reason = 'part_of_sum';
create index if not exists entry_details_part_end_to_end_key on entry_details (known_end_to_end, account, amount_minor)
  where known_end_to_end is not null and same_reason = 'part_of_sum';
create index if not exists entry_details_part_reference_key on entry_details (known_reference, account, booking_date)
  where known_reference is not null and same_reason = 'part_of_sum';
