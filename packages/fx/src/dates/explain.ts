import { cutOffInstant } from './cut-offs.ts';
import { BUILT_IN_DATE_RULES, type DateRules } from './date-rules.ts';
import { type ConsideredDay, closures, deriveSpot, type SpotDerivation } from './derivation.ts';
import type { DateReason } from './reasons.ts';
import { type CurrencyPair, DEFAULT_SPOT_RULES, type SpotRules } from './spot-rules.ts';
import { addDays, type IsoDate, localDateAt } from './time.ts';
import { marketRollOf, tradeDateAt, tradeDateEnd } from './trade-date.ts';
import {
  passedCutOffs,
  resolveTenor,
  type Tenor,
  unresolvableReason,
  type ValueDateResult,
} from './value-date.ts';

/** How many dates after spot an explanation lists. */
const DAYS_AFTER_SPOT = 7;
/** Where spot cannot be derived, so many dates from the trade date on are listed. */
const DAYS_WITHOUT_SPOT = 7;

/** A date with everything that speaks against trading for it now; accepted when there is nothing. */
export interface ExplainedDate extends Omit<ConsideredDay, 'ignored'> {
  /** The tenor that the date is; absent when it is refused. */
  readonly tenor?: Tenor | 'broken';
}

/** When a currency can no longer be settled on the trade date; epoch milliseconds. */
export interface ExplainedCutOff {
  readonly currency: string;
  readonly zone: string;
  readonly time: string;
  readonly cutOffAt: number;
  readonly passed: boolean;
}

export interface ValueDateExplanation {
  readonly tradeDate: IsoDate;
  /** The first instant of the next trade date, epoch milliseconds. */
  readonly tradeDateEndsAt: number;
  readonly tenors: Readonly<Record<Tenor, ValueDateResult>>;
  readonly cutOffs: readonly [ExplainedCutOff, ExplainedCutOff];
  /** How spot comes about; absent when a calendar is missing, as `tenors.spot` then says. */
  readonly derivation?: SpotDerivation;
  /** From the market's calendar date to a week after spot. */
  readonly dates: readonly ExplainedDate[];
}

/**
 * Everything that decides the value dates of a pair at an instant (epoch milliseconds): what each tenor means, why
 * each date up to spot and a little beyond is good or not, and how spot is counted. By the same functions that trade.
 */
export function explainValueDates(
  pair: CurrencyPair,
  now: number,
  dates: DateRules = BUILT_IN_DATE_RULES,
  rules: SpotRules = DEFAULT_SPOT_RULES,
): ValueDateExplanation {
  const roll = (dates.rollOf ?? marketRollOf)(pair);
  const tradeDate = tradeDateAt(now, roll);
  const options = { ...dates, rules };
  const { derivation, unknown } = derived(() => deriveSpot(pair, tradeDate, dates.calendars, rules));
  const tenors = {
    today: resolveTenor(pair, 'today', now, options),
    tom: resolveTenor(pair, 'tom', now, options),
    spot: resolveTenor(pair, 'spot', now, options),
  };
  const last =
    derivation === undefined
      ? addDays(tradeDate, DAYS_WITHOUT_SPOT)
      : addDays(derivation.spot, DAYS_AFTER_SPOT);
  const explained: ExplainedDate[] = [];
  // In Auckland the day begins before its trade date does.
  const today = localDateAt(now, roll.zone);
  for (let date = today < tradeDate ? today : tradeDate; date <= last; date = addDays(date, 1)) {
    const reasons = reasonsAgainst(pair, date, now, tradeDate, derivation?.spot, dates, rules);
    // Nothing before spot is quoted where spot is not known; a date that is not known itself says so already.
    if (unknown !== undefined && !reasons.some(({ code }) => code === unknown.code)) reasons.push(unknown);
    const tenor = reasons.length > 0 ? undefined : tenorOf(date, tradeDate, tenors);
    explained.push({ date, reasons, ...(tenor === undefined ? {} : { tenor }) });
  }
  return {
    tradeDate,
    tradeDateEndsAt: tradeDateEnd(tradeDate, roll),
    tenors,
    cutOffs: [explainCutOff(pair[0], tradeDate, now, dates), explainCutOff(pair[1], tradeDate, now, dates)],
    ...(derivation === undefined ? {} : { derivation }),
    dates: explained,
  };
}

function reasonsAgainst(
  pair: CurrencyPair,
  date: IsoDate,
  now: number,
  tradeDate: IsoDate,
  spot: IsoDate | undefined,
  dates: DateRules,
  rules: SpotRules,
): DateReason[] {
  const reasons: DateReason[] = [];
  if (date < tradeDate) reasons.push({ code: 'before_trade_date' });
  try {
    reasons.push(...closures(pair, date, dates.calendars, rules));
  } catch (error) {
    const reason = unresolvableReason(error);
    if (reason === undefined) throw error;
    reasons.push(reason);
  }
  if (date >= tradeDate) reasons.push(...passedCutOffs(pair, date, now, dates.cutOffs));
  if (spot !== undefined && date > spot) reasons.push({ code: 'after_spot' });
  return reasons;
}

function tenorOf(
  date: IsoDate,
  tradeDate: IsoDate,
  tenors: Readonly<Record<Tenor, ValueDateResult>>,
): Tenor | 'broken' | undefined {
  const is = (result: ValueDateResult) => result.ok && result.valueDate === date;
  if (is(tenors.spot)) return 'spot';
  if (is(tenors.tom)) return 'tom';
  if (!tenors.spot.ok) return undefined;
  return date === tradeDate ? 'today' : 'broken';
}

function explainCutOff(
  currency: string,
  date: IsoDate,
  now: number,
  { cutOffs }: DateRules,
): ExplainedCutOff {
  const { zone, time } = cutOffs.sameDay(currency);
  const cutOffAt = cutOffInstant(currency, date, cutOffs);
  return { currency, zone, time, cutOffAt, passed: now >= cutOffAt };
}

/** Of the two one is there: how spot comes about, or why it is not known. */
function derived(derive: () => SpotDerivation): {
  readonly derivation?: SpotDerivation;
  readonly unknown?: DateReason;
} {
  try {
    return { derivation: derive() };
  } catch (error) {
    const unknown = unresolvableReason(error);
    if (unknown === undefined) throw error;
    return { unknown };
  }
}
