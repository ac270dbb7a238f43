import type { Quote } from './generated/types.ts';

/** An exact decimal: `units` divided by ten to the power of `scale`. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

const DECIMAL = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?$/;

/**
 * Reads a decimal text, as amounts and rates are written.
 * @throws RangeError where it is none
 */
export function parseDecimal(text: string): Decimal {
  const match = DECIMAL.exec(text);
  if (match === null) throw new RangeError(`not a decimal: ${text.slice(0, 40)}`);
  const [, sign, whole = '', fraction = ''] = match;
  const units = BigInt(whole + fraction);
  return { units: sign === '-' ? -units : units, scale: fraction.length };
}

/** Written out with exactly its decimals. */
export function formatDecimal({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return units < 0n ? `-${text}` : text;
}

/** -1, 0 or 1, as for sorting. Decimals at the end do not matter: `1.50` equals `1.5`. */
export function compare(a: string, b: string): number {
  const [left, right] = aligned(parseDecimal(a), parseDecimal(b));
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The exact sum, with as many decimals as the longer of the two. */
export function add(a: string, b: string): string {
  const [x, y] = [parseDecimal(a), parseDecimal(b)];
  const [left, right] = aligned(x, y);
  return formatDecimal({ units: left + right, scale: Math.max(x.scale, y.scale) });
}

/** The exact difference. */
export function subtract(a: string, b: string): string {
  const { units, scale } = parseDecimal(b);
  return add(a, formatDecimal({ units: -units, scale }));
}

function aligned(a: Decimal, b: Decimal): [bigint, bigint] {
  const scale = Math.max(a.scale, b.scale);
  return [a.units * power(scale - a.scale), b.units * power(scale - b.scale)];
}

function power(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

export type Rounding = 'half_up' | 'up' | 'down';

/** Rounds a fraction of positive numbers to a whole one. */
function divide(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  const down = numerator / denominator;
  const rest = numerator % denominator;
  if (rest === 0n || rounding === 'down') return down;
  return rounding === 'up' || 2n * rest >= denominator ? down + 1n : down;
}

/** What is known of a trade before its second amount is computed. */
export interface Terms {
  readonly fixedSide: string;
  /** The amount of the fixed side. */
  readonly amount: string;
  readonly sellCurrency: string;
  readonly rate: { readonly value: string; readonly baseCurrency: string };
  /** Decimals of the currency of the other side (ISO 4217). */
  readonly decimals: number;
  /** How the house rounds (docs/interface.md#rounding). Default: `half_up`. */
  readonly amountRounding?: 'half_up' | 'house' | undefined;
  /** What amounts of that currency are multiples of (`settlementIncrement` of the reference data). Default: its minor unit. */
  readonly settlementIncrement?: string | undefined;
}

/**
 * The other amount of a trade, from its fixed one and the rate, by the service's own rule: from the rounded rate, half up to the
 * currency's minor unit; with `house` up when you pay it and down when you receive it.
 */
export function otherAmount(terms: Terms): string {
  const { fixedSide, amount, sellCurrency, rate, decimals, amountRounding, settlementIncrement } = terms;
  const fixed = parseDecimal(amount);
  const price = parseDecimal(rate.value);
  const isFixedBase = (fixedSide === 'sell') === (sellCurrency === rate.baseCurrency);
  const rounding = amountRounding !== 'house' ? 'half_up' : fixedSide === 'sell' ? 'down' : 'up';
  const step = parseDecimal(settlementIncrement ?? '0');
  const multiple = step.units === 0n ? 1n : (step.units * power(decimals)) / power(step.scale);
  const steps = isFixedBase
    ? divide(
        fixed.units * price.units * power(decimals),
        power(fixed.scale + price.scale) * multiple,
        rounding,
      )
    : divide(
        fixed.units * power(price.scale + decimals),
        price.units * power(fixed.scale) * multiple,
        rounding,
      );
  return formatDecimal({ units: steps * multiple, scale: decimals });
}

type Priced = Pick<Quote, 'fixedSide' | 'sellAmount' | 'buyAmount' | 'sellCurrency' | 'rate'>;

/**
 * Computes the derived amount of a quote or transaction again. It is right when `expected` equals `actual`.
 * @param settlementIncrement of the derived currency, where the reference data has more than a minor unit
 */
export function checkAmounts(
  quote: Priced,
  amountRounding?: 'half_up' | 'house',
  settlementIncrement?: string,
): { readonly isRight: boolean; readonly expected: string; readonly actual: string } {
  const isSell = quote.fixedSide === 'sell';
  const actual = isSell ? quote.buyAmount : quote.sellAmount;
  const expected = otherAmount({
    ...{ fixedSide: quote.fixedSide, sellCurrency: quote.sellCurrency, rate: quote.rate, amountRounding },
    settlementIncrement,
    amount: isSell ? quote.sellAmount : quote.buyAmount,
    decimals: parseDecimal(actual).scale,
  });
  return { isRight: expected === actual, expected, actual };
}

/** By how much a quote is worse than an earlier one for the same, exactly: less received, or more paid. */
export function worseBps(
  before: Pick<Quote, 'fixedSide' | 'sellAmount' | 'buyAmount'>,
  after: Pick<Quote, 'fixedSide' | 'sellAmount' | 'buyAmount'>,
): { readonly text: string; isMoreThan(bps: number | string): boolean } {
  const isSell = before.fixedSide === 'sell';
  const [then, now] = isSell
    ? aligned(parseDecimal(before.buyAmount), parseDecimal(after.buyAmount))
    : aligned(parseDecimal(before.sellAmount), parseDecimal(after.sellAmount));
  const worse = isSell ? then - now : now - then;
  const hundredths = (worse * 1_000_000n) / then;
  return {
    text: formatDecimal({ units: hundredths, scale: 2 }),
    isMoreThan(bps) {
      const limit = parseDecimal(String(bps));
      return worse * 10_000n * power(limit.scale) > then * limit.units;
    },
  };
}
