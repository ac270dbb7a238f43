import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createManualDesk, type ManualDesk } from '../../test/support/manual-desk.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { DEFAULT_DOCUMENT } from './matching-settings.ts';

let pool: Pool;
let desk: ManualDesk;

before(async () => {
  ({ pool } = await createTestDatabase({ connections: 12 }));
  desk = await createManualDesk(pool);
  const rules = { ...DEFAULT_DOCUMENT, fourEyesFromUsd: null };
  const set = await desk.call('PUT', '/v1/operator/matching-rules', rules, { 'if-match': '*' });
  assert.equal(set.status, 200);
});
after(() => desk.close());

const ACCOUNT = 'GB33BUKB20201555555599';
const AMOUNTS = ['0.01', '100.00', '250.00', '349.00', '350.00', '400.00', '1000.00'] as const;
const place = fc.nat({ max: 7 });
const amount = fc.constantFrom(...AMOUNTS);

/** What banks, customers and operators do; places wrap around in what there is. */
type Step =
  | { do: 'trade'; amount: string }
  | { do: 'deposit'; amount: string; names: readonly number[]; isVirtual: boolean }
  | { do: 'match'; deposit: number; trades: readonly number[]; amount: string | undefined; forgive: boolean }
  | { do: 'unmatch' | 'ignore' | 'resolve' | 'note'; deposit: number }
  | { do: 'return'; deposit: number; amount: string | undefined; byBank: boolean }
  | { do: 'settle' | 'unwind'; trade: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('trade' as const), amount }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('deposit' as const),
      amount,
      names: fc.array(place, { maxLength: 2 }),
      isVirtual: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('match' as const),
      deposit: place,
      trades: fc.array(place, { minLength: 1, maxLength: 3 }),
      amount: fc.option(amount, { nil: undefined }),
      forgive: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('unmatch' as const), deposit: place }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('ignore' as const, 'resolve', 'note'), deposit: place }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('return' as const),
      deposit: place,
      amount: fc.option(amount, { nil: undefined }),
      byBank: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('settle' as const, 'unwind'), trade: place }) },
);

interface World {
  readonly trades: TransactionRow[];
  readonly deposits: string[];
  /** How often each kind of step was taken and not refused. */
  readonly done: Map<string, number>;
}

async function take(world: World, what: Step): Promise<void> {
  const answer = await perform(world, what);
  if (answer === undefined) return;
  // Refused or done, but never half and never stuck on a lock.
  assert.ok(answer.status < 500, `${JSON.stringify(what)}: ${JSON.stringify(answer.body)}`);
  if (answer.status < 300) world.done.set(what.do, (world.done.get(what.do) ?? 0) + 1);
}

async function perform(world: World, what: Step) {
  const { trades, deposits } = world;
  const trade = (at: number) => trades[at % Math.max(1, trades.length)];
  if (what.do === 'trade') {
    trades.push(await desk.sandbox.trade({ amount: what.amount }));
    return undefined;
  }
  if (what.do === 'deposit') {
    const text = what.names.flatMap((at) => trade(at)?.reference ?? []).join(' ');
    const more = { remittanceText: text, ...(what.isVirtual ? { virtualAccount: ACCOUNT } : {}) };
    deposits.push(await desk.arrived(what.amount, more));
    return undefined;
  }
  if ('trade' in what) {
    const row = trade(what.trade);
    return row && desk.call('POST', `/v1/operator/transactions/${typeId('txn', row.id)}/${what.do}`);
  }
  const url = deposits[what.deposit % Math.max(1, deposits.length)];
  if (url === undefined) return undefined;
  return desk.call('POST', `${await target(what, url)}/${what.do}`, bodyOf(what, trade));
}

async function target(what: Step, url: string): Promise<string> {
  if (what.do !== 'resolve') return url;
  const { rows } = await pool.query<{ id: string }>(
    'select id from reconciliation_exceptions order by id desc limit 1',
  );
  return `/v1/operator/exceptions/${typeId('exc', rows[0]?.id ?? '00000000-0000-0000-0000-000000000000')}`;
}

function bodyOf(what: Step, trade: (at: number) => TransactionRow | undefined): unknown {
  switch (what.do) {
    case 'match': {
      const rows = what.trades.flatMap((at) => trade(at) ?? []);
      const allocations = rows.map((row) => ({
        transactionId: typeId('txn', row.id),
        ...(what.amount === undefined ? {} : { amount: what.amount }),
        forgiveShortfall: what.forgive,
      }));
      return { allocations, reason: 'any' };
    }
    case 'return': {
      if (what.byBank) return { returnedBy: 'remitter_bank', reason: 'any' };
      return { ...(what.amount === undefined ? {} : { amount: what.amount }), reason: 'any' };
    }
    case 'note':
      return { note: 'any' };
    case 'resolve':
      return { resolution: 'acknowledged', note: 'any' };
    default:
      return { reason: 'any' };
  }
}

/** One after the other, so that each is done at least once. */
const EVERY_KIND: Step[][] = [
  [{ do: 'trade', amount: '100.00' }],
  [{ do: 'deposit', amount: '250.00', names: [], isVirtual: true }],
  [{ do: 'match', deposit: 0, trades: [0], amount: undefined, forgive: false }],
  [{ do: 'note', deposit: 0 }],
  [{ do: 'unmatch', deposit: 0 }],
  [{ do: 'return', deposit: 0, amount: undefined, byBank: false }],
];

test('received = matched + returned + in exceptions, whatever is done, several things at once', async () => {
  const done = new Map<string, number>();
  const path = `/v1/operator/customers/${typeId('cus', desk.sandbox.desk.customerId)}/virtual-accounts`;
  assert.equal((await desk.call('POST', path, { currency: 'USD', number: ACCOUNT })).status, 201);
  const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(rounds, async (batches) => {
      const world: World = { trades: [], deposits: [], done };
      for (const batch of batches) {
        await Promise.all(batch.map((each) => take(world, each)));
        await assertReconciled(pool);
        await assertBooksBalance(pool);
        await assertBankAgrees(pool);
      }
    }),
    { numRuns: 25, endOnFailure: true, examples: [[EVERY_KIND]] },
  );
  for (const kind of ['match', 'unmatch', 'return', 'note']) {
    assert.ok((done.get(kind) ?? 0) > 0, `${kind} was never done: the test says nothing`);
  }
});
