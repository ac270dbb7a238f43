-- Deposits that the bank calls so, also where the reference was taken and the entry's own id follows it.
create or replace function deposits_under(reference text) returns setof deposits language sql stable as $$
  select d.* from deposits d where d.bank_reference = reference
  union all
  select d.* from deposits d where d.bank_reference like '%#ste\_%' and split_part(d.bank_reference, '#ste_', 1) = reference
$$;
