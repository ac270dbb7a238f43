-- What was paid too much is kept for its customer: such a deposit waits for nothing. It was `partially_matched`, and counted as waiting for
-- ever. Instances of the version before write that still while they stop.
alter table deposits drop constraint deposit_matched_is_placed;
update deposits set status = 'matched'
where status = 'partially_matched' and excess_minor > 0 and amount_minor = allocated_minor + excess_minor + returned_minor;
alter table deposits add constraint deposit_matched_is_placed check (
  (status = 'matched') = (returned_minor < amount_minor and allocated_minor + excess_minor + returned_minor = amount_minor)
  or (status = 'partially_matched' and excess_minor > 0)) not valid;
