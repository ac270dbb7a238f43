-- The house's account as transactions show it, with the number of the customer's own: holder and bank are the same.
create or replace function with_virtual_account(details json, number text) returns json language sql immutable
return case when number is null then details
  else (details::jsonb
    || jsonb_build_object('virtualAccount', number)
    || case when number ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'
         then jsonb_build_object('iban', number, 'accountNumber', null)
         else jsonb_build_object('iban', null, 'accountNumber', number) end)::json end;
