-- What only instances from before 0051 wrote with: none of them runs on this.
drop function if exists insert_quotes;
drop type quote_head;
-- They wrote entries without their keys, which each import filled in.
update statement_entries e set account = b.account, booking_date = b.booking_date,
  known_reference = nullif(upper(regexp_replace(e.detail_reference, '[^[:alnum:]]', '', 'g')), ''),
  known_end_to_end = nullif(upper(regexp_replace(e.end_to_end_id, '[^[:alnum:]]', '', 'g')), '')
from statement_bookings b where b.id = e.booking_id and e.account is null;
-- These copies were written by them alone (0008).
alter table statement_bookings drop column known_uetr, drop column known_end_to_end, drop column known_text, drop column last_told_by;
