-- Sequence numbers that operators set for FIX sessions, every time: from then on both sides count from there, and messages
-- of before are never asked for again. `reset_by` is the operator's OAuth client.
create table market_sequence_resets (
  source text not null check (length(source) between 1 and 200),
  number int not null check (number > 0),
  next_sent int not null check (next_sent > 0),
  next_received int not null check (next_received > 0),
  reason text not null check (length(reason) between 1 and 200),
  reset_at timestamptz not null,
  reset_by uuid not null,
  primary key (source, number)
);
