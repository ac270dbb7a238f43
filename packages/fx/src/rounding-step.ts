import { divRound, powerOfTen, type Rounding } from './decimal.ts';

/** Every place at which a number of a quote is rounded, in the order in which they depend on each other. */
export type RoundingName =
  | 'cross_bid'
  | 'cross_ask'
  | 'swap_points_bid'
  | 'swap_points_ask'
  | 'client_rate'
  | 'market_rate'
  | 'mid'
  | 'inverse'
  | 'cost_vs_mid'
  | 'derived_amount'
  | 'derived_amount_at_market'
  | 'reference_difference';

/**
 * One rounding: the exact number `numerator / denominator`, in the unit in which it is shown (a rate, an amount in
 * whole currency units, basis points, percent), and how it becomes a decimal. Formulas give steps and never round by
 * themselves, so that what is explained of a price is what was computed.
 */
export interface RoundingStep {
  readonly name: RoundingName;
  readonly numerator: bigint;
  readonly denominator: bigint;
  /** Digits after the point that are kept. */
  readonly scale: number;
  /** The result is a multiple of so many units of the last digit. */
  readonly increment: bigint;
  readonly rounding: Rounding;
}

/** A step with its result in units of 10^-scale. */
export interface TakenStep extends RoundingStep {
  readonly units: bigint;
}

/** Rounds a step and may remember it. */
export type Rounder = (step: RoundingStep) => bigint;

/** The result of a step in units of 10^-scale. */
export function roundedUnits(step: RoundingStep): bigint {
  const numerator = step.numerator * powerOfTen(step.scale);
  if (step.increment === 1n) return divRound(numerator, step.denominator, step.rounding);
  return divRound(numerator, step.denominator * step.increment, step.rounding) * step.increment;
}

/** A rounder that keeps what it rounds, in order. */
export function recordingRounder(): { readonly round: Rounder; readonly steps: readonly TakenStep[] } {
  const steps: TakenStep[] = [];
  return {
    steps,
    round(step) {
      const units = roundedUnits(step);
      steps.push({ ...step, units });
      return units;
    },
  };
}

/** Digits after the point to which {@link fractionText} writes a number that does not end before. */
export const FRACTION_DIGITS = 20; // limit: Digits of an exact number in an explanation

export interface FractionText {
  /** Decimal text: the whole number if it ends within {@link FRACTION_DIGITS}, otherwise cut off there. */
  readonly text: string;
  readonly isExact: boolean;
  /** In lowest terms; the denominator is positive. */
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** An exact number for readers. Throws RangeError on a denominator of zero. */
export function fractionText(numerator: bigint, denominator: bigint): FractionText {
  if (denominator === 0n) throw new RangeError('division by zero');
  const sign = denominator < 0n ? -1n : 1n;
  const divisor = greatestCommonDivisor(numerator, denominator) * sign;
  const top = numerator / divisor;
  const bottom = denominator / divisor;
  const negative = top < 0n;
  const magnitude = negative ? -top : top;
  const scaled = magnitude * powerOfTen(FRACTION_DIGITS);
  const digits = (scaled / bottom).toString().padStart(FRACTION_DIGITS + 1, '0');
  const isExact = scaled % bottom === 0n;
  const whole = digits.slice(0, -FRACTION_DIGITS);
  const decimals = digits.slice(-FRACTION_DIGITS);
  const kept = isExact ? decimals.replace(/0+$/, '') : decimals;
  const text = `${negative ? '-' : ''}${whole}${kept === '' ? '' : `.${kept}`}`;
  return { text, isExact, numerator: top, denominator: bottom };
}

/** Positive, unless both are zero. */
function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [left, right] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (right !== 0n) [left, right] = [right, left % right];
  return left;
}
