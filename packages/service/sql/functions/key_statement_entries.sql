-- Of the previous version: goes with the next, and the index entry_details_no_keys with it.
create or replace function key_statement_entries() returns void language sql as $$
  update entry_details e set account = b.account, booking_date = b.booking_date,
    known_reference = nullif(upper(regexp_replace(e.detail_reference, '[^[:alnum:]]', '', 'g')), ''),
    known_end_to_end = nullif(upper(regexp_replace(e.end_to_end_id, '[^[:alnum:]]', '', 'g')), '')
  from bank_entries b where b.id = e.entry_id and e.account is null
$$;
