import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import {
  debit,
  type Instructed,
  importedOnly,
  instructed,
  reported,
  reportedFile,
  statusOf,
  statusReport,
} from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { approved, createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { type Sandbox, silentLogger } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';
import { entrySweep } from './book-entries.ts';

/** An entry that was somebody's work already when the statements of its day did not list it. */

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

const shown = async (entryId: string) =>
  (await server.call('GET', `/v1/operator/statement-entries/${entryId}`)).body;

async function assertMissing(entryId: string): Promise<void> {
  const entry = await shown(entryId);
  assert.ok(entry.missingSince);
  const { body } = await server.call('GET', `/v1/operator/exceptions/${entry.exceptionId}`);
  assert.deepEqual([body.status, body.type, body.reason], ['open', 'duplicate', 'not_in_statement']);
}

/** By a second person too, where it takes one. */
async function decide(entryId: string, verb: string, body: object): Promise<void> {
  const asked = await server.call('POST', `/v1/operator/statement-entries/${entryId}/${verb}`, {
    reason: 'seen',
    ...body,
  });
  const done = await approved(server, asked);
  assert.equal(done.status, 200, JSON.stringify(done.body));
}

let statements = 0;
/** A statement of the day that lists nothing. */
const close = () =>
  reported(server, [], { number: `${++statements}`, opening: '0.00', closing: '0.00', date: '2026-03-04' });

describe('an entry that no statement lists is an exception when that which it was before is over', () => {
  /** The sum of a file without what the bank has refused, before it says so. */
  async function sumOfFile() {
    const made = await instructed(pool, 2);
    const [paid, refused] = made as [Instructed, Instructed];
    const [entry] = await reported(server, [debit(paid.amount, `<PmtInfId>${paid.messageId}S</PmtInfId>`)], {
      message: '054',
    });
    assert.equal(entry.paymentReason, 'amount');
    await close();
    assert.notEqual((await shown(entry.entryId)).missingSince, null);
    return { paid, refused, entryId: entry.entryId as string };
  }

  test('by what the bank says later', async () => {
    const { paid, refused, entryId } = await sumOfFile();
    await reportedFile(server, statusReport(refused, 'RJCT', 'AC04'));
    assert.equal(await statusOf(paid), 'settled');
    await assertMissing(entryId);
  });

  test('by what a person says it is', async () => {
    const { paid, entryId } = await sumOfFile();
    await decide(entryId, 'match', { transactionId: typeId('txn', paid.row.id) });
    assert.equal(await statusOf(paid), 'settled');
    await assertMissing(entryId);
  });

  test('by a person who says that it is another one', async () => {
    const credit = (reference: string, amount: string) => ({
      ...{ amount, currency: 'EUR', reference },
      details: [txDtls('NO WORD')],
    });
    await reported(server, [credit('DOUBT', '71.00')], { message: '054' });
    const [doubt] = await reported(server, [credit('DOUBT', '72.00')], { message: '054' });
    assert.equal(doubt.paymentReason, 'same_reference_other_amount');
    await close();
    await decide(doubt.entryId, 'another', {});
    await assertMissing(doubt.entryId);
  });
});

test('a debit of nobody that is missing before it is looked at becomes work in place of that', async () => {
  const debits = ['<RtrInf><Rsn><Cd>FOCR</Cd></Rsn></RtrInf>', ''].map((after, index) =>
    debit('83.00', '', '', { reference: `EARLY-${index}`, details: [txDtls(`NOBODY ${index}`, { after })] }),
  );
  for (const entry of debits) {
    // A process ends between the imports and the work that follows them.
    await importedOnly(sandbox.desk, camt([entry], { currency: 'EUR', message: '054' }));
    await importedOnly(
      sandbox.desk,
      camt([], { currency: 'EUR', number: `${++statements}`, opening: '0.00', closing: '0.00' }),
    );
  }
  await entrySweep(sandbox.desk, silentLogger).run();
  const { rows } = await pool.query<{ id: string }>(
    `select e.id from entry_details e join bank_entries b on b.id = e.entry_id where b.bank_reference like 'EARLY%'`,
  );
  assert.equal(rows.length, 2);
  for (const { id } of rows) {
    const entry = await shown(typeId('ste', id));
    assert.deepEqual([entry.paymentState, entry.missingSince !== null], ['unknown', true]);
    const { body } = await server.call('GET', `/v1/operator/exceptions/${entry.exceptionId}`);
    assert.deepEqual([body.type, body.reason], ['payout_mismatch', 'unknown_debit']);
    await decide(entry.entryId, 'never-booked', {});
  }
});
