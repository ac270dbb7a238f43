import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { ReportName } from '@firmquote/api/operations/reports';
import { keepBusyBooks } from '../../test/support/bookkeeping.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { type Desk, EXAMPLE_INSTANT } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { receiveDeposit } from '../deposits/receive-deposit.ts';
import { newUuid, parseTypeId } from '../platform/ids.ts';
import { answerReport } from './answer-report.ts';
import { REPORTS } from './catalogue.ts';
import type { ReportParameters, Row } from './report.ts';
import type { ReportsRoom } from './room.ts';
import { Snapshots } from './snapshot.ts';

const DAY_MS = 86_400_000;
const RANGE = { from: EXAMPLE_INSTANT - 30 * DAY_MS, to: EXAMPLE_INSTANT + 6 * DAY_MS };

let pool: Pool;
let desk: Desk;
let room: ReportsRoom;
before(async () => {
  ({ pool } = await createTestDatabase());
  desk = await keepBusyBooks(pool);
  desk.clock.set(EXAMPLE_INSTANT + 5 * DAY_MS);
  room = { pool, snapshots: new Snapshots(pool), clock: desk.clock, book: desk.market.book };
  for (const [days, amountMinor] of [
    [0, 100n],
    [2, 200n],
    [2, 300n],
    [20, 400n],
  ] as const) {
    const bankReference = `SUSPENSE-${amountMinor}`;
    const receivedAt = desk.clock.now() - days * DAY_MS;
    await receiveDeposit(desk, {
      ...{ account: 'house', bankReference, source: 'operator', currency: 'CHF', fingerprint: bankReference },
      ...{ remitterName: null, remitterAccount: null, remittanceText: null, valueDate: '2026-03-04' },
      ...{ amountMinor, receivedAt },
    });
  }
});

async function rowsOf(name: ReportName, parameters: ReportParameters = {}) {
  const { text } = await answerReport(room, REPORTS[name], 'json', parameters);
  return JSON.parse(text) as { items: Row[]; balanced?: boolean; alarm?: string };
}
const minor = (text: unknown) => BigInt(String(text).replace('.', ''));

describe('reports of deposits', () => {
  test('suspense by age is what the ledger has, and says so when it is not', async () => {
    const { items, balanced } = await rowsOf('suspense', { currency: 'CHF' });
    assert.deepEqual(
      items.map((row) => [row.ageFromHours, row.ageToHours, row.deposits, row.amount, row.check]),
      [
        [0, 24, 1, '1.00', null],
        [24, 72, 2, '5.00', null],
        [168, 720, 1, '4.00', null],
        [null, null, 4, '10.00', 'in_ledger'],
      ],
    );
    assert.equal(balanced, true);
    assert.equal((await rowsOf('suspense')).balanced, true, 'in every currency');
    const off = 'update balances set balance = balance - 1 where account = $1 and currency = $2';
    await pool.query(off, ['suspense', 'CHF']);
    const wrong = await rowsOf('suspense');
    assert.deepEqual([wrong.balanced, wrong.alarm?.includes('CHF')], [false, true]);
    await pool.query(off.replace('- 1', '+ 1'), ['suspense', 'CHF']);
  });

  test('exceptions are those that are open, with the money that hangs on them', async () => {
    const { items } = await rowsOf('exceptions');
    const { rows } = await pool.query<{ count: number }>(
      "select count(*)::int as count from reconciliation_exceptions where status = 'open'",
    );
    assert.equal(items.length, rows[0]?.count);
    const francs = items.filter((row) => row.currency === 'CHF');
    assert.equal(
      francs.reduce((sum, row) => sum + minor(row.inSuspense), 0n),
      1_000n,
    );
    assert.ok(francs.every((row) => row.type === 'unmatched' && row.reason === 'no_reference'));
    assert.ok(items.some((row) => row.type === 'excess'));
  });

  test('deposits are all that were received in the period', async () => {
    const { items } = await rowsOf('deposits', RANGE);
    const { rows } = await pool.query<{ count: number; sum: string }>(
      'select count(*)::int as count, sum(amount_minor)::text as sum from deposits where currency = $1',
      ['USD'],
    );
    const dollars = items.filter((row) => row.currency === 'USD');
    const sum = dollars.reduce((all, row) => all + minor(row.amount), 0n);
    assert.deepEqual([dollars.length, sum.toString()], [rows[0]?.count, rows[0]?.sum]);
    const received = items.map((row) => String(row.receivedAt));
    assert.deepEqual(received, received.toSorted());
    const matched = items.filter((row) => row.status === 'matched');
    const open = items.filter((row) => row.status === 'unmatched');
    assert.ok(matched.length > 0 && open.length > 0);
    // Recorded by hand, so what counts is when they were received.
    assert.deepEqual(
      new Set(matched.map((row) => [row.isLate, row.judgedBy].join())),
      new Set(['false,received_at']),
    );
    assert.ok(open.every((row) => row.isLate === null && row.judgedBy === null));
    const narrow = { from: desk.clock.now() - 3 * DAY_MS, to: desk.clock.now() - DAY_MS, currency: 'CHF' };
    assert.deepEqual((await rowsOf('deposits', narrow)).items.map((row) => row.amount).toSorted(), [
      '2.00',
      '3.00',
    ]);
  });

  test('deposits of a customer are also those that it shares with others', async () => {
    const shared = (await rowsOf('deposits', RANGE)).items.find((row) => row.status === 'matched');
    const customerId = parseTypeId('cus', String(shared?.customerId));
    const id = parseTypeId('dep', String(shared?.depositId));
    assert.ok(customerId !== undefined && id !== undefined);
    const before = (await rowsOf('deposits', { ...RANGE, customerId })).items.length;
    await pool.query('update deposits set customer_id = null where id = $1', [id]);
    const { items } = await rowsOf('deposits', { ...RANGE, customerId });
    assert.equal(items.length, before);
    const found = items.find((row) => row.depositId === shared?.depositId);
    assert.deepEqual(found, { ...shared, customerId: null });
    const nobody = await rowsOf('deposits', { ...RANGE, customerId: newUuid(0) });
    assert.deepEqual(nobody.items, []);
    await pool.query('update deposits set customer_id = $2 where id = $1', [id, customerId]);
  });
});
