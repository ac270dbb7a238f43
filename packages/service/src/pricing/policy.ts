import { type SetPricingPolicy, WEEKDAYS } from '@firmquote/api/operations/pricing';
import {
  bps,
  type Currency,
  compare,
  type Decimal,
  findCurrency,
  findPair,
  formatAmount,
  inMultiplesOf,
  isTimeZone,
  type PremiumStep,
  type PricingWindow,
  parseAmount,
  parseDecimal,
  parseSpreadBps,
} from '@firmquote/fx';
import { UNKNOWN_CURRENCY } from '../http/market-codes.ts';
import { POSITIVE, TIME_ZONE } from '../http/sentences.ts';
import { type FieldError, validationProblem } from '../problems/problem.ts';

/** How measured volatility is turned into a premium; see `volatilityPremium` of the fx package. */
interface VolatilitySettings {
  readonly multiplier: Decimal;
  readonly windowMs: number;
  readonly minimumReturns: number;
  readonly floorBps: Decimal;
  readonly capBps: Decimal;
}

/** What prices are widened by beyond the spread rules, and what amounts are multiples of. */
export interface PricingPolicy {
  readonly version: number;
  readonly table: readonly PremiumStep[];
  /** Measured volatility before the table, where there is enough data. */
  readonly volatility: VolatilitySettings | undefined;
  readonly windows: readonly PricingWindow[];
  /** Currencies whose amounts are dealt in multiples of more than a minor unit, by code. */
  readonly increments: ReadonlyMap<string, Currency>;
}

/** More would be no unit that somebody pays in. */
const INCREMENT_MINOR_MAX = 1_000_000n; // limit: Minor units that amounts of a currency are multiples of

/** The policy of a service that was given none: a longer promise costs nothing, and no hour is wider. */
export const DEFAULT_POLICY: SetPricingPolicy = {
  validityPremium: { method: 'none', table: [], volatility: null },
  marketHours: [],
};

/**
 * A policy as it is applied.
 * @throws Problem validation_failed with a pointer to each mistake
 */
export function readPolicy(input: SetPricingPolicy, version: number): PricingPolicy {
  const errors: FieldError[] = [];
  const { method, table, volatility } = input.validityPremium;
  const steps = readTable(table, errors);
  const measured = volatility === null ? undefined : readVolatility(volatility, errors);
  if (method === 'volatility' && volatility === null) {
    errors.push({
      pointer: '/validityPremium/volatility',
      code: 'required',
      detail: 'is required for the method volatility',
    });
  }
  const windows = input.marketHours.map((window, index) => readWindow(window, index, errors));
  const increments = readIncrements(input.settlementIncrements ?? [], errors);
  if (errors.length > 0) throw validationProblem(errors);
  return {
    version,
    table: method === 'none' ? [] : steps,
    volatility: method === 'volatility' ? measured : undefined,
    windows,
    increments,
  };
}

type Increments = Pick<PricingPolicy, 'increments'>;

/** A currency as it is dealt: its amounts are multiples of what the policy says, or of a minor unit. */
export function dealtCurrency({ increments }: Increments, currency: Currency): Currency {
  return increments.get(currency.code) ?? currency;
}

/** A trade, or what is asked of one, with its currencies as they are dealt. */
export function asDealt<T extends { readonly sell: Currency; readonly buy: Currency }>(
  trade: T,
  policy: Increments,
): T {
  if (policy.increments.size === 0) return trade;
  return { ...trade, sell: dealtCurrency(policy, trade.sell), buy: dealtCurrency(policy, trade.buy) };
}

