import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type CamtEntry, camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { debit, e2e, entriesOf, reported, reportedFile } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { order, trade } from '../../test/support/stories.ts';
import type { Pool } from '../database/pool.ts';
import { settle } from '../payments/operate.ts';

/** A debit that takes a deposit back and comes to nothing does not stand in the way of the one that does. */

let pool: Pool;
let server: OperatorServer;
before(async () => {
  ({ pool, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
  await assertBankAgrees(pool);
});

const post = async (path: string, body: object) => {
  const answer = await server.call('POST', `/v1/operator/${path}`, { reason: 'the bank says so', ...body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
};
const takenBack = (id: string, booked: string): CamtEntry =>
  debit('100000.00', '', '', {
    currency: 'USD',
    booked,
    details: [txDtls('RECALL', { refs: e2e(id), after: '<RtrInf><Rsn><Cd>FOCR</Cd></Rsn></RtrInf>' })],
  });

/** A deposit of a trade whose payout has begun, and the notification of a debit that takes it back. */
async function recalled(id: string, booked: string) {
  const { desk, row } = await trade(pool);
  const paid = { amount: '100000.00', currency: 'USD', reference: `REF-${id}`, booked };
  const [credit] = await reported(
    server,
    [{ ...paid, details: [txDtls(row.reference, { refs: e2e(id) })] }],
    {
      currency: 'USD',
      message: '054',
    },
  );
  await settle(desk, order(row));
  const file = camt([takenBack(id, booked)], { currency: 'USD', message: '054' });
  const fileId = await reportedFile(server, file);
  const [back] = await entriesOf(server, fileId);
  assert.deepEqual([back.paymentReason, back.returnedDepositId], ['payout_begun', credit.depositId]);
  return { credit, back, fileId };
}

async function assertTakesBack(id: string, booked: string, depositId: string): Promise<void> {
  const [real] = await reported(server, [takenBack(id, booked)], { currency: 'USD', message: '054' });
  assert.deepEqual(
    [real.sameAs, real.paymentReason, real.returnedDepositId],
    [null, 'payout_begun', depositId],
  );
}

test('one whose file was withdrawn', async () => {
  const { credit, fileId } = await recalled('ANEW-1', '2026-03-03');
  await post(`statements/${fileId}/withdraw`, {});
  await assertTakesBack('ANEW-1', '2026-03-04', credit.depositId);
});

test('one that the bank has never booked', async () => {
  const { credit, back } = await recalled('ANEW-2', '2026-03-03');
  const day = { currency: 'USD', date: '2026-03-03', opening: '0.00', closing: '100000.00', number: '1' };
  const listed = { amount: '100000.00', currency: 'USD', reference: 'REF-ANEW-2', booked: '2026-03-03' };
  await reported(server, [{ ...listed, details: [txDtls('THE SAME', { refs: e2e('ANEW-2') })] }], day);
  await post(`statement-entries/${back.entryId}/never-booked`, {});
  await assertTakesBack('ANEW-2', '2026-03-04', credit.depositId);
});
