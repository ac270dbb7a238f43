import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import {
  debit,
  e2e,
  endOf,
  type Ordered,
  ordered,
  reported,
  reportedFile,
  returned,
  statusReport,
} from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { type Sandbox, silentLogger } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { failedReturnsSweep } from '../deposits/operate-return.ts';
import type { Purpose } from '../payments/payment-states.ts';
import { typeId } from '../platform/ids.ts';

const BY_HAND = ['payout', 'refund', 'withdrawal'] as const satisfies readonly Purpose[];
const PURPOSES = [...BY_HAND, 'deposit_return'] as const satisfies readonly Purpose[];

let pool: Pool;
let server: OperatorServer;
let sandbox: Sandbox;

before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertBankAgrees(pool);
});

/** What a bank says of payments of one file, in one message. */
const REPORTS = {
  accepted: (made) => reportedFile(server, statusReport(made, 'ACCP')),
  rejected: (made) => reportedFile(server, statusReport(made, 'RJCT', 'AC04')),
  rejectedAgain: (made) => reportedFile(server, statusReport(made, 'RJCT', 'AC04')),
  debit: (made) => reported(server, made.map(debitOf)),
  debitAgain: (made) => reported(server, made.map(debitOf), { message: '054' }),
  back: (made) =>
    reported(
      server,
      made.map((each) =>
        returned(each.amount, e2e(each.endToEndId), 'AC04', { reference: `R-${each.endToEndId}` }),
      ),
    ),
} as const satisfies Record<string, (made: readonly Ordered[]) => Promise<unknown>>;
type Report = keyof typeof REPORTS;

const debitOf = (made: Ordered) =>
  debit(made.amount, e2e(made.endToEndId), 'OUT', { reference: `D-${made.endToEndId}` });

/** Reports of one payment that can all be true, in every order. */
const STORIES: readonly (readonly Report[])[] = [
  ['accepted', 'debit', 'debitAgain'],
  ['accepted', 'rejected', 'rejectedAgain'],
  ['debit', 'back', 'debitAgain'],
  ['accepted', 'debit', 'back'],
  ['rejected', 'debit', 'back'],
];
const CONTRADICTION: readonly Report[] = ['rejected', 'debit'];

function ordersOf<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, at) => ordersOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

/** One story of one payment, reported in one order. */
interface Reported {
  readonly story: readonly Report[];
  readonly order: readonly Report[];
  readonly made: Ordered;
}

/** All stories in all their orders, of payments of one file; a message carries all that the bank says at that step. */
async function reportAll(): Promise<Reported[]> {
  const plans = PURPOSES.flatMap((purpose) =>
    [...STORIES, CONTRADICTION].flatMap((story) =>
      ordersOf(story).map((order) => ({ purpose, story, order })),
    ),
  );
  const made = await ordered(
    pool,
    plans.map(({ purpose }) => purpose),
  );
  const all = plans.map(({ story, order }, at) => ({ story, order, made: made[at] ?? assert.fail() }));
  const steps = Math.max(...all.map(({ order }) => order.length));
  for (let step = 0; step < steps; step++) {
    const bySaying = Map.groupBy(all, ({ order }) => order[step]);
    for (const [report, some] of bySaying) {
      if (report !== undefined) await REPORTS[report](some.map((each) => each.made));
      await failedReturnsSweep(sandbox.desk, silentLogger).run();
    }
  }
  return all;
}

describe('what a bank reports of a payment ends the same in every order', () => {
  let all: readonly Reported[];
  before(async () => {
    all = await reportAll();
  });
  const ofStory = (purpose: Purpose, story: readonly Report[]) =>
    all.filter((each) => each.made.purpose === purpose && each.story === story);

  for (const purpose of PURPOSES) {
    for (const story of STORIES) {
      test(`${purpose}: ${story.join(', ')}`, async () => {
        const ends = new Map<string, string>();
        for (const { order, made } of ofStory(purpose, story)) {
          ends.set(order.join(', '), JSON.stringify(await endOf(pool, made)));
        }
        assert.equal(ends.size, 6);
        const [end] = ends.values();
        assert.deepEqual(ends, new Map([...ends.keys()].map((order) => [order, end])));
        const { exceptions, items } = JSON.parse(end ?? '');
        assert.deepEqual([exceptions, items], [[], []], 'nothing is left for people');
      });
    }

    test(`${purpose}: a debit of what was rejected is for a person, whichever is reported first`, async () => {
      const reported = ofStory(purpose, CONTRADICTION);
      assert.equal(reported.length, 2);
      for (const { order, made } of reported) {
        const { exceptions } = await endOf(pool, made);
        assert.deepEqual(exceptions, [{ type: 'payout_mismatch', reason: 'state' }], order.join(', '));
      }
    });
  }
});

