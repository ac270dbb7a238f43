import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { type CamtEntry, type CamtOptions, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { e2e, entriesOf, reported, reportedFile, type ShownEntry } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
let balance = 0n;
let day = '2026-03-04';

before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
});
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
});
after(() => server.close());

const USD = { currency: 'USD' } as const;
const notice = (entries: readonly CamtEntry[], options: CamtOptions = {}) =>
  reported(server, dollars(entries), { ...USD, message: '054', date: day, ...options });
const dollars = (entries: readonly CamtEntry[]) => entries.map((each) => ({ ...USD, ...each }));
const minor = (text: string) => BigInt(text.replace('.', ''));
const text = (value: bigint) =>
  value
    .toString()
    .padStart(3, '0')
    .replace(/(\d\d)$/, '.$1');

/** A statement that opens with what the one before it closed with. */
async function statement(entries: readonly CamtEntry[], options: CamtOptions = {}): Promise<ShownEntry[]> {
  const opening = balance;
  for (const each of entries) balance += minor(each.amount) * (each.direction === 'DBIT' ? -1n : 1n);
  return reported(server, dollars(entries), {
    ...USD,
    opening: text(opening),
    closing: text(balance),
    date: day,
    ...options,
  });
}

const part = (amount: string, refs: string, words = 'PART') =>
  txDtls(words, { refs, amount: `<Amt Ccy="USD">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd>` });
const entry = async (id: string) => (await server.call('GET', `/v1/operator/statement-entries/${id}`)).body;
const deposit = async (id: string) => (await server.call('GET', `/v1/operator/deposits/${id}`)).body;
const received = async () =>
  BigInt(
    (await pool.query('select coalesce(sum(amount_minor), 0) as n from deposits where booked_as is null'))
      .rows[0].n,
  );
const reasons = (entries: readonly ShownEntry[]) => entries.map((each) => each.sameReason);
const ids = (entries: readonly ShownEntry[]) => entries.map((each) => each.entryId);

describe('payments that are reported more than once', () => {
  test('as single notices and as a batch in the evening are booked once, by whatever identifies them', async () => {
    const before = await received();
    const uetr = 'c0ffee00-7a4b-4d0f-9f4e-1a2b3c4d5e6f';
    const singles = [
      ...(await notice([{ amount: '10.00', details: [txDtls('ONE', { refs: `<UETR>${uetr}</UETR>` })] }])),
      ...(await notice([{ amount: '20.00', reference: 'SINGLE-2', details: [txDtls('TWO', {})] }])),
      ...(await notice([
        { amount: '30.00', reference: 'SINGLE-3', details: [txDtls('THREE', { refs: e2e('B-E3') })] },
      ])),
    ];
    const batch = await statement([
      {
        amount: '100.00',
        reference: 'EVENING-1',
        details: [
          part('10.00', `<UETR>${uetr}</UETR>`),
          part('20.00', '<AcctSvcrRef>SINGLE-2</AcctSvcrRef>'),
          part('30.00', e2e('B-E3')),
          part('40.00', e2e('B-E4')),
        ],
      },
    ]);
    assert.deepEqual(reasons(batch), ['uetr', 'bank_reference', 'end_to_end_id', null]);
    assert.deepEqual(
      batch.map((each) => each.sameAs),
      [...ids(singles), null],
    );
    assert.deepEqual(
      batch.map((each) => each.depositId !== null && each.depositState),
      ['booked', 'booked', 'booked', 'booked'],
    );
    assert.equal((await received()) - before, 10_000n);
  });

  test('as a sum first and with its payments later are the payments', async () => {
    const before = await received();
    const row = await sandbox.trade({ amount: '50.00' });
    const [sum] = await notice([{ amount: '75.00', reference: 'SUM-1', details: [txDtls('COLLECTIVE')] }]);
    assert.equal(sum?.depositState, 'booked');
    const details = [part('50.00', e2e('S-1'), `INV ${row.reference}`), part('25.00', e2e('S-2'), 'OTHER')];
    const batch = await statement([{ amount: '75.00', reference: 'SUM-1', details }]);
    assert.equal((await sandbox.read(row)).status, 'funded', 'the payment has found its trade');
    assert.deepEqual(reasons(batch), [null, null]);
    const again = await entry(sum?.entryId);
    assert.deepEqual([again.sameAs, again.sameReason], [batch[0]?.entryId, 'sum_of_details']);
    const cancelled = await deposit(sum?.depositId);
    assert.deepEqual([cancelled.status, cancelled.bookedAs], ['returned', 'same_entry']);
    assert.equal((await received()) - before, 7_500n);
    // And the other way round: the sum is what is known.
    const [later] = await notice([{ amount: '75.00', reference: 'SUM-1', details: [txDtls('ONCE MORE')] }]);
    assert.equal(later?.sameReason, 'sum_of_details');
    assert.equal((await received()) - before, 7_500n);
  });

  test('as a sum that people have placed stay the sum', async () => {
    const before = await received();
    const row = await sandbox.trade({ amount: '60.00' });
    const [sum] = await notice([{ amount: '60.00', reference: 'SUM-2', details: [txDtls(row.reference)] }]);
    assert.equal((await sandbox.read(row)).status, 'funded');
    const details = [part('35.00', e2e('S-3')), part('25.00', e2e('S-4'))];
    const batch = await statement([{ amount: '60.00', reference: 'SUM-2', details }]);
    assert.deepEqual(reasons(batch), ['part_of_sum', 'part_of_sum']);
    assert.deepEqual(
      batch.map((each) => each.depositId),
      [sum?.depositId, sum?.depositId],
    );
    assert.equal((await received()) - before, 6_000n);
  });

  test('as camt and as MT940 of the same day are one statement, whatever their texts', async () => {
    const before = await received();
    const opening = balance;
    await statement([
      { amount: '11.00', details: [txDtls('RENT MARCH')] },
      { amount: '11.00', details: [txDtls('RENT APRIL')] },
    ]);
    const amount = (value: bigint) => text(value).replace('.', ',');
    const mt940 = [
      ':20:S1',
      ':25:GB29NWBK60161331926819',
      ':28C:4/1',
      `:60F:C260304USD${amount(opening)}`,
      ':61:2603040304C11,NTRFNONREF',
      ':86:166?00CREDIT?20SVWZ+RENT?21MARCH BY SOMEBODY',
      ':61:2603040304C11,NTRFNONREF',
      ':86:166?00CREDIT?20SVWZ+RENT?21APRIL BY SOMEBODY',
      `:62F:C260304USD${amount(balance)}`,
      '-',
    ].join('\r\n');
    const again = await entriesOf(server, await reportedFile(server, mt940));
    assert.deepEqual(reasons(again), ['same_statement', 'same_statement']);
    assert.deepEqual(again[0]?.differs, ['remittanceText']);
    assert.equal((await received()) - before, 2_200n);
  });
});

