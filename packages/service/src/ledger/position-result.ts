import { type Currency, type Decimal, divRound, type Pair, powerOfTen } from '@firmquote/fx';
import type { PositionTotals } from './position-store.ts';

/** Result of a position in US dollar cents. `realised + unrealised` is `value + sold - bought`, to the cent. */
interface PositionResult {
  readonly netMinor: bigint;
  /** What was both bought and sold, at the difference of the two average prices. */
  readonly realisedUsdMinor: bigint;
  /** What is still open, at the present value less its average price; undefined without a price. */
  readonly unrealisedUsdMinor: bigint | undefined;
  /** The open amount at the mid; undefined without a price. */
  readonly valueUsdMinor: bigint | undefined;
}

/**
 * Average-price result of everything bought and sold in a currency:
 *
 *   matched    = min(bought, sold)
 *   realised   = matched × (average sold − average bought)
 *   unrealised = value of the open amount − open amount × average price of its side
 *
 * Each is rounded once, half up to the cent: the matched part's dollars, and the value. The rest are differences of
 * whole cents, so that realised and unrealised add up to value + sold − bought without a remainder. The totals do not
 * depend on the order of trades.
 * @param valueAtMid dollars (cents) of an amount in the currency at the mid, rounded half up
 */
export function positionResult(
  totals: PositionTotals,
  valueAtMid: (minor: bigint) => bigint | undefined,
): PositionResult {
  const { boughtMinor, boughtUsdMinor, soldMinor, soldUsdMinor } = totals;
  const netMinor = boughtMinor - soldMinor;
  const matched = boughtMinor < soldMinor ? boughtMinor : soldMinor;
  const matchedCost = part(boughtUsdMinor, matched, boughtMinor);
  const matchedYield = part(soldUsdMinor, matched, soldMinor);
  const valueUsdMinor = netMinor === 0n ? 0n : valueAtMid(netMinor);
  const openCost = boughtUsdMinor - matchedCost - (soldUsdMinor - matchedYield);
  return {
    netMinor,
    realisedUsdMinor: matchedYield - matchedCost,
    valueUsdMinor,
    unrealisedUsdMinor: valueUsdMinor === undefined ? undefined : valueUsdMinor - openCost,
  };
}

function part(usdMinor: bigint, matched: bigint, of: bigint): bigint {
  return of === 0n ? 0n : divRound(usdMinor * matched, of, 'half_up');
}

/**
 * Dollars of an amount at the middle of bid and ask, half up to the cent. The middle is half of the exact sum and is
 * not rounded by itself.
 */
export function usdAtMid(
  minor: bigint,
  currency: Currency,
  dollar: Currency,
  pair: Pair,
  sum: Decimal,
): bigint {
  const scale = powerOfTen(sum.scale) * 2n;
  const [numerator, denominator] =
    pair.base === currency
      ? [minor * sum.units * powerOfTen(dollar.minorUnits), scale * powerOfTen(currency.minorUnits)]
      : [minor * scale * powerOfTen(dollar.minorUnits), sum.units * powerOfTen(currency.minorUnits)];
  return divRound(numerator, denominator, 'half_up');
}
