-- How far quotes that came to nothing have been deleted. All quotes made before `through` have been looked at; a walk that is under way
-- goes on to `until`, customer by customer in the order of their ids, and has got to this quote of this one.
create table quotes_forgotten (
  one boolean not null default true,
  through timestamptz not null default 'epoch',
  until timestamptz,
  customer_id uuid not null default '00000000-0000-0000-0000-000000000000',
  quote_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- The last price that was looked at.
  price_id uuid not null default '00000000-0000-0000-0000-000000000000',
  constraint quotes_forgotten_pkey primary key (one),
  constraint quotes_forgotten_one_check check (one)
);
insert into quotes_forgotten default values;

-- Prices that executed quotes name, from when the walk has passed these quotes until it has passed the prices.
create table traded_prices (
  price_id uuid not null,
  constraint traded_prices_pkey primary key (price_id)
);
