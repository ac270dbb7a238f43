import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import {
  debit,
  e2e,
  type Instructed,
  instructedOne,
  reported,
  reportedFile,
  statusOf,
} from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { AS_SECOND, createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { current, fund, order } from '../../test/support/stories.ts';
import { createDesk } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';
import { settle } from './operate.ts';
import { createRun } from './settlement-runs.ts';

/** A file whose run was cancelled after somebody had it, and what its bank says of it. */

const EUR = { currency: 'EUR', valueDate: '2026-03-06' };

let pool: Pool;
let server: OperatorServer;
before(async () => {
  ({ pool, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertBankAgrees(pool);
});

const pathOf = (runId: string) => `/v1/operator/settlement-runs/${typeId('run', runId)}`;
const download = (runId: string) => server.raw('GET', `${pathOf(runId)}/files/pain.001`);

async function cancelledByTwo({ runId }: Pick<Instructed, 'runId'>): Promise<void> {
  await download(runId);
  const proposed = await server.call('POST', `${pathOf(runId)}/cancel`, { reason: 'the bank takes it back' });
  const approved = await server.call('POST', `${proposed.headers.location}/approve`, undefined, AS_SECOND);
  assert.equal(approved.status, 200, JSON.stringify(approved.body));
}

const remade = async ({ desk }: Instructed) => (await createRun(desk, EUR, desk.clientId)).id;
const paymentsOf = async (runId: string) =>
  (await server.call('GET', `${pathOf(runId)}/payments?limit=200`)).body.items;

const RJCT = '<StsRsnInf><Rsn><Cd>AM05</Cd></Rsn></StsRsnInf>';
const REPORTS: Readonly<Record<string, (made: Instructed) => { group?: string; blocks?: string }>> = {
  file: () => ({ group: `<GrpSts>RJCT</GrpSts>${RJCT}` }),
  block: ({ messageId }) => ({
    blocks: `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${messageId}S</OrgnlPmtInfId><PmtInfSts>RJCT</PmtInfSts>${RJCT}</OrgnlPmtInfAndSts>`,
  }),
  payment: ({ messageId, endToEndId, uetr }) => ({
    blocks: `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${messageId}S</OrgnlPmtInfId><TxInfAndSts><OrgnlEndToEndId>${endToEndId}</OrgnlEndToEndId><OrgnlUETR>${uetr}</OrgnlUETR><TxSts>RJCT</TxSts>${RJCT}</TxInfAndSts></OrgnlPmtInfAndSts>`,
  }),
};

function rejection(level: string, made: Instructed): string {
  const { group = '', blocks = '' } = REPORTS[level]?.(made) ?? {};
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
<GrpHdr><MsgId>${level}</MsgId><CreDtTm>2026-03-04T10:00:00Z</CreDtTm></GrpHdr>
<OrgnlGrpInfAndSts><OrgnlMsgId>${made.messageId}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>${group}</OrgnlGrpInfAndSts>
${blocks}</CstmrPmtStsRpt></Document>
`;
}

describe('a bank that rejects the file of a cancelled run', () => {
  for (const level of Object.keys(REPORTS)) {
    test(`says nothing of what was made in its place: ${level}`, async () => {
      const made = await instructedOne(pool);
      await cancelledByTwo(made);
      const again = await remade(made);
      assert.equal((await download(again)).statusCode, 200);
      const fileId = await reportedFile(server, rejection(level, made));
      assert.equal(await statusOf(made), 'settling');
      const [payment] = await paymentsOf(again);
      assert.deepEqual([payment.bankStatus, payment.items[0].state], [null, 'sent']);
      const said = await server.call('GET', `/v1/operator/statements/${fileId}/payment-statuses`);
      assert.deepEqual(
        said.body.items.map((each: Record<string, unknown>) => [each.level, each.state]),
        [[level, 'known']],
      );
      // Neither does it show that the bank has the new file.
      assert.equal((await server.call('POST', `${pathOf(again)}/cancel`)).status, 202);
      assert.equal((await server.call('POST', `${pathOf(again)}/mark-sent`)).status, 200);
      await reported(server, [debit(made.amount, e2e(made.endToEndId))]);
      assert.equal(await statusOf(made), 'settled');
    });
  }

  test('leaves due what is in no other run yet', async () => {
    const made = await instructedOne(pool);
    await cancelledByTwo(made);
    await reportedFile(server, rejection('file', made));
    assert.equal(await statusOf(made), 'settling');
    const [payment] = await paymentsOf(await remade(made));
    assert.equal(payment.endToEndId, made.endToEndId);
    await reported(server, [debit(made.amount, e2e(made.endToEndId))]);
    assert.equal(await statusOf(made), 'settled');
  });
});

test('what the bank pays by the file of a cancelled run is not paid again by another one', async () => {
  const desk = await createDesk(pool);
  await pool.query(`update customers set settings = '{"paymentNetting": true}' where id = $1`, [
    desk.customerId,
  ]);
  const settling = async () => {
    const row = await desk.execute(await desk.quote({ amount: '1000.00' }));
    await fund(desk, row);
    return settle(desk, order(row));
  };
  const [first, one] = [await settling(), await createRun(desk, EUR, desk.clientId)];
  await cancelledByTwo({ runId: one.id });
  await settling();
  // With what has come since it is another payment, which no bank takes for the first.
  const two = await createRun(desk, EUR, desk.clientId);
  assert.equal(two.payment_count, 1);
  await download(two.id);
  const [paid] = await paymentsOf(one.id);
  await reported(server, [debit(paid.amount, e2e(paid.endToEndId))]);
  assert.equal((await current(desk, first)).status, 'settled');
  const sent = await server.call('POST', `${pathOf(two.id)}/mark-sent`);
  assert.deepEqual([sent.status, sent.body.code], [409, 'invalid_state_transition']);
  assert.match(sent.body.detail, /^1 of its payments can no longer be made/);
  assert.equal((await server.call('POST', `${pathOf(two.id)}/cancel`)).status, 202);
});
