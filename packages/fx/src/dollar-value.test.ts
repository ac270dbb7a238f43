import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { knownCurrency, US_DOLLAR } from './currency.ts';
import { add, parseDecimal } from './decimal.ts';
import { dollarFraction, dollarsAtMid } from './dollar-value.ts';
import { pairOf } from './pair.ts';

const decimal = (text: string) => parseDecimal(text) ?? assert.fail(text);

function centsOf(minor: bigint, code: string, bid: string, ask: string): bigint {
  const currency = knownCurrency(code);
  return dollarsAtMid(minor, currency, pairOf(currency, US_DOLLAR), add(decimal(bid), decimal(ask)));
}

describe('dollars at the mid', () => {
  test('of the base, and of the quote currency, with the decimals of each', () => {
    assert.equal(centsOf(1_000_000n, 'EUR', '1.0999', '1.1001'), 1_100_000n);
    assert.equal(centsOf(15_000n, 'JPY', '149.98', '150.02'), 10_000n);
    assert.equal(centsOf(1_000n, 'KWD', '0.3071', '0.3073'), 326n, '100 / 0.3072 = 325.52');
  });

  test('half a cent goes away from zero, and the mid is not rounded before', () => {
    assert.equal(centsOf(1n, 'EUR', '1.4', '1.6'), 2n);
    assert.equal(centsOf(-1n, 'EUR', '1.4', '1.6'), -2n);
    // The mid is 1.00005; rounded to four places it would give 100,010.
    assert.equal(centsOf(100_000n, 'EUR', '1.0000', '1.0001'), 100_005n);
  });

  test('the other way round the fraction is upside down', () => {
    const price = fc
      .integer({ min: 1, max: 10_000_000 })
      .map((units) => ({ units: BigInt(units), scale: 4 }));
    fc.assert(
      fc.property(price, price, (bid, ask) => {
        const eur = knownCurrency('EUR');
        const direct = dollarFraction(eur, pairOf(eur, US_DOLLAR), add(bid, ask));
        const chf = knownCurrency('CHF');
        const inverse = dollarFraction(chf, pairOf(chf, US_DOLLAR), add(bid, ask));
        // Both have two decimals, so one is the other upside down.
        assert.equal(direct.numerator * inverse.numerator, direct.denominator * inverse.denominator);
      }),
    );
  });
});
