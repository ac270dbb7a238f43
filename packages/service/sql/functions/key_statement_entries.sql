-- Gives entries their keys. Those of an older version that runs beside this one get theirs from the next import.
create or replace function key_statement_entries() returns void language sql as $$
  update statement_entries e set account = b.account, booking_date = b.booking_date,
    known_reference = nullif(upper(regexp_replace(e.detail_reference, '[^[:alnum:]]', '', 'g')), ''),
    known_end_to_end = nullif(upper(regexp_replace(e.end_to_end_id, '[^[:alnum:]]', '', 'g')), '')
  from statement_bookings b where b.id = e.booking_id and e.account is null
$$;
