-- Weekends and holidays of the market, each known by the instant at which it ends: a closure can change its reason while
-- it lasts, never its end. Written when it begins, so that customers are told of it and of its end once.
create table market_closures (
  id uuid primary key,
  reopens_at timestamptz not null unique,
  closed_at timestamptz not null,
  reason text not null check (reason in ('weekend', 'holiday')),
  opened_at timestamptz,
  -- How far the customers have been told, in the order of their ids: first of the close, then of the opening.
  closed_told_to uuid,
  closed_told boolean not null default false,
  opened_told_to uuid,
  opened_told boolean not null default false,
  check (closed_at <= reopens_at),
  check (not opened_told or (closed_told and opened_at is not null))
);
create index market_closures_untold on market_closures (closed_at)
  where not closed_told or (opened_at is not null and not opened_told);
create index market_closures_current on market_closures (reopens_at) where opened_at is null;
