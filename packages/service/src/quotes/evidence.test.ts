import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bps,
  crossThrough,
  findCurrency,
  findPair,
  formatDecimal,
  parseDecimal,
  priceTrade,
  type SpreadComponent,
  totalOfComponents,
} from '@firmquote/fx';
import fc from 'fast-check';
import { createTestDatabase } from '../../test/support/database.ts';
import { createDesk } from '../../test/support/trading.ts';
import { fixedPricingDesk } from '../pricing/desk.ts';
import { readPolicy } from '../pricing/policy.ts';
import { DEFAULT_SETTINGS } from '../pricing/settings.ts';
import type { SpreadRule } from '../pricing/spread-book.ts';
import { spreadCandidates } from '../pricing/spread-book.ts';
import type { QuoteRecord } from './record.ts';
import { requestQuote } from './request-quote.ts';

const decimal = (text: string) => parseDecimal(text) ?? assert.fail(text);
const currency = (code: string) => findCurrency(code) ?? assert.fail(code);
const desk = await createDesk((await createTestDatabase()).pool);

interface Evidence {
  readonly bid: string;
  readonly ask: string;
  readonly legs?: readonly { readonly pair: string; readonly bid: string; readonly ask: string }[];
  readonly spreadBps: string;
  readonly components: readonly { readonly type: SpreadComponent['type']; readonly bps: string }[];
  readonly pricingPolicyVersion: number;
  readonly amountRounding: 'half_up' | 'house';
}

/** Both amounts from what was kept, and nothing else. */
function recomputed(quote: QuoteRecord, evidence: Evidence) {
  const pair = findPair(quote.pair) ?? assert.fail();
  const [base, other] = (evidence.legs ?? []).map((leg) => ({
    pair: findPair(leg.pair) ?? assert.fail(),
    price: { bid: decimal(leg.bid), ask: decimal(leg.ask) },
  }));
  const market = { bid: decimal(evidence.bid), ask: decimal(evidence.ask) };
  const parts = evidence.components.map(({ type, bps: text }) => ({ type, bps: decimal(text) }));
  const priced = priceTrade({
    pair,
    sell: currency(quote.sellCurrency),
    buy: currency(quote.buyCurrency),
    market: base && other ? crossThrough(pair, base, other) : market,
    spreadBps: totalOfComponents(parts),
    amountRounding: evidence.amountRounding,
    fixedSide: quote.fixedSide,
    amountMinor: quote.fixedSide === 'sell' ? quote.sellMinor : quote.buyMinor,
  });
  assert.ok(priced.ok);
  return priced;
}

const hundredths = (max: number) => fc.integer({ min: 0, max }).map((units) => bps(BigInt(units)));
const rule = (id: string, change: Partial<SpreadRule>): SpreadRule => ({
  id: `0198a000-0000-7000-8000-00000000000${id}`,
  version: 1,
  customerId: undefined,
  groupName: undefined,
  pair: undefined,
  tenor: undefined,
  validityUpToSeconds: undefined,
  amountFromUsdMinor: 0n,
  spreadBps: bps(0n),
  minBps: undefined,
  maxBps: undefined,
  validFrom: undefined,
  validTo: undefined,
  ...change,
});

test('the price of every quote is computed again from its evidence, whatever the spread is made of', async () => {
  const { services, customerId, clientId } = desk;
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        standing: hundredths(5_000),
        tier: hundredths(5_000),
        bound: fc.option(hundredths(9_000), { nil: undefined }),
        isMinimum: fc.boolean(),
        premium: hundredths(2_000),
        hours: hundredths(2_000),
        seconds: fc.constantFrom(10, 30, 60, 300),
        cents: fc.integer({ min: 10_000, max: 400_000_000 }),
        trade: fc.constantFrom(
          { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell' as const },
          { sellCurrency: 'EUR', buyCurrency: 'USD', fixedSide: 'buy' as const },
          { sellCurrency: 'GBP', buyCurrency: 'EUR', fixedSide: 'sell' as const },
        ),
      }),
      async (drawn) => {
        const bound = drawn.isMinimum ? { minBps: drawn.bound } : { maxBps: drawn.bound };
        const rules = [
          rule('2', { amountFromUsdMinor: 100_000_000n, spreadBps: drawn.tier, ...bound }),
          rule('1', { spreadBps: drawn.standing, ...bound }),
        ];
        const policy = readPolicy(
          {
            validityPremium: {
              method: 'table',
              table: [
                { upToSeconds: 30, bps: '0' },
                { upToSeconds: 300, bps: formatDecimal(drawn.premium) },
              ],
              volatility: null,
            },
            marketHours: [
              {
                pair: null,
                zone: 'Europe/London',
                days: ['wed'],
                from: '14:00',
                to: '15:00',
                bps: formatDecimal(drawn.hours),
              },
            ],
          },
          7,
        );
        const { record } = await requestQuote(
          {
            ...services,
            pricing: fixedPricingDesk({ ...DEFAULT_SETTINGS, policy }, () => spreadCandidates(rules)),
          },
          {
            customerId,
            clientId,
            body: {
              ...drawn.trade,
              amount: `${Math.floor(drawn.cents / 100)}.${String(drawn.cents % 100).padStart(2, '0')}`,
              validitySeconds: drawn.seconds,
            },
            key: undefined,
          },
        );
        const evidence = JSON.parse(record.evidence) as Evidence;
        const shown = JSON.parse(record.pricing);
        assert.deepEqual(evidence.components, shown.components);
        assert.deepEqual([evidence.spreadBps, evidence.pricingPolicyVersion], [shown.spreadBps, 7]);
        const priced = recomputed(record, evidence);
        assert.deepEqual(
          [priced.sellMinor, priced.buyMinor, priced.marketMinor, priced.markup.minor],
          [record.sellMinor, record.buyMinor, record.marketMinor, record.markupMinor],
        );
        assert.equal(formatDecimal(priced.rate), JSON.parse(record.rate).value);
      },
    ),
    { numRuns: 150 },
  );
});
