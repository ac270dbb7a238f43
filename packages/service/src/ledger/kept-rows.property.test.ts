import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { current, fund, order } from '../../test/support/stories.ts';
import { createDesk, type Desk, EXAMPLE_INSTANT, openQuotesOf } from '../../test/support/trading.ts';
import { closeOutSweep } from '../payments/close-out-overdue.ts';
import { endTransaction } from '../payments/end-transaction.ts';
import { confirm, fail, retry, settle } from '../payments/operate.ts';
import { rollValueDate } from '../payments/roll-value-date.ts';
import { fundingCutoffSweep } from '../payments/sweeps.ts';
import { isoInstant } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import { cancelQuote, expireQuotes, withdraw } from '../quotes/quote-lifecycle.ts';
import type { QuoteRecord } from '../quotes/record.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { keptDifferences } from './kept-row-store.ts';
import { foldSweep } from './kept-rows.ts';

const DAY_MS = 86_400_000;
const { pool } = await createTestDatabase({ connections: 12 });

test('kept rows are exact whatever happens to quotes and trades, in whatever order, by several at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 24 }), async (steps) => {
      const desks = [await createDesk(pool), await createDesk(pool)] as const;
      const story = new Story(desks);
      // Three at a time, as instances and requests do.
      for (let i = 0; i < steps.length; i += 3) {
        await Promise.all(steps.slice(i, i + 3).map((each) => story.take(each)));
        if (i % 9 === 0) await foldSweep(pool).run();
      }
      assert.deepEqual(await keptDifferences(pool, 50), []);
    }),
    { numRuns: 40 },
  );
  await foldSweep(pool).run();
  await assertBooksBalance(pool);
  const { rowCount } = await pool.query('select from transactions');
  assert.ok((rowCount ?? 0) > 20, 'much has happened');
});

const BODIES = [
  {},
  { fixedSide: 'buy', amount: '5000.00' },
  { sellCurrency: 'EUR', buyCurrency: 'USD', amount: '40000.00' },
  { sellCurrency: 'GBP', buyCurrency: 'JPY', amount: '1234.56' },
  { sellCurrency: 'USD', buyCurrency: 'KWD', amount: '2500.00' },
  { sellCurrency: 'JPY', buyCurrency: 'EUR', fixedSide: 'buy', amount: '77.01' },
] as const;
const STEPS = [
  'quote',
  'trade',
  'trade',
  'trade',
  'trade',
  'trade',
  'execute',
  'cancel',
  'withdraw',
  'expire',
  'fund',
  'fund_half',
  'unwind',
  'close_out',
  'overdue',
  'settle',
  'confirm',
  'fail',
  'retry',
  'roll',
  'fold',
] as const;
const step = fc.record({
  what: fc.constantFrom(...STEPS),
  who: fc.nat({ max: 1 }),
  which: fc.nat({ max: 50 }),
  body: fc.nat({ max: BODIES.length - 1 }),
});

/** Takes steps on the quotes and trades that there are; what is not possible is refused, which is as good. */
class Story {
  readonly #desks: readonly [Desk, Desk];
  readonly #quotes: [Desk, QuoteRecord][] = [];
  readonly #trades: [Desk, TransactionRow][] = [];

  constructor(desks: readonly [Desk, Desk]) {
    this.#desks = desks;
  }

  async take(each: {
    what: (typeof STEPS)[number];
    who: number;
    which: number;
    body: number;
  }): Promise<void> {
    try {
      await this.#take(each);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }

  async #take({ what, who, which, body }: Parameters<Story['take']>[0]): Promise<void> {
    const desk = this.#desks[who] as Desk;
    const trade = this.#trades[which % Math.max(this.#trades.length, 1)];
    const quote = this.#quotes[which % Math.max(this.#quotes.length, 1)];
    switch (what) {
      case 'quote':
        this.#quotes.push([desk, await desk.quote(BODIES[body])]);
        return;
      case 'trade':
        this.#trades.push([desk, await desk.execute(await desk.quote(BODIES[body]))]);
        return;
      case 'expire':
        desk.clock.advance(31_000);
        await expireQuotes(desk.services);
        return;
      case 'withdraw':
        await withdraw(
          (now) => openQuotesOf(pool, desk.customerId, now),
          desk.services,
          'customer_suspended',
        );
        return;
      case 'overdue':
        desk.clock.set(Math.max(desk.clock.now(), EXAMPLE_INSTANT + 2 * DAY_MS));
        await fundingCutoffSweep(desk).run();
        return;
      case 'close_out':
        await closeOutSweep({ ...desk, closeOutCharge: 'losses' }, 0).run();
        return;
      case 'fold':
        await foldSweep(pool).run();
        return;
      case 'execute':
        if (quote !== undefined) this.#trades.push([quote[0], await quote[0].execute(quote[1])]);
        return;
      case 'cancel':
        if (quote !== undefined) {
          const [of, { id: quoteId }] = quote;
          await cancelQuote(of.services, of.customerId, quoteId, of.clock.now(), undefined);
        }
        return;
      default:
        if (trade !== undefined) await change(what, trade[0], await current(...trade));
    }
  }
}

async function change(what: string, desk: Desk, row: TransactionRow): Promise<void> {
  if (what === 'fund') await fund(desk, row);
  else if (what === 'fund_half') await fund(desk, row, BigInt(row.sell_minor) / 2n);
  else if (what === 'unwind') {
    await endTransaction(desk, order(row), { closeOutAt: row.version % 2 === 0 ? 'market' : 'trade' });
  } else if (what === 'settle') await settle(desk, order(row));
  else if (what === 'confirm') await confirm(desk, order(row), `OUT ${row.reference}`);
  else if (what === 'fail') await fail(desk, order(row), undefined, undefined);
  else if (what === 'retry') await retry(desk, order(row));
  else if (what === 'roll') {
    const valueDate = isoInstant(Date.parse(row.value_date) + 5 * DAY_MS).slice(0, 10);
    await rollValueDate(desk, order(row), valueDate, 'client_request');
  }
}
