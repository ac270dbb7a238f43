import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { debit, e2e, reported } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { current, order, type Story, trade } from '../../test/support/stories.ts';
import type { Pool } from '../database/pool.ts';
import { confirm, settle } from '../payments/operate.ts';
import { previewRun } from '../payments/settlement-runs.ts';
import { typeId } from '../platform/ids.ts';

/** A debit that takes back one of several deposits, and nobody knows which. */

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

const get = async (path: string) => (await server.call('GET', `/v1/operator/${path}`)).body;
async function done(path: string, body: object) {
  const answer = await server.call('POST', `/v1/operator/${path}`, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}
const reason = 'asked the bank';

/** Deposits under one end-to-end id, each for a trade of its own. */
async function several(id: string, count: number) {
  const stories: Story[] = [];
  for (let n = 0; n < count; n++) stories.push(await trade(pool));
  const credits = stories.map(({ row }, n) => ({
    ...{ amount: '100000.00', currency: 'USD', reference: `${id}-${n}` },
    details: [txDtls(row.reference, { refs: e2e(id) })],
  }));
  const entries = await reported(server, credits, { currency: 'USD' });
  const told = async (message: '053' | '054' = '053') => {
    const details = [txDtls('RECALL', { refs: e2e(id), after: '<RtrInf><Rsn><Cd>FRAD</Cd></Rsn></RtrInf>' })];
    const recalled = debit('100000.00', '', '', { currency: 'USD', details });
    const [back] = await reported(server, [recalled], { currency: 'USD', message });
    return back;
  };
  const recall = async () => {
    const back = await told();
    assert.deepEqual([back.paymentState, back.paymentReason], ['mismatch', 'ambiguous']);
    return back.entryId as string;
  };
  return {
    told,
    parts: stories.map((story, n) => ({ ...story, depositId: entries[n].depositId as string })),
    recall,
  };
}
const stateOf = async ({ desk, row }: Story) => {
  const { payments, excluded } = await previewRun(desk, { currency: 'EUR', valueDate: '2026-03-06' });
  const left = excluded.find(({ due }) => due.customer_id === row.customer_id);
  return left?.reason ?? (payments.some((each) => each.customerId === row.customer_id) ? 'due' : 'nothing');
};
const exceptionOf = async (depositId: string) => (await get(`deposits/${depositId}`)).exception;
const HELD = { type: 'returned', reason: 'one_of_several_returned' };
async function resolve(depositId: string): Promise<void> {
  const { items } = await get(`exceptions?status=open&depositId=${depositId}`);
  await done(`exceptions/${items[0].exceptionId}/resolve`, { resolution: 'acknowledged', note: reason });
}

test('what each of them has paid for waits until a person has decided on it', async () => {
  const { parts, recall } = await several('BEGUN', 3);
  for (const { desk, row } of parts) await settle(desk, order(row));
  const [first, second, left] = parts as [(typeof parts)[0], (typeof parts)[0], (typeof parts)[0]];
  await confirm(left.desk, order(left.row), 'PAID');
  const entryId = await recall();
  assert.deepEqual([await stateOf(first), await stateOf(second)], ['deposit_returned', 'deposit_returned']);
  assert.deepEqual([await exceptionOf(first.depositId), await exceptionOf(second.depositId)], [HELD, HELD]);
  assert.equal(await exceptionOf(left.depositId), null, 'nothing of it is left to be held');
  await resolve(second.depositId);
  assert.deepEqual([await stateOf(first), await stateOf(second)], ['deposit_returned', 'due']);
  const debt = { as: 'customer_debt', customerId: typeId('cus', first.desk.customerId), reason };
  await done(`statement-entries/${entryId}/book`, debt);
  assert.equal(await stateOf(first), 'deposit_returned');
  await resolve(first.depositId);
});

test('who bears it names one of them, and the others are held no more', async () => {
  const { parts, recall } = await several('BORNE', 3);
  const [one, other, left] = parts as [(typeof parts)[0], (typeof parts)[0], (typeof parts)[0]];
  for (const { desk, row } of parts) await settle(desk, order(row));
  await confirm(left.desk, order(left.row), 'PAID');
  const [entryId, second] = [await recall(), await recall()];
  const book = (depositId: string, id = entryId) =>
    server.call('POST', `/v1/operator/statement-entries/${id}/book`, {
      as: 'house_funds',
      depositId,
      reason,
    });
  const stranger = await several('STRANGER', 1);
  assert.equal((await book(stranger.parts[0]?.depositId ?? '')).status, 409);
  const { items } = await get(`exceptions?status=open&depositId=${other.depositId}`);
  const { orders } = await get(`exceptions/${items[0].exceptionId}`);
  assert.deepEqual(
    orders.find(({ order: name }: { order: string }) => name === 'book'),
    {
      ...{ order: 'book', body: { depositId: other.depositId } },
      path: `/v1/operator/statement-entries/${entryId}/book`,
    },
  );
  assert.equal((await book(left.depositId)).status, 200);
  assert.deepEqual(await exceptionOf(other.depositId), HELD, 'the second debit may have taken it');
  assert.equal((await book(one.depositId, second)).status, 200);
  assert.deepEqual(
    [await exceptionOf(one.depositId), await exceptionOf(other.depositId), await stateOf(other)],
    [HELD, null, 'due'],
  );
  const closed = await get(`exceptions/${items[0].exceptionId}`);
  assert.deepEqual([closed.status, closed.resolution], ['resolved', 'recall_of_another']);
  await resolve(one.depositId);
});

test('a debit whose file is withdrawn holds none of them, and all of them when it comes again', async () => {
  const { parts, recall } = await several('WITHDRAWN', 2);
  const exceptions = () => Promise.all(parts.map(({ depositId }) => exceptionOf(depositId)));
  await recall();
  const { items: files } = await get('statements?limit=1');
  await done(`statements/${files[0].fileId}/withdraw`, { reason });
  assert.deepEqual(await exceptions(), [null, null]);
  const entryId = await recall();
  assert.deepEqual(await exceptions(), [HELD, HELD]);
  await done(`statement-entries/${entryId}/book`, { as: 'house_funds', reason });
  assert.deepEqual(await exceptions(), [HELD, HELD], 'nobody has said which it is of');
  for (const { depositId } of parts) await resolve(depositId);
});

test('a debit that the bank never booked holds none of them', async () => {
  const { parts, told } = await several('NEVER', 2);
  const { entryId } = await told('054');
  const exceptions = () => Promise.all(parts.map(({ depositId }) => exceptionOf(depositId)));
  assert.deepEqual(await exceptions(), [HELD, HELD]);
  const balances = { opening: '0.00', closing: '0.00', number: '1' };
  await reported(server, [], { currency: 'USD', date: '2026-03-04', ...balances });
  await done(`statement-entries/${entryId}/never-booked`, { reason });
  assert.deepEqual(await exceptions(), [null, null]);
});

test('the one that a person names is taken back, and the other one pays', async () => {
  const { parts, recall } = await several('NAMED', 2);
  const entryId = await recall();
  const [one, other] = parts as [(typeof parts)[0], (typeof parts)[0]];
  await done(`deposits/${one.depositId}/return`, { returnedBy: 'remitter_bank', reason });
  await done(`statement-entries/${entryId}/match`, { depositId: one.depositId, reason });
  assert.deepEqual([await exceptionOf(one.depositId), await exceptionOf(other.depositId)], [null, null]);
  assert.equal((await current(one.desk, one.row)).status, 'awaiting_funds');
  await settle(other.desk, order(other.row));
  assert.equal(await stateOf(other), 'due');
});

test('a debit that a person has told of before takes no other one back', async () => {
  const { parts, told } = await several('BEFORE', 2);
  const [one, other] = parts as [(typeof parts)[0], (typeof parts)[0]];
  await done(`deposits/${one.depositId}/return`, { returnedBy: 'remitter_bank', reason });
  const first = await told();
  assert.deepEqual([first.paymentState, first.returnedDepositId], ['known', one.depositId]);
  assert.equal((await current(other.desk, other.row)).status, 'funded');
  const second = await told();
  assert.deepEqual([second.paymentState, second.returnedDepositId], ['applied', other.depositId]);
});

test('one of them that nobody had a use for is given to a trade by a person, and paid on when that is decided', async () => {
  const credits = ['A', 'B'].map((word) => ({
    ...{ amount: '100000.00', currency: 'USD', reference: `FREE-${word}` },
    details: [txDtls(`${word} WITHOUT A REFERENCE`, { refs: e2e('FREE') })],
  }));
  const [{ depositId }] = await reported(server, credits, { currency: 'USD' });
  const details = [
    txDtls('RECALL', { refs: e2e('FREE'), after: '<RtrInf><Rsn><Cd>FRAD</Cd></Rsn></RtrInf>' }),
  ];
  const back = debit('100000.00', '', '', { currency: 'USD', details });
  const [recalled] = await reported(server, [back], { currency: 'USD' });
  assert.deepEqual(await exceptionOf(depositId), HELD);
  const { items } = await get(`exceptions?status=open&depositId=${depositId}`);
  const { orders } = await get(`exceptions/${items[0].exceptionId}`);
  const path = `/v1/operator/statement-entries/${recalled.entryId}/book`;
  const borne = await server.call('POST', path, { as: 'house_funds', depositId, reason });
  assert.equal(borne.status, 409, 'its money is still there');
  assert.deepEqual(
    orders.map(({ order: name }: { order: string }) => name),
    ['match', 'return', 'assign'],
  );
  const story = await trade(pool);
  const allocations = [{ transactionId: typeId('txn', story.row.id) }];
  await done(`deposits/${depositId}/match`, { allocations, reason });
  await settle(story.desk, order(story.row));
  assert.equal(await stateOf(story), 'deposit_returned');
  await resolve(depositId);
  assert.equal(await stateOf(story), 'due');
});