describe('a payment file that the bank books as one sum', () => {
  const sumOf = (some: readonly Ordered[]) =>
    some
      .reduce((sum, each) => sum + each.amountMinor, 0n)
      .toString()
      .replace(/(\d\d)$/, '.$1');
  const batch = (made: readonly Ordered[], amount: string, block = 'S') =>
    reported(server, [
      debit(amount, '', '', { details: [`<Btch><PmtInfId>${made[0]?.messageId}${block}</PmtInfId></Btch>`] }),
    ]);

  test('is known by its block, however its payments travel', async () => {
    for (const [speed, block] of [
      ['instant', 'I'],
      ['urgent', 'U'],
    ] as const) {
      const made = await ordered(pool, ['payout', 'withdrawal'], speed);
      const [entry] = await batch(made, sumOf(made), block);
      assert.equal(entry?.paymentState, 'applied', speed);
      for (const each of made) assert.deepEqual((await endOf(pool, each)).items, []);
    }
  });

  for (const refused of PURPOSES) {
    const others = PURPOSES.filter((each) => each !== refused);
    const paid = { payout: 'paid ', refund: 'paid ', withdrawal: null, deposit_return: null } as const;

    const assertPaid = async (made: readonly Ordered[]) => {
      for (const each of made) {
        const { subject, items, exceptions } = await endOf(pool, each);
        assert.equal(
          (subject as { paid: string | null }).paid,
          paid[each.purpose as (typeof PURPOSES)[number]],
          each.purpose,
        );
        assert.deepEqual([items, exceptions], [[], []]);
      }
    };

    /** The same end as when the bank reports only that it has refused it. */
    const assertRefused = async (made: Ordered) => {
      const { subject, items, exceptions } = await endOf(pool, made);
      const { status, failure, paid } = subject as { status: string; failure?: string; paid: string | null };
      assert.match(failure ?? paid ?? '', /rejected|returned/, status);
      assert.deepEqual([items, exceptions], [[], []]);
    };

    test(`less a refused ${refused}, reported before or after`, async () => {
      for (const isFirst of [true, false]) {
        const [bad, ...good] = await ordered(pool, [refused, ...others]);
        assert.ok(bad);
        const all = [bad, ...good];
        if (isFirst) await REPORTS.rejected([bad]);
        const [entry] = await batch(all, sumOf(good));
        assert.equal(entry?.paymentState, isFirst ? 'applied' : 'mismatch');
        if (!isFirst) await REPORTS.rejected([bad]);
        await assertPaid(good);
        await assertRefused(bad);
      }
    });

    test(`with a refused ${refused} that is given back, in every order`, async () => {
      for (const order of ordersOf(['rejected', 'batch', 'back'] as const)) {
        const [bad, ...good] = await ordered(pool, [refused, ...others]);
        assert.ok(bad);
        const all = [bad, ...good];
        for (const step of order) {
          if (step === 'batch') await batch(all, sumOf(all));
          else await REPORTS[step]([bad]);
        }
        await assertPaid(good);
        await assertRefused(bad);
      }
    });

    test(`whose refused ${refused} comes back as the sum of what was refused`, async () => {
      const [bad, ...good] = await ordered(pool, [refused, ...others]);
      assert.ok(bad);
      await REPORTS.rejected([bad]);
      await batch([bad, ...good], sumOf([bad, ...good]));
      await reported(server, [returned(bad.amount, '', 'AC04', { details: [backOf(bad)] })]);
      await assertPaid(good);
      await assertRefused(bad);
    });
  }

  const backOf = (made: Ordered) =>
    `<Btch><PmtInfId>${made.messageId}S</PmtInfId></Btch><TxDtls><RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf></TxDtls>`;

  test('with one that was given up by hand is for a person, and the others are paid', async () => {
    for (const purpose of BY_HAND) {
      const [bad, ...good] = await ordered(pool, [purpose, ...PURPOSES.filter((each) => each !== purpose)]);
      assert.ok(bad);
      const path = {
        payout: `transactions/${idOf(bad)}/payout-failed`,
        refund: `transactions/${idOf(bad)}/refund-failed`,
        withdrawal: `withdrawals/${idOf(bad)}/failed`,
      }[purpose];
      assert.equal((await server.call('POST', `/v1/operator/${path}`, {})).status, 200);
      const all = [bad, ...good];
      const [entry] = await batch(all, sumOf(all));
      assert.equal(entry?.paymentState, 'applied');
      for (const each of good) assert.deepEqual((await endOf(pool, each)).items, []);
      const end = await endOf(pool, bad);
      assert.deepEqual(end.exceptions, [{ type: 'payout_mismatch', reason: 'state' }]);
      assert.deepEqual(end.items, [{ currency: 'EUR', amount_minor: `-${bad.amountMinor}` }]);
      await REPORTS.back([bad]);
      const over = await endOf(pool, bad);
      assert.deepEqual([over.exceptions, over.items], [[], []]);
    }
  });
});

function idOf({ purpose, subjectId }: Ordered): string {
  return typeId(purpose === 'withdrawal' ? 'wdr' : 'txn', subjectId);
}
