import assert from 'node:assert/strict';
import { test } from 'node:test';
import Big from 'big.js';
import fc from 'fast-check';
import { type Decimal, formatDecimal } from './decimal.ts';
import { formatAmount } from './money.ts';
import { type PriceRequest, priceRate, priceTrade, priceTwoWay } from './pricing.ts';
import { priceRequests as requests } from './test-support.ts';

// big.js is the second implementation; its quotients get more digits than any rounding here looks at.
const Exact = Big();
Exact.DP = 60;
const [DOWN, HALF_UP, UP] = [0, 1, 3] as const;

function big(value: Decimal): Big {
  return new Exact(formatDecimal(value));
}

/** Market price of the customer's side moved away from the market by the spread, unrounded. */
function targetOf(request: PriceRequest, side: 'bid' | 'ask'): Big {
  const spread = big(request.spreadBps).div(10_000);
  return big(request.market[side]).times(side === 'ask' ? spread.plus(1) : new Exact(1).minus(spread));
}

test('the spread is never undershot, and overshot by less than one unit of the last digit', () => {
  fc.assert(
    fc.property(requests, (request) => {
      const { side, rate, market } = priceRate(request);
      assert.equal(side, request.buy === request.pair.base ? 'ask' : 'bid');
      assert.equal(rate.scale, request.pair.decimals);
      const target = targetOf(request, side);
      const beyond = side === 'ask' ? big(rate).minus(target) : target.minus(big(rate));
      const step = new Exact(10).pow(-request.pair.decimals);
      assert.ok(beyond.gte(0), `${beyond} undershot`);
      assert.ok(beyond.lt(step), `${beyond} overshot`);
      const ownSide = big(request.market[side]).round(request.pair.decimals, side === 'ask' ? UP : DOWN);
      assert.ok(big(market).eq(ownSide));
    }),
    { numRuns: 500 },
  );
});

test('mid, inverse and cost against the mid agree with big.js', () => {
  fc.assert(
    fc.property(requests, (request) => {
      const { side, rate, mid, inverse, costVsMidBps } = priceRate(request);
      const { bid, ask } = request.market;
      const exactMid = big(bid).plus(big(ask)).div(2).round(request.pair.decimals, HALF_UP);
      assert.ok(big(mid).eq(exactMid));
      assert.ok(big(inverse).eq(new Exact(1).div(big(rate)).round(10, HALF_UP)));
      const distance = side === 'ask' ? big(rate).minus(exactMid) : exactMid.minus(big(rate));
      assert.ok(big(costVsMidBps).eq(distance.times(10_000).div(exactMid).round(2, HALF_UP)));
      assert.ok(costVsMidBps.units >= 0n);
    }),
  );
});

test('amounts agree with big.js in both roundings', () => {
  fc.assert(
    fc.property(requests, (request) => {
      const result = priceTrade(request);
      const fixed = request.fixedSide === 'sell' ? request.sell : request.buy;
      const derived = request.fixedSide === 'sell' ? request.buy : request.sell;
      const amount = new Exact(formatAmount(request.amountMinor, fixed));
      const derivedAt = (rate: Decimal) => {
        const exact = fixed === request.pair.base ? amount.times(big(rate)) : amount.div(big(rate));
        const house = request.fixedSide === 'sell' ? DOWN : UP;
        return exact.round(derived.minorUnits, request.amountRounding === 'house' ? house : HALF_UP);
      };
      const { rate, market } = priceRate(request);
      const expected = derivedAt(rate);
      assert.equal(result.ok, !expected.eq(0) && !derivedAt(market).eq(0), `${expected} of ${derived.code}`);
      if (!result.ok) return;
      const derivedMinor = request.fixedSide === 'sell' ? result.buyMinor : result.sellMinor;
      assert.equal(formatAmount(derivedMinor, derived), expected.toFixed(derived.minorUnits));
      assert.equal(formatAmount(result.marketMinor, derived), derivedAt(market).toFixed(derived.minorUnits));
    }),
    { numRuns: 500 },
  );
});

test('what the customer gives and gets, what the market gives and gets and what the house keeps add up', () => {
  fc.assert(
    fc.property(requests, (request) => {
      const trade = priceTrade(request);
      if (!trade.ok) return;
      assert.ok(trade.markup.minor >= 0n, `markup of ${trade.markup.minor}`);
      assert.ok(trade.sellMinor > 0n && trade.buyMinor > 0n);
      const sellIsFixed = request.fixedSide === 'sell';
      // What the house gives the market and gets from it when it covers the trade at the market's rate.
      const toMarket = sellIsFixed ? trade.sellMinor : trade.marketMinor;
      const fromMarket = sellIsFixed ? trade.marketMinor : trade.buyMinor;
      const kept: Record<string, bigint> = {
        [request.sell.code]: trade.sellMinor - toMarket,
        [request.buy.code]: fromMarket - trade.buyMinor,
      };
      for (const [code, minor] of Object.entries(kept)) {
        assert.equal(minor, code === trade.markup.currency.code ? trade.markup.minor : 0n, code);
      }
      assert.equal(sellIsFixed ? trade.sellMinor : trade.buyMinor, request.amountMinor);
    }),
    { numRuns: 500 },
  );
});

test('the house rule never gives the customer a better amount than half-up', () => {
  fc.assert(
    fc.property(requests, (request) => {
      const house = priceTrade({ ...request, amountRounding: 'house' });
      const halfUp = priceTrade({ ...request, amountRounding: 'half_up' });
      if (!house.ok || !halfUp.ok) return;
      assert.ok(house.buyMinor <= halfUp.buyMinor && house.sellMinor >= halfUp.sellMinor);
      assert.ok(halfUp.buyMinor - house.buyMinor <= 1n && house.sellMinor - halfUp.sellMinor <= 1n);
    }),
  );
});

test('fixing the sold or the bought amount makes no difference to the rate', () => {
  fc.assert(
    fc.property(requests, fc.bigInt({ min: 1n, max: 10n ** 12n }), (request, amountMinor) => {
      const sellFixed = priceTrade({ ...request, fixedSide: 'sell' });
      const buyFixed = priceTrade({ ...request, fixedSide: 'buy', amountMinor });
      if (!sellFixed.ok || !buyFixed.ok) return;
      for (const field of ['side', 'rate', 'inverse', 'mid', 'market', 'costVsMidBps'] as const) {
        assert.deepEqual(sellFixed[field], buyFixed[field], field);
      }
    }),
  );
});

test('a streamed price is what a trade on either side would get', () => {
  fc.assert(
    fc.property(requests, (request) => {
      const twoWay = priceTwoWay(request.pair, request.market, request.spreadBps);
      const { base, quote } = request.pair;
      const buying = priceRate({ ...request, sell: quote, buy: base });
      const selling = priceRate({ ...request, sell: base, buy: quote });
      assert.deepEqual(twoWay, { bid: selling.rate, ask: buying.rate, mid: buying.mid });
    }),
  );
});
