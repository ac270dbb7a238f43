import type { SetSwapPointPolicy } from '@firmquote/api/operations/swap-points';
import {
  compare,
  type Decimal,
  daysBetween,
  findCurrency,
  type InterestRate,
  isIsoDate,
  parseDecimal,
} from '@firmquote/fx';
import { UNKNOWN_CURRENCY } from '../http/market-codes.ts';
import { DATE, POSITIVE } from '../http/sentences.ts';
import { type FieldError, validationProblem } from '../problems/problem.ts';
import type { DocumentKind } from '../settings/documents.ts';

/** An interest rate with where it is from. */
export interface KnownRate extends InterestRate {
  readonly asOf: string;
  readonly source: string;
}

/** What is priced before spot where nobody gives points, and how old points may be. */
export interface SwapPointPolicy {
  readonly version: number;
  /** Undefined: refused. */
  readonly worseSideBpsPerDay: Decimal | undefined;
  readonly pointsMaxAgeMs: number;
  /** By how much points may move a price for each day of their leg. */
  readonly maxBpsPerDay: Decimal;
  readonly ratesMaxAgeDays: number;
  readonly rates: ReadonlyMap<string, KnownRate>;
}

/** A difference of 90 % a year between two currencies: what is more is a slip, unless the desk says otherwise. */
export const MAX_BPS_PER_DAY = '25.00';

/** Of a service for which nothing was set: what nobody gives points for is not priced. */
export const DEFAULT_POLICY: SetSwapPointPolicy = {
  withoutPoints: 'refuse',
  worseSideBpsPerDay: null,
  pointsMaxAgeSeconds: 86_400,
  maxBpsPerDay: MAX_BPS_PER_DAY,
  ratesMaxAgeDays: 7,
  interestRates: [],
};

/** @throws Problem validation_failed with a pointer to each mistake */
export function readPolicy(input: SetSwapPointPolicy, version: number): SwapPointPolicy {
  const errors: FieldError[] = [];
  const bpsPerDay = input.worseSideBpsPerDay === null ? undefined : parseDecimal(input.worseSideBpsPerDay);
  if (input.withoutPoints === 'worse_side' && (bpsPerDay === undefined || bpsPerDay.units <= 0n)) {
    const detail = `is required for worse_side, and ${POSITIVE}`;
    errors.push({ pointer: '/worseSideBpsPerDay', code: 'required', detail });
  }
  const maxBpsPerDay = decimal(input.maxBpsPerDay ?? MAX_BPS_PER_DAY);
  if (maxBpsPerDay.units <= 0n)
    errors.push({ pointer: '/maxBpsPerDay', code: 'out_of_range', detail: POSITIVE });
  const rates = new Map<string, KnownRate>();
  for (const [index, rate] of input.interestRates.entries()) {
    const pointer = `/interestRates/${index}`;
    const wrong = (member: string, code: string, detail: string) =>
      errors.push({ pointer: `${pointer}/${member}`, code, detail });
    if (findCurrency(rate.currency) === undefined) wrong('currency', 'unknown', UNKNOWN_CURRENCY);
    if (rates.has(rate.currency)) wrong('currency', 'repeated', 'already has a rate');
    if (!isIsoDate(rate.asOf)) wrong('asOf', 'wrong_format', DATE);
    const read = knownRate(rate);
    if (compare(read.bid, read.ask) > 0) wrong('bid', 'out_of_range', 'must not be above the ask');
    rates.set(rate.currency, read);
  }
  if (errors.length > 0) throw validationProblem(errors);
  return {
    version,
    worseSideBpsPerDay: input.withoutPoints === 'worse_side' ? bpsPerDay : undefined,
    maxBpsPerDay,
    pointsMaxAgeMs: input.pointsMaxAgeSeconds * 1_000,
    ratesMaxAgeDays: input.ratesMaxAgeDays,
    rates,
  };
}

/** Its changes go one after the other with those of points, and raise the version that points and policy have in common. */
export const SWAP_POINT_POLICY: DocumentKind<SetSwapPointPolicy, SwapPointPolicy> = {
  name: 'swap_point_policy',
  table: 'swap_point_policies',
  changedAt: 'changed_at',
  shared: false,
  initial: DEFAULT_POLICY,
  read: readPolicy,
};

/** A rate whose texts the schema has checked. */
export function knownRate(rate: SetSwapPointPolicy['interestRates'][number]): KnownRate {
  return { ...rate, bid: decimal(rate.bid), ask: decimal(rate.ask) };
}

/** Whether a rate may be priced on for a trade date. */
export function isCurrentRate(
  rate: KnownRate,
  { ratesMaxAgeDays }: SwapPointPolicy,
  tradeDate: string,
): boolean {
  return daysBetween(rate.asOf, tradeDate) <= ratesMaxAgeDays;
}

function decimal(text: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`${text} passed the schema and is no decimal`);
  return value;
}
