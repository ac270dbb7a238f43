import assert from 'node:assert/strict';
import { tradeDateAt } from '@firmquote/fx';
import type { Pool } from '../../src/database/pool.ts';
import { assertBooksBalance } from './books.ts';
import { assertQuotesFollowFromEvidence } from './evidence-check.ts';

/** Each finds rows that must not be there, whatever was cut off in the middle. */
const FAULTS: readonly (readonly [name: string, sql: string])[] = [
  [
    'a quote is executed exactly when it has a transaction, on the same terms',
    `select q.id as quote, q.status, q.transaction_id, t.id as transaction
     from current_quotes q full join transactions t on t.customer_id = q.customer_id and t.quote_id = q.id
     where (q.status = 'executed') is distinct from (t.id is not null) or q.transaction_id is distinct from t.id
       or (q.sell_minor, q.buy_minor, q.usd_minor) is distinct from
          (coalesce(t.sell_minor, q.sell_minor), coalesce(t.buy_minor, q.buy_minor), coalesce(t.usd_minor, q.usd_minor))`,
  ],
  [
    'a transaction has one journal entry of its execution, and such an entry its transaction',
    `select t.id as transaction, j.transaction_id, j.entries
     from transactions t full join (
       select customer_id, transaction_id, count(*) as entries from journal_entries where kind = 'trade_executed' group by 1, 2
     ) j on j.customer_id = t.customer_id and j.transaction_id = t.id
     where t.id is null or j.entries is distinct from 1`,
  ],
  [
    'an execution has its two events, one after the other, and such events their execution',
    `select t.id as transaction, e.quote_id, e.types
     from transactions t full join (
       select customer_id, quote_id, array_agg(type order by sequence) as types, max(sequence) - min(sequence) as apart,
         max(transaction_id::text)::uuid as transaction_id
       from feed_events where type in ('quote.executed', 'transaction.created') group by 1, 2
     ) e on e.customer_id = t.customer_id and e.quote_id = t.quote_id
     where t.id is null or e.types is distinct from '{quote.executed,transaction.created}' or e.apart <> 1
       or e.transaction_id <> t.id`,
  ],
  [
    'a feed has no gap and ends where the customer says',
    `select u.customer_id, u.last_event_sequence, count(e.sequence), max(e.sequence)
     from customer_usage u left join feed_events e on e.customer_id = u.customer_id
     group by u.customer_id, u.last_event_sequence
     having count(e.sequence) <> u.last_event_sequence or coalesce(max(e.sequence), 0) <> u.last_event_sequence`,
  ],
  [
    'the open position is the sum of the open trades',
    `select u.customer_id, u.open_usd_minor, sum(t.usd_minor)
     from customer_usage u left join transactions t
       on t.customer_id = u.customer_id and t.status not in ('settled', 'cancelled')
     group by u.customer_id, u.open_usd_minor having coalesce(sum(t.usd_minor), 0) <> u.open_usd_minor`,
  ],
  [
    'what customers owe is what they sold',
    `select customer_id, currency, b.balance, t.sold
     from (select * from balances where account = 'customer_receivable') b full join (
       select customer_id, sell_currency as currency, sum(sell_minor - received_minor) as sold
       from transactions where status <> 'cancelled' group by 1, 2
     ) t using (customer_id, currency)
     where coalesce(b.balance, 0) <> coalesce(t.sold, 0)`,
  ],
  [
    'a key that stands for an execution or a quote leads to it',
    `select k.operation, k.key, k.outcome from idempotency_keys k
     left join transactions t on t.customer_id = k.customer_id and t.id = k.transaction_id
     left join quotes q on q.customer_id = k.customer_id and q.id = k.quote_id
     where k.operation not like 'http:%' and k.outcome = 'created' and case
       when k.operation like 'execute:%' then k.operation is distinct from 'execute:' || t.quote_id
       else q.id is null end`,
  ],
];

/** Holds the whole database against itself: nothing is half there. Trades that await their money only. */
export async function assertNothingIsHalf(pool: Pool): Promise<void> {
  for (const [name, sql] of FAULTS) assert.deepEqual((await pool.query(sql)).rows, [], name);
  await assertBooksBalance(pool);
  await assertDailyUsage(pool);
  await assertQuotesFollowFromEvidence(pool);
}

/** Kept apart, because the day rolls in New York. */
async function assertDailyUsage(pool: Pool): Promise<void> {
  const { rows: usage } = await pool.query<{ customer_id: string; limit_day: string; daily: string }>(
    'select customer_id, limit_day, daily_usd_minor as daily from customer_usage where limit_day is not null',
  );
  for (const { customer_id: customerId, limit_day: day, daily } of usage) {
    const { rows } = await pool.query<{ created_at: number; usd: string }>(
      'select created_at, usd_minor as usd from transactions where customer_id = $1',
      [customerId],
    );
    const today = rows.filter((row) => tradeDateAt(row.created_at) === day);
    const sum = today.reduce((total, row) => total + BigInt(row.usd), 0n);
    assert.equal(BigInt(daily), sum, 'the daily volume is the sum of the trades of the day');
  }
}

/** Number of rows, for what a test tells. */
export async function countOf(pool: Pool, table: 'transactions' | 'quotes'): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(`select count(*)::int as n from ${table}`);
  return rows[0]?.n ?? 0;
}
