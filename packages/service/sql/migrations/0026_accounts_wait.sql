-- A new account of a customer waits before money goes there; null where it does not wait, or no more.
alter table settlement_instructions add column usable_from timestamptz;
create index settlement_instructions_waiting on settlement_instructions (usable_from) where usable_from is not null;
