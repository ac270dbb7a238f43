-- Double entry. An entry is one row with its postings as parallel arrays: it is written whole or not at all, and
-- one CHECK sees all of it. Positive amounts are debits, negative ones credits, in minor units.
create or replace function entry_balances(accounts text[], currencies text[], amounts numeric[]) returns boolean
language plpgsql immutable as $$
declare
  n constant int := cardinality(amounts);
  -- Most entries are in one or two currencies: their sums are kept as the lines go by.
  one constant text := currencies[1];
  two text;
  sum_one numeric := 0;
  sum_two numeric := 0;
begin
  if n < 2 or cardinality(accounts) <> n or cardinality(currencies) <> n then return false; end if;
  if array_position(accounts, null) > 0 or array_position(currencies, null) > 0 or array_position(amounts, null) > 0
    or array_position(amounts, 0::numeric) > 0 then return false; end if;
  for i in 1..n loop
    if currencies[i] = one then sum_one := sum_one + amounts[i];
    elsif two is null or currencies[i] = two then two := currencies[i]; sum_two := sum_two + amounts[i];
    else
      return not exists (
        select from unnest(currencies, amounts) as p (currency, amount) group by currency having sum(amount) <> 0);
    end if;
  end loop;
  return sum_one = 0 and sum_two = 0;
end $$;
