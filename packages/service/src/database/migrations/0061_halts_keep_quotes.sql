-- Whether a halt takes back what was quoted before it, as its operator says.
alter table market_halts add column withdraws_quotes boolean not null default true;
