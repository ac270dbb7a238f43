-- What derived amounts of quotes are multiples of, where that is more than a minor unit.
alter table quote_spreads add column if not exists settlement_increment text;
