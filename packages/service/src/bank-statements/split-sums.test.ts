import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { e2e, importedOnly, reported } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { type Sandbox, silentLogger } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { entrySweep } from './book-entries.ts';

/** A sum that was a deposit, and whose payments another notification has told. */

let pool: Pool;
let server: OperatorServer;
let sandbox: Sandbox;
before(async () => {
  ({ pool, server, sandbox } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
  await assertBankAgrees(pool);
});

const part = (amount: string, id: string) =>
  txDtls('PART', { refs: e2e(id), amount: `<Amt Ccy="USD">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd>` });
const shown = async (id: string) => (await server.call('GET', `/v1/operator/statement-entries/${id}`)).body;
const USD = { currency: 'USD' } as const;

/** Notifications report the sum, and then its payments. */
async function split(name: string, date: string) {
  const sum = { ...USD, amount: '75.00', reference: name };
  const notice = { ...USD, message: '054' as const, date };
  await reported(server, [{ ...sum, details: [txDtls('COLLECTIVE')] }], notice);
  const details = [part('50.00', `${name}-1`), part('25.00', `${name}-2`)];
  const parts = await reported(server, [{ ...sum, details }], notice);
  assert.deepEqual(
    parts.map((each: { depositState: string; sameAs: string | null }) => [each.depositState, each.sameAs]),
    [
      ['booked', null],
      ['booked', null],
    ],
  );
  return { sum, details, ids: parts.map((each: { entryId: string }) => each.entryId) };
}
const missing = async (ids: readonly string[]) =>
  (await Promise.all(ids.map(shown))).map((each) => each.missingSince !== null);

async function neverBooked(id: string): Promise<void> {
  const done = await server.call('POST', `/v1/operator/statement-entries/${id}/never-booked`, {
    reason: 'asked the bank',
  });
  assert.equal(done.status, 200, JSON.stringify(done.body));
}

test('the payments of a sum that no statement lists are missing', async () => {
  const { ids } = await split('SPLIT-1', '2026-03-04');
  await reported(server, [{ ...USD, amount: '1.00', reference: 'OTHER-1', details: [txDtls('X')] }], {
    ...{ ...USD, date: '2026-03-04', number: '1', opening: '0.00', closing: '1.00' },
  });
  assert.deepEqual(await missing(ids), [true, true]);
  for (const id of ids) await neverBooked(id);
});

test('the payments of a sum that was missing already are missing too', async () => {
  const date = '2026-03-05';
  const sum = { ...USD, amount: '75.00', reference: 'SPLIT-2' };
  const notice = { ...USD, message: '054' as const, date };
  const [whole] = await reported(server, [{ ...sum, details: [txDtls('COLLECTIVE')] }], notice);
  await reported(server, [], { ...USD, date, number: '2', opening: '1.00', closing: '1.00' });
  assert.deepEqual(await missing([whole.entryId]), [true]);
  const details = [part('50.00', 'SPLIT-2-1'), part('25.00', 'SPLIT-2-2')];
  const ids = (await reported(server, [{ ...sum, details }], notice)).map((each) => each.entryId);
  assert.deepEqual(await missing(ids), [true, true]);
  const { body } = await server.call('GET', '/v1/operator/exceptions?status=open&type=duplicate');
  assert.deepEqual(
    body.items.map((each: { entryId: string; reason: string }) => [each.entryId, each.reason]).sort(),
    ids.map((id) => [id, 'not_in_statement']).sort(),
  );
  for (const id of ids) await neverBooked(id);
});

test('the payments of a sum that a statement lists are not, whichever comes first', async () => {
  for (const [place, asSum] of [true, false].entries()) {
    const date = `2026-03-0${6 + place}`;
    const { sum, details, ids } = await split(`SPLIT-${3 + place}`, date);
    const [opening, closing] = place === 0 ? ['1.00', '76.00'] : ['76.00', '151.00'];
    await reported(server, [{ ...sum, details: asSum ? [txDtls('COLLECTIVE')] : details }], {
      ...{ ...USD, date, number: `${3 + place}`, opening, closing },
    });
    assert.deepEqual(await missing(ids), [false, false], date);
  }
  const date = '2026-03-10';
  const sum = { ...USD, amount: '75.00', reference: 'SPLIT-5' };
  await reported(server, [{ ...sum, details: [txDtls('COLLECTIVE')] }], {
    ...{ ...USD, date, number: '5', opening: '151.00', closing: '226.00' },
  });
  const details = [part('50.00', 'SPLIT-5-1'), part('25.00', 'SPLIT-5-2')];
  const parts = await reported(server, [{ ...sum, details }], { ...USD, message: '054', date });
  const ids = parts.map((each) => each.entryId);
  await reported(server, [], {
    ...USD,
    date: '2026-03-11',
    number: '6',
    opening: '226.00',
    closing: '226.00',
  });
  assert.deepEqual(await missing(ids), [false, false]);
  assert.deepEqual(
    parts.map((each) => [each.depositState, each.sameAs]),
    [
      ['booked', null],
      ['booked', null],
    ],
  );
});

test('the payments of a sum become deposits once, however many statements list them before its own is divided', async () => {
  const date = '2026-03-11';
  const clock = { now: () => Date.UTC(2026, 2, 11, 21) };
  const sum = { ...USD, amount: '80.00', reference: 'SPLIT-6' };
  const [whole] = await reported(server, [{ ...sum, details: [txDtls('COLLECTIVE')] }], {
    ...USD,
    message: '054',
    date,
  });
  // One of them has no identifier.
  const bare = txDtls('PART', { amount: '<Amt Ccy="USD">5.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>' });
  const details = [part('25.00', 'SPLIT-6-1'), part('50.00', 'SPLIT-6-2'), bare];
  const statement = { ...USD, date, number: '7', opening: '226.00', closing: '306.00' };
  for (const [created, listed] of [
    ['2026-03-11T18:00:00Z', details],
    ['2026-03-11T19:00:00Z', details],
    ['2026-03-11T20:00:00Z', details.toReversed()],
  ] as const) {
    await importedOnly({ pool, clock }, camt([{ ...sum, details: listed }], { ...statement, created }));
  }
  const [last] = await reported(server, [{ ...sum, details }], statement);
  assert.ok(last);
  const { rows } = await pool.query<{ amount: string }>(
    "select amount_minor as amount from deposits where bank_reference like 'SPLIT-6%' and status <> 'returned' order by 1",
  );
  assert.deepEqual(
    rows.map(({ amount }) => amount),
    ['500', '2500', '5000'],
    JSON.stringify(await shown(whole.entryId)),
  );
});

test('a sum that becomes a deposit while a file with its payments is read is divided, however they are listed', async () => {
  for (const [place, isSingly] of [false, true].entries()) {
    const date = `2026-02-2${6 + place}`;
    const clock = { now: () => Date.parse(`${date}T21:00:00Z`) };
    const name = `SPLIT-${7 + place}`;
    const sum = { ...USD, amount: '75.00', reference: name };
    await importedOnly({ pool, clock }, camt([sum], { ...USD, message: '054', date }));
    const single = (amount: string, id: string) => ({
      ...{ ...USD, amount, reference: name },
      details: [txDtls('PART', { refs: e2e(id) })],
    });
    const listed = isSingly
      ? [single('50.00', `${name}-1`), single('25.00', `${name}-2`)]
      : [{ ...sum, details: [part('50.00', `${name}-1`), part('25.00', `${name}-2`)] }];
    const [opening, closing] = place === 0 ? ['-150.00', '-75.00'] : ['-75.00', '0.00'];
    const statement = { ...USD, date, opening, closing };
    await importedOnly({ pool: whileItLooks(), clock }, camt(listed, statement));
    await entrySweep(sandbox.desk, silentLogger).run();
    const { rows } = await pool.query<{ amount: string }>(
      "select amount_minor as amount from deposits where bank_reference like $1 || '%' and status <> 'returned' order by 1",
      [name],
    );
    assert.deepEqual(
      rows.map(({ amount }) => amount),
      ['2500', '5000'],
    );
  }
});

/** What is due is applied, as another instance may do, while an import has read what is known and decides. */
function whileItLooks(): Pool {
  const sweep = entrySweep(sandbox.desk, silentLogger);
  const connect = async () => {
    const connection = await pool.connect();
    const query = async (...asked: Parameters<typeof connection.query>) => {
      const answer = await connection.query(...asked);
      const [{ name }] = asked as unknown as [{ name?: string }];
      if (name === 'find_known_details_by_keys') await sweep.run();
      return answer;
    };
    return { query, release: () => connection.release() };
  };
  return Object.assign(Object.create(pool), { connect });
}