test('a payment that looks like one of an earlier statement of the day is another one, however many lie between', async () => {
  const [first] = await statement([{ amount: '44.00', reference: 'DAY-1', details: [txDtls('RENT')] }], {
    number: '501',
  });
  for (const number of ['502', '503']) await statement([{ amount: '1.00', reference: number }], { number });
  const details = [part('44.00', '<AcctSvcrRef>DAY-4</AcctSvcrRef>', 'RENT'), part('2.00', e2e('DAY-5'))];
  const [later] = await statement([{ amount: '46.00', reference: 'BATCH-4', details }], { number: '504' });
  assert.deepEqual([first?.depositState, later?.depositState, later?.sameAs], ['booked', 'booked', null]);
});

describe('payments that only look the same', () => {
  test('in two statements of a day whose balances chain are two', async () => {
    const before = await received();
    const equal = { amount: '50.00', details: [txDtls('NO REFERENCE')] };
    await statement([equal]);
    const second = await statement([equal]);
    assert.deepEqual(reasons(second), [null]);
    assert.equal((await received()) - before, 10_000n);
    // The second one, written anew, is the same statement.
    const created = '2026-03-04T21:00:00Z';
    const opening = text(balance - 5_000n);
    const again = await reported(server, dollars([equal]), {
      ...USD,
      opening,
      closing: text(balance),
      created,
    });
    assert.equal(again[0]?.sameAs, second[0]?.entryId);
    assert.equal((await received()) - before, 10_000n);
  });

  test('in one statement are as many as it lists, less what was reported before', async () => {
    const before = await received();
    const equal = { amount: '13.00', details: [txDtls('STANDING ORDER')] };
    await notice([equal, equal]);
    const evening = await statement([equal, equal, equal]);
    assert.deepEqual(reasons(evening), ['content', 'content', null]);
    assert.equal((await received()) - before, 3_900n);
  });

  test('because the bank uses a reference again are asked about, and proved by statements', async () => {
    const before = await received();
    const first = { amount: '17.00', reference: '000001', details: [txDtls('FROM A')] };
    const other = { amount: '17.00', reference: '000001', details: [txDtls('FROM B')], booked: '2026-03-05' };
    const [monday] = await notice([first]);
    const [tuesday] = await notice([other], { date: '2026-03-05' });
    assert.deepEqual(
      [tuesday?.paymentState, tuesday?.paymentReason, tuesday?.maybeSameAs, tuesday?.depositState],
      ['mismatch', 'same_reference_other_date', monday?.entryId, 'none'],
    );
    const exception = await server.call('GET', `/v1/operator/exceptions/${tuesday?.exceptionId}`);
    assert.deepEqual(
      [exception.body.type, exception.body.reason],
      ['duplicate', 'same_reference_other_date'],
    );
    assert.equal((await received()) - before, 1_700n);
    // The statements of both days list one each: no question is left.
    await statement([first]);
    day = '2026-03-05';
    await statement([other]);
    const decided = await entry(tuesday?.entryId);
    assert.deepEqual(
      [decided.maybeSameAs, decided.paymentState, decided.depositState, decided.exceptionId],
      [null, 'none', 'booked', null],
    );
    assert.equal((await received()) - before, 3_400n);
  });

  test('but have another amount under one reference and day are asked about', async () => {
    const before = await received();
    await notice([{ amount: '19.00', reference: 'CLASH-1', details: [txDtls('X')] }]);
    const [clash] = await notice([{ amount: '18.50', reference: 'CLASH-1', details: [txDtls('X')] }]);
    assert.deepEqual([clash?.paymentReason, clash?.depositState], ['same_reference_other_amount', 'none']);
    assert.equal((await received()) - before, 1_900n);
  });
});

