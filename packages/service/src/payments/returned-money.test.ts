import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { txDtls } from '../../../bank-formats/src/test-support.ts';
import { e2e, reported, reportedFile, statusReport } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { type Sandbox, silentLogger } from '../../test/support/sandbox.ts';
import { current, order, refusal, type Story, trade } from '../../test/support/stories.ts';
import type { Pool } from '../database/pool.ts';
import { failedReturnsSweep } from '../deposits/operate-return.ts';
import { typeId } from '../platform/ids.ts';
import { markSent } from './end-run.ts';
import { endTransaction } from './end-transaction.ts';
import { fail, settle } from './operate.ts';
import { createRun, previewRun } from './settlement-runs.ts';
import { settlementSweep } from './sweeps.ts';

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
});

const BY = '0195f000-0000-7000-8000-00000000000a';
const EUROS = { currency: 'EUR', valueDate: '2026-03-06' } as const;
let payments = 0;

/** A trade that a payment of a customer has paid, and the bank's taking that back. */
async function paid(
  amount: string,
): Promise<
  Story & { readonly depositId: string; recall(other?: string, currency?: string): Promise<string> }
> {
  const story = await trade(pool);
  const id = `PAID-${++payments}`;
  const credit = { amount, reference: `IN-${id}`, details: [txDtls(story.row.reference, { refs: e2e(id) })] };
  const [entry] = await reported(server, [credit], { currency: 'USD' });
  const after = '<RtrInf><Rsn><Cd>FRAD</Cd></Rsn></RtrInf>';
  const back = {
    ...{ direction: 'DBIT' as const, reference: `OUT-${id}` },
    details: [txDtls('FRAUD', { refs: e2e(id), after })],
  };
  return {
    ...story,
    depositId: entry.depositId,
    async recall(other = amount, currency = 'USD') {
      const [told] = await reported(server, [{ ...back, currency, amount: other }], { currency });
      assert.equal(told.paymentState, 'mismatch', JSON.stringify(told));
      return entry.depositId;
    },
  };
}
async function resolve(depositId: string): Promise<void> {
  const { body } = await server.call('GET', `/v1/operator/exceptions?status=open&depositId=${depositId}`);
  const [{ exceptionId }] = body.items.filter((each: { depositId: string }) => each.depositId === depositId);
  const path = `/v1/operator/exceptions/${exceptionId}/resolve`;
  const done = await server.call('POST', path, {
    resolution: 'acknowledged',
    note: 'the customer pays again',
  });
  assert.equal(done.status, 200, JSON.stringify(done.body));
}

async function assertWaitsForPerson(desk: Story['desk'], depositId: string): Promise<void> {
  const reasonOf = async () => {
    const { payments: due, excluded } = await previewRun(desk, EUROS);
    const left = excluded.find(({ due: payment }) => payment.customer_id === desk.customerId);
    return left?.reason ?? (due.some((each) => each.customerId === desk.customerId) ? 'due' : 'nothing');
  };
  assert.equal(await reasonOf(), 'deposit_returned');
  await resolve(depositId);
  assert.equal(await reasonOf(), 'due');
}

test('a payout that has begun goes into no run after its money was taken back, until a person decides', async () => {
  const { desk, row, recall } = await paid('100000.00');
  await settle(desk, order(row));
  const depositId = await recall();
  const seen = await previewRun(desk, EUROS);
  assert.deepEqual(
    [seen.payments.length, seen.excluded.map(({ reason }) => reason)],
    [0, ['deposit_returned']],
  );
  assert.equal((await refusal(createRun(desk, EUROS, BY))).code, 'nothing_to_settle');
  await resolve(depositId);
  assert.equal((await previewRun(desk, EUROS)).payments.length, 1);
  // And none that is in a file leaves.
  const run = await createRun(desk, EUROS, BY);
  assert.equal((await markSent(desk, { runId: run.id, ifMatch: undefined, by: BY })).status, 'sent');
});

test('a file is not sent that pays what was paid with money that was taken back since', async () => {
  const { desk, row, recall } = await paid('100000.00');
  await settle(desk, order(row));
  const run = await createRun(desk, EUROS, BY);
  await recall();
  const refused = await refusal(markSent(desk, { runId: run.id, ifMatch: undefined, by: BY }));
  assert.match(refused.message, /deposit_returned/);
});

