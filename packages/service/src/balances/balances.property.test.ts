import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createManualDesk, type ManualDesk } from '../../test/support/manual-desk.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { refusal } from '../../test/support/stories.ts';
import { DEFAULT_SETTINGS } from '../customers/profile.ts';
import type { Pool } from '../database/pool.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { bookTopUp, showBalances } from './balances.ts';
import { withdraw } from './withdraw.ts';

const BY = newUuid(0);
let pool: Pool;
let desk: ManualDesk;
let reference: string;

before(async () => {
  ({ pool } = await createTestDatabase({ connections: 24 }));
});
after(() => desk.close());

/** A pre-funded customer of its own. */
async function newCustomer(): Promise<void> {
  await desk?.close();
  desk = await createManualDesk(pool);
  const own = desk.sandbox.desk;
  const settings = { fundingMode: 'pre_funded' as const };
  own.change({ settings: { ...DEFAULT_SETTINGS, ...settings } });
  await pool.query('update customers set settings = $2 where id = $1', [
    own.customerId,
    JSON.stringify(settings),
  ]);
  ({ reference } = await showBalances(own, own.customerId));
}

const room = () => ({ ...desk.sandbox.desk, fourEyesFromUsdMinor: async () => undefined });
const customerId = () => desk.sandbox.desk.customerId;
let bookings = 0;
const bookByHand = (amount: string) =>
  bookTopUp(room(), {
    customerId: customerId(),
    currency: 'USD',
    amount,
    bankReference: `P${++bookings}`,
    bookedBy: BY,
  });
const takeOut = (amount: string) =>
  withdraw(room(), { customerId: customerId(), currency: 'USD', amount, by: BY });

async function available(): Promise<bigint> {
  const { rows } = await showBalances(desk.sandbox.desk, customerId());
  return BigInt(rows.find((row) => row.currency === 'USD')?.available_minor ?? 0);
}

test('of twenty withdrawals at the same time as many are made as the balance covers', async () => {
  await newCustomer();
  await bookByHand('70.50');
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => takeOut('10.00')));
  assert.equal(results.filter((each) => each.status === 'fulfilled').length, 7);
  assert.equal(await available(), 50n);
  const refused = await refusal(takeOut('10.00'));
  assert.deepEqual(refused.members, {
    limitType: 'balance',
    limit: '0.50',
    required: '10.00',
    currency: 'USD',
  });
});

const place = fc.nat({ max: 5 });
const amount = fc.constantFrom('0.01', '10.00', '25.00', '60.00', '100.00');
type Step =
  | { readonly do: 'deposit' | 'book' | 'trade' | 'withdraw'; readonly amount: string }
  | { readonly do: 'unmatch' | 'return' | 'paid' | 'failed' | 'cancel'; readonly place: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('deposit' as const, 'book', 'trade', 'withdraw'), amount }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('unmatch' as const, 'return', 'paid', 'failed', 'cancel'),
      place,
    }),
  },
);

interface World {
  readonly deposits: string[];
  readonly withdrawals: string[];
}

/** Refused or done, but never half and never stuck on a lock. */
async function take(world: World, done: Map<string, number>, what: Step): Promise<void> {
  const isDone = await perform(world, what).catch((error: unknown) => {
    if (error instanceof Problem) return false;
    throw error;
  });
  if (isDone) done.set(what.do, (done.get(what.do) ?? 0) + 1);
}

async function perform({ deposits, withdrawals }: World, what: Step): Promise<boolean> {
  switch (what.do) {
    case 'deposit':
      deposits.push(await desk.arrived(what.amount, { remittanceText: reference }));
      return true;
    case 'book':
      await bookByHand(what.amount);
      return true;
    case 'trade':
      return (await desk.sandbox.trade({ amount: what.amount })).status === 'funded';
    case 'withdraw':
      withdrawals.push(typeId('wdr', (await takeOut(what.amount)).id));
      return true;
    case 'unmatch':
    case 'return': {
      const url = deposits[what.place % Math.max(1, deposits.length)];
      const back = what.do === 'return' ? { returnedBy: 'remitter_bank' } : {};
      return url === undefined ? false : post(`${url}/${what.do}`, { ...back, reason: 'any' });
    }
    default: {
      const id = withdrawals[what.place % Math.max(1, withdrawals.length)];
      return id === undefined ? false : post(`/v1/operator/withdrawals/${id}/${what.do}`, {});
    }
  }
}

async function post(url: string, body: Record<string, string>): Promise<boolean> {
  const reply = await desk.call('POST', url, body);
  assert.ok(reply.status < 500, `${url}: ${JSON.stringify(reply.body)}`);
  return reply.status < 300;
}

/** What the balance has to be, from what the records of each kind say. */
async function expected(): Promise<bigint> {
  const { rows } = await pool.query<{ minor: string }>(
    `select (select coalesce(sum(amount_minor), 0) from balance_top_ups where customer_id = $1 and deposit_id is null)
       + (select coalesce(sum(allocated_minor), 0) from deposit_allocations
          where customer_id = $1 and transaction_id is null)
       - (select coalesce(sum(sell_minor), 0) from transactions where customer_id = $1 and pre_funded)
       - (select coalesce(sum(amount_minor), 0) from balance_withdrawals
          where customer_id = $1 and status in ('pending', 'paid')) as minor`,
    [customerId()],
  );
  return BigInt(rows[0]?.minor ?? 0);
}

/** One after the other, so that each is done at least once. */
const EVERY_KIND: Step[][] = [
  [{ do: 'deposit', amount: '100.00' }],
  [{ do: 'deposit', amount: '25.00' }],
  [{ do: 'withdraw', amount: '10.00' }],
  [{ do: 'paid', place: 0 }],
  [{ do: 'withdraw', amount: '10.00' }],
  [{ do: 'failed', place: 1 }],
  [{ do: 'withdraw', amount: '10.00' }],
  [{ do: 'cancel', place: 2 }],
  [{ do: 'trade', amount: '10.00' }],
  [{ do: 'unmatch', place: 1 }],
  [{ do: 'return', place: 1 }],
];

test('a balance is what its records say and never negative, whatever is done, several things at once', async () => {
  const done = new Map<string, number>();
  const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 3, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(rounds, async (batches) => {
      await newCustomer();
      const world: World = { deposits: [], withdrawals: [] };
      for (const batch of batches) {
        await Promise.all(batch.map((each) => take(world, done, each)));
        assert.equal(await available(), await expected());
        assert.ok((await available()) >= 0n);
        await assertReconciled(pool);
        await assertBooksBalance(pool);
      }
    }),
    { numRuns: 12, endOnFailure: true, examples: [[EVERY_KIND]] },
  );
  for (const kind of ['deposit', 'trade', 'withdraw', 'unmatch', 'return', 'paid', 'failed', 'cancel']) {
    assert.ok((done.get(kind) ?? 0) > 0, `${kind} was never done: the test says nothing`);
  }
});
