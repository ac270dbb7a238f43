-- What a withdrawn statement listed is looked up by what listed it. It may have been made before, concurrently.
create index if not exists entry_details_listed_by on entry_details (listed_by) where listed_by is not null;
