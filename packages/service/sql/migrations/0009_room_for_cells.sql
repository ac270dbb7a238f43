-- The places of references are twelve digits, of which this database uses the last ten. The first two are for the cells
-- that customers may be spread over one day: each has its own, so no two cells make one reference, and a reference leads to
-- the cell that it was made in.
alter sequence transaction_references maxvalue 9999999999;
