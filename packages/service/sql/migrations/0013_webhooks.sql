-- Endpoints that are told of events. An endpoint follows a feed by its place in it (`sequence`): the feed itself is what has to be
-- delivered, and only what was sent, or waits to be sent again, has a row in webhook_deliveries.
create table webhook_endpoints (
  id uuid primary key,
  -- Null: operators', which follows what operators are told.
  customer_id uuid references customers (id),
  url text not null check (length(url) between 1 and 2048),
  description text check (length(description) between 1 and 200),
  -- Empty: all.
  types text[] not null default '{}',
  ordering text not null default 'none' check (ordering in ('none', 'resource')),
  status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  disabled_reason text check (disabled_reason in ('by_owner', 'gone', 'attempts_exhausted')),
  disabled_at timestamptz,
  -- The secrets, encrypted, and under which key.
  sealed bytea not null,
  sealed_under text not null,
  public_key text,
  previous_until timestamptz,
  version int not null default 1 check (version > 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Up to here every event was sent, or has a delivery.
  sequence bigint not null check (sequence >= 0),
  -- When there is next something to do, real time; while somebody is at it, when the lease ends. Null: nothing to do.
  due_at timestamptz,
  lease uuid,
  has_news boolean not null default false,
  -- Its attempts take long: it is served apart from those that are quick.
  is_slow boolean not null default false,
  constraint webhook_disabled_has_reason check ((status = 'disabled') = (disabled_reason is not null and disabled_at is not null)),
  constraint webhook_disabled_is_idle check (status = 'enabled' or (due_at is null and lease is null))
) with (fillfactor = 70);
create index webhook_endpoints_owner on webhook_endpoints (customer_id, id);
create index webhook_endpoints_due on webhook_endpoints (is_slow, due_at) where due_at is not null;

create table webhook_deliveries (
  endpoint_id uuid not null references webhook_endpoints (id) on delete cascade,
  -- Of the event. It carries the event's instant, so that this is the order of time.
  event_id uuid not null,
  sequence bigint not null check (sequence >= 0),
  type text not null,
  -- Within what events are in order, where that is asked for.
  resource text,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  -- Of the present round: a replay begins the schedule anew.
  attempts int not null check (attempts >= 0),
  -- Null while an earlier event of the resource is pending.
  next_attempt_at timestamptz,
  -- The last attempts, oldest first: instant, duration, status, failure, the beginning of the answer.
  log json not null,
  primary key (endpoint_id, event_id),
  constraint webhook_delivery_waits check (status = 'pending' or next_attempt_at is null)
) with (fillfactor = 90);
create index webhook_deliveries_pending on webhook_deliveries (endpoint_id, next_attempt_at) where status = 'pending';

-- Null: nobody follows the feed by webhooks. False: nothing has happened since somebody looked. It is moved in the update that
-- moves the end of the feed, so that a commit of events writes nothing more than before.
alter table customer_usage add column feed_news boolean;
create index customer_usage_feed_news on customer_usage (customer_id) where feed_news;

-- What operators are told, written in the commit of its cause. It gets its place in their feed later, from one instance at a time:
-- so whatever has a place was committed before anything that has a later one.
create sequence operator_event_places;
create table operator_events (
  id uuid primary key,
  place bigint,
  type text not null,
  at timestamptz not null,
  resource text,
  data json not null
);
create unique index operator_events_place on operator_events (place) where place is not null;
create index operator_events_new on operator_events (id) where place is null;
