import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { standingTime } from '../../test/support/sandbox.ts';
import { createDesk, type Desk, EXAMPLE_INSTANT, executionOf } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { isoInstant, VirtualClock } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';
import { changeTransactions } from './change.ts';
import { EXECUTE_KEY_RETENTION_MS } from './execution-parameters.ts';
import { type PricedTransaction, timelineOf } from './record.ts';
import { renderTransaction } from './render.ts';

/** What many trades have in common is kept once, and read as if each had its own, as trades of before have. */

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase());
});

async function read(desk: Desk, { id }: { readonly id: string }): Promise<PricedTransaction> {
  return (await desk.services.transactions.find(desk.customerId, id)) ?? assert.fail();
}

const text = (row: PricedTransaction) => renderTransaction(row, 0, 'customer');

/** As the row was written before it named anything. */
async function giveCopies(row: PricedTransaction): Promise<void> {
  await pool.query(
    `update transactions t set rate = $2, pricing = $3, instructions = $4, timeline = $5, price_id = null, instructions_id = null
     where id = $1`,
    [row.id, row.rate, row.pricing, row.instructions, JSON.stringify(timelineOf(row))],
  );
}

const touched = (desk: Desk, row: PricedTransaction, at: number) =>
  changeTransactions(pool as never, [{ customerId: desk.customerId, id: row.id }], at, () => ({
    code: 'value_date_rolled',
    actor: 'system',
    patch: { valueDate: '2026-03-09' },
  }));

describe('a trade', () => {
  test('keeps nothing of what others have in common with it, nor what follows from its row', async () => {
    const desk = await createDesk(pool);
    const row = await desk.execute(await desk.quote());
    const { rows } = await pool.query(
      'select rate, pricing, instructions, timeline from transactions where id = $1',
      [row.id],
    );
    assert.deepEqual(rows, [{ rate: null, pricing: null, instructions: null, timeline: null }]);
    assert.equal(text(await read(desk, row)), text(row));
  });

  test('is paid to the newest open account of its customer for the sold currency, and to no closed one', async () => {
    const desk = await createDesk(pool);
    const add = (number: string, currency: string, status: string) =>
      pool.query(
        `insert into virtual_accounts (id, customer_id, currency, number, status, created_at, created_by)
         values ($1, $2, $3, $4, $5, now(), $2)`,
        [newUuid(desk.clock.now()), desk.customerId, currency, number, status],
      );
    for (const number of ['OLDER0001', 'NEWER0002']) await add(number, 'USD', 'active');
    await add('CLOSED0003', 'USD', 'closed');
    await add('EUROS0004', 'EUR', 'active');
    const { instructions } = await desk.execute(await desk.quote());
    assert.deepEqual(new Set(instructions?.match(/[A-Z]+000\d/g)), new Set(['NEWER0002']));
  });

  test('of before, with copies of its own, reads and changes like one that names them', async () => {
    const desk = await createDesk(pool);
    const [named, copied] = [await desk.execute(await desk.quote()), await desk.execute(await desk.quote())];
    await giveCopies(copied);
    assert.equal(text(await read(desk, copied)), text(copied));
    const at = desk.clock.now();
    await touched(desk, named, at);
    await touched(desk, copied, at);
    const [one, other] = [await read(desk, named), await read(desk, copied)];
    assert.deepEqual(timelineOf(other).slice(1), timelineOf(one).slice(1));
    assert.deepEqual([timelineOf(other)[0], other.rate], [timelineOf(copied)[0], copied.rate]);
    const { rows } = await pool.query('select timeline from transactions where id = any ($1)', [
      [named.id, copied.id],
    ]);
    for (const { timeline } of rows) assert.equal(JSON.parse(timeline)[0].sequence, 2);
  });

  test("shows the account of its day, whatever becomes of the house's accounts; each text is kept once", async () => {
    const desk = await createDesk(pool);
    const account = async (iban: string) => {
      const details = JSON.stringify({ accountHolder: 'Example FX Ltd', iban });
      await pool.query(`update collection_accounts set details = $1 where currency = 'GBP'`, [details]);
      const trade = await desk.execute(await desk.quote({ sellCurrency: 'GBP', amount: '1000.00' }));
      assert.equal(trade.instructions, details);
      return trade;
    };
    const trades = [];
    for (const iban of ['DE01', 'DE02', 'DE01', 'DE02']) trades.push(await account(iban));
    for (const trade of trades) assert.equal(text(await read(desk, trade)), text(trade));
    const { rows } = await pool.query(
      'select count(*)::int as n from funding_instructions where customer_id = $1',
      [desk.customerId],
    );
    assert.deepEqual(rows, [{ n: 2 }]);
  });
});

