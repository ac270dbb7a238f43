import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { alone, preFund, setLimits, stateOf, together, USD_OF_ONE } from '../../test/support/executions.ts';
import { createDesk, type Desk, executionOf } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { inTransaction } from '../database/pool.ts';
import { newUuid } from '../platform/ids.ts';
import { endQuotesOf } from '../quotes/end-quotes.ts';
import { EXPIRY_GRACE_MS } from '../quotes/expiry-grace.ts';
import { cancelQuote, expireQuotes } from '../quotes/quote-lifecycle.ts';
import type { QuoteRecord } from '../quotes/record.ts';
import type { ExecutionItem, ExecutionResult } from './store.ts';

/**
 * What an execution may be refused for. A batch that holds one item that is refused for another reason is decided item by
 * item, so each reason is tried twice: alone, where the statement that writes everything at once has to see it, and in
 * company, where each item is decided on its own.
 */

let pool: Pool;
let othersQuote: string;
before(async () => {
  ({ pool } = await createTestDatabase());
  othersQuote = (await (await createDesk(pool)).quote({ validitySeconds: 300 })).id;
});

async function keyOutcomes(desk: Desk, key: string): Promise<string[]> {
  const { rows } = await pool.query<{ outcome: string }>(
    'select outcome from idempotency_keys where customer_id = $1 and key = $2',
    [desk.customerId, key],
  );
  return rows.map(({ outcome }) => outcome);
}

interface Refused {
  readonly outcome: string;
  /** What differs from an execution of the quote that would succeed. */
  readonly patch?: (quote: QuoteRecord) => Partial<ExecutionItem>;
  /** Before the quote is asked for. */
  readonly before?: (desk: Desk) => Promise<unknown>;
  /** After that, and before it is executed. */
  readonly meanwhile?: (desk: Desk, quote: QuoteRecord) => Promise<unknown>;
  readonly afterwards?: () => Promise<unknown>;
  /** Members of the answer that say why. */
  readonly says?: Partial<ExecutionResult>;
  /** Whether it was decided for good, so that the key answers it again. */
  readonly lasts?: boolean;
}

const limitSays = (type: string, limit: bigint, used: bigint) => ({
  limit_type: type,
  limit_minor: String(limit),
  used_minor: String(used),
});

