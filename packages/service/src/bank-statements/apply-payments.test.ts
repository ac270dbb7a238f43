import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { type CamtEntry, camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import {
  debit,
  e2e,
  entriesOf,
  euros,
  type Instructed,
  importedOnly,
  instructed,
  instructedOne,
  reported,
  reportedFile,
  statusOf,
  sumOf,
} from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { ownerOf } from '../../test/support/database.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { type Sandbox, silentLogger } from '../../test/support/sandbox.ts';
import { current, order } from '../../test/support/stories.ts';
import type { Pool } from '../database/pool.ts';
import { markSent } from '../payments/end-run.ts';
import { confirm, fail, retry } from '../payments/operate.ts';
import { listPayments } from '../payments/run-payment-store.ts';
import { createRun } from '../payments/settlement-runs.ts';
import { typeId } from '../platform/ids.ts';
import { timelineOf } from '../transactions/record.ts';
import { entrySweep } from './book-entries.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;

before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertBankAgrees(pool);
});

describe('debits of a statement', () => {
  test('confirm the payouts that they name, in whatever way', async () => {
    const ways: ((made: Instructed) => CamtEntry)[] = [
      (made) => debit(made.amount, e2e(made.endToEndId)),
      (made) => debit(made.amount, `<EndToEndId>NOTPROVIDED</EndToEndId><UETR>${made.uetr}</UETR>`),
      (made) => debit(made.amount, `<InstrId>${made.endToEndId}</InstrId>`),
      (made) =>
        debit(made.amount, '', `SEPA OUT ref ${made.row.reference.toLowerCase().replace(/(.{5})/g, '$1 ')}`),
    ];
    const made = await instructed(pool, ways.length);
    const entries = await reported(
      server,
      ways.map((way, n) => way(made[n] as Instructed)),
    );
    for (const [n, each] of made.entries()) {
      const entry = entries[n];
      assert.ok(entry);
      const settled = await current(each.desk, each.row);
      assert.deepEqual([settled.status, settled.payout_reference], ['settled', entry.bankReference]);
      // The statement is of this very day; what it reports happened not after it came.
      const { paid_at: paidAt } = settled;
      assert.ok(paidAt !== null && paidAt <= sandbox.clock.now() && paidAt > sandbox.clock.now() - 60_000);
      assert.equal(entry.paymentState, 'applied');
      assert.deepEqual(
        (entry.transactions as { purpose: string }[]).map((of) => of.purpose),
        ['payout'],
      );
    }
    assert.equal(entries[0]?.payment?.endToEndId, made[0]?.endToEndId);
    assert.equal(entries[3]?.payment, null);
  });

  test('are announced once, by whatever message', async () => {
    const made = await instructedOne(pool);
    const entry = debit(made.amount, e2e(made.endToEndId), 'TOLD OFTEN');
    const [first] = await reported(server, [{ ...entry, status: 'PDNG' }], { message: '052', number: '1' });
    assert.equal(first?.paymentState, 'none');
    assert.equal(await statusOf(made), 'settling');
    const [second] = await reported(server, [entry], { message: '054', number: '2' });
    assert.equal(second?.paymentState, 'applied');
    const { version } = await current(made.desk, made.row);
    const [third] = await reported(server, [entry], { number: '3' });
    assert.deepEqual(
      [third?.new, third?.sameAs, third?.sameReason, third?.paymentState],
      [false, second?.entryId, 'bank_reference', 'applied'],
    );
    const mt940 = [
      ':20:S1',
      ':25:GB29NWBK60161331926819',
      ':28C:4/1',
      ':60F:C260304EUR1000000,00',
      `:61:2603040304D${made.amount.replace('.', ',')}NTRF${made.row.reference}//${entry.reference}`,
      ':86:TOLD OFTEN',
      `:62F:C260304EUR${euros(100_000_000n - BigInt(made.row.buy_minor)).replace('.', ',')}`,
      '-',
    ].join('\r\n');
    const fourth = await server.call('POST', '/v1/operator/statements', Buffer.from(mt940), {
      'content-type': 'text/plain',
    });
    assert.deepEqual([fourth.status, fourth.body.newEntries], [201, 0], JSON.stringify(fourth.body));
    assert.equal((await current(made.desk, made.row)).version, version);
  });

  test('of a whole file booked as one sum confirm all its payments, whether or not they are reported one by one', async () => {
    const made = await instructed(pool, 3);
    const batch = (sum: string, details: readonly string[]) =>
      debit(sum, '', '', {
        details: [`<Btch><PmtInfId>${made[0]?.messageId}S</PmtInfId></Btch>`, ...details],
      });
    const [wrong] = await reported(server, [batch('1.00', [])]);
    assert.deepEqual([wrong?.paymentState, wrong?.paymentReason], ['mismatch', 'amount']);
    const [entry] = await reported(server, [batch(euros(sumOf(made)), [])]);
    assert.deepEqual([entry?.paymentState, entry?.transactions.length], ['applied', 3]);
    for (const each of made) assert.equal(await statusOf(each), 'settled');

    const others = await instructed(pool, 2);
    const amounts = (text: string) => `<Amt Ccy="EUR">${text}</Amt><CdtDbtInd>DBIT</CdtDbtInd>`;
    const details = others.map((each) =>
      txDtls('x', { refs: e2e(each.endToEndId), amount: amounts(each.amount) }),
    );
    const parts = await reported(server, [debit(euros(sumOf(others)), '', '', { details })]);
    assert.deepEqual(
      parts.map((each) => each.paymentState),
      ['applied', 'applied'],
    );
    for (const each of others) assert.equal(await statusOf(each), 'settled');
  });

  test('of a block of which one was rejected are for the others', async () => {
    const made = await instructed(pool, 3);
    const [first, ...rest] = made as [Instructed, Instructed, Instructed];
    await fail(first.desk, order(first.row), 'payout_rejected', undefined);
    const [entry] = await reported(server, [
      debit(euros(sumOf(rest)), '', `SAMMLER ${first.messageId} 2 POSTEN`, {}),
    ]);
    assert.deepEqual([entry?.paymentState, entry?.transactions.length], ['applied', 2]);
    assert.deepEqual(await Promise.all(made.map(statusOf)), ['settlement_failed', 'settled', 'settled']);
  });

  test('whose reference was cut off are of the present attempt', async () => {
    const made = await instructedOne(pool);
    await fail(made.desk, order(made.row), 'payout_rejected', undefined);
    await retry(made.desk, order(made.row));
    const run = await createRun(made.desk, { currency: 'EUR', valueDate: '2026-03-06' }, made.desk.clientId);
    const payments = await listPayments(pool, run.id, undefined, 10);
    assert.ok(payments.some((each) => each.end_to_end_id === `${made.row.reference}-2`));
    // As tag 61 of MT940 does, which has room for 16 characters.
    const [entry] = await reported(server, [
      debit(made.amount, `<InstrId>${made.row.reference}</InstrId>`, 'CUT OFF'),
    ]);
    assert.equal(entry?.paymentState, 'applied');
    assert.equal(await statusOf(made), 'settled');
  });

  test('of what an operator has confirmed are known; a second one is money that left twice', async () => {
    const made = await instructedOne(pool);
    await markSent(made.desk, { runId: made.runId, ifMatch: undefined, by: made.desk.clientId });
    await confirm(made.desk, order(made.row), 'BY-HAND');
    const [first] = await reported(server, [debit(made.amount, e2e(made.endToEndId))]);
    assert.equal(first?.paymentState, 'known');
    const [second] = await reported(server, [debit(made.amount, e2e(made.endToEndId))]);
    assert.deepEqual([second?.paymentState, second?.paymentReason], ['mismatch', 'paid_twice']);
    const work = await server.call('GET', `/v1/operator/exceptions/${second?.exceptionId}`);
    assert.deepEqual(
      [work.body.type, work.body.reason, work.body.entryId],
      ['payout_mismatch', 'paid_twice', second?.entryId],
    );
    assert.equal(work.body.transactionId, first?.transactions[0].transactionId);
  });

  test('of nobody, and those that are not as they should be, are work for people', async () => {
    const made = await instructedOne(pool);
    const more = euros(BigInt(made.row.buy_minor) + 500n);
    const entries = await reported(server, [
      debit('12.50', '', 'FEES FEBRUARY'),
      debit(more, e2e(made.endToEndId)),
      debit('3.00', '', 'EXPECTED', { status: 'PDNG' }),
    ]);
    assert.deepEqual(
      entries.map((each) => [each.paymentState, each.paymentReason, each.exceptionId !== null]),
      [
        ['unknown', null, true],
        ['mismatch', 'amount', true],
        ['none', null, false],
      ],
    );
    assert.equal(await statusOf(made), 'settling');
    const { body: files } = await server.call('GET', '/v1/operator/statements?limit=1');
    const file = await server.call('GET', `/v1/operator/statements/${files.items[0].fileId}`);
    assert.match(file.body.warnings.at(-1).detail, /^2 entries wait/);
    const shown = await server.call('GET', `/v1/operator/exceptions/${entries[0]?.exceptionId}`);
    assert.deepEqual(
      [shown.body.type, shown.body.reason, shown.body.entryId, shown.body.transactionId],
      ['payout_mismatch', 'unknown_debit', entries[0]?.entryId, null],
    );
  });

  test('that one cannot be booked do not hold up the others, and a process that ends loses none', async () => {
    const made = await instructed(pool, 3);
    const bad = made[1]?.row.id;
    await ownerOf(pool).query(
      `alter table bank_notices add constraint test_fault check (transaction_id <> '${bad}')`,
    );
    const entries = made.map((each) => debit(each.amount, e2e(each.endToEndId)));
    const fileId = await reportedFile(server, camt(entries, { currency: 'EUR' }));
    const states = async () => (await entriesOf(server, fileId)).map((each) => each.paymentState);
    assert.deepEqual(await states(), ['applied', 'due', 'applied']);
    assert.equal(await statusOf(made[1] as Instructed), 'settling');
    await ownerOf(pool).query('alter table bank_notices drop constraint test_fault');
    await entrySweep(sandbox.desk, silentLogger).run();
    assert.deepEqual(await states(), ['applied', 'applied', 'applied']);
  });

  test('that a process took in before it ended are settled by whichever instance comes next, once', async () => {
    const made = await instructed(pool, 12);
    const file = camt(
      made.flatMap((each) => [
        debit(each.amount, e2e(each.endToEndId)),
        { amount: '1.00', currency: 'EUR', reference: `LEFT-${each.endToEndId}` },
      ]),
      { currency: 'EUR' },
    );
    const takenId = await importedOnly(sandbox.desk, file);
    assert.equal(await statusOf(made[0] as Instructed), 'settling');
    const sweeps = Array.from({ length: 4 }, () => entrySweep(sandbox.desk, silentLogger));
    await Promise.all(sweeps.map((sweep) => sweep.run()));
    // What one of them held was passed over by the others.
    await sweeps[0]?.run();
    for (const each of made) {
      const row = await current(each.desk, each.row);
      assert.equal(row.status, 'settled');
      const codes = timelineOf(row).map(({ code }) => code);
      assert.equal(codes.filter((code) => code === 'payout_confirmed').length, 1);
    }
    const entries = await entriesOf(server, typeId('stf', takenId));
    assert.deepEqual(new Set(entries.map((each) => each.paymentState)), new Set(['applied', 'none']));
  });
});
