import assert from 'node:assert/strict';
import { test } from 'node:test';
import Big from 'big.js';
import fc from 'fast-check';
import { crossThrough } from './crosses.ts';
import { type Decimal, formatDecimal, formatUnits } from './decimal.ts';
import { formatAmount } from './money.ts';
import { findPair, type Pair } from './pair.ts';
import { type MarketPrice, type PriceRequest, priceRate, priceTrade } from './pricing.ts';
import { type QuoteEvidence, type QuoteNumbers, recomputeQuote, verifyEvidence } from './recompute-quote.ts';
import { FRACTION_DIGITS, fractionText, type TakenStep } from './rounding-step.ts';
import { marketsOf, priceRequests } from './test-support.ts';

// big.js is the second implementation; its quotients get more digits than any rounding here looks at.
const Exact = Big();
Exact.DP = 60;
const ROUNDINGS = { floor: 0, half_up: 1, ceil: 3 } as const;

function big(text: string): Big {
  return new Exact(text);
}

function evidenceOf(request: PriceRequest): QuoteEvidence {
  const { pair, sell, buy, market, spreadBps, fixedSide, amountMinor } = request;
  return {
    pair: pair.code,
    sellCurrency: sell.code,
    buyCurrency: buy.code,
    fixedSide,
    fixedAmount: formatAmount(amountMinor, fixedSide === 'sell' ? sell : buy),
    rateDecimals: pair.decimals,
    amountRounding: request.amountRounding ?? 'half_up',
    bid: formatDecimal(market.bid),
    ask: formatDecimal(market.ask),
    spreadBps: formatDecimal(spreadBps),
    components: [{ type: 'customer_spread', bps: formatDecimal(spreadBps) }],
    referenceRate: formatDecimal(market.bid),
  };
}

/** The exact number of each step by its own arithmetic, from the texts of the evidence and of earlier results. */
function expectedNumber(step: TakenStep, evidence: QuoteEvidence, numbers: QuoteNumbers): Big {
  const ask = numbers.side === 'ask';
  const own = big(ask ? evidence.ask : evidence.bid);
  const spread = big(evidence.spreadBps).div(10_000);
  const fixedIsBase =
    (evidence.fixedSide === 'sell' ? evidence.sellCurrency : evidence.buyCurrency) ===
    evidence.pair.slice(0, 3);
  const amount = big(evidence.fixedAmount);
  const at = (rate: string) => (fixedIsBase ? amount.times(big(rate)) : amount.div(big(rate)));
  switch (step.name) {
    case 'client_rate':
      return own.times(ask ? spread.plus(1) : new Exact(1).minus(spread));
    case 'market_rate':
      return own;
    case 'mid':
      return big(evidence.bid).plus(big(evidence.ask)).div(2);
    case 'inverse':
      return new Exact(1).div(big(numbers.rate));
    case 'cost_vs_mid': {
      const distance = big(numbers.rate).minus(big(numbers.mid));
      return distance.times(ask ? 10_000 : -10_000).div(big(numbers.mid));
    }
    case 'derived_amount':
      return at(numbers.rate);
    case 'derived_amount_at_market':
      return at(numbers.market);
    case 'reference_difference': {
      const reference = big(evidence.referenceRate ?? '');
      return big(numbers.rate).minus(reference).times(100).div(reference);
    }
    default:
      throw new Error(`${step.name} has no place in a pair with a price of its own`);
  }
}

