-- Pages are told by their balances: those between pages are marked, and a last page finds the one before it by them.
drop index bank_statements_pages;
alter table bank_statements drop column last_page, drop column is_whole;
