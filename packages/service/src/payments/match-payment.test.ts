import assert from 'node:assert/strict';
import { afterEach, before, describe, test } from 'node:test';
import { instructedOne, type Payable, payable } from '../../test/support/bank-story.ts';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { current, funded, order, refusal, trade } from '../../test/support/stories.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { newUuid } from '../platform/ids.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { findTargets } from './find-payments.ts';
import { applyMatchedPayment, type MatchedPayment } from './match-payment.ts';
import { fail, settle } from './operate.ts';

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 4 }));
});
afterEach(() => assertBooksBalance(pool));

const PAID_AT = Date.parse('2026-03-04T12:00:00Z');

/** A person says of an entry of its own that it is this payment. */
const say = (
  { desk, subjectId, purpose }: Payable,
  kind: 'paid' | 'returned',
  more: Partial<MatchedPayment> = {},
): Promise<bigint> => {
  assert.ok(purpose === 'payout' || purpose === 'refund');
  const now = desk.clock.now();
  const reported = { at: PAID_AT, bankReference: 'STMT-7', sourceId: newUuid(now) };
  const entry = { kind, purpose, transactionId: subjectId, currency: 'EUR', ...reported, ...more };
  return inTransaction(pool, async (connection) => {
    const { paidMinor, customerId } = await applyMatchedPayment(connection, entry, now);
    assert.equal(customerId, desk.customerId);
    return paidMinor;
  });
};
const rowOf = ({ desk, subjectId }: Payable) =>
  current(desk, { customer_id: desk.customerId, id: subjectId } as TransactionRow);

describe('an entry that a person says is a payment of a trade', () => {
  test('confirms its payout, and a later one returns it', async () => {
    const made = await payable(pool, 'payout');
    const before = await rowOf(made);
    assert.equal(await say(made, 'paid'), BigInt(before.buy_minor));
    const paid = await rowOf(made);
    assert.deepEqual(
      [paid.status, paid.payout_status, paid.payout_reference, paid.paid_at],
      ['settled', 'paid', 'STMT-7', PAID_AT],
    );
    assert.equal((await balancesOf(pool, made.desk.customerId))['bank EUR'], -BigInt(before.buy_minor));
    assert.equal(await say(made, 'returned', { detail: 'AC04' }), BigInt(before.buy_minor));
    const back = await rowOf(made);
    assert.deepEqual([back.status, back.payout_status], ['settlement_failed', 'returned']);
    assert.equal(JSON.parse(back.failure ?? '').detail, 'AC04');
    assert.equal((await balancesOf(pool, made.desk.customerId))['bank EUR'], undefined);
  });

  test('confirms its refund, and a later one returns it', async () => {
    const made = await payable(pool, 'refund');
    const refund = async () => JSON.parse((await rowOf(made)).refund ?? '').status;
    assert.equal(await say(made, 'paid'), made.amountMinor);
    assert.equal(await refund(), 'paid');
    assert.equal(await say(made, 'returned'), made.amountMinor);
    assert.equal(await refund(), 'failed');
  });

  test('is refused where another entry has told it', async () => {
    for (const purpose of ['payout', 'refund'] as const) {
      const made = await payable(pool, purpose);
      for (const kind of ['paid', 'returned'] as const) {
        await say(made, kind);
        const { code, message, members } = await refusal(say(made, kind));
        assert.equal(code, 'invalid_state_transition');
        assert.equal(message, `Another entry has already reported that the ${purpose} was ${kind}.`);
        assert.deepEqual(members, { from: (await rowOf(made)).status, to: kind });
      }
    }
  });

  test('is refused where the trade has no such payment', async () => {
    const { desk, row } = await trade(pool);
    const made = { desk, subjectId: row.id, amountMinor: 0n };
    for (const purpose of ['payout', 'refund'] as const) {
      const { code, message, members } = await refusal(say({ ...made, purpose }, 'paid'));
      assert.deepEqual(
        [code, message, members],
        [
          'invalid_state_transition',
          `The transaction has no ${purpose} under way.`,
          { from: 'awaiting_funds', to: 'paid' },
        ],
      );
    }
    const nobody = { ...made, purpose: 'payout' } as const;
    for (const transactionId of [undefined, newUuid(0)]) {
      assert.equal((await refusal(say(nobody, 'paid', { transactionId }))).code, 'transaction_not_found');
    }
  });

  test('is refused in another currency', async () => {
    for (const [purpose, why] of [
      ['payout', 'The payout is in EUR, the entry in USD.'],
      ['refund', 'The refund is in EUR, the entry in USD.'],
    ] as const) {
      const made = await payable(pool, purpose);
      assert.equal((await refusal(say(made, 'paid', { currency: 'USD' }))).message, why);
      await say(made, 'paid');
    }
  });

  test('is refused where it cannot be true', async () => {
    const made = await payable(pool, 'payout');
    // It came back before it was reported to have left: that it left is known then, and it comes back once.
    await say(made, 'returned');
    assert.equal(await say(made, 'paid'), made.amountMinor);
    const { desk, subjectId } = await payable(pool, 'payout');
    const failed = { desk, subjectId, purpose: 'payout', amountMinor: 0n } as const;
    await fail(desk, order(await rowOf(failed)), 'payout_rejected', undefined);
    const { message, members } = await refusal(say(failed, 'paid'));
    assert.equal(message, 'A payout of a transaction that is settlement failed cannot be paid.');
    assert.deepEqual(members, { from: 'settlement_failed', to: 'paid' });
  });

  test('is refused where the balance has it', async () => {
    const { desk, row } = await funded(pool);
    await pool.query(`update customers set settings = '{"proceedsToBalance": true}' where id = $1`, [
      desk.customerId,
    ]);
    await settle(desk, order(row));
    const made = { desk, subjectId: row.id, purpose: 'payout', amountMinor: 0n } as const;
    for (const kind of ['paid', 'returned'] as const) {
      const { message } = await refusal(say(made, kind));
      assert.equal(message, 'It was credited to the balance, so no bank can pay or return it.');
    }
  });
});

test('an id names the instruction by its number, the tenth as well', async () => {
  const { row } = await instructedOne(pool);
  await pool.query('update transactions set payout_attempts = 10 where id = $1', [row.id]);
  const ids = [row.reference, `${row.reference}-2`, `${row.reference}-10`];
  const found = await findTargets(
    pool,
    ids.map((endToEndId) => ({ endToEndId, currency: 'EUR' })),
  );
  assert.deepEqual(
    found.map((each) => [each?.via, each?.items.map(({ attempt }) => attempt)]),
    [
      ['payment', [1]],
      ['reference', [2]],
      ['reference', [10]],
    ],
  );
});
