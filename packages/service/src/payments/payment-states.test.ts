import assert from 'node:assert/strict';
import { afterEach, before, describe, test } from 'node:test';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { current, funded, order, refusal, type Story } from '../../test/support/stories.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { Problem } from '../problems/problem.ts';
import { applyPaymentReport, type ReportOutcome } from './bank-payment-report.ts';
import { applyMatchedPayment } from './match-payment.ts';
import { confirm, fail, settle } from './operate.ts';
import type { ReportKind } from './payment-states.ts';

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
});
afterEach(() => assertBooksBalance(pool));

/** A funded trade, brought to each state that its payout can be in. */
const STATES = {
  not_sent: async () => {},
  in_balance: async ({ desk, row }: Story) => {
    await pool.query(`update customers set settings = '{"proceedsToBalance": true}' where id = $1`, [
      desk.customerId,
    ]);
    await settle(desk, order(row));
  },
  sent: async ({ desk, row }: Story) => {
    await settle(desk, order(row));
  },
  paid: async (story: Story) => {
    await STATES.sent(story);
    await confirm(story.desk, order(story.row), 'B-1');
  },
  rejected: async (story: Story) => {
    await STATES.sent(story);
    await fail(story.desk, order(story.row), 'payout_rejected', undefined);
  },
  returned: async (story: Story) => {
    await STATES.paid(story);
    await fail(story.desk, order(story.row), 'payout_returned', undefined);
  },
};

const BY_OPERATOR: Readonly<Record<ReportKind, (story: Story) => Promise<unknown>>> = {
  paid: ({ desk, row }) => confirm(desk, order(row), 'B-2'),
  rejected: ({ desk, row }) => fail(desk, order(row), 'payout_rejected', undefined),
  returned: ({ desk, row }) => fail(desk, order(row), 'payout_returned', undefined),
};

async function byBank({ desk, row }: Story, kind: ReportKind): Promise<ReportOutcome> {
  const now = desk.clock.now();
  const amountMinor = BigInt(row.buy_minor);
  const named = { references: [row.reference], currency: 'EUR', amountMinor };
  return inTransaction(pool, (connection) =>
    applyPaymentReport(connection, { ...named, kind, at: now, bankReference: 'B-2' }, now),
  );
}

/** Status of trade and payout, and the customer's money. */
async function endOf({ desk, row }: Story) {
  const { status, payout_status: payout } = await current(desk, row);
  return { status, payout, balances: await balancesOf(pool, desk.customerId) };
}

/** What comes of each report: by an operator, and by the bank, who may report things late or the wrong way round. */
const EXPECTED = {
  not_sent: {
    paid: ['refused', 'unknown'],
    rejected: ['refused', 'unknown'],
    returned: ['refused', 'unknown'],
  },
  in_balance: {
    paid: ['refused', 'in_balance'],
    rejected: ['refused', 'in_balance'],
    returned: ['refused', 'in_balance'],
  },
  sent: { paid: ['done', 'applied'], rejected: ['done', 'applied'], returned: ['refused', 'applied'] },
  paid: { paid: ['refused', 'known'], rejected: ['refused', 'state'], returned: ['done', 'applied'] },
  rejected: { paid: ['refused', 'state'], rejected: ['refused', 'known'], returned: ['refused', 'applied'] },
  returned: { paid: ['refused', 'state'], rejected: ['refused', 'known'], returned: ['refused', 'known'] },
} as const satisfies Record<keyof typeof STATES, Record<ReportKind, readonly [string, string]>>;

describe('what can be said of a payout that is', () => {
  for (const [state, reports] of Object.entries(EXPECTED)) {
    test(`${state}, by an operator and by the bank`, async () => {
      for (const [report, [byOperator, byFeed]] of Object.entries(reports)) {
        const kind = report as ReportKind;
        const [one, two] = [await funded(pool), await funded(pool)];
        for (const story of [one, two]) await STATES[state as keyof typeof STATES](story);
        const before = await endOf(one);
        assert.deepEqual(await endOf(two), before);

        const done = await BY_OPERATOR[kind](one).then(
          () => 'done',
          (error: unknown) => (error instanceof Problem ? 'refused' : String(error)),
        );
        const reported = await byBank(two, kind);
        const outcome = reported.outcome === 'mismatch' ? reported.reason : reported.outcome;
        assert.deepEqual([done, outcome], [byOperator, byFeed], report);
        const [after, afterBank] = [await endOf(one), await endOf(two)];
        if (byOperator === 'refused') assert.deepEqual(after, before, report);
        if (byFeed !== 'applied') assert.deepEqual(afterBank, before, report);
        if (byOperator === 'done') assert.deepEqual(afterBank, after, report);
      }
    });
  }

  test('in the balance, by a person who looks at an entry', async () => {
    for (const kind of ['paid', 'returned'] as const) {
      const story = await funded(pool);
      await STATES.in_balance(story);
      const before = await endOf(story);
      const { desk, row } = story;
      const entry = {
        transactionId: row.id,
        purpose: 'payout',
        currency: 'EUR',
        at: desk.clock.now(),
      } as const;
      const refused = await refusal(
        inTransaction(pool, (connection) =>
          applyMatchedPayment(connection, { ...entry, kind }, desk.clock.now()),
        ),
      );
      assert.equal(refused.code, 'invalid_state_transition');
      assert.match(refused.message, /credited to the balance/);
      assert.deepEqual(await endOf(story), before);
      assert.equal(before.balances['customer_balance EUR'], -BigInt(row.buy_minor));
    }
  });
});
