import { builtInCalendars } from './built-in.ts';
import { CalendarMissingError, type CalendarSet } from './calendar.ts';
import { type CutOffs, cutOffInstant, seedCutOffs } from './cut-offs.ts';
import {
  type CurrencyPair,
  DEFAULT_SPOT_RULES,
  decidingCurrencies,
  isGoodValueDate,
  type SpotRules,
  spotDate,
  tomDate,
} from './spot.ts';
import { addDays, type IsoDate, isIsoDate } from './time.ts';
import { NEW_YORK_ROLL, type TradeDateRoll, tradeDateAt } from './trade-date.ts';

export type Tenor = 'today' | 'tom' | 'spot';

export interface ValueDateOptions {
  readonly calendars?: CalendarSet;
  readonly cutOffs?: CutOffs;
  readonly rules?: SpotRules;
  /** The pair's trade-date roll. */
  readonly roll?: TradeDateRoll;
}

/**
 * `broken` is a good date between tom and spot; only rules that move the trade date leave one.
 * `reasons` are `code` or `code: detail`: `weekend: KWD`, `holiday: USD Thanksgiving Day`,
 * `cutoff_passed: EUR`, `before_trade_date`, `after_spot`, `calendar_missing`, `not_a_date`, `unknown_tenor`.
 * `nextValueDate` is the nearest date that would have been accepted; absent when calendars are missing.
 */
export type ValueDateResult =
  | { ok: true; tenor: Tenor | 'broken'; valueDate: IsoDate }
  | {
      ok: false;
      code: 'tenor_not_supported' | 'value_date_invalid' | 'cutoff_passed';
      reasons: string[];
      nextValueDate?: IsoDate;
    };

type Refusal = Extract<ValueDateResult, { ok: false }>;

interface Context {
  readonly pair: CurrencyPair;
  readonly now: number;
  readonly calendars: CalendarSet;
  readonly cutOffs: CutOffs;
  readonly rules: SpotRules;
  readonly tradeDate: IsoDate;
}

/** The value date of a tenor at an instant (epoch milliseconds). `today` is the trade date. */
export function resolveTenor(
  pair: CurrencyPair,
  tenor: Tenor,
  now: number,
  options: ValueDateOptions = {},
): ValueDateResult {
  const context = contextOf(pair, now, options);
  return refusingMissingCalendars(() => {
    switch (tenor) {
      case 'spot':
        return { ok: true, tenor, valueDate: spotOf(context) };
      case 'tom':
        return { ok: true, tenor, valueDate: tomOf(context) };
      case 'today':
        return todayRefusal(context) ?? { ok: true, tenor, valueDate: context.tradeDate };
      default:
        return { ok: false, code: 'tenor_not_supported', reasons: ['unknown_tenor'] };
    }
  });
}

/** Accepts exactly the good dates from the trade date (before its cut-offs) to spot. */
export function resolveValueDate(
  pair: CurrencyPair,
  requested: IsoDate,
  now: number,
  options: ValueDateOptions = {},
): ValueDateResult {
  const context = contextOf(pair, now, options);
  return refusingMissingCalendars(() => {
    const spot = spotOf(context);
    if (!isIsoDate(requested)) return invalid(['not_a_date'], earliestValueDate(context));
    if (requested < context.tradeDate) return invalid(['before_trade_date'], earliestValueDate(context));
    if (requested > spot) {
      return { ok: false, code: 'tenor_not_supported', reasons: ['after_spot'], nextValueDate: spot };
    }
    if (requested === context.tradeDate) {
      return todayRefusal(context) ?? { ok: true, tenor: 'today', valueDate: requested };
    }
    const reasons = reasonsAgainst(context, requested);
    if (reasons.length > 0) return invalid(reasons, nextGoodDate(context, requested));
    return { ok: true, tenor: tenorOf(context, requested, spot), valueDate: requested };
  });
}

function contextOf(pair: CurrencyPair, now: number, options: ValueDateOptions): Context {
  return {
    pair,
    now,
    calendars: options.calendars ?? builtInCalendars,
    cutOffs: options.cutOffs ?? seedCutOffs,
    rules: options.rules ?? DEFAULT_SPOT_RULES,
    tradeDate: tradeDateAt(now, options.roll ?? NEW_YORK_ROLL),
  };
}

function refusingMissingCalendars(resolve: () => ValueDateResult): ValueDateResult {
  try {
    return resolve();
  } catch (error) {
    if (!(error instanceof CalendarMissingError)) throw error;
    return { ok: false, code: 'value_date_invalid', reasons: ['calendar_missing'] };
  }
}

function spotOf({ pair, tradeDate, calendars, rules }: Context): IsoDate {
  return spotDate(pair, tradeDate, calendars, rules);
}

function tomOf({ pair, tradeDate, calendars, rules }: Context): IsoDate {
  return tomDate(pair, tradeDate, calendars, rules);
}

/** Where tom and spot are the same day, it is spot. */
function tenorOf(context: Context, valueDate: IsoDate, spot: IsoDate): Tenor | 'broken' {
  if (valueDate === spot) return 'spot';
  return valueDate === tomOf(context) ? 'tom' : 'broken';
}

function todayRefusal(context: Context): Refusal | undefined {
  const reasons = reasonsAgainst(context, context.tradeDate);
  if (reasons.length > 0) return invalid(reasons, tomOf(context));
  const late = context.pair.filter(
    (currency) => context.now >= cutOffInstant(currency, context.tradeDate, context.cutOffs),
  );
  if (late.length === 0) return undefined;
  return {
    ok: false,
    code: 'cutoff_passed',
    reasons: late.map((currency) => `cutoff_passed: ${currency}`),
    nextValueDate: tomOf(context),
  };
}

function invalid(reasons: string[], nextValueDate: IsoDate): Refusal {
  return { ok: false, code: 'value_date_invalid', reasons, nextValueDate };
}

function earliestValueDate(context: Context): IsoDate {
  return todayRefusal(context) === undefined ? context.tradeDate : tomOf(context);
}

/** Ends at spot at the latest: callers ask only for dates before it, and spot is good. */
function nextGoodDate({ pair, calendars, rules }: Context, after: IsoDate): IsoDate {
  let date = addDays(after, 1);
  while (!isGoodValueDate(pair, date, calendars, rules)) date = addDays(date, 1);
  return date;
}

function reasonsAgainst({ pair, calendars, rules }: Context, date: IsoDate): string[] {
  return decidingCurrencies(pair, rules)
    .filter((currency) => !calendars.isBusinessDay(currency, date))
    .map((currency) => {
      const name = calendars.holidayName(currency, date);
      return name === undefined ? `weekend: ${currency}` : `holiday: ${currency} ${name}`;
    });
}
