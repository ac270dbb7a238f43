import assert from 'node:assert/strict';
import { afterEach, before, describe, test } from 'node:test';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createSandbox } from '../../test/support/sandbox.ts';
import { current, funded, order, refusal } from '../../test/support/stories.ts';
import type { Pool } from '../database/pool.ts';
import { type TransactionRow, timelineOf } from '../transactions/record.ts';
import { settle } from './operate.ts';
import { findFile } from './run-store.ts';
import { createRun } from './settlement-runs.ts';
import { missedValueDates } from './store.ts';

const BY = '0195f000-0000-7000-8000-00000000000a';
const FRIDAY = '2026-03-06';
const MONDAY = '2026-03-09';
/** The euro's cut-off, 13:30 in London. */
const CUT_OFF = Date.parse(`${FRIDAY}T13:30:00Z`);

/** The clock goes on while a test runs. */
const MINUTE_MS = 60_000;

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase());
  await createSandbox(pool);
});
afterEach(() => assertBooksBalance(pool));

/** A payout that is due on Friday, put into a file at an instant. */
async function paidInRun(now: number, valueDate: string) {
  const { desk, row } = await funded(pool);
  await settle(desk, order(row));
  desk.clock.set(now);
  const run = await createRun(desk, { currency: 'EUR', valueDate }, BY);
  const xml = (await findFile(pool, run.id, 'pain.001'))?.content.toString('utf8') ?? '';
  const executesOn = [...xml.matchAll(/<ReqdExctnDt>\s*<Dt>([^<]*)</g)].map((match) => match[1]);
  return { desk, run, executesOn, row: await current(desk, row) };
}

function rolls(row: TransactionRow): unknown[] {
  return timelineOf(row)
    .filter(({ code }) => code === 'value_date_rolled')
    .map(({ actor, reason, previousValueDate, valueDate }) => ({
      actor,
      reason,
      previousValueDate,
      valueDate,
    }));
}

describe('a payout in a file', () => {
  test('is paid on its value date until the cut-off', async () => {
    const { run, executesOn, row } = await paidInRun(CUT_OFF - MINUTE_MS, FRIDAY);
    assert.deepEqual([run.value_date, run.execution_date, executesOn], [FRIDAY, FRIDAY, [FRIDAY]]);
    assert.deepEqual([row.value_date, row.original_value_date, rolls(row)], [FRIDAY, FRIDAY, []]);
  });

  test('at the cut-off is paid on the next business day, and its trade has that value date', async () => {
    const { run, executesOn, row } = await paidInRun(CUT_OFF, FRIDAY);
    assert.deepEqual([run.value_date, run.execution_date, executesOn], [FRIDAY, MONDAY, [MONDAY]]);
    assert.deepEqual([row.status, row.value_date, row.original_value_date], ['settling', MONDAY, FRIDAY]);
    assert.deepEqual(rolls(row), [
      { actor: 'system', reason: 'payment_cutoff_passed', previousValueDate: FRIDAY, valueDate: MONDAY },
    ]);
  });

  test('of an earlier value date is rolled to the day that the run is for', async () => {
    const { run, executesOn, row } = await paidInRun(Date.parse(`${MONDAY}T09:00:00Z`), MONDAY);
    assert.deepEqual([run.value_date, run.execution_date, executesOn], [MONDAY, MONDAY, [MONDAY]]);
    assert.deepEqual([row.value_date, row.original_value_date, rolls(row).length], [MONDAY, FRIDAY, 1]);
  });

  test('keeps its value date when no run takes it', async () => {
    const { desk, row } = await funded(pool);
    await settle(desk, order(row));
    desk.clock.set(Date.parse('2026-03-07T09:00:00Z'));
    const { code } = await refusal(createRun(desk, { currency: 'EUR', valueDate: FRIDAY }, BY));
    assert.equal(code, 'value_date_invalid');
    const untouched = await current(desk, row);
    assert.deepEqual([untouched.value_date, rolls(untouched)], [FRIDAY, []]);
  });
});

test('what looks for missed value dates reads trades that are funded, and no others', async () => {
  const [waiting, released] = [await funded(pool), await funded(pool)];
  await settle(released.desk, order(released.row));
  const trades = await missedValueDates(pool, { EUR: MONDAY }, undefined);
  const found = trades.map(({ id }) => id);
  assert.deepEqual(
    [waiting.row.id, released.row.id].map((id) => found.includes(id)),
    [true, false],
  );
  assert.deepEqual(await missedValueDates(pool, { EUR: '2026-03-05' }, undefined), []);
});
