import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { createDesk, type Desk } from '../../test/support/trading.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { type Connection, inTransaction, type Pool } from '../database/pool.ts';
import { endQuotesOf } from './end-quotes.ts';
import type { QuoteRecord } from './record.ts';
import { QuoteStore } from './store.ts';

/** A suspension and the quotes that are being written meanwhile: each of these is closed by it or refused after it. */

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
});

/** A quote that is written in the transaction of a connection, and open once that commits. */
function quoteWithin(desk: Desk, connection: Connection): Promise<QuoteRecord> {
  const store = new QuoteStore({ pool: connection as unknown as Pool, now: () => desk.clock.now() });
  const services = { ...desk.services };
  Object.assign(desk.services, { store, quotes: store });
  return desk.quote().finally(() => Object.assign(desk.services, services));
}

const changeStatus = (connection: Connection, { customerId }: Desk, status: 'active' | 'suspended') =>
  connection.query('update customers set status = $2 where id = $1', [customerId, status]);

const suspend = (connection: Connection, desk: Desk) =>
  changeStatus(connection, desk, 'suspended').then(() =>
    endQuotesOf(connection, desk.customerId, 'customer_suspended', desk.clock.now()),
  );

test('a suspension waits for a quote that is being written, and takes it back', async () => {
  const desk = await createDesk(pool);
  const { quote, suspension } = await inTransaction(pool, async (connection) => {
    const written = await quoteWithin(desk, connection);
    const pending = inTransaction(pool, (other) => suspend(other, desk));
    await untilLocked(pool);
    return { quote: written, suspension: pending };
  });
  assert.deepEqual(await suspension, { withdrawn: 1, expired: 0 });
  assert.equal((await desk.services.store.find(desk.customerId, quote.id))?.status, 'withdrawn');
});

test('a quote waits for a suspension that is under way, and is refused; others wait for neither', async () => {
  const [desk, other] = [await createDesk(pool), await createDesk(pool)];
  const { refusal } = await inTransaction(pool, async (connection) => {
    await suspend(connection, desk);
    const pending = assert.rejects(desk.quote(), { code: 'customer_suspended' });
    await untilLocked(pool);
    assert.equal((await other.quote()).status, 'open');
    return { refusal: pending };
  });
  await refusal;
});

test('many write quotes for a customer at once, and neither they nor other changes of the customer wait', async () => {
  const desk = await createDesk(pool);
  // What quotes share of their prices is kept by the first.
  await desk.quote();
  await inTransaction(pool, async (connection) => {
    await quoteWithin(desk, connection);
    await inTransaction(pool, async (beside) => {
      await beside.query(`set local lock_timeout = '1s'`);
      await quoteWithin(desk, beside);
      await beside.query(`update customers set name = 'Another name', status = 'active' where id = $1`, [
        desk.customerId,
      ]);
    });
  });
});
