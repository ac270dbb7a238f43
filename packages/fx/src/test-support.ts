import fc from 'fast-check';
import { CURRENCIES, type Currency } from './currency.ts';
import { powerOfTen } from './decimal.ts';
import { type Pair, pairOf } from './pair.ts';
import type { MarketPrice, PriceRequest } from './pricing.ts';

/** Prices around the pair's typical level, at the pair's scale or finer, each side with its own. */
export function marketsOf(pair: Pair): fc.Arbitrary<MarketPrice> {
  const { base, quote } = pair;
  return fc
    .record({
      extraDigits: fc.integer({ min: 0, max: 3 }),
      percent: fc.bigInt({ min: 50n, max: 200n }),
      jitter: fc.bigInt({ min: 0n, max: 9999n }),
      width: fc.bigInt({ min: 0n, max: 5000n }),
      askDigits: fc.integer({ min: 0, max: 2 }),
    })
    .map(({ extraDigits, percent, jitter, width, askDigits }) => {
      const scale = pair.decimals + extraDigits;
      const level =
        (quote.typicalPerUsd.units * powerOfTen(base.typicalPerUsd.scale + scale) * percent) /
        (base.typicalPerUsd.units * powerOfTen(quote.typicalPerUsd.scale) * 100n);
      const bid = level + jitter;
      return {
        bid: { units: bid, scale },
        ask: { units: (bid + width) * powerOfTen(askDigits), scale: scale + askDigits },
      };
    });
}

/** Trades of any two currencies at any spread and amount. */
export const priceRequests: fc.Arbitrary<PriceRequest> = fc
  .tuple(fc.constantFrom(...CURRENCIES), fc.constantFrom(...CURRENCIES))
  .filter(([sell, buy]) => sell !== buy)
  .chain(([sell, buy]) => {
    const pair = pairOf(sell, buy);
    return fc.record({
      pair: fc.constant(pair),
      sell: fc.constant<Currency>(sell),
      buy: fc.constant<Currency>(buy),
      market: marketsOf(pair),
      spreadBps: fc.bigInt({ min: 0n, max: 50_000n }).map((units) => ({ units, scale: 2 })),
      fixedSide: fc.constantFrom('sell' as const, 'buy' as const),
      amountMinor: fc.oneof(
        fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }),
        fc.bigInt({ min: 0n, max: 1000n }),
        fc.bigInt({ min: 1n, max: 1000n }).map((each) => each * 10n ** 6n),
      ),
      amountRounding: fc.constantFrom('half_up' as const, 'house' as const),
    });
  });
