import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type DateRulesSource, withCalendarYears } from '@firmquote/fx';
import { assertBooksBalance } from '../../test/support/books.ts';
import { AS_SECOND, createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import { fund, order } from '../../test/support/stories.ts';
import type { Pool } from '../database/pool.ts';
import { type TransactionRow, timelineOf } from '../transactions/record.ts';
import { settle } from './operate.ts';

/** A file that nobody has brought to the bank before the cut-off of the date that it names. */

const RUNS = '/v1/operator/settlement-runs';
const FRIDAY = '2026-03-06';
const MONDAY = '2026-03-09';
/** The euro's cut-off, 13:30 in London. */
const CUT_OFF = Date.parse(`${FRIDAY}T13:30:00Z`);

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
beforeEach(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
});
afterEach(async () => {
  await assertBooksBalance(pool);
  await server.close();
});

/** A payout that is due on Friday, on the morning of that day. */
async function due(): Promise<TransactionRow> {
  const row = await sandbox.trade();
  await fund(sandbox.desk, row);
  await settle(sandbox.desk, order(row));
  await sandbox.to(Date.parse(`${FRIDAY}T09:00:00Z`));
  return row;
}

/** A run that pays it, made then. */
async function madeRun(valueDate = FRIDAY) {
  const row = await due();
  const made = await server.call('POST', RUNS, { currency: 'EUR', valueDate });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const path = `${RUNS}/${made.body.runId}`;
  return {
    row,
    read: async () => (await server.call('GET', path)).body,
    download: async (format = 'pain.001') => server.raw('GET', `${path}/files/${format}`),
    send: () => server.call('POST', `${path}/mark-sent`),
    cancel: (body = {}) => server.call('POST', `${path}/cancel`, body),
  };
}

/** Friday becomes a day on which euros are not paid. */
function closeFriday(): void {
  const dates = sandbox.desk.dates as { current: DateRulesSource['current'] };
  const days = [{ date: FRIDAY, state: 'closed', name: 'Declared holiday' } as const];
  const calendars = withCalendarYears(dates.current.calendars, [
    { currency: 'EUR', year: 2026, complete: false, days },
  ]);
  dates.current = { ...dates.current, calendars };
}

describe('an unsent run', () => {
  test('says until when the bank needs its file', async () => {
    const run = await madeRun();
    assert.equal((await run.read()).sendBefore, `${FRIDAY}T13:30:00.000Z`);
    await sandbox.to(CUT_OFF);
    assert.equal((await run.read()).sendBefore, null);
  });

  test('goes out until the cut-off, and no longer has such a time then', async () => {
    const run = await madeRun();
    await sandbox.to(CUT_OFF - 60_000);
    assert.equal((await run.download()).statusCode, 200);
    const sent = await run.send();
    assert.deepEqual([sent.status, sent.body.status, sent.body.sendBefore], [200, 'sent', null]);
    await sandbox.to(CUT_OFF);
    assert.equal((await run.download()).statusCode, 200, 'what is at the bank can be shown');
  });

  test('is too late at the cut-off: it is cancelled, and another pays on the next business day', async () => {
    const run = await madeRun();
    await sandbox.to(CUT_OFF);
    for (const format of ['pain.001', 'csv']) {
      const refused = await run.download(format);
      const { code, detail, nextValueDate } = refused.json();
      assert.deepEqual([refused.statusCode, code, nextValueDate], [409, 'invalid_state_transition', MONDAY]);
      assert.equal(detail, `EUR can no longer be paid on ${FRIDAY}. Cancel the run and create a new one.`);
    }
    const refused = await run.send();
    assert.deepEqual([refused.status, refused.body.code], [409, 'invalid_state_transition']);
    assert.deepEqual((await run.read()).downloads, []);

    assert.equal((await run.cancel()).body.status, 'cancelled');
    const again = await server.call('POST', RUNS, { currency: 'EUR', valueDate: FRIDAY });
    assert.deepEqual([again.status, again.body.executionDate], [201, MONDAY]);
    const rolled = await sandbox.read(run.row);
    assert.equal(rolled.value_date, MONDAY);
    assert.ok(timelineOf(rolled).some(({ code }) => code === 'value_date_rolled'));
  });

  test('is too late once its day is closed', async () => {
    const run = await madeRun();
    closeFriday();
    for (const { code, nextValueDate } of [(await run.download()).json(), (await run.send()).body]) {
      assert.deepEqual([code, nextValueDate], ['invalid_state_transition', MONDAY]);
    }
    assert.equal((await run.read()).sendBefore, null);
  });

  test('whose file somebody took in time is marked as sent later, as it may be at the bank', async () => {
    const run = await madeRun();
    assert.equal((await run.download()).statusCode, 200);
    await sandbox.to(CUT_OFF);
    const again = (await run.download()).json();
    assert.equal(again.code, 'invalid_state_transition');
    assert.match(
      again.detail,
      /If the bank has the file, mark the run as sent; otherwise cancel it and create/,
    );
    assert.equal((await run.send()).body.status, 'sent');
  });

  test('whose file somebody took in time is cancelled by two, as before', async () => {
    const run = await madeRun();
    await run.download();
    await sandbox.to(CUT_OFF);
    const proposed = await run.cancel({ reason: 'the bank was down' });
    assert.equal(proposed.status, 202);
    const approved = await server.call('POST', `${proposed.headers.location}/approve`, {}, AS_SECOND);
    assert.equal(approved.status, 200, JSON.stringify(approved.body));
    assert.equal((await run.read()).status, 'cancelled');
  });
});

