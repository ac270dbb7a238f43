-- Open quotes are found by what never changes: the end of a quote, and for the count of a customer its id. An index that names the status, in
-- its columns or its condition, gets a second entry, as all others do, whenever a quote ends. They may have been made before, concurrently.
create index if not exists quotes_by_end on quotes (expires_at);
-- A quote that runs for no longer than one that names no validity lies among the newest ids of its customer.
create index if not exists quotes_that_run_long on quotes (customer_id, expires_at) where expires_at - created_at > interval '30 seconds';
create index if not exists quotes_of_drills on quotes (expires_at) where scenario = 903;
