/**
 * Working weeks per currency, as value dates see them: Monday to Friday unless listed here.
 *
 * Sunday to Thursday: BHD EGP KWD OMR QAR; AED until its move to Monday to Friday on 1 January 2022
 * (UAE Cabinet, December 2021). SAR and JOD work Sunday to Thursday but settle only on Monday to Thursday
 * (ObjectLab and londonfx: their Thursday trades settle on Tuesday). ILS: the full days of Zahav, the
 * settlement system of the Bank of Israel; its short Fridays are not used for value.
 */
import { type IsoDate, type Weekday, weekdayOf } from './time.ts';

const MONDAY_TO_FRIDAY: readonly Weekday[] = [1, 2, 3, 4, 5];
const SUNDAY_TO_THURSDAY: readonly Weekday[] = [7, 1, 2, 3, 4];
const MONDAY_TO_THURSDAY: readonly Weekday[] = [1, 2, 3, 4];

interface WorkingWeek {
  readonly weekdays: readonly Weekday[];
  /** First day on which this week no longer holds; from then on Monday to Friday. */
  readonly until?: IsoDate;
}

const WEEKS: ReadonlyMap<string, WorkingWeek> = new Map<string, WorkingWeek>([
  ['AED', { weekdays: SUNDAY_TO_THURSDAY, until: '2022-01-01' }],
  ['BHD', { weekdays: SUNDAY_TO_THURSDAY }],
  ['EGP', { weekdays: SUNDAY_TO_THURSDAY }],
  ['ILS', { weekdays: SUNDAY_TO_THURSDAY }],
  ['JOD', { weekdays: MONDAY_TO_THURSDAY }],
  ['KWD', { weekdays: SUNDAY_TO_THURSDAY }],
  ['OMR', { weekdays: SUNDAY_TO_THURSDAY }],
  ['QAR', { weekdays: SUNDAY_TO_THURSDAY }],
  ['SAR', { weekdays: MONDAY_TO_THURSDAY }],
]);

/** Whether the date is in the currency's working week, holidays aside. */
export function isInWorkingWeek(currency: string, date: IsoDate): boolean {
  const week = WEEKS.get(currency);
  const weekdays =
    week === undefined || (week.until !== undefined && date >= week.until) ? MONDAY_TO_FRIDAY : week.weekdays;
  return weekdays.includes(weekdayOf(date));
}