describe('what is reported later', () => {
  test('completes what is known, and a deposit finds its trade by it', async () => {
    const row = await sandbox.trade({ amount: '500.00' });
    const [poor] = await notice([{ amount: '500.00', reference: 'POOR-1' }]);
    assert.equal((await deposit(poor?.depositId)).status, 'unmatched');
    const parties =
      '<Dbtr><Pty><Nm>Acme Ltd</Nm></Pty></Dbtr><DbtrAcct><Id><IBAN>DE75512108001245126199</IBAN></Id></DbtrAcct>';
    const [rich] = await statement([
      {
        amount: '500.00',
        reference: 'POOR-1',
        details: [txDtls(`INV 9 ${row.reference}`, { refs: e2e('RICH-1'), parties })],
      },
    ]);
    assert.deepEqual(
      [rich?.sameAs, rich?.endToEndId, rich?.counterpartyName, rich?.remittanceText],
      [poor?.entryId, 'RICH-1', 'Acme Ltd', `INV 9 ${row.reference}`],
      'the second file shows what it says',
    );
    assert.equal((await sandbox.read(row)).status, 'funded');
    const matched = await deposit(poor?.depositId);
    assert.deepEqual(
      [matched.status, matched.remitterName, matched.allocations[0]?.transactionId],
      ['matched', 'Acme Ltd', typeId('txn', row.id)],
    );
    const first = await entry(poor?.entryId);
    assert.deepEqual(
      first.completed.map((each: { field: string }) => each.field),
      ['endToEndId', 'remittanceText', 'counterpartyName', 'counterpartyAccount'],
    );
    assert.ok(first.completed.every((each: { by: string }) => each.by === rich?.entryId));
  });

  test('changes nothing that is known, and says where it differs', async () => {
    const [first] = await notice([
      { amount: '21.00', reference: 'DIFF-1', details: [txDtls('A', { refs: e2e('D1') })] },
    ]);
    const parties = '<Dbtr><Pty><Nm>Other Name</Nm></Pty></Dbtr>';
    await notice([{ amount: '21.00', reference: 'DIFF-1', details: [txDtls('A', { parties })] }]);
    const party = '<Dbtr><Pty><Nm>Third Name</Nm></Pty></Dbtr>';
    const [third] = await notice([
      { amount: '21.00', reference: 'DIFF-1', details: [txDtls('B', { parties: party })] },
    ]);
    assert.deepEqual(
      [third?.sameAs, third?.differs],
      [first?.entryId, ['counterpartyName', 'remittanceText']],
    );
    const known = await entry(first?.entryId);
    assert.deepEqual(
      [known.counterpartyName, known.endToEndId, known.remittanceText],
      ['Other Name', 'D1', 'A\nB'],
    );
  });

  test('and the bank agrees with the ledger', async () => {
    await assertBankAgrees(pool);
  });
});
