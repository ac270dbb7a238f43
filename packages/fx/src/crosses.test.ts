import assert from 'node:assert/strict';
import { test } from 'node:test';
import Big from 'big.js';
import fc from 'fast-check';
import { crossThrough } from './crosses.ts';
import { CURRENCIES, type Currency, findCurrency } from './currency.ts';
import { type Decimal, formatDecimal, parseDecimal } from './decimal.ts';
import { findPair, type Pair, pairOf } from './pair.ts';
import { priceRate, priceTwoWay, type QuotedTick } from './pricing.ts';

function pair(code: string) {
  const found = findPair(code);
  assert.ok(found, code);
  return found;
}

function currency(code: string): Currency {
  const found = findCurrency(code);
  assert.ok(found, code);
  return found;
}

function tick(code: string, bid: string, ask: string): QuotedTick {
  const price = { bid: parseDecimal(bid), ask: parseDecimal(ask) };
  assert.ok(price.bid !== undefined && price.ask !== undefined);
  return { pair: pair(code), price: { bid: price.bid, ask: price.ask } };
}

function cross(code: string, legA: QuotedTick, legB: QuotedTick): string[] {
  const price = crossThrough(pair(code), legA, legB);
  assert.deepEqual(crossThrough(pair(code), legB, legA), price, 'the order of the legs does not matter');
  return [formatDecimal(price.bid), formatDecimal(price.ask)];
}

test('bid meets bid and ask meets ask, and each side is rounded outwards once', () => {
  const eurusd = tick('EURUSD', '1.08488', '1.08494');
  // 1.08488 x 151.236 = 164.07291...; 1.08494 x 151.240 = 164.08632...
  assert.deepEqual(cross('EURJPY', eurusd, tick('USDJPY', '151.236', '151.240')), ['164.072', '164.087']);
  // 1.08488 / 1.27013 = 0.854148...; 1.08494 / 1.27006 = 0.854243...
  assert.deepEqual(cross('EURGBP', eurusd, tick('GBPUSD', '1.27006', '1.27013')), ['0.85414', '0.85425']);
  // 10.5412 / 10.6533 = 0.989477...; 10.5440 / 10.6501 = 0.990037...
  assert.deepEqual(
    cross('NOKSEK', tick('USDNOK', '10.6501', '10.6533'), tick('USDSEK', '10.5412', '10.5440')),
    ['0.98947', '0.99004'],
  );
});

test('a pair quoted against its legs is inverted', () => {
  // 0.88210 / 1.34030 = 0.658136...; 0.88230 / 1.34010 = 0.658383...
  assert.deepEqual(
    cross('SGDCHF', tick('USDSGD', '1.34010', '1.34030'), tick('USDCHF', '0.88210', '0.88230')),
    ['0.65813', '0.65839'],
  );
});

test('legs that do not make the pair are refused', () => {
  const eurusd = tick('EURUSD', '1.08488', '1.08494');
  const usdjpy = tick('USDJPY', '151.236', '151.240');
  assert.throws(() => crossThrough(pair('EURGBP'), eurusd, usdjpy), RangeError);
  assert.throws(() => crossThrough(pair('GBPJPY'), eurusd, usdjpy), RangeError);
  assert.throws(() => crossThrough(pair('EURUSD'), eurusd, eurusd), RangeError);
  assert.throws(() => crossThrough(pair('EURJPY'), eurusd, tick('CHFJPY', '170.000', '170.010')), RangeError);
  assert.throws(() => crossThrough(pair('EURJPY'), tick('EURUSD', '1.1', '1.0'), usdjpy), RangeError);
});

test('crosses agree with big.js for any three currencies', () => {
  const Exact = Big();
  Exact.DP = 60;
  const big = (value: Decimal) => new Exact(formatDecimal(value));
  const price = fc
    .tuple(fc.bigInt({ min: 1000n, max: 10n ** 9n }), fc.bigInt({ min: 0n, max: 1000n }))
    .map(([bid, width]) => ({ bid: { units: bid, scale: 5 }, ask: { units: bid + width, scale: 5 } }));
  const three = fc.uniqueArray(fc.constantFrom(...CURRENCIES), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(three, price, price, (currencies, priceA, priceB) => {
      const [first, second, common] = currencies;
      assert.ok(first !== undefined && second !== undefined && common !== undefined);
      const target = pairOf(first, second);
      const legs = {
        base: { pair: pairOf(target.base, common), price: priceA },
        quote: { pair: pairOf(target.quote, common), price: priceB },
      };
      /** What one unit of a currency is worth in the common one, sold (bid) or bought (ask). */
      const worth = (leg: QuotedTick, code: string, side: 'bid' | 'ask') =>
        leg.pair.base.code === code
          ? big(leg.price[side])
          : new Exact(1).div(big(leg.price[side === 'bid' ? 'ask' : 'bid']));
      const result = crossThrough(target, legs.base, legs.quote);
      // Selling the base brings the common currency at its bid, which buys the quote at the quote's ask.
      const bid = worth(legs.base, target.base.code, 'bid').div(worth(legs.quote, target.quote.code, 'ask'));
      const ask = worth(legs.base, target.base.code, 'ask').div(worth(legs.quote, target.quote.code, 'bid'));
      const step = new Exact(10).pow(-target.decimals);
      const tiny = new Exact(10).pow(-30);
      const bidGap = bid.minus(big(result.bid));
      const askGap = big(result.ask).minus(ask);
      for (const gap of [bidGap, askGap]) {
        // big.js divides to 60 digits twice, hence the hair's breadth at an exact boundary.
        assert.ok(gap.gte(tiny.neg()) && gap.lt(step.plus(tiny)), `${target.code}: ${gap}`);
      }
      assert.equal(result.bid.scale, target.decimals);
      assert.equal(result.ask.scale, target.decimals);
    }),
    { numRuns: 500 },
  );
});

