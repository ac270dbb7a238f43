-- A key of its own for each part: the sequence of a feed is counted in customer_usage, and a key of the whole would have to hold
-- the instant as well, which nobody asks by. What is of no day that has a table yet goes to events_default.
do $$
declare
  is_new boolean;
begin
  lock table events in access exclusive mode;
  select not exists (select from events) into is_new;
  alter table events rename to events_earlier;
  create table events (
    customer_id uuid not null,
    sequence bigint not null,
    id uuid not null,
    type text not null,
    at timestamptz not null,
    quote_id uuid,
    transaction_id uuid,
    deposit_id uuid,
    version int,
    status text,
    previous_status text,
    client_reference text,
    detail json,
    constraint events_sequence_check check (sequence > 0)
  ) partition by range (at);
  if is_new then
    drop table events_earlier;
  else
    execute format('alter table events attach partition events_earlier for values from (minvalue) to (%L)', (
      select substring(pg_get_constraintdef(c.oid) from '''([^'']+)''') from pg_constraint c
      where c.conrelid = 'events_earlier'::regclass and c.conname = 'events_earlier_end'));
  end if;
  create table events_default partition of events (primary key (customer_id, sequence)) default;
  create index events_default_age on events_default using brin (at);
end $$;
