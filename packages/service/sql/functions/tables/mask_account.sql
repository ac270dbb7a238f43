-- The form in which an account is shown outside: country of an IBAN and the last four characters.
create or replace function mask_account(account text) returns text language sql immutable strict
return case when account ~ '^[A-Z]{2}' then left(account, 2) || '** **** ' else '**** ' end || right(account, 4);