describe('the key of an execution', () => {
  const key = { key: 'K-1', fingerprint: 'asked' };
  const execute = async (desk: Desk, quoteId: string, with_: typeof key | undefined) =>
    desk.services.transactions.execute(executionOf(desk, quoteId, { key: with_ }));
  const keyRows = async (desk: Desk) =>
    (await pool.query('select key from idempotency_keys where customer_id = $1', [desk.customerId])).rows;

  test('is kept with its trade, and has no row of its own', async () => {
    const desk = await createDesk(pool);
    const { id } = await desk.quote();
    const first = await execute(desk, id, key);
    const again = await execute(desk, id, key);
    assert.deepEqual(
      [again.outcome, again.replayed, again.fingerprint, again.quote_transaction_id],
      ['created', true, key.fingerprint, first.transaction?.id],
    );
    assert.notEqual((await execute(desk, id, { ...key, fingerprint: 'else' })).fingerprint, 'else');
    assert.deepEqual(await keyRows(desk), []);
    const other = await execute(desk, id, { ...key, key: 'K-2' });
    assert.deepEqual([other.outcome, other.replayed], ['quote_already_executed', false]);
    assert.deepEqual(await keyRows(desk), [{ key: 'K-2' }]);
  });

  test('of before, with a row of its own, is found there', async () => {
    const desk = await createDesk(pool);
    const { id } = await desk.quote();
    const { transaction } = await execute(desk, id, undefined);
    await pool.query(
      `insert into idempotency_keys (customer_id, operation, key, fingerprint, outcome, quote_id, transaction_id, received_at,
         created_at, expires_at)
       values ($1, 'execute:' || $2, $3, $4, 'created', $2::uuid, $5, $6, $6, $6::timestamptz + interval '7 days')`,
      [desk.customerId, id, key.key, key.fingerprint, transaction?.id, isoInstant(desk.clock.now())],
    );
    const again = await execute(desk, id, key);
    assert.deepEqual(
      [again.outcome, again.replayed, again.fingerprint, again.quote_transaction_id],
      ['created', true, key.fingerprint, transaction?.id],
    );
  });

  test('answers until its retention ends, and is as if never used from then on', async () => {
    const clock = new VirtualClock(0, standingTime());
    clock.set(EXAMPLE_INSTANT);
    const desk = await createDesk(pool, { clock });
    const { id } = await desk.quote();
    await execute(desk, id, key);
    assert.equal(EXECUTE_KEY_RETENTION_MS, 604_800_000, 'seven days, as docs/interface.md promises');
    clock.advance(EXECUTE_KEY_RETENTION_MS - 1);
    assert.equal((await execute(desk, id, key)).replayed, true);
    clock.advance(1);
    const late = await execute(desk, id, key);
    assert.deepEqual([late.outcome, late.replayed], ['quote_already_executed', false]);
    assert.equal((await execute(desk, id, key)).replayed, true);
  });

  test('that was told that the quote is gone executes nothing, also for a request that arrived earlier', async () => {
    const desk = await createDesk(pool);
    const { id, expiresAt } = await desk.quote();
    const arrived = (receivedAt: number) =>
      desk.services.transactions.execute({ ...executionOf(desk, id, { key }), receivedAt });
    assert.equal((await arrived(expiresAt)).outcome, 'quote_expired');
    const earlier = await arrived(expiresAt - 1);
    assert.deepEqual([earlier.outcome, earlier.replayed], ['quote_expired', true]);
    assert.equal((await execute(desk, newUuid(desk.clock.now()), key)).outcome, 'quote_not_found');
  });
});
