-- The house's legal entity identifier (ISO 17442), which payment files tell banks and trades do not show.
alter table collection_accounts add column holder_lei text;
