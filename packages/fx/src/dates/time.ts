/**
 * Calendar-date and IANA-zone arithmetic. The only module that imports Temporal: dropping the polyfill
 * once every supported Node has it natively is one line here.
 */
import { Temporal } from 'temporal-polyfill';

/** A calendar date, `YYYY-MM-DD`. ISO dates compare in time order as strings. */
export type IsoDate = string;

/** A wall-clock time of day, `HH:MM`, 24 hours. */
export type TimeOfDay = string;

/** ISO weekday: 1 is Monday, 7 is Sunday. */
export type Weekday = number;

const ZONE_NAME = /^(UTC|[A-Za-z_]+(\/[A-Za-z0-9_+-]+){1,2})$/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Whether the text is a date that exists, in exactly the form `YYYY-MM-DD`. */
export function isIsoDate(text: string): boolean {
  if (!ISO_DATE.test(text)) return false;
  try {
    Temporal.PlainDate.from(text);
    return true;
  } catch {
    return false;
  }
}

export function addDays(date: IsoDate, days: number): IsoDate {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** The same day so many months later, or the last day of that month where it has no such day. */
export function addMonths(date: IsoDate, months: number): IsoDate {
  return Temporal.PlainDate.from(date).add({ months }).toString();
}

/** Days from one date to another; negative when it is earlier. */
export function daysBetween(from: IsoDate, to: IsoDate): number {
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

/** Dates whose weekday is remembered: eleven years. Every calendar look-up asks for one, and parsing costs 2 µs. */
const WEEKDAYS_MAX = 4096;

const weekdays = new Map<IsoDate, Weekday>();

export function weekdayOf(date: IsoDate): Weekday {
  let weekday = weekdays.get(date);
  if (weekday === undefined) {
    weekday = Temporal.PlainDate.from(date).dayOfWeek;
    if (weekdays.size >= WEEKDAYS_MAX) weekdays.clear();
    weekdays.set(date, weekday);
  }
  return weekday;
}

export function yearOf(date: IsoDate): number {
  return Temporal.PlainDate.from(date).year;
}

export function isoDate(year: number, month: number, day: number): IsoDate {
  return Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' }).toString();
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
