-- The two events of an execution in one row, of its transaction: `quote.executed` with this version and reference of the quote comes just
-- before it, and what is said of nearly every transaction that is created is not written down (told_events). Versions that do not know
-- these columns would miss it, so such rows are written where none of them may run.
alter table events add column quote_version int, add column quote_reference text, alter column type drop not null,
  add constraint event_says_what_it_is check (type is not null or quote_version is not null) not valid;