for (const how of ['and that is due', 'and that was told by phone', 'and a person matched the debit']) {
  test(`a payout waits whose money was taken back, also when the house sends back what was too much of it, ${how}`, async () => {
    const { desk, row, depositId, recall } = await paid('101000.00');
    const path = `/v1/operator/deposits/${depositId}`;
    const account = { accountHolder: 'Payer Ltd', iban: 'DE02120300000000202051' };
    const part = { returnedBy: 'house', amount: '1000.00', account, reason: 'too much' };
    const { body } = await server.call('POST', `${path}/return`, part);
    assert.equal(body.returnedAmount, '1000.00', JSON.stringify(body));
    if (how.endsWith('debit')) {
      const out = { amount: '1000.00', direction: 'DBIT' as const, reference: `PART-${depositId}` };
      const [{ entryId }] = await reported(server, [out], { currency: 'USD' });
      const matched = { depositId, reason: 'seen' };
      const done = await server.call('POST', `/v1/operator/statement-entries/${entryId}/match`, matched);
      assert.equal(done.status, 200, JSON.stringify(done.body));
    } else if (how.endsWith('phone')) {
      const confirmed = { bankReference: `BACK-${depositId}`, reason: 'told by phone' };
      const done = await server.call('POST', `${path}/returns/${body.returns[0].returnId}/paid`, confirmed);
      assert.equal(done.status, 200, JSON.stringify(done.body));
    }
    await settle(desk, order(row));
    await recall();
    await assertWaitsForPerson(desk, depositId);
  });
}

test('a payout waits whose money was taken back less a charge, or with more', async () => {
  for (const other of ['99985.00', '100015.00']) {
    const { desk, row, depositId, recall } = await paid('100000.00');
    await settle(desk, order(row));
    await recall(other);
    await assertWaitsForPerson(desk, depositId);
  }
});

test('a payout waits whose money was taken back in another currency', async () => {
  const { desk, row, depositId, recall } = await paid('100000.00');
  await settle(desk, order(row));
  await recall('91000.00', 'EUR');
  await assertWaitsForPerson(desk, depositId);
});

test('money of which another amount was taken back than had come is left to a person, and to no rule', async () => {
  const id = 'BEFORE-ITS-TRADE';
  const credit = { amount: '100000.00', reference: id, details: [txDtls('INVOICE', { refs: e2e(id) })] };
  const [entry] = await reported(server, [credit], { currency: 'USD' });
  const after = '<RtrInf><Rsn><Cd>FRAD</Cd></Rsn></RtrInf>';
  const details = [txDtls('FRAUD', { refs: e2e(id), after })];
  const back = { amount: '99985.00', direction: 'DBIT' as const, reference: `OUT-${id}`, details };
  await reported(server, [back], { currency: 'USD' });
  const deposit = `/v1/operator/deposits/${entry.depositId}`;
  const { body } = await server.call('GET', deposit);
  assert.deepEqual(body.exception, { type: 'returned', reason: 'other_amount_returned' });
});

describe('a deposit that the house sends back', () => {
  const account = { accountHolder: 'Payer Ltd', iban: 'DE02120300000000202051' };
  const post = async (path: string, body: object) => {
    const done = await server.call('POST', `/v1/operator/deposits/${path}`, { reason: 'seen', ...body });
    assert.equal(done.status, 200, JSON.stringify(done.body));
    return done.body;
  };
  /** A deposit of nobody, and the bank's taking it back. */
  async function stray(amount: string) {
    const id = `STRAY-${++payments}`;
    const credit = { amount, reference: `IN-${id}`, details: [txDtls('INVOICE', { refs: e2e(id) })] };
    const [{ depositId }] = await reported(server, [credit], { currency: 'USD' });
    const after = '<RtrInf><Rsn><Cd>FRAD</Cd></Rsn></RtrInf>';
    const details = [txDtls('FRAUD', { refs: e2e(id), after })];
    const recall = (other: string) =>
      reported(server, [{ amount: other, direction: 'DBIT', reference: `OUT-${id}`, details }], {
        currency: 'USD',
      });
    const sendBack = () => post(`${depositId}/return`, { returnedBy: 'house', account });
    const stateOf = async () => {
      const { desk } = await trade(pool);
      const { payments: due, excluded } = await previewRun(desk, { ...EUROS, currency: 'USD' });
      const minor = BigInt(amount.replace('.', ''));
      const left = excluded.find(({ due: payment }) => BigInt(payment.amount_minor) === minor);
      return left?.reason ?? (due.some((each) => each.amountMinor === minor) ? 'due' : 'nothing');
    };
    return { depositId, recall, sendBack, stateOf };
  }

  test('waits when another amount of it is taken back, though nothing else of it is left', async () => {
    const { depositId, recall, sendBack, stateOf } = await stray('50001.00');
    await sendBack();
    assert.equal(await stateOf(), 'due');
    await recall('49986.00');
    assert.equal(await stateOf(), 'deposit_returned');
    await resolve(depositId);
    assert.equal(await stateOf(), 'due');
  });

  test('waits when it is ordered after another amount of it was taken back', async () => {
    const { depositId, recall, sendBack, stateOf } = await stray('50002.00');
    await recall('49987.00');
    await sendBack();
    assert.equal(await stateOf(), 'deposit_returned');
    await resolve(depositId);
    assert.equal(await stateOf(), 'due');
  });

  for (const how of ['cancelled', 'rejected by the bank']) {
    test(`pays for no payout when its return is ${how} and its remitter's bank has taken it back`, async () => {
      const { desk, row } = await trade(pool);
      const { depositId, recall, sendBack } = await stray('100000.00');
      const [{ returnId, reference: endToEndId }] = (await sendBack()).returns;
      if (how === 'cancelled') {
        await recall('100000.00');
        await post(`${depositId}/returns/${returnId}/cancel`, {});
      } else {
        const run = await createRun(desk, { ...EUROS, currency: 'USD' }, BY);
        await recall('100000.00');
        await reportedFile(server, statusReport({ messageId: run.message_id, endToEndId }, 'RJCT', 'AC04'));
        assert.equal(await failedReturnsSweep(sandbox.desk, silentLogger).run(), 1);
      }
      await post(`${depositId}/match`, { allocations: [{ transactionId: typeId('txn', row.id) }] });
      await settle(desk, order(row));
      await assertWaitsForPerson(desk, depositId);
    });
  }
});

