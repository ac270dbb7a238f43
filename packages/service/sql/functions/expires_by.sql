-- The end of the ten seconds in which a quote runs out.
create or replace function expires_by(expires_at timestamptz) returns timestamptz language sql immutable strict
return date_bin('10 seconds', expires_at, timestamptz '2000-01-01 00:00:00+00') + interval '10 seconds';
