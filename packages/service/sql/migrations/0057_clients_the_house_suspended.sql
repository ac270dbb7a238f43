-- A client of a customer that the house has suspended is let go on by the house alone. Of those that are suspended nobody knows by whom.
alter table oauth_clients add column suspended_by_house boolean not null default false;
