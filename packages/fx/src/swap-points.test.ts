import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { crossThrough } from './crosses.ts';
import { builtInCalendars } from './dates/index.ts';
import { compare, type Decimal, formatDecimal, parseDecimal } from './decimal.ts';
import { outrightOf } from './evidence-points.ts';
import { findPair, type Pair } from './pair.ts';
import { priceTwoWay } from './pricing.ts';
import { type QuoteEvidence, recomputeQuote, verifyEvidence } from './recompute-quote.ts';
import {
  beforeLeg,
  type InterestRate,
  largestPoints,
  pointsAtWorseSide,
  pointsFromRates,
  type SwapLeg,
  swapLegs,
} from './swap-points.ts';

function decimal(text: string): Decimal {
  const value = parseDecimal(text);
  assert.ok(value, text);
  return value;
}
function pair(code: string): Pair {
  const found = findPair(code);
  assert.ok(found, code);
  return found;
}
const twoSided = (bid: string, ask: string) => ({ bid: decimal(bid), ask: decimal(ask) });
const reported = ({ bid, ask }: { bid: Decimal; ask: Decimal }) => [formatDecimal(bid), formatDecimal(ask)];
const rate = (
  currency: string,
  bid: string,
  ask: string,
  dayCount: InterestRate['dayCount'] = 'ACT/360',
): InterestRate => ({ currency, ...twoSided(bid, ask), dayCount });

const TN: SwapLeg = { leg: 'tn', from: '2026-03-05', to: '2026-03-06' };
const ON: SwapLeg = { leg: 'on', from: '2026-03-04', to: '2026-03-05' };

describe('outrights before spot: points are subtracted, with their sides changed', () => {
  // Published examples. The first is V. B. Tan's (value-dates of T/N, 2009): EUR/USD 1.2345/1.2347, T/N 0.56/0.58. The
  // second is a company that sells euros for value tomorrow at 1.3791 with T/N at -0.033/-0.026 (authorea 307489): it is
  // quoted 1.3791026, the offered points with the opposite sign.
  test('positive points make the earlier date cheaper', () => {
    const tom = beforeLeg(twoSided('1.2345', '1.2347'), twoSided('0.56', '0.58'), pair('EURUSD'));
    assert.deepEqual(reported(tom), ['1.234442', '1.234644']);
  });

  test('negative points make it dearer', () => {
    const tom = beforeLeg(twoSided('1.3791', '1.3792'), twoSided('-0.033', '-0.026'), pair('EURUSD'));
    assert.deepEqual(reported(tom), ['1.3791026', '1.3792033']);
  });

  test('today takes both legs: spot bid - TN ask - ON ask, spot ask - TN bid - ON bid', () => {
    const legs = [
      { ...TN, bid: '0.52', ask: '0.58' },
      { ...ON, bid: '0.50', ask: '0.60' },
    ];
    const { price, points } = outrightOf(twoSided('1.08488', '1.08494'), legs, pair('EURUSD'));
    assert.deepEqual(reported(price), ['1.084762', '1.084838']);
    assert.deepEqual(reported(points), ['1.02', '1.18']);
  });

  test('a pip of the yen is a hundredth', () => {
    const tom = beforeLeg(twoSided('151.236', '151.240'), twoSided('-1.75', '-1.60'), pair('USDJPY'));
    assert.deepEqual(reported(tom), ['151.2520', '151.2575']);
  });
});