test('a run that would pay on another date than its preview said is refused, with the date', async () => {
  await due();
  const { body: preview } = await server.call('GET', `${RUNS}/preview?currency=EUR&valueDate=${FRIDAY}`);
  await sandbox.to(CUT_OFF);
  const refused = await server.call('POST', RUNS, {
    currency: 'EUR',
    valueDate: FRIDAY,
    previewDigest: preview.digest,
  });
  assert.deepEqual([refused.status, refused.body.code], [412, 'version_mismatch']);
  assert.match(refused.body.detail, new RegExp(`1 payment, [0-9.]+ EUR, on ${MONDAY}\\.$`));
});

describe('a run for a later date that is cancelled', () => {
  /** Of the trade: its dates, and what the customer's feed says of them. */
  const datesOf = async (row: TransactionRow) => {
    const { value_date: now, original_value_date: first } = await sandbox.read(row);
    const { rows } = await pool.query<{ detail: string }>(
      `select detail from feed_events where transaction_id = $1 and type = 'transaction.value_date_changed' order by sequence`,
      [row.id],
    );
    return { now, first, told: rows.map(({ detail }) => JSON.parse(detail).valueDate) };
  };

  test('leaves its payments as due as they were', async () => {
    const run = await madeRun(MONDAY);
    assert.deepEqual(await datesOf(run.row), { now: MONDAY, first: FRIDAY, told: [MONDAY] });
    assert.equal((await run.cancel()).body.status, 'cancelled');
    assert.deepEqual(await datesOf(run.row), { now: FRIDAY, first: FRIDAY, told: [MONDAY, FRIDAY] });
    const again = await server.call('POST', RUNS, { currency: 'EUR', valueDate: FRIDAY });
    assert.deepEqual([again.status, again.body.executionDate], [201, FRIDAY]);
  });

  test('by two as well', async () => {
    const run = await madeRun(MONDAY);
    await run.download();
    const proposed = await run.cancel({ reason: 'it is for today' });
    assert.equal((await datesOf(run.row)).now, MONDAY);
    await server.call('POST', `${proposed.headers.location}/approve`, {}, AS_SECOND);
    assert.equal((await datesOf(run.row)).now, FRIDAY);
  });

  test('has no payment go back to a date that is over', async () => {
    const run = await madeRun(MONDAY);
    await sandbox.to(CUT_OFF);
    assert.equal((await run.cancel()).body.status, 'cancelled');
    assert.deepEqual(await datesOf(run.row), { now: MONDAY, first: FRIDAY, told: [MONDAY] });
  });
});
