/** An exact decimal number: `units / 10^scale`. `1.0850` is `{ units: 10850n, scale: 4 }`. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

/**
 * What to do with the part that does not fit. `half_up` and `up` go away from zero, `down` goes towards
 * zero, `floor` and `ceil` go towards minus and plus infinity, `half_even` sends ties to the even neighbour.
 */
export type Rounding = 'half_up' | 'half_even' | 'floor' | 'ceil' | 'up' | 'down';

/** The longest decimal text that is read; keeps the cost of hostile input bounded. */
export const DECIMAL_TEXT_LENGTH_MAX = 40;

// Two amounts of 19 digits times two rates of 12 decimals stay below 10^80; larger powers are computed.
const POWERS_OF_TEN: readonly bigint[] = Array.from({ length: 80 }, (_, exponent) => 10n ** BigInt(exponent));

/** 10^exponent. Throws RangeError unless the exponent is a whole number from 0. */
export function powerOfTen(exponent: number): bigint {
  const known = POWERS_OF_TEN[exponent];
  if (known !== undefined) return known;
  if (!Number.isSafeInteger(exponent) || exponent < 0) {
    throw new RangeError(`a scale is a whole number from 0, not ${exponent}`);
  }
  return 10n ** BigInt(exponent);
}

/** numerator / denominator as a whole number. Throws RangeError when the denominator is zero. */
export function divRound(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  if (denominator === 0n) throw new RangeError('division by zero');
  const quotient = numerator / denominator;
  const remainder = numerator - quotient * denominator;
  if (remainder === 0n) return quotient;
  const negative = numerator < 0n !== denominator < 0n;
  return roundsAwayFromZero(quotient, remainder, denominator, negative, rounding)
    ? quotient + (negative ? -1n : 1n)
    : quotient;
}

function roundsAwayFromZero(
  quotient: bigint,
  remainder: bigint,
  denominator: bigint,
  negative: boolean,
  rounding: Rounding,
): boolean {
  switch (rounding) {
    case 'down':
      return false;
    case 'up':
      return true;
    case 'floor':
      return negative;
    case 'ceil':
      return !negative;
    case 'half_up':
      return compareWithHalf(remainder, denominator) >= 0;
    case 'half_even': {
      const half = compareWithHalf(remainder, denominator);
      return half > 0 || (half === 0 && (quotient & 1n) === 1n);
    }
  }
}

function compareWithHalf(remainder: bigint, denominator: bigint): number {
  const twice = (remainder < 0n ? -remainder : remainder) * 2n;
  const whole = denominator < 0n ? -denominator : denominator;
  return twice > whole ? 1 : twice === whole ? 0 : -1;
}

/** More digits than any market quotes, and few enough for every later product to stay exact and cheap. */
const PRICE_TEXT = /^-?[0-9]{1,15}(?:\.[0-9]{1,12})?$/;

/** Reads a price as feeds send it, like {@link parseDecimal}. One with digits that no market has is `undefined`. */
export function parsePrice(text: string): Decimal | undefined {
  return PRICE_TEXT.test(text) ? parseDecimal(text) : undefined;
}

const DECIMAL_TEXT = /^(-?[0-9]+)(?:\.([0-9]+))?$/;

/**
 * Reads `-?digits[.digits]`: no exponent, no plus sign, no blanks, at most 40 characters. The scale is the
 * number of digits after the point, so `1.0850` keeps its last zero. Anything else is `undefined`.
 */
export function parseDecimal(text: string): Decimal | undefined {
  if (text.length > DECIMAL_TEXT_LENGTH_MAX) return undefined;
  const match = DECIMAL_TEXT.exec(text);
  if (match === null) return undefined;
  const fraction = match[2] ?? '';
  return { units: BigInt(`${match[1]}${fraction}`), scale: fraction.length };
}

/** The number with exactly `scale` digits after the point. */
export function formatDecimal(value: Decimal): string {
  return formatUnits(value.units, value.scale);
}

/** `units / 10^scale` as text with exactly `scale` digits after the point. */
export function formatUnits(units: bigint, scale: number): string {
  if (scale === 0) return units.toString();
  const negative = units < 0n;
  const digits = (negative ? -units : units).toString().padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${negative ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** The units of the same number at another scale, rounded when digits are lost. */
export function rescaleUnits(units: bigint, from: number, to: number, rounding: Rounding): bigint {
  if (from === to) return units;
  return from < to ? units * powerOfTen(to - from) : divRound(units, powerOfTen(from - to), rounding);
}

/** The same number with `scale` digits after the point. */
export function rescale(value: Decimal, scale: number, rounding: Rounding): Decimal {
  if (value.scale === scale) return value;
  return { units: rescaleUnits(value.units, value.scale, scale, rounding), scale };
}

/** Exact sum, at the larger of the two scales. */
export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return {
    units: a.units * powerOfTen(scale - a.scale) + b.units * powerOfTen(scale - b.scale),
    scale,
  };
}

/** Exact difference, at the larger of the two scales. */
export function subtract(a: Decimal, b: Decimal): Decimal {
  return add(a, negate(b));
}

/** Exact product; the scales add up. */
export function multiply(a: Decimal, b: Decimal): Decimal {
  return { units: a.units * b.units, scale: a.scale + b.scale };
}

/** a / b with `scale` digits after the point, rounded once. Throws RangeError when b is zero. */
export function divide(a: Decimal, b: Decimal, scale: number, rounding: Rounding): Decimal {
  const numerator = a.units * powerOfTen(b.scale + scale);
  return { units: divRound(numerator, b.units * powerOfTen(a.scale), rounding), scale };
}

export function negate(value: Decimal): Decimal {
  return { units: -value.units, scale: value.scale };
}

/** -1, 0 or 1 as a is less than, equal to or greater than b, whatever their scales. */
export function compare(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const left = a.scale < b.scale ? a.units * powerOfTen(b.scale - a.scale) : a.units;
  const right = b.scale < a.scale ? b.units * powerOfTen(a.scale - b.scale) : b.units;
  return left < right ? -1 : left > right ? 1 : 0;
}

export function isPositive(value: Decimal): boolean {
  return value.units > 0n;
}
