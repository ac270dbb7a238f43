-- Tokens of a client may count only together with a proof of the key that they were made for (RFC 9449).
alter table oauth_clients add column dpop_bound boolean not null default false;