test('every step agrees with big.js, and all of them with the price that was given', () => {
  fc.assert(
    fc.property(
      priceRequests.filter(({ amountMinor }) => amountMinor > 0n),
      (request) => {
        const priced = priceTrade(request);
        const evidence = evidenceOf(request);
        if (!priced.ok) {
          assert.throws(() => recomputeQuote(evidence), /comes to nothing/);
          return;
        }
        const { numbers, steps } = recomputeQuote(evidence);
        assert.equal(numbers.rate, formatDecimal(priced.rate));
        assert.equal(numbers.inverse, formatDecimal(priced.inverse));
        assert.equal(numbers.mid, formatDecimal(priced.mid));
        assert.equal(numbers.market, formatDecimal(priced.market));
        assert.equal(numbers.sellAmount, formatAmount(priced.sellMinor, request.sell));
        assert.equal(numbers.buyAmount, formatAmount(priced.buyMinor, request.buy));
        const derived = request.fixedSide === 'sell' ? request.buy : request.sell;
        assert.equal(numbers.marketAmount, formatAmount(priced.marketMinor, derived));
        assert.equal(numbers.markup, formatAmount(priced.markup.minor, derived));
        assert.equal(steps.length, 8);
        for (const step of steps) {
          const exact = expectedNumber(step, evidence, numbers);
          const result = exact.round(step.scale, ROUNDINGS[rounding(step, exact)]);
          assert.equal(formatUnits(step.units, step.scale), plain(result, step.scale), step.name);
          const { text, isExact } = fractionText(step.numerator, step.denominator);
          if (isExact) assert.ok(exact.eq(big(text)), `${step.name} ${text}`);
          else assert.equal(text, plain(exact.round(FRACTION_DIGITS, 0), FRACTION_DIGITS), step.name);
        }
      },
    ),
    { numRuns: 400 },
  );
});

/** big.js knows rounding towards zero and away from it only. */
function rounding({ rounding: asked }: TakenStep, exact: Big): 'floor' | 'ceil' | 'half_up' {
  if (asked === 'half_up') return asked;
  assert.ok(exact.gte(0), 'only positive numbers are rounded down or up');
  assert.ok(asked === 'floor' || asked === 'ceil', asked);
  return asked;
}

/** Zero has no sign in an amount. */
function plain(value: Big, scale: number): string {
  const text = value.toFixed(scale);
  return /^-0(\.0+)?$/.test(text) ? text.slice(1) : text;
}

function pairNamed(code: string): Pair {
  const pair = findPair(code);
  if (pair === undefined) throw new Error(code);
  return pair;
}

test('crosses recompute from their legs, whichever way these are quoted', () => {
  const text = (value: Decimal) => formatDecimal(value);
  const ways = [
    ['EURJPY', 'EURUSD', 'USDJPY'],
    ['EURGBP', 'EURUSD', 'GBPUSD'],
    ['CADJPY', 'USDCAD', 'USDJPY'],
    ['GBPUSD', 'EURGBP', 'EURUSD'],
  ].map((codes) => codes.map(pairNamed));
  for (const [pair, first, second] of ways) {
    if (!pair || !first || !second) continue;
    const prices: fc.Arbitrary<[MarketPrice, MarketPrice]> = fc.tuple(marketsOf(first), marketsOf(second));
    fc.assert(
      fc.property(prices, ([a, b]) => {
        const { bid, ask } = crossThrough(pair, { pair: first, price: a }, { pair: second, price: b });
        const evidence: QuoteEvidence = {
          fixedSide: 'sell',
          amountRounding: 'half_up',
          spreadBps: '20.00',
          pair: pair.code,
          sellCurrency: pair.base.code,
          buyCurrency: pair.quote.code,
          fixedAmount: '1000',
          rateDecimals: pair.decimals,
          bid: text(bid),
          ask: text(ask),
          legs: [
            { pair: first.code, bid: text(a.bid), ask: text(a.ask) },
            { pair: second.code, bid: text(b.bid), ask: text(b.ask) },
          ],
        };
        assert.deepEqual(verifyEvidence(evidence, {}), []);
        const request = { pair, sell: pair.base, buy: pair.quote, spreadBps: { units: 20_00n, scale: 2 } };
        const cross = crossThrough(pair, { pair: first, price: a }, { pair: second, price: b });
        // Quotes of before were rounded twice, and are still what their evidence says.
        const before = priceRate({ ...request, market: { bid, ask } });
        assert.deepEqual(verifyEvidence(evidence, { rate: text(before.rate) }), []);
        const now = priceRate({ ...request, market: cross });
        const once: QuoteEvidence = { ...evidence, crossRounding: 'once' };
        assert.deepEqual(verifyEvidence(once, { rate: text(now.rate), mid: text(now.mid) }), []);
      }),
      { numRuns: 50 },
    );
  }
});