const REFUSED: Readonly<Record<string, Refused>> = {
  'the daily limit is one cent too small': {
    outcome: 'limit_exceeded',
    meanwhile: (desk) => setLimits(desk, { daily: USD_OF_ONE - 1n }),
    says: limitSays('daily', USD_OF_ONE - 1n, 0n),
  },
  'the open-position limit is one cent too small': {
    outcome: 'limit_exceeded',
    meanwhile: (desk) => setLimits(desk, { open: USD_OF_ONE - 1n }),
    says: limitSays('openPosition', USD_OF_ONE - 1n, 0n),
  },
  'what was traded today leaves one cent too little of the daily limit': {
    outcome: 'limit_exceeded',
    meanwhile: async (desk) => {
      await desk.execute(await desk.quote());
      await setLimits(desk, { daily: 2n * USD_OF_ONE - 1n });
    },
    says: limitSays('daily', 2n * USD_OF_ONE - 1n, USD_OF_ONE),
  },
  'what is open leaves one cent too little of the open-position limit': {
    outcome: 'limit_exceeded',
    meanwhile: async (desk) => {
      await desk.execute(await desk.quote());
      await setLimits(desk, { open: 2n * USD_OF_ONE - 1n });
    },
    says: limitSays('openPosition', 2n * USD_OF_ONE - 1n, USD_OF_ONE),
  },
  'the balance of a pre-funded customer is one cent too small': {
    outcome: 'limit_exceeded',
    before: (desk) => preFund(desk, USD_OF_ONE - 1n),
    says: limitSays('balance', USD_OF_ONE - 1n, USD_OF_ONE),
  },
  'the customer was suspended': {
    outcome: 'customer_suspended',
    meanwhile: (desk) =>
      pool.query(`update customers set status = 'suspended' where id = $1`, [desk.customerId]),
  },
  "the customer's account in the bought currency was retired, those in others were not": {
    outcome: 'settlement_instructions_missing',
    meanwhile: (desk) =>
      pool.query(
        `update settlement_instructions set status = 'retired' where customer_id = $1 and currency = 'EUR'`,
        [desk.customerId],
      ),
  },
  'the customer never had an account in the bought currency, though in others': {
    outcome: 'settlement_instructions_missing',
    meanwhile: (desk) =>
      ownerOf(pool).query(`delete from settlement_instructions where customer_id = $1 and currency = 'EUR'`, [
        desk.customerId,
      ]),
  },
  "the house's account for the sold currency is gone, those for others are not": {
    outcome: 'settlement_instructions_missing',
    meanwhile: () => pool.query(`update collection_accounts set currency = 'XTS' where currency = 'USD'`),
    afterwards: () => pool.query(`update collection_accounts set currency = 'USD' where currency = 'XTS'`),
  },
  'it arrived at the instant of expiry': {
    outcome: 'quote_expired',
    patch: (quote) => ({ receivedAt: quote.expiresAt }),
    lasts: true,
  },
  'the clock was set back by an hour since the quote was made': {
    outcome: 'quote_expired',
    patch: (quote) => ({ receivedAt: quote.createdAt - 3_600_000 }),
    lasts: true,
  },
  'it arrived after the quote had been closed as expired': {
    outcome: 'quote_expired',
    meanwhile: async (desk, quote) => {
      desk.clock.set(quote.expiresAt + EXPIRY_GRACE_MS);
      assert.ok((await expireQuotes(desk.services)) > 0);
    },
    patch: (quote) => ({ receivedAt: quote.expiresAt + 1 }),
    lasts: true,
  },
  'the quote was cancelled': {
    outcome: 'quote_cancelled',
    meanwhile: (desk, quote) =>
      cancelQuote(desk.services, desk.customerId, quote.id, desk.clock.now(), undefined),
    lasts: true,
  },
  'the quote was withdrawn': {
    outcome: 'quote_withdrawn',
    meanwhile: (desk) =>
      inTransaction(pool, (each) =>
        endQuotesOf(each, desk.customerId, 'customer_suspended', desk.clock.now()),
      ),
    lasts: true,
  },
  'the quote was executed': {
    outcome: 'quote_already_executed',
    meanwhile: (desk, quote) => desk.execute(quote),
    lasts: true,
  },
  'the quote is at a lower version than the one that was seen': {
    outcome: 'version_mismatch',
    patch: () => ({ ifMatch: 2 }),
    says: { quote_version: 1 },
  },
  'the quote is at a higher version than the one that was seen': {
    outcome: 'version_mismatch',
    patch: () => ({ ifMatch: 0 }),
    says: { quote_version: 1 },
  },
  'one cent less is sold than expected': {
    outcome: 'quote_terms_mismatch',
    patch: (quote) => ({ expectSell: quote.sellMinor + 1n, expectBuy: quote.buyMinor }),
  },
  'one cent more is sold than expected': {
    outcome: 'quote_terms_mismatch',
    patch: (quote) => ({ expectSell: quote.sellMinor - 1n }),
  },
  'one cent less is bought than expected': {
    outcome: 'quote_terms_mismatch',
    patch: (quote) => ({ expectSell: quote.sellMinor, expectBuy: quote.buyMinor + 1n }),
  },
  'one cent more is bought than expected': {
    outcome: 'quote_terms_mismatch',
    patch: (quote) => ({ expectBuy: quote.buyMinor - 1n }),
  },
  'there is no such quote': {
    outcome: 'quote_not_found',
    patch: (quote) => ({ quoteId: newUuid(quote.createdAt) }),
  },
  'the quote is of another customer': {
    outcome: 'quote_not_found',
    patch: () => ({ quoteId: othersQuote }),
  },
};

test('every reason that the database gives is tried', () => {
  const file = new URL('../../sql/functions/decide_executions.sql', import.meta.url);
  const given = [...readFileSync(file, 'utf8').matchAll(/then '([a-z_]+)'/g)].map(([, outcome]) => outcome);
  assert.ok(given.length > 5);
  const tried = new Set(Object.values(REFUSED).map(({ outcome }) => outcome));
  assert.deepEqual(
    given.filter((outcome) => outcome !== undefined && !tried.has(outcome)),
    [],
  );
});

