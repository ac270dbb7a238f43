-- The stretches of time in which open quotes run out; outside of them there is none. They are kept in each commit that makes or ends a quote,
-- so who looks for open quotes of all customers goes through these, and passes over ended ones of the same ten seconds only.
create or replace function ends_of_open_quotes() returns table (since timestamptz, before timestamptz) language sql stable as $$
  select o.expires_by - interval '10 seconds', o.expires_by from house_open_quotes o group by o.expires_by having sum(o.quotes) <> 0
$$;
