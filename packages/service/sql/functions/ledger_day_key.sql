-- Each posting holds a lock of its day, shared with all others, until it has committed: nobody waits for anybody, and who
-- closes the day sees who is still there. 7101 is the first part of these locks' keys, the day the second.
create or replace function ledger_day_key(day date) returns int language sql immutable strict return day - '1900-01-01'::date;