async function prepare(
  refused: Refused,
  clock?: Desk['clock'],
): Promise<{ desk: Desk; item: ExecutionItem; key: string }> {
  const desk = await createDesk(pool, clock && { clock });
  await refused.before?.(desk);
  const quote = await desk.quote();
  await refused.meanwhile?.(desk, quote);
  const key = newUuid(desk.clock.now());
  const item = executionOf(desk, quote.id, {
    key: { key, fingerprint: 'f' },
    ...refused.patch?.(quote),
  });
  return { desk, item, key };
}

/** Refused with its reason, nothing written, and the key kept only where the answer is for good. */
async function assertRefused(
  { outcome, says = {}, lasts = false }: Refused,
  result: ExecutionResult | undefined,
  { desk, key }: { desk: Desk; key: string },
  earlier: Awaited<ReturnType<typeof stateOf>>,
): Promise<void> {
  assert.equal(result?.outcome, outcome);
  assert.equal(result?.transaction, undefined);
  for (const [name, value] of Object.entries(says)) {
    assert.deepEqual(result?.[name as keyof ExecutionResult], value, name);
  }
  assert.deepEqual(await stateOf(desk), earlier);
  assert.deepEqual(await keyOutcomes(desk, key), lasts ? [outcome] : []);
}

describe('an execution that comes alone is refused when', () => {
  for (const [why, refused] of Object.entries(REFUSED)) {
    test(why, async () => {
      const made = await prepare(refused);
      try {
        const earlier = await stateOf(made.desk);
        const result = await alone(made.desk, made.item);
        await assertRefused(refused, result, made, earlier);
      } finally {
        await refused.afterwards?.();
      }
    });
  }
});

describe('an execution in company is refused, and no other with it, when', () => {
  for (const [why, refused] of Object.entries(REFUSED)) {
    test(why, async () => {
      const neighbour = await createDesk(pool);
      const { clock } = neighbour;
      const terms = { sellCurrency: 'EUR', buyCurrency: 'GBP', amount: '1000.00', validitySeconds: 300 };
      const good = await neighbour.quote(terms);
      const made = await prepare(refused, clock);
      try {
        const earlier = await stateOf(made.desk);
        const results = await together(made.desk, [
          executionOf(neighbour, newUuid(clock.now())),
          made.item,
          executionOf(neighbour, good.id),
        ]);
        assert.deepEqual([results[0]?.outcome, results[2]?.outcome], ['quote_not_found', 'created']);
        await assertRefused(refused, results[1], made, earlier);
      } finally {
        await refused.afterwards?.();
      }
    });
  }
});

describe('nothing stands against an execution', () => {
  const passes: Readonly<Record<string, Refused>> = {
    'that reaches the daily limit exactly': {
      outcome: 'created',
      meanwhile: (desk) => setLimits(desk, { daily: USD_OF_ONE }),
    },
    'that reaches the open-position limit exactly': {
      outcome: 'created',
      meanwhile: (desk) => setLimits(desk, { open: USD_OF_ONE }),
    },
    'that reaches both limits exactly with what was traded before': {
      outcome: 'created',
      meanwhile: async (desk) => {
        await desk.execute(await desk.quote());
        await setLimits(desk, { daily: 2n * USD_OF_ONE, open: 2n * USD_OF_ONE });
      },
    },
    'that takes all of the balance': {
      outcome: 'created',
      before: (desk) => preFund(desk, USD_OF_ONE),
    },
    'that arrived in the last millisecond': {
      outcome: 'created',
      patch: (quote) => ({ receivedAt: quote.expiresAt - 1 }),
    },
    'that came to an instance whose clock is as far behind as it may be': {
      outcome: 'created',
      patch: (quote) => ({ receivedAt: quote.createdAt - 500 }),
    },
    'that names the version and the terms of the quote': {
      outcome: 'created',
      patch: (quote) => ({ ifMatch: 1, expectSell: quote.sellMinor, expectBuy: quote.buyMinor }),
    },
  };
  for (const [why, passed] of Object.entries(passes)) {
    test(why, async () => {
      const { desk, item } = await prepare(passed);
      assert.equal((await alone(desk, item)).outcome, 'created');
      const other = await prepare(passed);
      const [, result] = await together(other.desk, [
        executionOf(other.desk, newUuid(other.desk.clock.now())),
        other.item,
      ]);
      assert.equal(result?.outcome, 'created');
    });
  }
});