test('a payout waits whose money was taken away from another trade after a part of it was taken back', async () => {
  const { desk, row } = await trade(pool);
  const { depositId, recall } = await paid('100000.00');
  await recall('60000.00');
  for (const [verb, body] of [
    ['unmatch', {}],
    ['match', { allocations: [{ transactionId: typeId('txn', row.id) }] }],
  ] as const) {
    const done = await server.call('POST', `/v1/operator/deposits/${depositId}/${verb}`, {
      ...body,
      reason: 'seen',
    });
    assert.equal(done.status, 200, JSON.stringify(done.body));
  }
  await settle(desk, order(row));
  await assertWaitsForPerson(desk, depositId);
});

test('a trade is not released whose money was taken back after what was too much of it had been refunded', async () => {
  const { desk, row, recall } = await paid('101000.00');
  const path = `/v1/operator/transactions/${typeId('txn', row.id)}`;
  assert.equal((await server.call('POST', `${path}/refund-excess`, {})).status, 200);
  await recall();
  assert.equal((await current(desk, row)).status, 'funded');
  desk.clock.set(Date.UTC(2026, 2, 6, 9));
  await settlementSweep(desk).run();
  assert.equal((await current(desk, row)).status, 'funded');
});

test('a withdrawal of a balance whose money was taken back since leaves in no file', async () => {
  const customer = await trade(pool);
  const customerId = typeId('cus', customer.desk.customerId);
  const credit = { amount: '900.00', reference: 'IN-TOP', details: [txDtls('TOP UP', { refs: e2e('TOP') })] };
  const [entry] = await reported(server, [credit], { currency: 'USD' });
  const post = async (path: string, body: object) => {
    const key = { 'idempotency-key': path };
    const done = await server.call('POST', `/v1/operator/${path}`, body, key);
    assert.ok(done.status < 300, JSON.stringify(done.body));
    return done.body;
  };
  await post(`deposits/${entry.depositId}/match`, { balance: { customerId }, reason: 'told by phone' });
  const withdrawal = { currency: 'USD', amount: '900.00', reason: 'asked by letter' };
  await post(`customers/${customerId}/balances/withdrawals`, withdrawal);
  const run = await createRun(customer.desk, { currency: 'USD', valueDate: '2026-03-06' }, BY);
  await post(`deposits/${entry.depositId}/return`, { returnedBy: 'remitter_bank', reason: 'fraud' });
  const sending = () => markSent(customer.desk, { runId: run.id, ifMatch: undefined, by: BY });
  assert.match((await refusal(sending())).message, /deposit_returned/);
  await resolve(entry.depositId);
  assert.equal((await sending()).status, 'sent');
});

test('a refund has gone back by the debit that took its money back, and does not go a second time', async () => {
  const { desk, row, depositId, recall } = await paid('100000.00');
  await settle(desk, order(row));
  await fail(desk, order(row), undefined, undefined);
  await endTransaction(desk, order(row));
  const dueOf = async () => {
    const { payments: due, excluded } = await previewRun(desk, { ...EUROS, currency: 'USD' });
    const left = excluded.find(({ due: payment }) => payment.customer_id === desk.customerId);
    return left?.reason ?? (due.some((each) => each.customerId === desk.customerId) ? 'due' : 'nothing');
  };
  assert.equal(await dueOf(), 'due');
  await recall();
  assert.equal(await dueOf(), 'deposit_returned');
  const query =
    'account=GB29NWBK60161331926819&from=2026-03-01&to=2026-03-31&paymentState=mismatch&limit=200';
  const { body } = await server.call('GET', `/v1/operator/statement-entries?${query}`);
  const back = body.items.find((each: { returnedDepositId: string }) => each.returnedDepositId === depositId);
  const match = { transactionId: typeId('txn', row.id), purpose: 'refund', reason: 'it went back like this' };
  const done = await server.call('POST', `/v1/operator/statement-entries/${back.entryId}/match`, match);
  assert.equal(done.status, 200, JSON.stringify(done.body));
  await resolve(depositId);
  assert.equal(await dueOf(), 'nothing');
  assert.equal(JSON.parse((await current(desk, row)).refund ?? '').status, 'paid');
});
