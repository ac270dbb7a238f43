import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, test } from 'node:test';
import { camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { whenFileEnds } from '../../test/support/file-end.ts';
import { rowsReadWithin } from '../../test/support/rows-read.ts';
import type { Connection, Pool } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { lockDueCredits } from './due-entry-store.ts';
import { importFile } from './import-file.ts';
import { separatePayments } from './judge-entry.ts';
import { waitingDetails } from './known-store.ts';
import { splitDetail } from './revision-store.ts';
import type { StatementsRoom } from './room.ts';
import { paymentsOfSums } from './sameness-store.ts';
import { withdrawFile } from './withdraw-file.ts';

const ENTRIES = 1_100;
/** Of one table, for an entry that is looked up in six ways, written, and listed. */
const ROWS_MAX = 30;
/** For one that is withdrawn: it is held, looked for among what others report, written twice, and listed anew. */
const WITHDRAWN_ROWS_MAX = 60;
const ACCOUNT = 'GB29NWBK60161331926819';
const NOW = Date.parse('2026-03-04T18:00:00Z');

let connection: Connection;
before(async () => {
  const { pool } = await createTestDatabase();
  await pool.query('insert into collection_accounts (currency, details, updated_at) values ($1, $2, $3)', [
    'USD',
    JSON.stringify({ iban: ACCOUNT, accountNumber: null, routingNumber: null, bic: null }),
    isoInstant(NOW),
  ]);
  // What the planner knows is that there is nothing: the worst that it can be wrong.
  await ownerOf(pool).query('analyze entry_details, bank_entries, entry_listings');
  connection = await pool.connect();
  await connection.query('begin');
  whenFileEnds(async () => {
    await connection.query('rollback');
    connection.release();
  });
});

/** Works inside the one transaction of this file, whose counters are read. */
function insidePool(): Pool {
  const inside = {
    query: (text: unknown, values?: unknown[]) =>
      text === 'begin' || text === 'commit'
        ? Promise.resolve({ command: text.toUpperCase(), rows: [] })
        : connection.query(text as string, values),
    release: () => undefined,
  };
  return { connect: async () => inside } as unknown as Pool;
}

async function imported(content: string) {
  const pool = insidePool();
  const bytes = Buffer.from(content);
  const { file } = await importFile(
    { pool, clock: { now: () => NOW } },
    {
      name: 'file.xml',
      sha256: createHash('sha256').update(bytes).digest('hex'),
      sizeBytes: bytes.length,
      bytes: {
        async *open() {
          yield bytes;
        },
      },
      source: 'api',
    },
  );
  assert.equal(file.status, 'accepted');
  return file;
}

const rowsRead = (work: () => Promise<unknown>) =>
  rowsReadWithin(connection, work, ['entry_details', 'bank_entries', 'entry_listings']);

/** Payments of one day: each with a reference, and every other one with an end-to-end id and an amount of its own. */
const entries = (from: string) =>
  Array.from({ length: ENTRIES }, (_, index) => ({
    amount: index % 2 === 0 ? '10.00' : `${1000 + index}.00`,
    reference: `${from}${index}`,
    details: [
      txDtls(`Invoice ${from} ${index}`, {
        refs: index % 2 === 0 ? '' : `<EndToEndId>E2E-${from}-${index}</EndToEndId>`,
      }),
    ],
  }));
/** A sum, and the same with its payments. */
const sumWith = (name: string, each: number, count = ENTRIES) => {
  const places = Array.from({ length: count }, (_, index) => index);
  const sum = { amount: `${each * count}.00`, reference: name };
  const parts = places.map((index) => {
    const amount = `<Amt Ccy="USD">${each}.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>`;
    return txDtls('Invoice', { refs: `<EndToEndId>${name}-${index}</EndToEndId>`, amount });
  });
  return [
    { ...sum, details: [txDtls('COLLECTIVE')] },
    { ...sum, details: parts },
  ] as const;
};
const total = (of: readonly { readonly amount: string }[]) =>
  `${of.reduce((sum, { amount }) => sum + BigInt(amount.slice(0, -3)), 0n)}.00`;

test('an import reads a few rows for each of its entries, however many the account has on that day', async () => {
  const reported = entries('A');
  for (const [what, content, fresh] of [
    ['a notification of new entries', camt(reported, { message: '054' }), ENTRIES],
    ['the statement that repeats them', camt(reported, { opening: '0.00', closing: total(reported) }), 0],
    ['a report of others', camt(entries('B'), { message: '052' }), ENTRIES],
  ] as const) {
    const read = await rowsRead(async () =>
      assert.equal((await imported(content)).new_bookings, fresh, what),
    );
    for (const [table, rows] of read) {
      assert.ok(rows <= ROWS_MAX * ENTRIES, `${what}: ${rows / ENTRIES} rows of ${table} an entry`);
    }
  }
});

test('a withdrawal reads a few rows for each entry of its file, however many others there are', async () => {
  await assertWithdrawalReadsFew(await imported(camt(entries('C'), { message: '052' })));
});

async function assertWithdrawalReadsFew(
  { id: fileId }: { readonly id: string },
  count = ENTRIES,
): Promise<void> {
  const read = await rowsRead(() =>
    withdrawFile({ pool: insidePool(), clock: { now: () => NOW } } as unknown as StatementsRoom, {
      ...{ fileId, actor: '0195f000-0000-7000-8000-00000000000a', reason: 'a wrong file' },
      inCommit: async () => undefined,
    }),
  );
  for (const [table, rows] of read) {
    assert.ok(rows <= WITHDRAWN_ROWS_MAX * count, `${rows / count} rows of ${table} an entry`);
  }
}

test('a few entries are adopted and withdrawn by a few rows each, however many there are of before', async () => {
  const few = entries('D').slice(0, 10);
  const file = await imported(camt(few, { message: '052' }));
  const { rows } = await connection.query<{ id: string }>(
    'select id from bank_statements where file_id = $1',
    [file.id],
  );
  const looked = await rowsRead(() => waitingDetails(connection, rows[0]?.id ?? ''));
  for (const [table, read] of looked)
    assert.ok(read <= ROWS_MAX * few.length, `${read / few.length} rows of ${table} an entry`);
  await assertWithdrawalReadsFew(file, few.length);
});

test('a withdrawal reads a few rows for each payment of a sum, however many it has', async () => {
  const [sum, list] = sumWith('GONE', 10);
  const day = '2026-03-01';
  const notice = await imported(camt([list], { date: day, message: '054' }));
  const listed = await imported(camt([sum], { date: day, opening: '0.00', closing: sum.amount }));
  await assertWithdrawalReadsFew(listed);
  await assertWithdrawalReadsFew(notice);
});

test('the payments of a sum become due by a few rows each, however many it has', async () => {
  const [sum, list] = sumWith('SPLIT', 20);
  const day = { date: '2026-03-02', message: '054' } as const;
  await imported(camt([sum], day));
  // As when a deposit has been made of it, which gives way to those of its payments.
  const { rows } = await connection.query<{ id: string }>(
    `update entry_details set deposit_state = 'none', payment_state = 'by_hand' where amount_minor = $1 returning id`,
    [sum.amount.replace('.', '')],
  );
  await imported(camt([list], day));
  let parts: readonly string[] = [];
  const split = await rowsRead(async () => {
    parts = await splitDetail(connection, rows[0]?.id ?? '');
  });
  assert.equal(parts.length, ENTRIES);
  for (const [table, read] of split)
    assert.ok(read <= ROWS_MAX * ENTRIES, `${read / ENTRIES} rows of ${table} a payment`);

  const due = { rowsMax: 100, after: parts[0] ?? '', upTo: null, now: NOW };
  const locked = await rowsRead(async () =>
    assert.equal((await lockDueCredits(connection, due)).length, due.rowsMax),
  );
  for (const [table, read] of locked)
    assert.ok(read <= ROWS_MAX * due.rowsMax, `${read / due.rowsMax} rows of ${table} a payment that is due`);
});

test('the payments of a sum that is gone are separated by a few rows each, however many it has', async () => {
  const count = 200;
  const [sum, list] = sumWith('APART', 30, count);
  const day = { date: '2026-02-27', message: '054' } as const;
  await imported(camt([sum], day));
  const { rows } = await connection.query<{ id: string }>(
    `update entry_details set deposit_state = 'none', payment_state = 'by_hand' where amount_minor = $1 returning id`,
    [sum.amount.replace('.', '')],
  );
  const singles = Array.from({ length: count }, (_, index) => ({
    ...{ amount: '30.00', reference: `APART-OWN-${index}` },
    details: [txDtls('Invoice', { refs: `<EndToEndId>APART-${index}</EndToEndId>` })],
  }));
  for (const told of [[list], singles]) await imported(camt(told, day));
  const ids = rows.map(({ id }) => id);
  assert.equal((await paymentsOfSums(connection, ids)).length, count);
  const read = await rowsRead(() => separatePayments(connection, ids, NOW));
  for (const [table, found] of read)
    assert.ok(found <= WITHDRAWN_ROWS_MAX * count, `${found / count} rows of ${table} a payment`);
  await connection.query("update entry_details set payment_state = 'none' where id = any ($1::uuid[])", [
    ids,
  ]);
});

test('an import reads a few rows for each payment of a sum, however many it has', async () => {
  const day = { date: '2026-03-03' } as const;
  const amountOf = (index: number) => `${10 + (index % 7)}.00`;
  const refsOf = (index: number) => `<EndToEndId>PART-${index}</EndToEndId>`;
  const places = Array.from({ length: ENTRIES }, (_, index) => index);
  const singles = places.map((index) => ({
    ...{ amount: amountOf(index), reference: `ONE${index}` },
    details: [txDtls('Invoice', { refs: refsOf(index) })],
  }));
  const sum = { amount: total(singles), reference: 'SUM' };
  await imported(camt([{ ...sum, details: [txDtls('COLLECTIVE')] }], { ...day, message: '054' }));
  // As when a person has booked it: it does not give way to its payments.
  await connection.query(
    "update entry_details set deposit_state = 'none', payment_state = 'by_hand' where amount_minor = $1",
    [`${sum.amount.replace('.', '')}`],
  );
  const parts = places.map((index) => {
    const amount = `<Amt Ccy="USD">${amountOf(index)}</Amt><CdtDbtInd>CRDT</CdtDbtInd>`;
    return txDtls('Invoice', { refs: refsOf(index), amount });
  });
  const statement = camt(singles, { ...day, opening: '0.00', closing: sum.amount });
  for (const [what, content] of [
    ['a notification that lists them', camt([{ ...sum, details: parts }], { ...day, message: '054' })],
    ['a statement that lists them one by one', statement],
  ] as const) {
    const read = await rowsRead(async () => assert.equal((await imported(content)).new_bookings, 0, what));
    for (const [table, rows] of read) {
      // It is looked up once more, among payments of sums, and what the sum is listed by as well.
      assert.ok(rows <= 2 * ROWS_MAX * ENTRIES, `${what}: ${rows / ENTRIES} rows of ${table} a payment`);
    }
  }
  const { rows } = await connection.query(
    "select listed_by is not null as listed from entry_details where payment_state = 'by_hand'",
  );
  assert.deepEqual(rows, [{ listed: true }]);
});
