import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { type CamtEntry, type CamtOptions, camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import {
  debit,
  e2e,
  euros,
  importedOnly,
  instructed,
  reported,
  type ShownEntry,
  statusOf,
  sumOf,
} from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { AS_SECOND, createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';

/** A notification tells a sum, without its payments, and the statement of the day lists these one by one. */

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
/** Each story has a day of its own. */
const DAYS = [
  ...['2026-02-12', '2026-02-13'],
  ...['2026-02-16', '2026-02-17', '2026-02-18', '2026-02-19', '2026-02-20', '2026-02-23', '2026-02-24'],
  ...['2026-02-25', '2026-02-26', '2026-02-27'],
];
let date = '';
beforeEach(() => {
  date = DAYS.shift() ?? assert.fail('a test has no day');
});
let balance = 0;
let numbers = 0;
const notice = (minute = 0): CamtOptions => ({
  ...{ ...USD, message: '054', date, created: `${date}T18:${`${minute}`.padStart(2, '0')}:00Z` },
});
/** A statement of the day, which opens where the last one closed. */
function statement(amount: number): CamtOptions {
  const opening = `${balance}.00`;
  balance += amount;
  const said = { ...USD, date, opening, closing: `${balance}.00` };
  return { ...said, number: `${++numbers}`, created: `${date}T19:00:00Z` };
}
const batch = (block: string) => `<Btch><PmtInfId>${block}</PmtInfId><NbOfTxs>2</NbOfTxs></Btch>`;
const sum = (name: string, block = name): CamtEntry => ({
  ...{ ...USD, amount: '100000.00', reference: `SUM-${name}`, details: [batch(block)] },
});
/** A payment by itself, with a reference of its own. */
const single = (amount: string, name: string, block: string, text = 'RENT', reference = `OWN-${name}`) => ({
  ...{ ...USD, amount, reference },
  details: [txDtls(text, { refs: `<PmtInfId>${block}</PmtInfId>${e2e(name)}` })],
});
const singles = (name: string, text = 'RENT'): CamtEntry[] => [
  single('60000.00', `${name}-1`, name, text),
  single('40000.00', `${name}-2`, name),
];
const take = (entries: readonly CamtEntry[], options: CamtOptions) =>
  importedOnly({ pool, clock: sandbox.desk.clock }, camt(entries, options));
const shown = async (id: string): Promise<ShownEntry> =>
  (await server.call('GET', `/v1/operator/statement-entries/${id}`)).body;
const stateOf = ({ bookedAs, depositState, sameAs, missingSince }: ShownEntry) => ({
  bookedAs,
  depositState,
  sameAs,
  isMissing: missingSince !== null,
});
const BY_ITSELF = { bookedAs: null, depositState: 'booked', sameAs: null, isMissing: false };
const REPLACED = { bookedAs: 'never_booked', depositState: 'none', sameAs: null, isMissing: false };

/** The deposits of the day that are money, in minor units. */
async function booked(): Promise<string[]> {
  const { rows } = await pool.query<{ amount: string }>(
    `select distinct d.id, d.amount_minor as amount from deposits d join entry_details e on e.deposit_id = d.id
     where e.booking_date = $1 and d.booked_as is null and d.status <> 'returned' order by 2`,
    [date],
  );
  return rows.map(({ amount }) => amount);
}

async function openAbout(ids: readonly string[]): Promise<string[]> {
  const { body } = await server.call('GET', '/v1/operator/exceptions?status=open&limit=200');
  return body.items.flatMap((each: ShownEntry) => (ids.includes(each.entryId) ? each.reason : []));
}

async function withdraw(fileId: string): Promise<void> {
  const path = `/v1/operator/statements/${fileId}/withdraw`;
  const asked = await server.call('POST', path, { reason: 'it was a test file of the bank' });
  assert.ok(asked.status < 300, JSON.stringify(asked.body));
  if (asked.status !== 202) return;
  const approval = `/v1/operator/approvals/${asked.body.approvalId}/approve`;
  assert.equal((await server.call('POST', approval, {}, AS_SECOND)).status, 200);
}

describe('a notified sum gives way to its payments that the statement lists one by one', () => {
  test('when they were ordered together, as it says', async () => {
    const [whole] = await reported(server, [sum('SGL-A')], notice());
    assert.deepEqual(await booked(), ['10000000']);
    const ids = (await reported(server, singles('SGL-A'), statement(100_000))).map((each) => each.entryId);
    assert.deepEqual(await booked(), ['4000000', '6000000']);
    for (const id of ids) assert.deepEqual(stateOf(await shown(id)), BY_ITSELF);
    assert.deepEqual(stateOf(await shown(whole.entryId)), REPLACED);
    assert.deepEqual(await openAbout([whole.entryId, ...ids]), []);
  });

  test('when they have its reference', async () => {
    const { details: _, ...bare } = sum('SGL-B');
    const [whole] = await reported(server, [bare], notice());
    const listed = [
      single('60000.00', 'SGL-B-1', 'B1', 'RENT', 'SUM-SGL-B'),
      single('40000.00', 'SGL-B-2', 'B2', 'RENT', 'SUM-SGL-B'),
    ];
    const ids = (await reported(server, listed, statement(100_000))).map((each) => each.entryId);
    assert.deepEqual(await booked(), ['4000000', '6000000']);
    assert.deepEqual(await openAbout([whole.entryId, ...ids]), []);
  });

  test('before anything was booked on it', async () => {
    await take([sum('SGL-C')], notice());
    const ids = (await reported(server, singles('SGL-C'), statement(100_000))).map((each) => each.entryId);
    assert.deepEqual(await booked(), ['4000000', '6000000']);
    assert.deepEqual(await openAbout(ids), []);
  });

  test('though two files list them before it has', async () => {
    await reported(server, [sum('SGL-D')], notice());
    const options = statement(100_000);
    await take(singles('SGL-D'), options);
    await reported(server, singles('SGL-D').toReversed(), { ...options, created: `${date}T20:00:00Z` });
    assert.deepEqual(await booked(), ['4000000', '6000000']);
  });

  test('and stays what it is when it pays for a trade', async () => {
    const { reference } = await sandbox.trade();
    const { details: _, ...bare } = sum('SGL-E');
    const whole = { ...bare, details: [txDtls(reference, { refs: '<PmtInfId>SGL-E</PmtInfId>' })] };
    const [told] = await reported(server, [whole], notice());
    const listed = await reported(server, singles('SGL-E'), statement(100_000));
    assert.deepEqual(
      listed.map((each) => [each.sameAs, each.sameReason]),
      [
        [told.entryId, 'part_of_sum'],
        [told.entryId, 'part_of_sum'],
      ],
    );
    assert.deepEqual(await booked(), ['10000000']);
    assert.deepEqual(stateOf(await shown(told.entryId)), BY_ITSELF);
  });

  test('also of payments that the house has made', async () => {
    const made = await instructed(pool, 2);
    const [first] = made;
    assert.ok(first);
    const block = `${first.messageId}S`;
    const eur = { currency: 'EUR', date } as const;
    const whole = debit(euros(sumOf(made)), '', '', { details: [batch(block)] });
    const [told] = await reported(server, [whole], { ...eur, message: '054' });
    assert.equal(told.paymentState, 'applied');
    const listed = made.map((each) =>
      debit(each.amount, `<PmtInfId>${block}</PmtInfId>${e2e(each.endToEndId)}`),
    );
    const closing = `-${euros(sumOf(made))}`;
    const ids = await reported(server, listed, { ...eur, number: '1', opening: '0.00', closing });
    assert.deepEqual(
      ids.map((each) => [each.sameAs, each.paymentState]),
      [
        [told.entryId, 'applied'],
        [told.entryId, 'applied'],
      ],
    );
    assert.deepEqual(await openAbout([told.entryId, ...ids.map((each) => each.entryId)]), []);
    assert.equal((await shown(told.entryId)).missingSince, null);
    for (const each of made) assert.equal(await statusOf(each), 'settled');
  });
});

describe('nothing is taken for the payments of a sum by itself', () => {
  const stays = async (whole: CamtEntry, listed: readonly CamtEntry[], told = notice()) => {
    const [entry] = await reported(server, [whole], told);
    const before = balance;
    await reported(server, listed, statement(listed.reduce((all, { amount }) => all + Number(amount), 0)));
    assert.notEqual((await shown(entry.entryId)).missingSince, null);
    assert.deepEqual(await openAbout([entry.entryId]), ['not_in_statement']);
    return balance - before;
  };

  test('that does not say what they were ordered in, or that they do not add up to', async () => {
    await stays({ ...sum('SGL-J'), details: [txDtls('COLLECTIVE')] }, singles('SGL-J'));
    await stays(sum('SGL-K'), [...singles('SGL-K'), single('1.00', 'SGL-K-3', 'SGL-K')]);
  });

  test('that names a payment or a party, or has the same as another one', async () => {
    const parties = '<Dbtr><Pty><Nm>Acme Ltd</Nm></Pty></Dbtr>';
    const refs = '<PmtInfId>SGL-L</PmtInfId>';
    await stays({ ...sum('SGL-L'), details: [txDtls('RENT', { refs, parties })] }, singles('SGL-L'));
    await reported(server, [{ ...sum('SGL-M'), amount: '7.00', reference: 'OTHER-M' }], notice());
    await stays(sum('SGL-M'), singles('SGL-M'), notice(1));
  });
});

describe('a file of these that is withdrawn', () => {
  test('takes the payments along when it is the statement', async () => {
    await reported(server, [sum('SGL-F')], notice());
    const { fileId } = (await server.upload(camt(singles('SGL-F'), statement(100_000)))).body;
    assert.deepEqual(await booked(), ['4000000', '6000000']);
    await withdraw(fileId);
    balance -= 100_000;
    assert.deepEqual(await booked(), []);
    // The bank lists the sum after all.
    await reported(server, [sum('SGL-F')], statement(100_000));
    assert.deepEqual(await booked(), ['10000000']);
  });

  test('leaves the sum, while that carries the money', async () => {
    const { reference } = await sandbox.trade();
    const whole = { ...sum('SGL-G'), details: [txDtls(reference, { refs: '<PmtInfId>SGL-G</PmtInfId>' })] };
    const [told] = await reported(server, [whole], notice());
    const { fileId } = (await server.upload(camt(singles('SGL-G'), statement(100_000)))).body;
    assert.equal((await shown(told.entryId)).missingSince, null);
    await withdraw(fileId);
    balance -= 100_000;
    assert.deepEqual(await booked(), ['10000000']);
    await reported(server, [], statement(0));
    assert.notEqual((await shown(told.entryId)).missingSince, null);
  });

  test('leaves the payments when it is the notification', async () => {
    const { fileId } = (await server.upload(camt([sum('SGL-H')], notice()))).body;
    await reported(server, singles('SGL-H'), statement(100_000));
    await withdraw(fileId);
    assert.deepEqual(await booked(), ['4000000', '6000000']);
  });

  test('or corrected, so that it lists one of them only, does not list the sum', async () => {
    const { reference } = await sandbox.trade();
    const whole = { ...sum('SGL-I'), details: [txDtls(reference, { refs: '<PmtInfId>SGL-I</PmtInfId>' })] };
    const [told] = await reported(server, [whole], notice());
    const options = statement(100_000);
    await reported(server, singles('SGL-I'), options);
    balance -= 40_000;
    const corrected = { ...options, closing: `${balance}.00`, created: `${date}T20:00:00Z` };
    await reported(server, singles('SGL-I').slice(0, 1), corrected);
    assert.deepEqual(await booked(), ['10000000']);
    assert.notEqual((await shown(told.entryId)).missingSince, null);
    await reported(server, singles('SGL-I').slice(1), { ...statement(40_000), date: '2026-03-02' });
    assert.equal((await shown(told.entryId)).missingSince, null, 'two statements list all of it');
    assert.deepEqual(await booked(), ['10000000']);
  });
});
