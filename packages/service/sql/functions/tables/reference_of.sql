-- ISO 11649: RF, two check digits (mod 97-10), twelve digits.
create or replace function reference_of(digits bigint) returns text language sql immutable strict
return 'RF' || lpad((98 - (digits * 1000000 + 271500) % 97)::text, 2, '0') || lpad(digits::text, 12, '0');
