import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createTestDatabase } from '../../test/support/database.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { type Connection, inTransaction, type Pool } from '../database/pool.ts';

const { pool } = await createTestDatabase({ connections: 12 });

interface Sum {
  readonly customerId: string;
  readonly account: string;
  readonly currency: string;
  readonly amount: number;
}

const keyOf = ({ customerId, account, currency }: Sum) => `${customerId} ${account} ${currency}`;

/** In the order of their key, as callers have to name them. */
async function add(by: Pool | Connection, sums: readonly Sum[]): Promise<number> {
  const { rows } = await by.query<{ added: number }>(
    `select add_to_balances(array_agg(s.customer_id), array_agg(s.account), array_agg(s.currency), array_agg(s.amount)) as added
     from (select * from unnest($1::uuid[], $2::text[], $3::text[], $4::numeric[]) as s (customer_id, account, currency, amount)
           order by 1, 2, 3) s`,
    [
      sums.map(({ customerId }) => customerId),
      sums.map(({ account }) => account),
      sums.map(({ currency }) => currency),
      sums.map(({ amount }) => amount),
    ],
  );
  return rows[0]?.added ?? 0;
}

async function balancesOf(customerIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.query<Sum>(
    `select customer_id as "customerId", account, currency, balance::float8 as amount from balances
     where customer_id = any ($1)`,
    [customerIds],
  );
  return new Map(rows.map((row) => [keyOf(row), row.amount]));
}

describe('adding to balances', () => {
  test('comes to the sum of what was added, whether a balance was there or not', async () => {
    const customers = [randomUUID(), randomUUID()];
    const sum = fc.record({
      customerId: fc.constantFrom(...customers),
      account: fc.constantFrom('position', 'markup_revenue', 'customer_payable'),
      currency: fc.constantFrom('EUR', 'JPY', 'USD'),
      amount: fc.integer({ min: -1_000_000, max: 1_000_000 }),
    });
    const expected = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(sum, { selector: keyOf, minLength: 1, maxLength: 18 }),
        async (sums) => {
          assert.equal(await add(pool, sums), sums.length);
          for (const each of sums) expected.set(keyOf(each), (expected.get(keyOf(each)) ?? 0) + each.amount);
          assert.deepEqual(await balancesOf(customers), new Map([...expected].sort()));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('adds to a balance that somebody else is just making', async () => {
    const customerId = randomUUID();
    const mine = { customerId, account: 'position', currency: 'EUR', amount: 5 };
    const waiting = await inTransaction(pool, async (other) => {
      await add(other, [{ ...mine, amount: 7 }]);
      const added = add(pool, [mine, { ...mine, currency: 'USD' }]);
      await untilLocked(pool);
      return { added };
    });
    assert.equal(await waiting.added, 2);
    const balances = await balancesOf([customerId]);
    assert.deepEqual([balances.get(keyOf(mine)), balances.get(keyOf({ ...mine, currency: 'USD' }))], [12, 5]);
  });

  test('locks in one order: many at once over the same balances never wait for each other in a circle', async () => {
    const customers = Array.from({ length: 4 }, () => randomUUID());
    const sums = customers.flatMap((customerId) =>
      ['position', 'customer_payable', 'markup_revenue'].map((account) => ({
        ...{ customerId, account, currency: 'EUR', amount: 1 },
      })),
    );
    const ROUNDS = 12;
    // Each adds to another part, which overlaps with those of the others, in transactions that add twice.
    const work = Array.from({ length: 10 }, async (_, who) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const part = sums.filter((_, i) => (i + who + round) % 5 !== 0);
        await add(pool, part);
        if (round === ROUNDS / 2 && who === 0) await pool.query('analyze balances');
      }
    });
    await Promise.all(work);
    const total = [...(await balancesOf(customers)).values()].reduce((all, balance) => all + balance, 0);
    const added = Array.from({ length: 10 * ROUNDS }, (_, n) => {
      const [who, round] = [n % 10, Math.floor(n / 10)];
      return sums.filter((_, i) => (i + who + round) % 5 !== 0).length;
    }).reduce((all, count) => all + count, 0);
    assert.equal(total, added);
  });
});
