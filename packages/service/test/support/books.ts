import assert from 'node:assert/strict';
import type { Pool } from '../../src/database/pool.ts';
import { keptDifferences } from '../../src/ledger/kept-row-store.ts';

/** Balances of an owner as `account CURRENCY` → minor units, without those that are zero. */
export async function balancesOf(pool: Pool, customerId: string): Promise<Record<string, bigint>> {
  const { rows } = await pool.query<{ account: string; currency: string; balance: string }>(
    'select account, currency, balance from balances where customer_id = $1 and balance <> 0',
    [customerId],
  );
  return Object.fromEntries(rows.map((row) => [`${row.account} ${row.currency}`, BigInt(row.balance)]));
}

/** The whole ledger of the database adds up: nothing per currency, balances are what the journal says, and so are kept rows. */
export async function assertBooksBalance(pool: Pool): Promise<void> {
  const { rows: totals } = await pool.query(
    'select customer_id, currency, sum(balance) from balances group by customer_id, currency having sum(balance) <> 0',
  );
  assert.deepEqual(totals, [], 'the balances of an owner and currency add up to nothing');
  const { rows: differences } = await pool.query(
    `select customer_id, account, currency, b.balance, p.amount
     from balances b
     full join (
       select customer_id, account, currency, sum(amount) as amount from journal_postings
       group by customer_id, account, currency
     ) p using (customer_id, account, currency)
     where coalesce(b.balance, 0) <> coalesce(p.amount, 0)`,
  );
  assert.deepEqual(differences, [], 'balances are the sums of the journal');
  assert.deepEqual(await keptDifferences(pool, 50), [], 'kept rows are what they are sums of');
}
