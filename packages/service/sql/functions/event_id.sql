-- The id of an event ends in its sequence as ten hex digits; see the event id in the service's ids module.
create or replace function event_id(prefix text, sequence bigint) returns uuid
language sql immutable strict
return (prefix || lpad(to_hex(sequence), 10, '0'))::uuid;
