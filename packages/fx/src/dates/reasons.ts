import type { IsoDate } from './time.ts';

/**
 * Why a date was passed over or refused, as data. `currency` is the one that stands against it.
 *
 * - `weekend`: not in the currency's working week; `holiday`: a closing day of its calendar, with its name.
 * - `us_holiday`: USD is closed, which counts although USD is not in the pair; `name` is absent on a weekend.
 * - `us_holiday_between`: USD is closed on the first of the two days that `currency` counts (the Latin American rule).
 * - `cutoff_passed`: the currency's same-day cut-off is over; `cutOffAt` is the first instant that was too late
 *   (epoch milliseconds).
 * - `calendar_missing`: no calendar says whether the currency settles on `date`.
 * - `before_trade_date`, `after_spot`: outside of what is quoted; there are no forward points.
 * - `no_good_date`: the calendars leave no day in reach, so they are wrong.
 */
export type DateReason =
  | { readonly code: 'weekend'; readonly currency: string }
  | { readonly code: 'holiday'; readonly currency: string; readonly name: string }
  | { readonly code: 'us_holiday'; readonly currency: 'USD'; readonly name?: string }
  | { readonly code: 'us_holiday_between'; readonly currency: string; readonly name?: string }
  | { readonly code: 'cutoff_passed'; readonly currency: string; readonly cutOffAt: number }
  | { readonly code: 'calendar_missing'; readonly currency: string; readonly date: IsoDate }
  | {
      readonly code: 'before_trade_date' | 'after_spot' | 'not_a_date' | 'unknown_tenor' | 'no_good_date';
    };

/** For programs, in one line: `holiday: EUR Good Friday`, `weekend: KWD`, `after_spot`. */
export function reasonText(reason: DateReason): string {
  switch (reason.code) {
    case 'weekend':
    case 'cutoff_passed':
      return `${reason.code}: ${reason.currency}`;
    case 'holiday':
      return `holiday: ${reason.currency} ${reason.name}`;
    case 'us_holiday':
      return reason.name === undefined ? 'weekend: USD' : `holiday: USD ${reason.name}`;
    case 'us_holiday_between':
      return `us_holiday_between: ${reason.currency}${reason.name === undefined ? '' : ` ${reason.name}`}`;
    default:
      return reason.code;
  }
}

/** For people, as a clause about the date that was wanted: `Good Friday is a holiday for EUR`, `it is after spot`. */
export function reasonInWords(reason: DateReason): string {
  switch (reason.code) {
    case 'weekend':
      return `it is a weekend for ${reason.currency}`;
    case 'holiday':
      return `${reason.name} is a holiday for ${reason.currency}`;
    case 'us_holiday':
      return reason.name === undefined ? 'it is a weekend for USD' : `${reason.name} is a holiday for USD`;
    case 'us_holiday_between':
      return `${reason.currency} does not count ${reason.name ?? 'a closed day'} of the US on the way`;
    case 'cutoff_passed':
      return `the cut-off of ${reason.currency} has passed`;
    case 'calendar_missing':
      return `there is no calendar of ${reason.currency} for ${reason.date}`;
    case 'before_trade_date':
      return 'it is before the trade date';
    case 'after_spot':
      return 'it is after spot';
    case 'not_a_date':
      return 'there is no such date';
    case 'unknown_tenor':
      return 'there is no such tenor';
    case 'no_good_date':
      return 'no day in reach is open';
  }
}
