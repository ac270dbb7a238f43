-- The journal one posting a line, for people and reports.
create or replace view journal_postings as
  select e.customer_id, e.id as entry_id, e.kind, e.at, e.transaction_id, e.deposit_id,
         p.line, p.account, p.currency, p.amount
  from journal_entries e,
       unnest(e.accounts, e.currencies, e.amounts) with ordinality as p (account, currency, amount, line);
