-- The next twelve digits of a reference. The sequence is multiplied within the twelve digits (the factor has no common
-- divisor with 10^12, so every number is met once) because neighbouring references would tell a customer how much
-- everybody trades.
create or replace function reference_digits(place bigint) returns bigint language sql immutable strict
return ((place::numeric * 387420489 + 314159265358) % 1000000000000)::bigint;
