-- Who is paid stands beside the payment, and payments travel in more ways.
alter table settlement_instructions add column lei text check (lei ~ '^[A-Z0-9]{18}[0-9]{2}$');
alter table payments
  add column payee_name text,
  add column payee_account text,
  drop constraint payments_scheme_check,
  add constraint payments_scheme_check check (scheme in ('sepa', 'instant', 'urgent', 'plain'));
