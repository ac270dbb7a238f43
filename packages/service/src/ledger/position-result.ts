import { type Currency, divide, divRound, formatDecimal } from '@firmquote/fx';
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
  const matchedCost = proportionOf(boughtUsdMinor, matched, boughtMinor);
  const matchedYield = proportionOf(soldUsdMinor, matched, soldMinor);
  const valueUsdMinor = netMinor === 0n ? 0n : valueAtMid(netMinor);
  const openCost = boughtUsdMinor - matchedCost - (soldUsdMinor - matchedYield);
  return {
    netMinor,
    realisedUsdMinor: matchedYield - matchedCost,
    valueUsdMinor,
    unrealisedUsdMinor: valueUsdMinor === undefined ? undefined : valueUsdMinor - openCost,
  };
}

/** What a part of an amount came to, half up: so much of the money as it is of the whole. */
export function proportionOf(minor: bigint, part: bigint, whole: bigint): bigint {
  return whole === 0n ? 0n : divRound(minor * part, whole, 'half_up');
}

const AVERAGE_DECIMALS = 8;
const AVERAGE_DIGITS_FROM = 100_000n;

/** An amount that another one was dealt for. */
interface Dealt {
  readonly minor: bigint;
  readonly currency: Currency;
}

/**
 * Units of one currency for one of another, for reading: results are not computed from it. To eight decimals, or to as many more as six digits
 * take: a rupiah is 0.0000178541 dinars, and eight decimals would leave nothing of a spread.
 */
export function averagePrice(paid: Dealt, bought: Dealt): string | null {
  if (bought.minor === 0n) return null;
  const cost = { units: paid.minor, scale: paid.currency.minorUnits };
  const amount = { units: bought.minor, scale: bought.currency.minorUnits };
  let average = divide(cost, amount, AVERAGE_DECIMALS, 'half_up');
  while (cost.units !== 0n && average.units < AVERAGE_DIGITS_FROM)
    average = divide(cost, amount, average.scale + 1, 'half_up');
  return formatDecimal(average);
}
