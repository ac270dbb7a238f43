-- Versions that know this migration find an executed quote by its trade, whatever the quote itself says.
comment on column quotes.status is 'current_quotes says what has become of a quote: one that is open here may be executed';
