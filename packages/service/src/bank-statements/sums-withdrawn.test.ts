import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type CamtEntry, type CamtOptions, camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { e2e, entriesOf, importedOnly, reported, reportedFile } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { AS_SECOND, createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';

/** Payments of a sum that are told one by one, and files that are withdrawn. */

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
  await assertBankAgrees(pool);
});

const USD = { currency: 'USD' } as const;
const notice = (date: string, minute: number): CamtOptions => ({
  ...{ ...USD, message: '054', date, created: `${date}T18:${`${minute}`.padStart(2, '0')}:00Z` },
});
const part = (amount: string, id: string) =>
  txDtls('PART', { refs: e2e(id), amount: `<Amt Ccy="USD">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd>` });
const single = (amount: string, id: string): CamtEntry => ({
  ...{ ...USD, amount, reference: `OWN-${id}`, details: [txDtls('PART', { refs: e2e(id) })] },
});
const singles = (name: string) => [single('60000.00', `${name}-1`), single('40000.00', `${name}-2`)];
const listOf = (name: string): CamtEntry => ({
  ...{ ...USD, amount: '100000.00', reference: name },
  details: [part('60000.00', `${name}-1`), part('40000.00', `${name}-2`)],
});
const take = async (entries: readonly CamtEntry[], options: CamtOptions) =>
  typeId('stf', await importedOnly({ pool, clock: sandbox.desk.clock }, camt(entries, options)));
const shown = async (id: string) => (await server.call('GET', `/v1/operator/statement-entries/${id}`)).body;

/** A sum that pays for a trade, which is not divided any more, and the list of its payments. */
async function sumOf(name: string, date: string) {
  const { reference } = await sandbox.trade();
  const sum = { ...USD, amount: '100000.00', reference: name };
  const whole = { ...sum, details: [txDtls(reference)] };
  const fileId = await reportedFile(server, camt([whole], notice(date, 0)));
  const [{ entryId }] = await entriesOf(server, fileId);
  const files = [fileId, await take([listOf(name)], notice(date, 1))];
  await reported(server, [single('1.00', `${name}-OTHER`)], notice(date, 2));
  return { entryId: entryId as string, files };
}

async function withdraw(fileId: string): Promise<void> {
  const reason = 'it was a test file of the bank';
  const proposed = await server.call('POST', `/v1/operator/statements/${fileId}/withdraw`, { reason });
  assert.ok(proposed.status < 300, JSON.stringify(proposed.body));
  if (proposed.status !== 202) return;
  const approve = `/v1/operator/approvals/${proposed.body.approvalId}/approve`;
  assert.equal((await server.call('POST', approve, {}, AS_SECOND)).status, 200);
}

/** What is in the books of deposits with such an end-to-end id, in minor units. */
async function booked(name: string): Promise<string[]> {
  const { rows } = await pool.query<{ amount: string }>(
    `select d.amount_minor as amount from deposits d join entry_details e on e.deposit_id = d.id
     where e.end_to_end_id like $1 || '-_' and d.booked_as is null and d.status <> 'returned' order by 1`,
    [name],
  );
  return rows.map(({ amount }) => amount);
}

test('a payment of a sum that several messages have told is one payment when the files of the sum are withdrawn', async () => {
  const date = '2026-02-19';
  const { files } = await sumOf('SUM-A', date);
  const first = await reported(server, singles('SUM-A'), notice(date, 10));
  await reported(server, singles('SUM-A'), notice(date, 20));
  const statement = { ...USD, date, opening: '0.00', closing: '100000.00', number: '1' };
  const listed = await reported(server, singles('SUM-A'), statement);
  assert.deepEqual(await booked('SUM-A'), []);
  for (const id of files.toReversed()) await withdraw(id);
  await reported(server, [single('1.00', 'SUM-A-LAST')], notice(date, 30));
  assert.deepEqual(await booked('SUM-A'), ['4000000', '6000000']);
  const carrying = await Promise.all(first.map(({ entryId }) => shown(entryId)));
  assert.deepEqual(
    carrying.map(({ sameAs, missingSince, listedBy }) => [sameAs, missingSince, listedBy]),
    listed.map(({ entryId }) => [null, null, entryId]),
  );
});

test('a sum is not listed any more when the statement of one of its payments is withdrawn', async () => {
  const date = '2026-02-23';
  const { entryId } = await sumOf('SUM-B', date);
  const [one, two] = singles('SUM-B') as [CamtEntry, CamtEntry];
  await take([one], { ...USD, date, opening: '100000.00', closing: '160000.00', number: '2' });
  const last = { ...USD, date: '2026-02-24', opening: '160000.00', closing: '200000.00', number: '3' };
  const fileId = await take([two], last);
  assert.notEqual((await shown(entryId)).listedBy, null);
  await withdraw(fileId);
  assert.equal((await shown(entryId)).listedBy, null);
  await take([two], { ...last, created: '2026-02-24T20:00:00Z' });
  assert.notEqual((await shown(entryId)).listedBy, null);
});

test('a withdrawn statement does not say that a payment of its sum is missing', async () => {
  const date = '2026-02-26';
  const { reference } = await sandbox.trade();
  const sum = { ...USD, amount: '100000.00', reference: 'SUM-C' };
  const statement = { ...USD, date, opening: '200000.00', closing: '300000.00', number: '4' };
  const whole = { ...sum, details: [txDtls(reference)] };
  const fileId = await reportedFile(server, camt([whole], statement));
  const listId = await take([listOf('SUM-C')], notice(date, 1));
  const told = await reported(server, singles('SUM-C'), notice(date, 10));
  const next = { ...USD, date: '2026-02-27', opening: '200000.00', closing: '200000.00', number: '5' };
  await reported(server, [], next);
  await withdraw(listId);
  await withdraw(fileId);
  await reported(server, [single('1.00', 'SUM-C-LAST')], notice(date, 20));
  assert.deepEqual(await booked('SUM-C'), ['4000000', '6000000']);
  for (const each of told) assert.equal((await shown(each.entryId)).missingSince, null);
});

test('the payments of a sum are known as long as one message lists them', async () => {
  const date = '2026-03-02';
  const { entryId, files } = await sumOf('SUM-D', date);
  const early = await reported(server, singles('SUM-D'), notice(date, 10));
  await take([listOf('SUM-D')], notice(date, 15));
  await withdraw(files[1] ?? assert.fail());
  const told = await reported(server, singles('SUM-D'), notice(date, 20));
  assert.deepEqual(await booked('SUM-D'), []);
  for (const each of [...early, ...told]) assert.equal((await shown(each.entryId)).sameAs, entryId);
  const statement = { ...USD, date, opening: '200000.00', closing: '300000.00', number: '6' };
  await take(singles('SUM-D'), statement);
  assert.notEqual((await shown(entryId)).listedBy, null);
});
