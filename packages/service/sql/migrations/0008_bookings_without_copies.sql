-- Payments are recognised by their entries. These copies in their bookings are neither written nor read any more; instances of the
-- previous version, which write them, may still run beside this one, so a later migration drops them.
alter table statement_bookings alter column known_text drop not null, alter column last_told_by drop not null;
