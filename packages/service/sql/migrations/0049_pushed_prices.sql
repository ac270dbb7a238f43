-- The newest price that was pushed for each pair and source, on its way to the other instances; without a bid and an ask where it was taken
-- back. It lasts seconds, so it is worth no log: after a crash of the server the table is empty.
create unlogged table market_pushed_prices (
  source text not null,
  pair text not null,
  bid numeric,
  ask numeric,
  -- When the price was made, or taken back.
  at timestamptz not null,
  -- Which instance it was brought to.
  instance uuid not null,
  -- In which transaction. Who reads everything from the oldest that was under way at its last look misses none.
  written_in xid8 not null default pg_current_xact_id(),
  constraint market_pushed_prices_pkey primary key (source, pair),
  constraint market_pushed_prices_check check ((bid is null) = (ask is null)),
  constraint market_pushed_prices_bid_check check (bid > 0),
  constraint market_pushed_prices_pair_check check (length(pair) = 6)
) with (fillfactor = 50);
