-- Of the previous version: goes with the next.
create or replace function tell_operators(type text, at timestamptz, resource text, data json) returns void
language sql as $$ select notify_operators(type, at, resource, data) $$;
