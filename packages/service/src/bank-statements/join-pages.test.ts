import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { type CamtEntry, camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { entriesOf, reported, reportedFile } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import type { Pool } from '../database/pool.ts';
import { areDisjoint, type StatementFacts } from './statement-proof.ts';

let pool: Pool;
let server: OperatorServer;
before(async () => {
  ({ pool, server } = await createOperatedSandbox());
});
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertBankAgrees(pool);
});
after(() => server.close());

const USD = { currency: 'USD' } as const;
/** Nothing distinguishes it from another one but that both are in one statement. */
const equal: CamtEntry = { ...USD, amount: '21.00', details: [txDtls('NO REFERENCE')] };
let number = 500;

/** A page that says no more of balances than it is given. */
function page(
  date: string,
  [place, count]: readonly [place: number, count: number],
  balances: { readonly opening?: string; readonly closing?: string },
  entries: readonly CamtEntry[] = [equal],
): string {
  const isLast = place === count;
  return camt(entries, {
    ...USD,
    date,
    number: `${number}`,
    created: `${date}T18:00:0${place}Z`,
    ...balances,
  }).replace(
    '<Id>S1</Id>',
    `<Id>S1</Id><StmtPgntn><PgNb>${place}</PgNb><LastPgInd>${isLast}</LastPgInd></StmtPgntn>`,
  );
}
const entry = async (id: string) => (await server.call('GET', `/v1/operator/statement-entries/${id}`)).body;
const ghost = async (date: string) => {
  const [shown] = await reported(server, [{ ...USD, amount: '99.00', details: [txDtls(`NEVER ${date}`)] }], {
    ...USD,
    message: '054',
    date,
  });
  return shown.entryId;
};
const closing = async () =>
  (await server.call('GET', '/v1/operator/ledger/bank-reconciliation?currency=USD')).body.currencies[0]
    .closing;
async function balances(): Promise<string[]> {
  const { rows } = await pool.query<{ shown: string }>(
    `select concat_ws(' ', page, opening_minor, closing_minor) as shown from bank_statements
     where number = $1 order by page`,
    [number],
  );
  return rows.map((row) => row.shown);
}
const neverBooked = (id: string) =>
  server.call('POST', `/v1/operator/statement-entries/${id}/never-booked`, { reason: 'asked the bank' });

describe('pages that say nothing of the balances between them', () => {
  test('are put together in whatever order they come, and close the day when all are here', async () => {
    const date = '2026-03-04';
    const missing = await ghost(date);
    const files = [
      page(date, [2, 3], {}),
      page(date, [3, 3], { closing: '63.00' }),
      page(date, [1, 3], { opening: '0.00' }),
    ];
    const made: (string | null)[] = [];
    for (const each of files) {
      assert.deepEqual(
        await balances(),
        made.map((_, index) => ['2', '3'][index] ?? ''),
      );
      assert.equal((await entry(missing)).missingSince, null);
      const [shown] = await entriesOf(server, await reportedFile(server, each));
      made.push(shown.sameAs);
      assert.equal(shown.depositState, 'booked');
    }
    assert.deepEqual(made, [null, null, null], 'equal lines of three pages are three payments');
    assert.deepEqual(await balances(), ['1 0 2100', '2 2100 4200', '3 4200 6300']);
    assert.ok((await entry(missing)).missingSince, 'the closing balance wins over the notification');
    assert.equal(await closing(), '63.00');
    assert.equal((await neverBooked(missing)).status, 200);
  });

  test('and when each of them has the balances of the whole', async () => {
    const date = '2026-03-05';
    number += 1;
    const missing = await ghost(date);
    const whole = { opening: '63.00', closing: '105.00' };
    // Known by a notification: it is listed by the page.
    const [early] = await reported(server, [equal], { ...USD, message: '054', date });
    for (const place of [1, 2]) await reportedFile(server, page(date, [place, 2], whole));
    assert.deepEqual(await balances(), ['1 6300 8400', '2 8400 10500']);
    assert.ok((await entry(missing)).missingSince);
    const listed = await entry(early.entryId);
    assert.deepEqual([listed.missingSince, listed.listedBy === null], [null, false]);
    assert.equal(await closing(), '105.00');
    assert.equal((await neverBooked(missing)).status, 200);
  });

  test('and not while a page is missing, or when the figures do not agree', async () => {
    const date = '2026-03-06';
    number += 1;
    const missing = await ghost(date);
    await reportedFile(server, page(date, [1, 3], { opening: '105.00' }));
    await reportedFile(server, page(date, [3, 3], { closing: '168.00' }));
    assert.deepEqual(await balances(), ['1', '3']);
    await reportedFile(server, page(date, [2, 3], {}, [{ ...equal, amount: '20.00' }]));
    assert.deepEqual(await balances(), ['1', '2', '3']);
    assert.equal((await entry(missing)).missingSince, null);
    assert.equal(await closing(), '105.00');
  });

  test('a page is no part of another cut of the same statement', () => {
    const facts = (patch: Partial<StatementFacts>): StatementFacts => ({
      ...{ id: '', fileId: '', kind: 'statement', currency: 'USD', number: 7n, page: 1, isPart: false },
      ...{ from: '2026-03-04', to: '2026-03-04', opening: 0n, closing: 500n },
      ...patch,
    });
    const whole = facts({ id: 'a', fileId: 'f' });
    const second = facts({ id: 'b', fileId: 'g', page: 2, isPart: true, opening: 200n });
    const loose = { isPart: true, opening: null, closing: null, to: null };
    assert.equal(areDisjoint(whole, second), false, 'the whole has what its second page has');
    assert.equal(areDisjoint(facts({ id: 'c', fileId: 'h', ...loose }), second), true);
    assert.equal(areDisjoint(facts({ id: 'c', fileId: 'h', ...loose, page: 2 }), second), false);
  });
});
