import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatAmount, formatDecimal as formatRate, inMultiplesOf, priceTrade } from '@firmquote/fx';
import fc from 'fast-check';
import { priceRequests } from '../../fx/src/test-support.ts';
import { add, checkAmounts, compare, formatDecimal, parseDecimal, subtract, worseBps } from './money.ts';

test("amounts computed again are the service's, to the last minor unit, for all pairs, roundings and multiples", () => {
  fc.assert(
    fc.property(priceRequests, fc.constantFrom(undefined, 5n, 100n), (made, multiple) => {
      const side = made.fixedSide === 'sell' ? 'buy' : 'sell';
      const derived = multiple === undefined ? made[side] : inMultiplesOf(made[side], multiple);
      const request = { ...made, [side]: derived };
      const increment = multiple === undefined ? undefined : formatAmount(multiple, derived);
      const priced = priceTrade(request);
      if (!priced.ok) return;
      const { rate, sellMinor, buyMinor } = priced;
      const quote = {
        fixedSide: request.fixedSide,
        sellCurrency: request.sell.code,
        sellAmount: formatAmount(sellMinor, request.sell),
        buyAmount: formatAmount(buyMinor, request.buy),
        rate: { value: formatRate(rate), baseCurrency: request.pair.base.code },
      } as Parameters<typeof checkAmounts>[0];
      const { isRight, expected, actual } = checkAmounts(quote, request.amountRounding, increment);
      assert.ok(isRight, `${JSON.stringify(quote)}: ${expected}, not ${actual}`);
    }),
    { numRuns: 1_000 },
  );
});

describe('the worked examples of docs/interface.md', () => {
  for (const [base, fixedSide, sell, sellAmount, buyAmount, value] of [
    ['EUR', 'sell', 'USD', '100000.00', '91987.01', '1.08711'],
    ['EUR', 'buy', 'USD', '108711.00', '100000.00', '1.08711'],
    ['EUR', 'sell', 'EUR', '100000.00', '108271.00', '1.08271'],
    ['EUR', 'buy', 'EUR', '92360.84', '100000.00', '1.08271'],
    ['USD', 'sell', 'USD', '10000.00', '1510090', '151.009'],
    ['USD', 'sell', 'JPY', '1000000', '6602.10', '151.467'],
    ['USD', 'sell', 'KWD', '1000.000', '3247.17', '0.30796'],
    ['USD', 'sell', 'USD', '1000.00', '306.340', '0.30634'],
  ] as const) {
    test(`${sellAmount} ${sell} for ${buyAmount}`, () => {
      const rate = { value, baseCurrency: base };
      const quote = { fixedSide, sellCurrency: sell, sellAmount, buyAmount, rate } as never;
      assert.ok(checkAmounts(quote).isRight);
      const wrong = { fixedSide, sellCurrency: sell, sellAmount: `1${sellAmount}`, buyAmount, rate } as never;
      assert.ok(!checkAmounts(wrong).isRight);
    });
  }
});

test('decimals are exact', () => {
  const decimals = fc
    .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat(8))
    .map(([units, scale]) => formatDecimal({ units, scale }));
  fc.assert(
    fc.property(decimals, decimals, (a, b) => {
      assert.equal(formatDecimal(parseDecimal(a)), a);
      assert.equal(compare(subtract(add(a, b), b), a), 0);
      // Not `-compare(b, a)`, which is -0 for equal ones.
      assert.equal(compare(a, b) + compare(b, a), 0);
    }),
  );
  for (const text of ['', '1.', '.5', '1e3', '0x1', ' 1', '1,000.00', 'NaN', '1'.repeat(41)]) {
    assert.throws(() => parseDecimal(text), RangeError, text);
  }
});

test('worse is less received or more paid, by exactly so much', () => {
  const amounts = fc.record({
    before: fc.bigInt(1n, 10n ** 12n),
    after: fc.bigInt(1n, 10n ** 12n),
    bps: fc.nat(50_000),
  });
  fc.assert(
    fc.property(amounts, fc.constantFrom('sell', 'buy'), ({ before, after, bps }, fixedSide) => {
      const quote = (units: bigint) => {
        const amount = formatDecimal({ units, scale: 2 });
        return {
          fixedSide,
          sellAmount: fixedSide === 'buy' ? amount : '1.00',
          buyAmount: fixedSide === 'buy' ? '1.00' : amount,
        } as never;
      };
      const loss = fixedSide === 'sell' ? before - after : after - before;
      const limit = formatDecimal({ units: BigInt(bps), scale: 2 });
      const isWorse = loss * 1_000_000n > BigInt(bps) * before;
      assert.equal(worseBps(quote(before), quote(after)).isMoreThan(limit), isWorse);
    }),
  );
});
