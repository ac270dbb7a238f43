import { compare, type Decimal, divRound, powerOfTen } from './decimal.ts';
import { bps, bpsUnits } from './spread.ts';

/** A row of a premium table: promises of up to so many seconds cost so much more. */
export interface PremiumStep {
  readonly upToSeconds: number;
  readonly bps: Decimal;
}

/**
 * What a promise of `seconds` costs by a table: the row with the smallest `upToSeconds` that covers it, or the last row
 * for a promise longer than all. `steps` ascend in seconds. An empty table costs nothing.
 */
export function tablePremium(steps: readonly PremiumStep[], seconds: number): Decimal {
  const step = steps.find(({ upToSeconds }) => seconds <= upToSeconds) ?? steps.at(-1);
  return step === undefined ? bps(0n) : bps(bpsUnits(step.bps));
}

/** Decimals of a return: 1 is 10^10 of these units. */
export const RETURN_SCALE = 10;

/** The simple return from one mid to the next in units of 10^-10, half-up. Both are above zero. */
export function returnUnits(from: Decimal, to: Decimal): bigint {
  const start = from.units * powerOfTen(Math.max(0, to.scale - from.scale));
  const end = to.units * powerOfTen(Math.max(0, from.scale - to.scale));
  return divRound((end - start) * powerOfTen(RETURN_SCALE), start, 'half_up');
}

/** Realised variance as it was measured: squared returns over the time that they span. */
export interface RealisedVariance {
  /** Sum of the squares of returns, in units of 10^-20. */
  readonly sumSquares: bigint;
  /** Time between the first and the last price of the returns, gaps left out, in milliseconds. */
  readonly elapsedMs: number;
  readonly returns: number;
}

export interface VolatilityPremium {
  readonly variance: RealisedVariance;
  /** How long the price is promised for. */
  readonly seconds: number;
  /** How many standard deviations of the move over the promise are charged: `k`. */
  readonly multiplier: Decimal;
  readonly floorBps: Decimal;
  readonly capBps: Decimal;
}

/**
 * What a promise costs by measured volatility: k × σ × √T, where σ² is the realised variance per second (squared
 * returns summed, over the time they span, with no mean taken off) and T the promise in seconds. Rounded up to the
 * hundredth of a basis point, exactly (integers only), then held between floor and cap.
 *
 * σ√T is the standard deviation of a driftless random walk over the promise, which is what the customer's option not
 * to execute is worth in proportion: an at-the-money option is about 0.4 σ√T (Brenner and Subrahmanyam, 1988).
 * Realised variance as the sum of squared returns: Andersen and Bollerslev, 1998.
 */
export function volatilityPremium(request: VolatilityPremium): Decimal {
  const { variance, seconds, multiplier } = request;
  if (variance.elapsedMs <= 0) throw new RangeError('a variance spans some time');
  // (k σ √T in hundredths of a basis point, which are 10^-6 of the rate)², as one fraction.
  const numerator = multiplier.units ** 2n * variance.sumSquares * BigInt(seconds) * 1000n * powerOfTen(12);
  const denominator =
    powerOfTen(2 * multiplier.scale) * BigInt(variance.elapsedMs) * powerOfTen(2 * RETURN_SCALE);
  const premium = bps(squareRootUp(divRound(numerator, denominator, 'ceil')));
  if (compare(premium, request.floorBps) < 0) return bps(bpsUnits(request.floorBps));
  return compare(premium, request.capBps) > 0 ? bps(bpsUnits(request.capBps)) : premium;
}

/** The smallest whole number whose square is not below the value, which is not negative (Newton's iteration). */
export function squareRootUp(value: bigint): bigint {
  if (value < 0n) throw new RangeError('a square root is of a number from 0');
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) break;
    root = next;
  }
  return root * root < value ? root + 1n : root;
}
