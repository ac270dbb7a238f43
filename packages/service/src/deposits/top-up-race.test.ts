import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createManualDesk, type ManualDesk } from '../../test/support/manual-desk.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { createDesk } from '../../test/support/trading.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import type { Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';

const ROUNDS = 12;
let pool: Pool;
let desk: ManualDesk;
let cus: string;
let reference: string;
let bookings = 0;

before(async () => {
  ({ pool } = await createTestDatabase({ connections: 12 }));
  desk = await createManualDesk(pool);
  const { customerId } = desk.sandbox.desk;
  cus = typeId('cus', customerId);
  const settings = JSON.stringify({ fundingMode: 'pre_funded' });
  await pool.query('update customers set settings = $2 where id = $1', [customerId, settings]);
  reference = (await desk.call('GET', `/v1/operator/customers/${cus}/balances`)).body.topUpReference;
});
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
});
after(() => desk.close());

const byHand = (bankReference: string, amount = '30.00') =>
  desk.call('POST', `/v1/operator/customers/${cus}/balances/top-ups`, {
    ...{ currency: 'USD', amount, bankReference },
  });
const reported = (bankReference: string, remittanceText: string | undefined, amount = '30.00') =>
  desk.call('POST', '/v1/operator/deposits', {
    bankReference,
    amount,
    currency: 'USD',
    remitterName: 'Test customer',
    ...(remittanceText === undefined ? {} : { remittanceText }),
  });
async function availableMinor(): Promise<bigint> {
  const { rows } = await pool.query<{ minor: string }>(
    "select coalesce(sum(-balance), 0) as minor from balances where customer_id = $1 and account = 'customer_balance'",
    [desk.sandbox.desk.customerId],
  );
  return BigInt(rows[0]?.minor ?? '0');
}

/** Lets the given begin one after the other, each up to where it waits for the customer's balance, and then go on. */
async function meeting<T>(begins: readonly (() => Promise<T>)[]): Promise<T[]> {
  const blocker = await pool.connect();
  const started: Promise<T>[] = [];
  try {
    await blocker.query('begin');
    await blocker.query('select from customer_usage where customer_id = $1 for update', [
      desk.sandbox.desk.customerId,
    ]);
    for (const [index, begin] of begins.entries()) {
      started.push(begin());
      await untilLocked(pool, index + 1);
    }
  } finally {
    await blocker.query('commit');
    blocker.release();
  }
  return Promise.all(started);
}

describe('a top-up by hand and the deposit that it was made for, at the same moment', () => {
  for (const first of ['by hand', 'deposit'] as const) {
    test(`the balance is credited once, ${first} first`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const was = await availableMinor();
        const bankReference = `RACE-${++bookings}`;
        const both = [() => byHand(bankReference), () => reported(bankReference, reference)];
        const replies = await meeting(first === 'by hand' ? both : both.reverse());
        assert.equal(
          (await availableMinor()) - was,
          3_000n,
          JSON.stringify(replies.map((each) => each.body)),
        );
        const [one, other] = replies;
        assert.equal(one?.status, 201);
        if (first === 'by hand') assert.equal(other?.body.allocations[0].matchRule, 'top_up_by_hand');
        else assert.equal(other?.body.code, 'already_exists');
      }
    });
  }

  test('a deposit for a trade of the customer is not credited as well', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const row = await desk.small();
      const was = await availableMinor();
      const bankReference = `TRADE-${++bookings}`;
      const top = () => byHand(bankReference, '5000.00');
      const deposit = () => reported(bankReference, row.reference, '5000.00');
      const isFirst = round % 2 === 0;
      const replies = await meeting(isFirst ? [top, deposit] : [deposit, top]);
      const given = (await availableMinor()) - was;
      const [first, second] = replies.map(({ body }) => body);
      if (isFirst) {
        assert.deepEqual(second.exception, { type: 'duplicate', reason: 'topped_up_by_hand' });
        assert.equal(given, 500_000n);
      } else {
        assert.deepEqual([first.status, second.code, given], ['matched', 'already_exists', 0n]);
        assert.equal(second.depositId, first.depositId);
      }
    }
  });

  test('and a deposit that a person gives to the balance by hand', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const was = await availableMinor();
      const bankReference = `HAND-${++bookings}`;
      const { depositId } = (await reported(bankReference, undefined)).body;
      const give = () =>
        desk.call('POST', `/v1/operator/deposits/${depositId}/match`, {
          balance: { customerId: cus },
          reason: 'theirs',
        });
      const both = [() => byHand(bankReference), give];
      const replies = await meeting(round % 2 === 0 ? both : both.reverse());
      assert.deepEqual(replies.map((each) => each.body.code ?? 'done').sort(), ['already_exists', 'done']);
      assert.equal((await availableMinor()) - was, 3_000n);
    }
  });
});

test('a person who says that both are there credits both, and nobody does by mistake', async () => {
  const bankReference = `SEEN-${++bookings}`;
  assert.equal((await byHand(bankReference)).status, 201);
  const { body } = await reported(bankReference, reference, '31.00');
  assert.equal(body.exception.reason, 'topped_up_by_hand');
  const was = await availableMinor();
  const give = (isAnotherPayment: boolean | undefined) =>
    desk.call('POST', `/v1/operator/deposits/${body.depositId}/match`, {
      balance: { customerId: cus },
      ...(isAnotherPayment && { isAnotherPayment }),
      reason: 'two payments under one reference',
    });
  const refused = await give(undefined);
  assert.deepEqual([refused.status, refused.body.code], [409, 'already_exists']);
  assert.equal(await availableMinor(), was);
  const given = await give(true);
  assert.equal(given.status, 200, JSON.stringify(given.body));
  assert.equal((await availableMinor()) - was, 3_100n);
});

test('nor does a trade get by mistake what is in a balance already, whosever that is', async () => {
  const bankReference = `SEEN-${++bookings}`;
  assert.equal((await byHand(bankReference, '5000.00')).status, 201);
  const other = await createDesk(pool, { clock: desk.sandbox.clock });
  const trade = await other.execute(await other.quote({ amount: '5000.00' }));
  const { body } = await reported(bankReference, trade.reference, '5000.00');
  assert.equal(body.exception.reason, 'topped_up_by_hand');
  const match = (given: object) =>
    desk.call('POST', `/v1/operator/deposits/${body.depositId}/match`, { ...given, reason: 'theirs' });
  const allocations = [{ transactionId: typeId('txn', trade.id) }];
  for (const given of [{ allocations }, { balance: { customerId: typeId('cus', other.customerId) } }]) {
    const { status, body: refused } = await match(given);
    assert.deepEqual([status, refused.code, refused.customerId], [409, 'already_exists', cus]);
  }
  assert.equal((await match({ allocations, isAnotherPayment: true })).body.status, 'matched');
  assert.equal(await desk.statusOf(trade), 'funded');
});
