import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { reported } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { approved, createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { order, type Story, trade } from '../../test/support/stories.ts';
import type { Pool } from '../database/pool.ts';
import { settle } from '../payments/operate.ts';
import { typeId } from '../platform/ids.ts';

/** A deposit that its remitter's bank has taken back while a payout rests on it: no other work on it lets the payout go. */

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

let credits = 0;

async function arrived(amount: string): Promise<string> {
  const credit = { amount, reference: `PART-${++credits}`, details: [txDtls(`number ${credits}`)] };
  const [entry] = await reported(server, [credit], { currency: 'USD' });
  assert.ok(entry.depositId, JSON.stringify(entry));
  return `/v1/operator/deposits/${entry.depositId}`;
}

/** By a second person too, where it takes one. @returns the deposit as it is then */
async function work(url: string, verb: string, body: object) {
  const done = await approved(
    server,
    await server.call('POST', `${url}/${verb}`, { reason: 'seen', ...body }),
  );
  assert.equal(done.status, 200, JSON.stringify(done.body));
  return (await server.call('GET', url)).body;
}
const idOf = ({ row }: Story) => typeId('txn', row.id);

/** The remitter's bank takes it back, after the payout of this trade has begun. */
async function takeBack(url: string, { desk, row }: Story): Promise<void> {
  await settle(desk, order(row));
  const deposit = await work(url, 'return', { returnedBy: 'remitter_bank' });
  assert.deepEqual(deposit.exception, {
    ...deposit.exception,
    type: 'returned',
    reason: 'transaction_settling',
  });
}

async function assertHeld(url: string, story: Story): Promise<void> {
  const { exception } = (await server.call('GET', url)).body;
  assert.equal(exception?.type, 'returned');
  const query = 'currency=EUR&valueDate=2026-03-06';
  const { body } = await server.call('GET', `/v1/operator/settlement-runs/preview?${query}`);
  const left = body.excluded.find((each: { transactionId: string }) => each.transactionId === idOf(story));
  assert.equal(left?.reason, 'deposit_returned');
}

test('unmatching another part of it', async () => {
  const [url, one, two] = [await arrived('200000.00'), await trade(pool), await trade(pool)];
  await work(url, 'match', { allocations: [one, two].map((each) => ({ transactionId: idOf(each) })) });
  await takeBack(url, one);
  await work(url, 'unmatch', { transactionId: idOf(two) });
  await assertHeld(url, one);
});

test('matching what is left of it, or giving it to a balance', async () => {
  for (const to of ['match', 'balance']) {
    const [url, one, two] = [await arrived('200000.00'), await trade(pool), await trade(pool)];
    await work(url, 'match', { allocations: [{ transactionId: idOf(one) }] });
    await takeBack(url, one);
    const rest =
      to === 'match'
        ? { allocations: [{ transactionId: idOf(two) }] }
        : { balance: { customerId: typeId('cus', two.desk.customerId) } };
    await work(url, 'match', rest);
    await assertHeld(url, one);
  }
});

test('a return of the rest, and its end', async () => {
  const [url, one] = [await arrived('100500.00'), await trade(pool)];
  await work(url, 'match', { allocations: [{ transactionId: idOf(one) }] });
  await takeBack(url, one);
  const account = { accountHolder: 'Payer Ltd', iban: 'DE02120300000000202051' };
  const { returns } = await work(url, 'return', { returnedBy: 'house', account });
  await assertHeld(url, one);
  await work(url, `returns/${returns[0].returnId}/cancel`, {});
  await assertHeld(url, one);
});