describe('points from interest rates', () => {
  // By hand: 1.08488 × (1 - (1 + 0.0190/360) / (1 + 0.0370/360)) = 0.00005423842… and
  // 1.08494 × (1 - (1 + 0.0200/360) / (1 + 0.0360/360)) = 0.00004821473….
  test('one day, both currencies on 360 days', () => {
    const points = pointsFromRates(
      twoSided('1.08488', '1.08494'),
      TN,
      rate('EUR', '1.90', '2.00'),
      rate('USD', '3.60', '3.70'),
      pair('EURUSD'),
    );
    assert.deepEqual(reported(points), ['0.4821', '0.5424']);
  });

  // By hand: 1.26810 × (1 - (1 + 0.0390 × 3/365) / (1 + 0.0370 × 3/360)) = -0.00001548457… and
  // 1.26818 × (1 - (1 + 0.0400 × 3/365) / (1 + 0.0360 × 3/360)) = -0.00003647095…: sterling counts 365 days.
  test('over a weekend, each currency by its own year', () => {
    const weekend: SwapLeg = { leg: 'on', from: '2026-03-06', to: '2026-03-09' };
    const points = pointsFromRates(
      twoSided('1.26810', '1.26818'),
      weekend,
      rate('GBP', '3.90', '4.00', 'ACT/365'),
      rate('USD', '3.60', '3.70'),
      pair('GBPUSD'),
    );
    assert.deepEqual(reported(points), ['-0.3648', '-0.1548']);
  });

  test('they never cross a price, and never favour the customer by rounding', () => {
    const percent = fc.integer({ min: -200, max: 6_000 });
    fc.assert(
      fc.property(
        fc.constantFrom('EURUSD', 'USDJPY', 'USDTRY', 'GBPJPY', 'IDRKWD', 'IDRJPY'),
        fc.tuple(percent, fc.integer({ min: 0, max: 200 })),
        fc.tuple(percent, fc.integer({ min: 0, max: 200 })),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 0, max: 500 }),
        (code, [base, baseWidth], [quote, quoteWidth], days, width) => {
          const of = (currency: string, bid: number, by: number): InterestRate => ({
            currency,
            bid: { units: BigInt(bid), scale: 2 },
            ask: { units: BigInt(bid + by), scale: 2 },
            dayCount: 'ACT/365',
          });
          const found = pair(code);
          const bid = { units: 1_2345_00n, scale: found.decimals };
          const spot = { bid, ask: { units: bid.units + BigInt(width), scale: bid.scale } };
          const leg: SwapLeg = {
            leg: 'on',
            from: '2026-03-02',
            to: `2026-03-${String(2 + days).padStart(2, '0')}`,
          };
          const points = pointsFromRates(
            spot,
            leg,
            of('A', base, baseWidth),
            of('B', quote, quoteWidth),
            found,
          );
          const earlier = beforeLeg(spot, points, found);
          assert.ok(compare(earlier.bid, earlier.ask) <= 0);
          // With one rate for both, and no spread of it, nothing lies between the dates.
          const equal = pointsFromRates(spot, leg, of('A', base, 0), of('B', base, 0), found);
          assert.deepEqual([equal.bid.units, equal.ask.units], [0n, 0n]);
        },
      ),
      { numRuns: 200 },
    );
  });
});

// By hand: 0.000017857 × (1 - (1 + 0.0600/360) / (1 + 0.0400/360)) = -0.00000000099195… and
// 0.000017869 × (1 - (1 + 0.0610/360) / (1 + 0.0390/360)) = -0.00000000109187…, of which a pip is 0.0001.
test('they are finer than a rate, also where that has many digits behind its pip', () => {
  const spot = twoSided('0.000017857', '0.000017869');
  const rates = [rate('IDR', '6.00', '6.10'), rate('KWD', '3.90', '4.00')] as const;
  const points = pointsFromRates(spot, TN, ...rates, pair('IDRKWD'));
  assert.deepEqual(reported(points), ['-0.00001092', '-0.00000991']);
  const worse = pointsAtWorseSide(spot, TN, decimal('2.00'), pair('IDRKWD'));
  assert.deepEqual(reported(worse), ['-0.00003574', '0.00003574']);
  // Quotes of before have four digits, and follow from their evidence as they did.
  const [base, quote] = rates.map(({ bid, ask, ...each }) => ({
    ...{ ...each, bid: formatDecimal(bid), ask: formatDecimal(ask) },
  }));
  assert.ok(base && quote);
  const of = (bid: string, ask: string) =>
    outrightOf(spot, [{ ...TN, bid, ask, rates: { base, quote } }], pair('IDRKWD'));
  assert.deepEqual(reported(of('-0.0001', '0.0000').points), ['-0.0001', '0.0000']);
  assert.deepEqual(reported(of('-0.00001092', '-0.00000991').points), ['-0.00001092', '-0.00000991']);
});

test('without points, the worse side: so far down for who sells the base currency, so far up for who buys it', () => {
  // 2 bps a day over 3 days of 1.08494 are 6.50964 pips.
  const weekend: SwapLeg = { leg: 'on', from: '2026-03-06', to: '2026-03-09' };
  const spot = twoSided('1.08488', '1.08494');
  const points = pointsAtWorseSide(spot, weekend, decimal('2.00'), pair('EURUSD'));
  assert.deepEqual(reported(points), ['-6.5097', '6.5097']);
  assert.deepEqual(reported(beforeLeg(spot, points, pair('EURUSD'))), ['1.08422903', '1.08559097']);
});

test('the legs from spot back to a date', () => {
  const legs = (code: string, tradeDate: string, valueDate: string) =>
    swapLegs([code.slice(0, 3), code.slice(3)], tradeDate, valueDate, builtInCalendars).map(
      ({ leg, from, to }) => `${leg} ${from} ${to}`,
    );
  assert.deepEqual(legs('EURUSD', '2026-03-04', '2026-03-06'), []);
  assert.deepEqual(legs('EURUSD', '2026-03-04', '2026-03-05'), ['tn 2026-03-05 2026-03-06']);
  assert.deepEqual(legs('EURUSD', '2026-03-04', '2026-03-04'), [
    'tn 2026-03-05 2026-03-06',
    'on 2026-03-04 2026-03-05',
  ]);
  // Over the weekend both legs are what they are; where tom is spot there is one leg.
  assert.deepEqual(legs('EURUSD', '2026-03-05', '2026-03-05'), [
    'tn 2026-03-06 2026-03-09',
    'on 2026-03-05 2026-03-06',
  ]);
  assert.deepEqual(legs('USDCAD', '2026-03-06', '2026-03-06'), ['on 2026-03-06 2026-03-09']);
  assert.deepEqual(legs('USDCAD', '2026-03-06', '2026-03-09'), []);
  // The day before Thanksgiving: tom is Friday, and so is spot.
  assert.deepEqual(legs('EURUSD', '2026-11-25', '2026-11-25'), ['on 2026-11-25 2026-11-27']);
});

