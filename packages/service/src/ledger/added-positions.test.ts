import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { type Connection, inTransaction, type Pool } from '../database/pool.ts';

const { pool } = await createTestDatabase({ connections: 12 });

interface Leg {
  readonly customerId: string;
  readonly currency: string;
  readonly bought: number;
  readonly sold: number;
}

/** In the order of their key, as the trigger of the journal names them; dollars are twice as many. */
async function add(by: Pool | Connection, legs: readonly Leg[]): Promise<number> {
  const { rows } = await by.query<{ added: number }>(
    `select add_to_positions(array_agg(s.customer_id), array_agg(s.currency), array_agg(s.bought), array_agg(2 * s.bought),
       array_agg(s.sold), array_agg(2 * s.sold)) as added
     from (select * from unnest($1::uuid[], $2::text[], $3::numeric[], $4::numeric[]) as s (customer_id, currency, bought, sold)
           order by 1, 2) s`,
    [
      legs.map(({ customerId }) => customerId),
      legs.map(({ currency }) => currency),
      legs.map(({ bought }) => bought),
      legs.map(({ sold }) => sold),
    ],
  );
  return rows[0]?.added ?? 0;
}

async function positionsOf(customerIds: readonly string[]): Promise<(readonly (string | number)[])[]> {
  const { rows } = await pool.query<(string | number)[]>({
    text: `select customer_id, currency, bought_minor::int, bought_usd_minor::int, sold_minor::int, sold_usd_minor::int
           from customer_positions where customer_id = any ($1) order by 1, 2`,
    values: [customerIds],
    rowMode: 'array',
  });
  return rows;
}

describe('adding to positions of customers', () => {
  test('comes to the sums of what was added, whether a position was there or not', async () => {
    const [one = '', other = ''] = [randomUUID(), randomUUID()].sort();
    const leg = (customerId: string, currency: string, bought: number, sold: number) => ({
      ...{ customerId, currency, bought, sold },
    });
    assert.equal(await add(pool, [leg(one, 'EUR', 5, 0), leg(other, 'GBP', 0, 3)]), 2);
    assert.equal(
      await add(pool, [leg(one, 'EUR', 1, 2), leg(one, 'JPY', 4, 0), leg(other, 'GBP', -1, 1)]),
      3,
    );
    assert.equal(await add(pool, []), 0);
    assert.deepEqual(await positionsOf([one, other]), [
      [one, 'EUR', 6, 12, 2, 4],
      [one, 'JPY', 4, 8, 0, 0],
      [other, 'GBP', -1, -2, 4, 8],
    ]);
  });

  test('adds to a position that somebody else is just making', async () => {
    const customerId = randomUUID();
    const mine = { customerId, currency: 'EUR', bought: 5, sold: 0 };
    const waiting = await inTransaction(pool, async (other) => {
      await add(other, [{ ...mine, bought: 7 }]);
      const added = add(pool, [{ ...mine, currency: 'CHF' }, mine]);
      await untilLocked(pool);
      return { added };
    });
    assert.equal(await waiting.added, 2);
    assert.deepEqual(await positionsOf([customerId]), [
      [customerId, 'CHF', 5, 10, 0, 0],
      [customerId, 'EUR', 12, 24, 0, 0],
    ]);
  });

  test('locks in one order: many at once over the same positions never wait for each other in a circle', async () => {
    const customers = Array.from({ length: 6 }, () => randomUUID());
    const legs = customers.flatMap((customerId) =>
      ['EUR', 'GBP'].map((currency) => ({ customerId, currency, bought: 1, sold: 0 })),
    );
    const ROUNDS = 12;
    const partOf = (who: number, round: number) => legs.filter((_, i) => (i + who + round) % 5 !== 0);
    const work = Array.from({ length: 10 }, async (_, who) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await add(pool, partOf(who, round));
        if (round === ROUNDS / 2 && who === 0) await pool.query('analyze customer_positions');
      }
    });
    await Promise.all(work);
    const added = Array.from({ length: 10 * ROUNDS }, (_, n) => partOf(n % 10, Math.floor(n / 10)).length);
    assert.equal(
      (await positionsOf(customers)).reduce((sum, [, , bought]) => sum + Number(bought), 0),
      added.reduce((sum, count) => sum + count, 0),
    );
  });
});
