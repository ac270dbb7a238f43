import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { takenBack, topUpByDeposit } from '../../test/support/missing-money.ts';
import { rowsReadWithin } from '../../test/support/rows-read.ts';
import { createDesk, type Desk } from '../../test/support/trading.ts';
import { type Connection, inTransaction, type Pool } from '../database/pool.ts';
import { closeExceptions, passExceptions } from './exceptions.ts';
import { lockDeposit, updateDeposits } from './store.ts';

/** A command on one deposit reads that one, also where there are so few that a planner takes reading all of them for cheaper. */

const COUNT = 600;
const READ_MAX = 4;
const FORGOTTEN = new Error('only looked at');

let pool: Pool;
let desk: Desk;
const ids: string[] = [];
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 2 }));
  desk = await createDesk(pool);
  await inTransaction(pool, async (connection) => {
    for (let n = 0; n < COUNT; n++) {
      const id = await topUpByDeposit(connection, desk.customerId, '100', 'EUR');
      await takenBack(connection, id);
      ids.push(id);
    }
  });
  await ownerOf(pool).query('analyze deposits, reconciliation_exceptions');
});

async function rowsRead(connection: Connection, work: () => Promise<unknown>): Promise<number> {
  const read = await rowsReadWithin(connection, work, ['deposits', 'reconciliation_exceptions']);
  return [...read.values()].reduce((sum, rows) => sum + rows, 0);
}

test('one deposit and its exception are written by their keys', async () => {
  const { customerId, clock } = desk;
  const now = clock.now();
  const writing = inTransaction(pool, async (connection) => {
    // More often than the planner takes to keep one plan.
    for (const id of ids.slice(0, 8)) {
      const deposit = await lockDeposit(connection, id);
      assert.ok(deposit);
      const closing = { depositId: id, actor: 'system', resolution: 'matched', note: null };
      const steps = {
        updateDeposits: () => updateDeposits(connection, [{ ...deposit, version: deposit.version + 1 }]),
        passExceptions: () => passExceptions(connection, [{ id, customerId }]),
        closeExceptions: () => closeExceptions(connection, [closing], now),
      };
      for (const [step, work] of Object.entries(steps)) {
        const read = await rowsRead(connection, work);
        assert.ok(read > 0 && read <= READ_MAX, `${step} read ${read} rows`);
      }
    }
    throw FORGOTTEN;
  });
  await assert.rejects(writing, FORGOTTEN);
});
