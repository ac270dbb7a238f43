import { builtInCalendars } from './built-in.ts';
import { CalendarMissingError, type CalendarSet } from './calendar.ts';
import { type CutOffs, cutOffInstant, seedCutOffs } from './cut-offs.ts';
import { tradeDateOf } from './date-rules.ts';
import { closures, NoGoodDateError } from './derivation.ts';
import { type DateReason, reasonText } from './reasons.ts';
import { isGoodValueDate, spotDate, tomDate } from './spot.ts';
import { type CurrencyPair, DEFAULT_SPOT_RULES, type SpotRules } from './spot-rules.ts';
import { addDays, type IsoDate, isIsoDate } from './time.ts';
import type { RollOf } from './trade-date.ts';

export type Tenor = 'today' | 'tom' | 'spot';

export interface ValueDateOptions {
  readonly calendars?: CalendarSet;
  readonly cutOffs?: CutOffs;
  readonly rules?: SpotRules;
  /** The trade-date roll of each pair; absent: by the market's convention. */
  readonly rollOf?: RollOf;
}

/**
 * `broken` is a good date between tom and spot; only rules that move the trade date leave one.
 * `reasons` are the texts of `because`: `weekend: KWD`, `holiday: USD Thanksgiving Day`, `cutoff_passed: EUR`,
 * `before_trade_date`, `after_spot`, `calendar_missing`, `not_a_date`, `unknown_tenor`, `no_good_date`.
 * `nextValueDate` is the next date that would have been accepted; absent when there is none, and when calendars are
 * missing.
 */
export type ValueDateResult =
  | { ok: true; tenor: Tenor | 'broken'; valueDate: IsoDate }
  | {
      ok: false;
      code: 'tenor_not_supported' | 'value_date_invalid' | 'cutoff_passed';
      reasons: string[];
      because: readonly DateReason[];
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
  return refusingUnresolvable(() => {
    // Asked for each of them: what lies before spot is priced from it, so without it there is no such date either.
    const spot = spotOf(context);
    switch (tenor) {
      case 'spot':
        return whileOpen(context, { ok: true, tenor, valueDate: spot });
      case 'tom':
        return whileOpen(context, { ok: true, tenor, valueDate: tomOf(context) });
      case 'today':
        return todayRefusal(context) ?? { ok: true, tenor, valueDate: context.tradeDate };
      default:
        return refusal('tenor_not_supported', [{ code: 'unknown_tenor' }]);
    }
  });
}

/** Accepts exactly the good dates from the trade date to spot, each before its cut-offs. */
export function resolveValueDate(
  pair: CurrencyPair,
  requested: IsoDate,
  now: number,
  options: ValueDateOptions = {},
): ValueDateResult {
  const context = contextOf(pair, now, options);
  return refusingUnresolvable(() => {
    const spot = spotOf(context);
    if (!isIsoDate(requested)) return invalid([{ code: 'not_a_date' }], earliestValueDate(context));
    if (requested < context.tradeDate)
      return invalid([{ code: 'before_trade_date' }], earliestValueDate(context));
    if (requested > spot) {
      return refusal('tenor_not_supported', [{ code: 'after_spot' }], spot);
    }
    if (requested === context.tradeDate) {
      return todayRefusal(context) ?? { ok: true, tenor: 'today', valueDate: requested };
    }
    const reasons = reasonsAgainst(context, requested);
    if (reasons.length > 0) return invalid(reasons, nextGoodDate(context, requested));
    return whileOpen(context, {
      ok: true,
      tenor: tenorOf(context, requested, spot),
      valueDate: requested,
    });
  });
}

function contextOf(pair: CurrencyPair, now: number, options: ValueDateOptions): Context {
  return {
    pair,
    now,
    calendars: options.calendars ?? builtInCalendars,
    cutOffs: options.cutOffs ?? seedCutOffs,
    rules: options.rules ?? DEFAULT_SPOT_RULES,
    tradeDate: tradeDateOf(pair, now, options),
  };
}

function refusingUnresolvable(resolve: () => ValueDateResult): ValueDateResult {
  try {
    return resolve();
  } catch (error) {
    const reason = unresolvableReason(error);
    if (reason === undefined) throw error;
    return refusal('value_date_invalid', [reason]);
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
  if (reasons.length > 0)
    return refusal('value_date_invalid', reasons, nextGoodDate(context, context.tradeDate));
  return lateRefusal(context, context.tradeDate);
}

type Acceptance = Extract<ValueDateResult, { ok: true }>;

/** East of the roll a cut-off of tomorrow may be over today: 10:00 in Auckland is the evening before in New York. */
function whileOpen(context: Context, accepted: Acceptance): ValueDateResult {
  return lateRefusal(context, accepted.valueDate) ?? accepted;
}

function lateRefusal(context: Context, date: IsoDate): Refusal | undefined {
  const late = passedCutOffs(context.pair, date, context.now, context.cutOffs);
  return late.length === 0 ? undefined : refusal('cutoff_passed', late, nextGoodDate(context, date));
}

/** The cut-offs of the pair on a date that are over. */
export function passedCutOffs(
  pair: CurrencyPair,
  date: IsoDate,
  now: number,
  cutOffs: CutOffs,
): readonly DateReason[] {
  return pair.flatMap((currency): DateReason[] => {
    const cutOffAt = cutOffInstant(currency, date, cutOffs);
    return now >= cutOffAt ? [{ code: 'cutoff_passed', currency, cutOffAt }] : [];
  });
}

/** What the calendars could not say, as a reason; undefined for every other error. */
export function unresolvableReason(error: unknown): DateReason | undefined {
  if (error instanceof NoGoodDateError) return { code: 'no_good_date' };
  if (!(error instanceof CalendarMissingError)) return undefined;
  return { code: 'calendar_missing', currency: error.currency, date: error.date };
}

function refusal(code: Refusal['code'], because: readonly DateReason[], nextValueDate?: IsoDate): Refusal {
  const next = nextValueDate === undefined ? {} : { nextValueDate };
  return { ok: false, code, reasons: because.map(reasonText), because, ...next };
}

function invalid(because: readonly DateReason[], nextValueDate: IsoDate | undefined): Refusal {
  return refusal('value_date_invalid', because, nextValueDate);
}

function earliestValueDate(context: Context): IsoDate | undefined {
  return nextGoodDate(context, addDays(context.tradeDate, -1));
}

/** The first date after one, up to spot, that would be accepted. */
function nextGoodDate(context: Context, after: IsoDate): IsoDate | undefined {
  const { pair, calendars, rules, now, cutOffs } = context;
  const spot = spotOf(context);
  for (let date = addDays(after, 1); date <= spot; date = addDays(date, 1)) {
    const isGood = isGoodValueDate(pair, date, calendars, rules);
    if (isGood && passedCutOffs(pair, date, now, cutOffs).length === 0) return date;
  }
  return undefined;
}

function reasonsAgainst({ pair, calendars, rules }: Context, date: IsoDate): readonly DateReason[] {
  return closures(pair, date, calendars, rules);
}
