-- A file that somebody brings by hand waits for a second person.
alter table statement_files drop constraint statement_files_status_check;
alter table statement_files add constraint statement_files_status_check check (status in ('accepted', 'refused', 'held'));