function readIncrements(
  rows: NonNullable<SetPricingPolicy['settlementIncrements']>,
  errors: FieldError[],
): ReadonlyMap<string, Currency> {
  const increments = new Map<string, Currency>();
  for (const [index, { currency: code, increment }] of rows.entries()) {
    const wrong = (field: string, reason: string, detail: string) =>
      errors.push({ pointer: `/settlementIncrements/${index}/${field}`, code: reason, detail });
    const currency = findCurrency(code);
    if (currency === undefined) {
      wrong('currency', 'unknown', UNKNOWN_CURRENCY);
      continue;
    }
    if (increments.has(code)) wrong('currency', 'repeated', 'is in the list already');
    const parsed = parseAmount(increment, currency);
    if (parsed.ok && parsed.minor > 0n && parsed.minor <= INCREMENT_MINOR_MAX) {
      increments.set(code, inMultiplesOf(currency, parsed.minor));
    } else {
      const [least, most] = [1n, INCREMENT_MINOR_MAX].map((minor) => formatAmount(minor, currency));
      wrong(
        'increment',
        'out_of_range',
        `must lie between ${least} and ${most}, with the decimals of ${code}`,
      );
    }
  }
  return increments;
}

function readTable(
  table: SetPricingPolicy['validityPremium']['table'],
  errors: FieldError[],
): readonly PremiumStep[] {
  const steps = table.map((row, index) => ({
    upToSeconds: row.upToSeconds,
    bps: readBps(row.bps, `/validityPremium/table/${index}/bps`, errors),
  }));
  for (const [index, step] of steps.entries()) {
    const before = steps[index - 1];
    if (before === undefined) continue;
    const wrong = (field: string, detail: string) =>
      errors.push({ pointer: `/validityPremium/table/${index}/${field}`, code: 'out_of_range', detail });
    if (step.upToSeconds <= before.upToSeconds) wrong('upToSeconds', 'must be more than in the row before');
    // Otherwise a longer promise would be cheaper, and every customer would ask for the longest.
    if (compare(step.bps, before.bps) < 0) wrong('bps', 'must not be less than in the row before');
  }
  return steps;
}

function readVolatility(
  input: NonNullable<SetPricingPolicy['validityPremium']['volatility']>,
  errors: FieldError[],
): VolatilitySettings {
  const pointer = '/validityPremium/volatility';
  const floorBps = readBps(input.floorBps, `${pointer}/floorBps`, errors);
  const capBps = readBps(input.capBps, `${pointer}/capBps`, errors);
  if (compare(floorBps, capBps) > 0) {
    errors.push({
      pointer: `${pointer}/capBps`,
      code: 'out_of_range',
      detail: 'must not be less than floorBps',
    });
  }
  const multiplier = parseDecimal(input.multiplier);
  if (multiplier === undefined || multiplier.units <= 0n) {
    errors.push({
      pointer: `${pointer}/multiplier`,
      code: 'out_of_range',
      detail: POSITIVE,
    });
  }
  return {
    multiplier: multiplier ?? bps(0n),
    windowMs: input.windowSeconds * 1_000,
    minimumReturns: input.minimumReturns,
    floorBps,
    capBps,
  };
}

function readWindow(
  window: SetPricingPolicy['marketHours'][number],
  index: number,
  errors: FieldError[],
): PricingWindow {
  const wrong = (field: string, code: string, detail: string) =>
    errors.push({ pointer: `/marketHours/${index}/${field}`, code, detail });
  if (window.pair !== null && findPair(window.pair) === undefined) {
    wrong('pair', 'pair_not_supported', 'is not a pair of known currencies in market order');
  }
  if (!isTimeZone(window.zone)) wrong('zone', 'unknown', TIME_ZONE);
  return {
    pair: window.pair ?? undefined,
    zone: window.zone,
    days: window.days.map((day) => WEEKDAYS.indexOf(day) + 1),
    fromMinute: minuteOf(window.from),
    toMinute: minuteOf(window.to),
    bps: readBps(window.bps, `/marketHours/${index}/bps`, errors),
  };
}

/** Minutes after midnight of `HH:MM`, `24:00` included. */
function minuteOf(text: string): number {
  return Number.parseInt(text.slice(0, 2), 10) * 60 + Number.parseInt(text.slice(3), 10);
}

function readBps(text: string, pointer: string, errors: FieldError[]): Decimal {
  const value = parseSpreadBps(text);
  if (value !== undefined) return value;
  errors.push({ pointer, code: 'out_of_range', detail: 'must be 0 to 4999.99 with up to two decimals' });
  return bps(0n);
}
