import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { funded, type Story } from '../../test/support/stories.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { enclose } from '../database/enclosure.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';
import { lockRows } from '../transactions/change.ts';
import { commandMany } from './command-many.ts';

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
});

const keyOf = ({ row }: Story) => ({ customerId: row.customer_id, id: row.id });

test('two orders on the same transactions, each of one commit, wait for each other and not in a circle', async () => {
  const both = [await funded(pool), await funded(pool)];
  const [one, other] = both.sort((a, b) => (a.row.customer_id < b.row.customer_id ? -1 : 1));
  const [between, amid] = [await funded(pool), await funded(pool)];
  assert.ok(one && other);
  const failures: unknown[] = [];
  const order = (...stories: readonly Story[]) =>
    inTransaction(pool, async (connection) => {
      const items = stories.map(({ row }) => ({ transactionId: typeId('txn', row.id) }));
      const work = () => commandMany(one.desk, { command: 'settle', items }, (error) => failures.push(error));
      return (await enclose(connection, work)).result;
    });
  let orders: ReturnType<typeof order>[] = [];
  await inTransaction(pool, async (holder) => {
    await lockRows(holder, [between, amid].map(keyOf));
    // Each gets to what it names first, and then has to wait.
    orders = [order(one, between, other), order(other, amid, one)];
    await untilLocked(pool, 2);
  });
  const outcomes = await Promise.all(orders);
  assert.deepEqual(failures, []);
  const named = outcomes.map((each) =>
    each.map((item) => (item.outcome === 'refused' ? item.problem.code : item.outcome)),
  );
  const first = named.findIndex((each) => each.every((outcome) => outcome === 'done'));
  assert.ok(first !== -1, JSON.stringify(named));
  const refused = 'invalid_state_transition';
  assert.deepEqual(named[1 - first], [refused, 'done', refused]);
});
