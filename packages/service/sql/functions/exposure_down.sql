-- US dollar cents of an amount that is not negative, rounded down.
create or replace function exposure_down(minor numeric, numerator numeric, denominator numeric) returns numeric
language sql immutable return div(minor * numerator, denominator);