describe('a quote for value before spot is computed again from its evidence', () => {
  const evidence: QuoteEvidence = {
    pair: 'EURUSD',
    sellCurrency: 'USD',
    buyCurrency: 'EUR',
    fixedSide: 'sell',
    fixedAmount: '100000.00',
    rateDecimals: 5,
    amountRounding: 'half_up',
    bid: '1.08488',
    ask: '1.08494',
    spreadBps: '20.00',
    pipDecimals: 4,
    swapPoints: [
      { ...TN, bid: '0.52', ask: '0.58' },
      {
        ...ON,
        bid: '0.4821',
        ask: '0.5424',
        rates: {
          base: { currency: 'EUR', bid: '1.90', ask: '2.00', dayCount: 'ACT/360' },
          quote: { currency: 'USD', bid: '3.60', ask: '3.70', dayCount: 'ACT/360' },
        },
      },
    ],
  };

  test('the points are taken off the spot price, and the spread goes on top', () => {
    const { numbers, steps } = recomputeQuote(evidence);
    assert.deepEqual(
      [numbers.bid, numbers.ask, numbers.pointsBid, numbers.pointsAsk],
      ['1.08488', '1.08494', '1.0021', '1.1224'],
    );
    // 1.08494 - 0.000052 - 0.00004821; × 1.002 = 1.10…, up.
    assert.equal(numbers.outrightAsk, '1.08483979');
    assert.equal(numbers.rate, '1.08701');
    assert.deepEqual(
      steps.slice(0, 3).map(({ name }) => name),
      ['swap_points_bid', 'swap_points_ask', 'client_rate'],
    );
    assert.deepEqual(verifyEvidence(evidence, numbers), []);
  });

  test('points that do not follow from the rates are told', () => {
    const [tn, on] = evidence.swapPoints ?? [];
    assert.ok(tn && on);
    const changed = { ...evidence, swapPoints: [tn, { ...on, ask: '0.5000' }] };
    assert.deepEqual(verifyEvidence(changed, {}), [
      { member: 'pointsAsk', recorded: '1.0800', recomputed: '1.1224' },
    ]);
  });
});

test('of a cross for value before spot the rate is rounded once as well', () => {
  const legs = [
    { pair: pair('EURUSD'), price: twoSided('1.08488', '1.08494') },
    { pair: pair('GBPUSD'), price: twoSided('1.27006', '1.27013') },
  ] as const;
  const target = pair('EURGBP');
  const cross = crossThrough(target, ...legs);
  const { exact } = beforeLeg(cross, twoSided('0.31', '0.37'), target);
  assert.ok(exact);
  // 1.08488 / 1.27013 - 0.000037, and 1.08494 / 1.27006 - 0.000031, as fractions.
  const bid = { top: 108_488n * 1_000_000n - 37n * 127_013n, bottom: 127_013n * 1_000_000n };
  const ask = { top: 108_494n * 1_000_000n - 31n * 127_006n, bottom: 127_006n * 1_000_000n };
  assert.equal(exact.bid.numerator * bid.bottom, exact.bid.denominator * bid.top);
  assert.equal(exact.ask.numerator * ask.bottom, exact.ask.denominator * ask.top);
  const earlier = beforeLeg(cross, twoSided('0.31', '0.37'), target);
  const { bid: rate } = priceTwoWay(target, earlier, decimal('20.00'));
  assert.equal(rate.units, (bid.top * 9_980n * 100_000n) / (bid.bottom * 10_000n));
});

test('points may move a price by so much for each day of their leg, and no more', () => {
  const most = (code: string, price: string, bps: string, leg: SwapLeg) =>
    formatDecimal(largestPoints(leg, decimal(price), decimal(bps), pair(code)));
  assert.equal(most('EURUSD', '1.08494', '25.00', ON), '27.1235');
  // From Friday to Monday.
  assert.equal(
    most('EURUSD', '1.08494', '25', { leg: 'tn', from: '2026-03-06', to: '2026-03-09' }),
    '81.3705',
  );
  assert.equal(most('USDJPY', '151.240', '0.01', ON), '0.0151');
  assert.equal(most('IDRKWD', '0.000017869', '25.00', ON), '0.00044672');
});
