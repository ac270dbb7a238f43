create or replace function exposure_share(room numeric, slots int) returns numeric language sql immutable
return case when room < 0 then -1 else div(room, slots) end;
