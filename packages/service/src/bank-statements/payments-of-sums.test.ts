import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { type CamtEntry, type CamtOptions, camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { e2e, importedOnly, reported, type ShownEntry } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { AS_SECOND, createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';

/** A sum whose deposit carries the money, the message that lists its payments, and others that tell of these one by one. */

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
/** Each story has a day of its own, for what its statements do not list. */
const DAYS = [
  ...['2026-02-19', '2026-02-20', '2026-02-23', '2026-02-24', '2026-02-25', '2026-02-26', '2026-02-27'],
  ...['2026-03-02', '2026-03-03', '2026-03-04'],
];
let date = '';
beforeEach(() => {
  date = DAYS.shift() ?? assert.fail('a test has no day');
});
const notice = (minute = 0): CamtOptions => ({
  ...{ ...USD, message: '054', date, created: `${date}T18:${`${minute}`.padStart(2, '0')}:00Z` },
});
let balance = 0;

const part = (amount: string, id: string | undefined, words = 'PART') =>
  txDtls(words, {
    ...(id === undefined ? {} : { refs: e2e(id) }),
    amount: `<Amt Ccy="USD">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd>`,
  });
/** A payment by itself, with a reference of its own. */
const single = (amount: string, id: string, reference = `OWN-${id}`): CamtEntry => ({
  ...{ ...USD, amount, reference, details: [txDtls('PART', { refs: e2e(id) })] },
});
/** A statement of the day, which opens where the last one closed. */
function statement(amount: number): CamtOptions {
  const opening = balance;
  balance += amount;
  const options: CamtOptions = {
    ...USD,
    date,
    opening: `${opening}.00`,
    closing: `${balance}.00`,
  };
  return {
    ...options,
    number: `${++numbers}`,
    created: `${date}T19:00:00Z`,
  };
}
let numbers = 0;
const take = (entries: readonly CamtEntry[], options: CamtOptions) =>
  importedOnly({ pool, clock: sandbox.desk.clock }, camt(entries, options));
const shown = async (id: string): Promise<ShownEntry> =>
  (await server.call('GET', `/v1/operator/statement-entries/${id}`)).body;
const command = (id: string, name: string, body: object) =>
  server.call('POST', `/v1/operator/statement-entries/${id}/${name}`, { reason: 'asked the bank', ...body });

/** What is in the books of the deposits of a test, in minor units. */
async function booked(name: string): Promise<string[]> {
  const { rows } = await pool.query<{ amount: string }>(
    `select d.amount_minor as amount from deposits d
     where (d.bank_reference like '%' || $1 || '%' or exists (
       select from entry_details e where e.deposit_id = d.id and e.end_to_end_id like $1 || '%'))
       and d.booked_as is null and d.status <> 'returned' order by 1`,
    [name],
  );
  return rows.map(({ amount }) => amount);
}

let others = 0;
/** What is due is applied with the next file. */
const applied = () => reported(server, [single('1.00', `OTHER-${++others}`)], notice(59));

/** A notification has told the sum. With the reference of a trade all of it pays for that, and it is not divided any more. */
async function sumOf(name: string, words = 'COLLECTIVE') {
  const sum = { ...USD, amount: '100000.00', reference: name };
  const [whole] = await reported(server, [{ ...sum, details: [txDtls(words)] }], notice());
  assert.equal(whole?.depositState, 'booked');
  return { sum, listed: listOf(name), wholeId: whole.entryId as string };
}
/** The money of all deposits, in minor units. */
async function inAll(): Promise<string> {
  const text =
    "select sum(amount_minor) as minor from deposits where booked_as is null and status <> 'returned'";
  return (await pool.query<{ minor: string }>(text)).rows[0]?.minor ?? '0';
}
const listOf = (name: string): CamtEntry => ({
  ...{ ...USD, amount: '100000.00', reference: name },
  details: [part('60000.00', `${name}-1`), part('40000.00', `${name}-2`)],
});
const singles = (name: string) => [single('60000.00', `${name}-1`), single('40000.00', `${name}-2`)];
const sameness = (entries: readonly ShownEntry[]) =>
  entries.map((each) => [each.sameAs, each.sameReason, each.depositState, each.missingSince]);

test('payments that notifications tell one by one before their sum is divided are those of the sum', async () => {
  const { listed } = await sumOf('PRT-A');
  await take([listed], statement(100_000));
  await take(singles('PRT-A'), notice());
  const told = await reported(server, singles('PRT-A'), notice(10));
  assert.deepEqual(await booked('PRT-A'), ['4000000', '6000000']);
  for (const each of told) {
    const carrying = await shown(each.sameAs);
    assert.deepEqual(
      [carrying.endToEndId, carrying.depositState, carrying.sameAs, each.sameReason],
      [each.endToEndId, 'booked', null, 'end_to_end_id'],
    );
  }
});

test('payments that are told one by one are those of a sum that pays for a trade', async () => {
  const { reference } = await sandbox.trade();
  const { listed, wholeId } = await sumOf('PRT-B', reference);
  await reported(server, [listed], notice());
  const told = await reported(server, singles('PRT-B'), notice(10));
  const same = [wholeId, 'end_to_end_id', 'booked', null];
  assert.deepEqual(sameness(told), [same, same]);
  assert.deepEqual(await booked('PRT-B'), ['10000000']);
  // A statement that lists all of them lists the sum, and the one of the next day says that nothing is missing.
  await reported(server, singles('PRT-B'), statement(100_000));
  assert.deepEqual(await booked('PRT-B'), ['10000000']);
  const whole = await shown(wholeId);
  assert.deepEqual([whole.missingSince, whole.listedBy === null], [null, false]);
});

test('a statement that lists one payment of a sum does not list the sum', async () => {
  const { reference } = await sandbox.trade();
  const { listed, wholeId } = await sumOf('PRT-C', reference);
  await reported(server, [listed], notice());
  await reported(server, singles('PRT-C').slice(0, 1), statement(60_000));
  assert.notEqual((await shown(wholeId)).missingSince, null);
  assert.deepEqual(await booked('PRT-C'), ['10000000']);
  await reported(server, singles('PRT-C').slice(1), { ...statement(40_000), date: '2026-02-24' });
  // A notified payment may be booked a day later.
  assert.deepEqual(await booked('PRT-C'), ['10000000']);
  assert.equal((await shown(wholeId)).missingSince, null, 'two statements list all of it');
});

test('a payment that a statement lists stays when the bank has not booked the sum', async () => {
  const { wholeId } = await sumOf('PRT-J');
  await take([listOf('PRT-J')], notice(1));
  await take(singles('PRT-J').slice(0, 1), statement(60_000));
  await server.call('POST', `/v1/operator/deposits/${(await shown(wholeId)).depositId}/ignore`, {
    reason: 'asked',
  });
  await applied();
  const judged = await command(wholeId, 'never-booked', {});
  assert.equal(judged.status, 200, JSON.stringify(judged.body));
  await applied();
  assert.deepEqual(await booked('PRT-J'), ['6000000']);
});

test('a second payment that looks the same is another one, however many messages have listed the first', async () => {
  const { reference } = await sandbox.trade();
  const { sum, listed, wholeId } = await sumOf('PRT-D', reference);
  await reported(server, [listed], notice());
  const bare = { ...sum, details: [part('60000.00', 'PRT-D-1'), part('40000.00', undefined, 'OTHER WORDS')] };
  const again = await reported(server, [bare], notice(10));
  assert.deepEqual(
    again.map((each) => each.sameAs),
    [wholeId, wholeId],
  );
  const [first = single('0', '')] = singles('PRT-D');
  const twice = [first, { ...first, reference: 'OWN-SECOND' }];
  const told = await reported(server, twice, notice(20));
  assert.deepEqual(
    told.map((each) => each.sameAs),
    [wholeId, null],
  );
  assert.deepEqual(await booked('PRT-D'), ['6000000', '10000000']);
});

test('a person says that a payment is not one of the sum, and that it is', async () => {
  const { reference } = await sandbox.trade();
  const { listed, wholeId } = await sumOf('PRT-E', reference);
  const [named] = await reported(server, [listed], notice());
  const [told] = await reported(server, singles('PRT-E').slice(0, 1), notice(10));
  const separated = await command(told.entryId, 'another', {});
  assert.equal(separated.status, 200, JSON.stringify(separated.body));
  await applied();
  assert.deepEqual(await booked('PRT-E'), ['6000000', '10000000']);
  const joined = await command(told.entryId, 'same', { as: named.entryId });
  assert.equal(joined.status, 200, JSON.stringify(joined.body));
  assert.deepEqual(await booked('PRT-E'), ['10000000']);
  assert.deepEqual(sameness([await shown(told.entryId)]), [[wholeId, 'operator', 'booked', null]]);
});

test('what was a payment of a sum is one by itself when the files of the sum are withdrawn', async () => {
  const sum = { ...USD, amount: '100000.00', reference: 'PRT-F' };
  const { reference } = await sandbox.trade();
  const files = [
    camt([{ ...sum, details: [txDtls(reference)] }], notice()),
    camt([{ ...sum, details: [part('60000.00', 'PRT-F-1'), part('40000.00', 'PRT-F-2')] }], notice(1)),
  ];
  const ids: string[] = [];
  for (const each of files) ids.push((await server.upload(each)).body.fileId);
  const told = await reported(server, singles('PRT-F'), notice(10));
  assert.deepEqual(await booked('PRT-F'), ['10000000']);
  for (const id of ids.toReversed()) {
    const path = `/v1/operator/statements/${id}/withdraw`;
    const proposed = await server.call('POST', path, { reason: 'it was a test file of the bank' });
    assert.ok(proposed.status < 300, JSON.stringify(proposed.body));
    if (proposed.status !== 202) continue;
    const approval = `/v1/operator/approvals/${proposed.body.approvalId}/approve`;
    assert.equal((await server.call('POST', approval, {}, AS_SECOND)).status, 200);
  }
  await applied();
  assert.deepEqual(
    await booked('PRT-F'),
    ['4000000', '6000000'],
    JSON.stringify(await shown(told[0].entryId)),
  );
});

test('a sum whose payments nobody lists any more when it is to be divided stays one', async () => {
  const { listed, wholeId } = await sumOf('PRT-G');
  const fileId = await take([listed], notice(4));
  const path = `/v1/operator/statements/${typeId('stf', fileId)}/withdraw`;
  const withdrawn = await server.call('POST', path, { reason: 'it was a test file of the bank' });
  assert.equal(withdrawn.status, 200, JSON.stringify(withdrawn.body));
  await applied();
  assert.deepEqual(await booked('PRT-G'), ['10000000']);
  const { rows } = await pool.query('select count(*)::int as failed from apply_failures');
  assert.deepEqual([rows[0].failed, (await shown(wholeId)).depositState], [0, 'booked']);
});

test('a sum of payments that were known one by one is these, though the list of them repeats others', async () => {
  const listed = listOf('PRT-H');
  await reported(server, singles('PRT-H'), notice());
  await reported(server, [listed], statement(100_000));
  const [told] = await reported(server, [{ ...listed, details: [txDtls('COLLECTIVE')] }], notice(1));
  assert.deepEqual([told.sameReason, told.missingSince], ['sum_of_details', null]);
  assert.deepEqual(await booked('PRT-H'), ['4000000', '6000000']);
});

test('the same statement in another file tells nothing new, whatever sum was told between', async () => {
  const bare = { ...USD, amount: '60000.00', details: [txDtls(' ')] };
  const other = { ...USD, amount: '40000.00', details: [txDtls('RENT PRT-I')] };
  await reported(server, [bare, other], notice());
  const batch = {
    ...{ ...USD, amount: '100000.00', reference: 'PRT-I' },
    details: [part('60000.00', undefined, 'FIRST'), part('40000.00', undefined, 'RENT PRT-I')],
  };
  const options = statement(100_000);
  await take([batch], options);
  const whole = { ...USD, amount: '100000.00', reference: 'PRT-I', details: [txDtls('COLLECTIVE')] };
  await take([whole], notice(1));
  const before = await inAll();
  const again = await reported(server, [batch], { ...options, created: `${date}T20:00:00Z` });
  assert.ok(again.every((each) => each.sameAs !== null));
  assert.equal(await inAll(), before);
});