/** What one unit of the base is worth in the quote currency, exactly: the far sides of both legs. */
function exactly(target: Pair, common: string, side: 'bid' | 'ask', priceOf: (pair: Pair) => QuotedTick) {
  const other = side === 'bid' ? 'ask' : 'bid';
  const through = currency(common);
  const leg = (of: Currency, near: 'bid' | 'ask', far: 'bid' | 'ask') => {
    const { pair: on, price } = priceOf(pairOf(of, through));
    const isBase = on.base.code === of.code;
    const { units, scale } = price[isBase ? near : far];
    const one = 10n ** BigInt(scale);
    return isBase ? [units, one] : [one, units];
  };
  const [baseTop = 0n, baseBottom = 0n] = leg(target.base, side, other);
  const [quoteTop = 0n, quoteBottom = 0n] = leg(target.quote, other, side);
  return { top: baseTop * quoteBottom, bottom: baseBottom * quoteTop };
}

test('over every cross through the dollar and the euro, the rate of the customer is rounded once', () => {
  const market = new Map<string, QuotedTick>();
  const priceOf = (on: Pair): QuotedTick => {
    const known = market.get(on.code);
    if (known !== undefined) return known;
    const scale = on.decimals + 1;
    const worth = (of: Currency) => of.typicalPerUsd;
    const mid =
      (worth(on.quote).units * 10n ** BigInt(scale + worth(on.base).scale)) /
      (worth(on.base).units * 10n ** BigInt(worth(on.quote).scale));
    // Digits that end nowhere, and bid and ask three hundredths of a percent apart.
    const bid = (mid * 9_997n) / 10_000n + 7n;
    const made = { pair: on, price: { bid: { units: bid, scale }, ask: { units: mid + 13n, scale } } };
    market.set(on.code, made);
    return made;
  };
  let crosses = 0;
  let differently = 0;
  for (const common of ['USD', 'EUR']) {
    const others = CURRENCIES.filter(({ code }) => code !== common);
    for (const [i, first] of others.entries()) {
      for (const second of others.slice(i + 1)) {
        const target = pairOf(first, second);
        const [base, quote] = [target.base, target.quote].map((of) => priceOf(pairOf(of, currency(common))));
        assert.ok(base && quote);
        const cross = crossThrough(target, base, quote);
        const spreadBps = { units: 20_00n, scale: 2 };
        const twoWay = priceTwoWay(target, cross, spreadBps);
        const twice = priceTwoWay(target, { bid: cross.bid, ask: cross.ask }, spreadBps);
        crosses += 1;
        if (twice.bid.units !== twoWay.bid.units || twice.ask.units !== twoWay.ask.units) differently += 1;
        const one = 10n ** BigInt(target.decimals);
        const bid = exactly(target, common, 'bid', priceOf);
        const ask = exactly(target, common, 'ask', priceOf);
        const exactBid = (bid.top * one * 9_980n) / (bid.bottom * 10_000n);
        const exactAsk = -((-ask.top * one * 10_020n) / (ask.bottom * 10_000n));
        const isWhole = (ask.top * one * 10_020n) % (ask.bottom * 10_000n) === 0n;
        assert.equal(twoWay.bid.units, exactBid, `${target.code} bid`);
        assert.equal(twoWay.ask.units, exactAsk + (isWhole ? 0n : 1n), `${target.code} ask`);
        const sale = { pair: target, market: cross, spreadBps };
        const buying = priceRate({ ...sale, sell: target.quote, buy: target.base });
        const selling = priceRate({ ...sale, sell: target.base, buy: target.quote });
        assert.deepEqual([selling.rate, buying.rate], [twoWay.bid, twoWay.ask]);
        assert.deepEqual([selling.market, buying.market], [cross.bid, cross.ask]);
      }
    }
  }
  assert.ok(crosses > 4_000 && differently > crosses / 4, `${differently} of ${crosses}`);
});

test('legs without a spread make a cross without one when nothing is rounded', () => {
  const eurusd = tick('EURUSD', '1.08500', '1.08500');
  const usdjpy = tick('USDJPY', '150.000', '150.000');
  assert.deepEqual(cross('EURJPY', eurusd, usdjpy), ['162.750', '162.750']);
});
