import assert from 'node:assert/strict';
import { readBankReconciliation } from '../../src/bank-statements/bank-reconciliation.ts';
import type { Pool } from '../../src/database/pool.ts';

/**
 * What banks have told and what the ledger has at banks differ by what is listed, and by nothing else. The list is what
 * all of history says, added up anew; for statements whose entries make up their balances.
 * @param isWhole whether each statement begins with what the one before ends with; what a missing one lists nothing explains
 */
export async function assertBankAgrees(pool: Pool, isWhole = true): Promise<void> {
  const { rows: wrong } = await pool.query(
    `with parts as (
       select p.currency, coalesce(j.deposit_id, j.transaction_id, j.withdrawal_id, j.id) as subject, -p.amount as amount
       from journal_entries j, unnest(j.accounts, j.currencies, j.amounts) as p (account, currency, amount)
       where p.account = 'bank' and not (j.kind = 'bank_entry_booked' and j.deposit_id is null or j.kind = 'top_up_reversed')
       union all
       select b.currency, e.deposit_id, e.amount_minor
       from entry_details e join bank_entries b on b.id = e.entry_id where e.deposit_id is not null
       union all
       select b.currency, e.returned_deposit_id, -e.amount_minor
       from entry_details e join bank_entries b on b.id = e.entry_id
       where e.returned_deposit_id is not null and (e.payment_state in ('applied', 'known') or (e.payment_state = 'by_hand' and e.booked_as = 'deposit'))
       union all
       -- What a deposit's entry took back of a top-up by hand whose place it has.
       select t.currency, s.subject, s.amount
       from balance_top_ups t cross join lateral (values (t.deposit_id, -t.amount_minor), (t.journal_entry_id, t.amount_minor)) as s (subject, amount)
       where t.deposit_id is not null
       union all
       select t.currency, t.journal_entry_id, t.amount_minor from reversed_top_ups t
       union all
       select n.currency, coalesce(r.deposit_id, n.transaction_id), case n.kind when 'paid' then -n.amount_minor else n.amount_minor end
       from bank_notices n left join deposit_returns r on r.id = n.transaction_id and n.purpose = 'deposit_return'
       where n.kind <> 'rejected'
     ), sums as (
       select currency, subject, sum(amount) as amount from parts group by currency, subject having sum(amount) <> 0
     )
     select coalesce(s.subject, i.subject_id) as subject, s.amount, i.amount_minor
     from sums s full join bank_open_items i on i.currency = s.currency and i.subject_id = s.subject
     where s.amount is distinct from i.amount_minor`,
  );
  assert.deepEqual(wrong, [], 'open items are what history adds up to');
  if (!isWhole) return;
  for (const each of await readBankReconciliation(pool, undefined)) {
    assert.equal(each.unexplainedMinor, 0n, `unexplained ${each.currency}`);
  }
}
