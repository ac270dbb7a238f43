-- US dollar cents of an amount that is not negative, rounded up, as what limits count never is too little.
create or replace function exposure_up(minor numeric, numerator numeric, denominator numeric) returns numeric
language sql immutable return div(minor * numerator + denominator - 1, denominator);
