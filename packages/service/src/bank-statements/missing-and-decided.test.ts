import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { debit } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { AS_SECOND, createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { type Sandbox, silentLogger } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';
import { entrySweep } from './book-entries.ts';
import { importFile } from './import-file.ts';

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

/** By a second person too, where it takes one. */
async function decide(entryId: string, verb: string, body: object): Promise<void> {
  const asked = await server.call('POST', `/v1/operator/statement-entries/${entryId}/${verb}`, {
    reason: 'seen',
    ...body,
  });
  const path = `/v1/operator/approvals/${asked.body.approvalId}/approve`;
  const done = asked.status === 202 ? await server.call('POST', path, {}, AS_SECOND) : asked;
  assert.equal(done.status, 200, JSON.stringify(done.body));
}

let statements = 0;

test('a debit of nobody that is missing before it is looked at becomes work in place of that', async () => {
  const debits = ['<RtrInf><Rsn><Cd>FOCR</Cd></Rsn></RtrInf>', ''].map((after, index) =>
    debit('83.00', '', '', { reference: `EARLY-${index}`, details: [txDtls(`NOBODY ${index}`, { after })] }),
  );
  for (const entry of debits) {
    // A process ends between the imports and the work that follows them.
    await taken(camt([entry], { currency: 'EUR', message: '054' }));
    await taken(camt([], { currency: 'EUR', number: `${++statements}`, opening: '0.00', closing: '0.00' }));
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

async function taken(file: string): Promise<void> {
  const bytes = Buffer.from(file);
  const { outcome } = await importFile(sandbox.desk, {
    name: 'taken.xml',
    sha256: hash('sha256', bytes),
    sizeBytes: bytes.length,
    bytes: {
      async *open() {
        yield bytes;
      },
    },
    source: 'command',
  });
  assert.equal(outcome, 'accepted');
}
