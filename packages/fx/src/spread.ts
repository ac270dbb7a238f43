import { compare, type Decimal, divRound, parseDecimal, powerOfTen, rescale } from './decimal.ts';

/**
 * What a spread is made of. `customer_spread` is the standing rule; `tenor_spread`, `validity_premium` and
 * `amount_tier` are what tiers and the promise add to it or take off it; `market_hours` widens in thin hours;
 * `minimum` and `maximum` are what the bounds of the rule added or took off.
 */
export type SpreadComponentType =
  | 'customer_spread'
  | 'tenor_spread'
  | 'validity_premium'
  | 'amount_tier'
  | 'market_hours'
  | 'minimum'
  | 'maximum';

/** One part of a spread, in basis points at two decimals. Discounts are negative. */
export interface SpreadComponent {
  readonly type: SpreadComponentType;
  readonly bps: Decimal;
}

export interface SpreadBounds {
  /** The total is not less. */
  readonly minBps?: Decimal | undefined;
  /** The total is not more. */
  readonly maxBps?: Decimal | undefined;
}

export interface Spread {
  /** Basis points at two decimals; exactly the sum of the components. */
  readonly totalBps: Decimal;
  readonly components: readonly SpreadComponent[];
}

/** Decimals that basis points are kept and shown with. */
export const BPS_SCALE = 2;

/** The widest spread: below half of the rate, whatever rules, premiums and windows add up to. */
export const SPREAD_BPS_MAX: Decimal = Object.freeze({ units: 499_999n, scale: BPS_SCALE });

/** A spread of 0 to {@link SPREAD_BPS_MAX} at two decimals, the form in which spreads are kept; undefined for all else. */
export function parseSpreadBps(text: string): Decimal | undefined {
  const value = parseDecimal(text);
  if (value === undefined || value.scale > BPS_SCALE || value.units < 0n) return undefined;
  return compare(value, SPREAD_BPS_MAX) > 0 ? undefined : rescale(value, BPS_SCALE, 'half_even');
}

/**
 * Adds parts up to a spread. Parts of one type become one, in the order in which the types come first; parts of zero
 * are left out, except the customer's own spread, which is always shown. The minimum is held first, then the maximum,
 * then {@link SPREAD_BPS_MAX}; what a bound changes is a component of its own, so that the components always add up.
 * Throws RangeError when the minimum is above the maximum, or without a bound the total would be negative.
 */
export function composeSpread(parts: readonly SpreadComponent[], bounds: SpreadBounds = {}): Spread {
  const min = bounds.minBps === undefined ? undefined : bpsUnits(bounds.minBps);
  const max = bounds.maxBps === undefined ? undefined : bpsUnits(bounds.maxBps);
  if (min !== undefined && max !== undefined && min > max) {
    throw new RangeError('the minimum of a spread is not above its maximum');
  }
  const byType = new Map<SpreadComponentType, bigint>();
  for (const part of parts) byType.set(part.type, (byType.get(part.type) ?? 0n) + bpsUnits(part.bps));
  let total = sumOf(byType.values());
  if (min !== undefined && total < min) {
    byType.set('minimum', min - total);
    total = min;
  }
  const ceiling = max === undefined || max > SPREAD_BPS_MAX.units ? SPREAD_BPS_MAX.units : max;
  if (total > ceiling) {
    byType.set('maximum', ceiling - total);
    total = ceiling;
  }
  if (total < 0n) throw new RangeError('a spread is not negative');
  const components = [...byType]
    .filter(([type, units]) => units !== 0n || type === 'customer_spread')
    .map(([type, units]) => ({ type, bps: bps(units) }));
  return { totalBps: bps(total), components };
}

/** The spread that components add up to: how a total is computed again from what was stored with a quote. */
export function totalOfComponents(components: readonly SpreadComponent[]): Decimal {
  return bps(sumOf(components.map((component) => bpsUnits(component.bps))));
}

/** Hundredths of a basis point as basis points. */
export function bps(units: bigint): Decimal {
  return { units, scale: BPS_SCALE };
}

/** Basis points in hundredths, exactly. Throws RangeError when there are more than two decimals to them. */
export function bpsUnits(value: Decimal): bigint {
  if (value.scale === BPS_SCALE) return value.units;
  if (value.scale < BPS_SCALE) return value.units * powerOfTen(BPS_SCALE - value.scale);
  const factor = powerOfTen(value.scale - BPS_SCALE);
  const units = divRound(value.units, factor, 'down');
  if (units * factor !== value.units) throw new RangeError('basis points have two decimals');
  return units;
}

function sumOf(units: Iterable<bigint>): bigint {
  let sum = 0n;
  for (const each of units) sum += each;
  return sum;
}
