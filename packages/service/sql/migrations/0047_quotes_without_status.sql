-- Nothing reads these any more, and no index of quotes names what changes when a quote ends: its new row stays on its page where there is room,
-- without a second entry in each index.
drop index quotes_open;
drop index quotes_open_customer;
drop index quotes_to_withdraw;
-- A page is cleared of versions that are over when less than a tenth of it is free. One that is left for the next page before, at 85 as until
-- now, stays half full of them.
alter table quotes reset (fillfactor);
