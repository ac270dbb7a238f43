import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import fc from 'fast-check';
import {
  debit,
  e2e,
  type Instructed,
  instructed,
  instructedOne,
  returned,
  statusOf,
  told,
} from '../../../test/support/bank-story.ts';
import { assertBooksBalance, balancesOf } from '../../../test/support/books.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
import { createOperatorServer, type OperatorServer } from '../../../test/support/operator-server.ts';
import { createSandbox, type Sandbox } from '../../../test/support/sandbox.ts';
import { current } from '../../../test/support/stories.ts';
import type { Pool } from '../../database/pool.ts';
import type { CamtEntry } from './test-support.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;

before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
  sandbox = await createSandbox(pool);
  server = createOperatorServer(sandbox);
});
after(() => server.close());
afterEach(() => assertBooksBalance(pool));

describe('payouts that come back', () => {
  test('are returned, whatever names them, and are no deposits', async () => {
    const made = await instructed(pool, 3);
    const debits = await told(
      server,
      made.map((each) => debit(each.amount, e2e(each.endToEndId))),
    );
    const [one, two, three] = made as [Instructed, Instructed, Instructed];
    const returns = await told(server, [
      returned(one.amount, e2e(one.endToEndId)),
      returned(two.amount, `<TxId>${debits[1]?.bankReference}</TxId>`, 'AC06'),
      returned(three.amount, '', 'MS03', {
        details: [],
        reversal: true,
        reference: `REV-${three.row.reference}`,
      }),
    ]);
    assert.deepEqual(
      returns.map((each) => [each.kind, each.paymentState, each.depositState]),
      [
        ['return', 'applied', 'none'],
        ['return', 'applied', 'none'],
        // Nothing in it says what was taken back: it is money that nobody knows.
        ['reversal', 'unknown', 'booked'],
      ],
    );
    const failed = await current(one.desk, one.row);
    assert.deepEqual([failed.status, failed.status_reason], ['settlement_failed', 'payout_returned']);
    assert.equal(JSON.parse(failed.failure ?? '').detail, 'AC04 RETURNED');
    assert.equal(await statusOf(two), 'settlement_failed');
    assert.equal(await statusOf(three), 'settled');
    assert.equal((await balancesOf(pool, one.desk.customerId))['bank EUR'], undefined);
  });

  test('end the same in every order of debit, return and second debit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(['debit', 'return', 'second'], { minLength: 3 }),
        fc.array(fc.boolean(), { minLength: 2, maxLength: 2 }),
        async (order, apart) => {
          const made = await instructedOne(pool);
          const entries: Record<string, CamtEntry> = {
            debit: debit(made.amount, e2e(made.endToEndId)),
            return: returned(made.amount, e2e(made.endToEndId)),
            second: debit(made.amount, e2e(made.endToEndId)),
          };
          // Some in one file, some in files of their own.
          const files: CamtEntry[][] = [[]];
          for (const [n, name] of order.entries()) {
            if (n > 0 && apart[n - 1]) files.push([]);
            files.at(-1)?.push(entries[name] as CamtEntry);
          }
          const shown: Record<string, unknown>[] = [];
          for (const file of files) shown.push(...(await told(server, file)));
          assert.equal(await statusOf(made), 'settlement_failed');
          assert.equal((await balancesOf(pool, made.desk.customerId))['bank EUR'], undefined);
          const wrong = shown.filter((each) => each.paymentState === 'mismatch');
          assert.deepEqual(
            wrong.map((each) => each.paymentReason),
            ['paid_twice'],
          );
          assert.equal(shown.filter((each) => each.exceptionId !== null).length, 1);
        },
      ),
      { numRuns: 12 },
    );
  });
});
