/**
 * Calendar-date and IANA-zone arithmetic; plain dates are reckoned in `civil.ts`. The only module that imports
 * Temporal: dropping the polyfill once every supported Node has it natively is one line here.
 */
import { Temporal } from 'temporal-polyfill';
import { dateOf, dateOfFields, dayOf, weekdayOfDay } from './civil.ts';

/** A calendar date, `YYYY-MM-DD`. ISO dates compare in time order as strings. */
export type IsoDate = string;

/** A wall-clock time of day, `HH:MM`, 24 hours. */
export type TimeOfDay = string;

/** ISO weekday: 1 is Monday, 7 is Sunday. */
export type Weekday = number;

const ZONE_NAME = /^(UTC|[A-Za-z_]+(\/[A-Za-z0-9_+-]+){1,2})$/;

/** Whether the text is a date that exists, in exactly the form `YYYY-MM-DD`. */
export function isIsoDate(text: string): boolean {
  return dayOf(text) !== undefined;
}

export function addDays(date: IsoDate, days: number): IsoDate {
  const day = dayOf(date);
  const sum = day === undefined ? undefined : dateOf(day + days);
  // What is no plain date, or leaves the years of four digits, is for Temporal to judge.
  return sum ?? Temporal.PlainDate.from(date).add({ days }).toString();
}

/** The same day so many months later, or the last day of that month where it has no such day. */
export function addMonths(date: IsoDate, months: number): IsoDate {
  return Temporal.PlainDate.from(date).add({ months }).toString();
}

/** Days from one date to another; negative when it is earlier. */
export function daysBetween(from: IsoDate, to: IsoDate): number {
  const first = dayOf(from);
  const last = dayOf(to);
  if (first !== undefined && last !== undefined) return last - first;
  return Temporal.PlainDate.from(from).until(Temporal.PlainDate.from(to)).days;
}

/** Whether the text names a zone of the IANA database, such as `Europe/London`; fixed offsets are none. */
export function isTimeZone(text: string): boolean {
  if (!ZONE_NAME.test(text)) return false;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text);
    return true;
  } catch {
    return false;
  }
}

export function weekdayOf(date: IsoDate): Weekday {
  const day = dayOf(date);
  return day === undefined ? Temporal.PlainDate.from(date).dayOfWeek : weekdayOfDay(day);
}

export function yearOf(date: IsoDate): number {
  return dayOf(date) === undefined ? Temporal.PlainDate.from(date).year : Number.parseInt(date, 10);
}

export function isoDate(year: number, month: number, day: number): IsoDate {
  const date = dateOfFields(year, month, day);
  return date ?? Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' }).toString();
}

/**
 * Epoch milliseconds of a wall-clock time in an IANA zone. A time that the clocks skip in spring is read
 * with the offset before the change, one that comes twice in autumn is the earlier of the two (RFC 5545).
 */
export function instantOf(date: IsoDate, time: TimeOfDay, zone: string): number {
  const wallClock = Temporal.PlainDate.from(date).toPlainDateTime(Temporal.PlainTime.from(time));
  return wallClock.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds;
}

/** The calendar date in an IANA zone at an instant (epoch milliseconds). */
export function localDateAt(instant: number, zone: string): IsoDate {
  return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone).toPlainDate().toString();
}

/** Wall-clock time in an IANA zone at an instant (epoch milliseconds): ISO weekday and minutes after midnight. */
export function localTimeAt(instant: number, zone: string): { weekday: Weekday; minute: number } {
  const local = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
  return { weekday: local.dayOfWeek, minute: local.hour * 60 + local.minute };
}
