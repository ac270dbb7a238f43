import type { QueryOf } from '@firmquote/api/operation';
import type * as api from '@firmquote/api/operations/reference';
import {
  addDays,
  type ConsideredDay,
  type DateReason,
  type DateRules,
  estimatedCurrencies,
  explainValueDates,
  type Pair,
  pairOf,
  type SpotDerivation,
  tradeDateAt,
  tradeDateEndOf,
  tradeDateOf,
  type ValueDateResult,
  weekdayOf,
} from '@firmquote/fx';
import { requirePair, requireTradable } from '../http/market-codes.ts';
import { queryProblem } from '../http/parameters.ts';
import { notWith } from '../http/sentences.ts';
import { isoInstant } from '../platform/clock.ts';
import { type FieldError, Problem, validationProblem } from '../problems/problem.ts';
import type { ReferenceRoom } from './room.ts';

/** How far ahead a trade date may be asked for. */
const DAYS_AHEAD_MAX = 366; // limit: How far ahead a trade date is explained

/**
 * Why a pair settles when it does: `?pair=` or `?sellCurrency=&buyCurrency=`, now, at the instant `at`, or at the
 * beginning of `tradeDate`. Not for the past: calendars may have been others then, and each quote says its own dates.
 * @throws Problem validation_failed, pair_not_supported, currency_not_supported, currency_withdrawn, same_currency
 */
export function explainPair(room: ReferenceRoom, query: Query): api.ValueDateExplanation {
  const now = room.clock.now();
  const { pair: code, sellCurrency: sell, buyCurrency: buy, at, tradeDate } = query;
  const byPair = code !== undefined;
  const errors: FieldError[] = [];
  if (byPair && (sell !== undefined || buy !== undefined)) {
    errors.push(wrong('pair', 'not_permitted', notWith('sellCurrency and buyCurrency')));
  } else if (!byPair && sell === undefined) {
    errors.push(wrong('pair', 'required', 'is required, or sellCurrency and buyCurrency'));
  } else if (!byPair && buy === undefined) {
    errors.push(wrong('buyCurrency', 'required', 'is required with sellCurrency'));
  }
  if (at !== undefined && tradeDate !== undefined) {
    errors.push(wrong('tradeDate', 'not_permitted', notWith('at')));
  } else if (tradeDate !== undefined && weekdayOf(tradeDate) > 5) {
    errors.push(wrong('tradeDate', 'not_permitted', 'is not a trade date: weekends have none'));
  }
  if (errors.length > 0) throw validationProblem(errors);
  const pair = byPair ? readPair(code, now) : readCurrencies(sell ?? '', buy ?? '', now);
  return explanationView(room, pair, instantFor(room.dates.current, pair, { at, tradeDate }, now));
}

type Query = QueryOf<typeof api.explainValueDates>;

function wrong(name: keyof Query, code: string, detail: string): FieldError {
  return { pointer: `/query/${name}`, code, detail };
}

/**
 * The instant that is asked about. Only the pair says which trade dates are ahead: not all change at one time.
 * @throws Problem validation_failed
 */
function instantFor(
  dates: DateRules,
  { base, quote }: Pair,
  { at, tradeDate }: Pick<Query, 'at' | 'tradeDate'>,
  now: number,
): number {
  const codes = [base.code, quote.code] as const;
  const today = tradeDateOf(codes, now, dates);
  const last = addDays(today, DAYS_AHEAD_MAX);
  const isAhead = (date: string) => date >= today && date <= last;
  const range = `must be a trade date from ${today} to ${last}`;
  if (at !== undefined && (at < now - MINUTE_MS || tradeDateOf(codes, at, dates) > last)) {
    throw queryProblem('at', 'out_of_range', at < now ? 'must not be in the past' : range);
  }
  if (tradeDate !== undefined && !isAhead(tradeDate)) throw queryProblem('tradeDate', 'out_of_range', range);
  if (tradeDate !== undefined && tradeDate !== today) {
    return tradeDateEndOf(codes, addDays(tradeDate, weekdayOf(tradeDate) === 1 ? -3 : -1), dates);
  }
  return at ?? now;
}

/** Callers' clocks are not ours, and a request takes its time. */
const MINUTE_MS = 60_000;

function readPair(code: string, now: number): Pair {
  const pair = requirePair(code, '/query/pair');
  for (const each of [pair.base, pair.quote]) requireTradable(each.code, '/query/pair', tradeDateAt(now));
  return pair;
}

function readCurrencies(sell: string, buy: string, now: number): Pair {
  const a = requireTradable(sell, '/query/sellCurrency', tradeDateAt(now));
  const b = requireTradable(buy, '/query/buyCurrency', tradeDateAt(now));
  if (a === b)
    throw new Problem('same_currency', `${sell} cannot be exchanged for itself.`, {
      field: '/query/buyCurrency',
    });
  return pairOf(a, b);
}

function explanationView({ dates }: ReferenceRoom, pair: Pair, at: number): api.ValueDateExplanation {
  const codes = [pair.base.code, pair.quote.code] as const;
  const found = explainValueDates(codes, at, dates.current);
  const last = found.dates.at(-1)?.date ?? found.tradeDate;
  return {
    pair: pair.code,
    baseCurrency: pair.base.code,
    quoteCurrency: pair.quote.code,
    tradeDate: found.tradeDate,
    tradeDateEndsAt: isoInstant(found.tradeDateEndsAt),
    tenors: {
      today: tenorView(found.tenors.today),
      tom: tenorView(found.tenors.tom),
      spot: tenorView(found.tenors.spot),
    },
    cutOffs: found.cutOffs.map((cutOff) => ({ ...cutOff, cutOffAt: isoInstant(cutOff.cutOffAt) })),
    dates: found.dates.map(({ date, tenor, reasons }) => ({
      date,
      good: reasons.length === 0,
      tenor: tenor ?? null,
      reasons: reasons.map(reasonView),
    })),
    derivation: found.derivation === undefined ? null : derivationView(found.derivation),
    estimatedCurrencies: [...estimatedCurrencies(codes, found.tradeDate, last, dates.current.calendars)],
  };
}

function tenorView(result: ValueDateResult): api.ExplainedTenor {
  if (result.ok) {
    return { available: true, valueDate: result.valueDate, code: null, reasons: [], nextValueDate: null };
  }
  return {
    available: false,
    valueDate: null,
    code: result.code,
    reasons: result.because.map(reasonView),
    nextValueDate: result.nextValueDate ?? null,
  };
}

function derivationView(derivation: SpotDerivation): api.SpotDerivation {
  const { countedFrom, legs, deciding, joint, spot } = derivation;
  return {
    countedFrom,
    legs: legs.map((leg) => ({ ...leg, days: leg.days.map(dayView) })),
    decidingCurrencies: [...deciding],
    joint: joint.map(dayView),
    spot,
  };
}

function dayView({ date, reasons, ignored }: ConsideredDay): api.ConsideredDay {
  return {
    date,
    counts: reasons.length === 0,
    reasons: reasons.map(reasonView),
    ignored: ignored.map(reasonView),
  };
}

function reasonView(reason: DateReason): api.DateReason {
  return reason.code === 'cutoff_passed' ? { ...reason, cutOffAt: isoInstant(reason.cutOffAt) } : reason;
}
