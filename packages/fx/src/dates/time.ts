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

/** Whether the text is a date that exists, in exactly the form `YYYY-MM-DD`. There was no year 0, and a database has none. */
export function isIsoDate(text: string): boolean {
  return dayOf(text) !== undefined && !text.startsWith('0000');
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
  const key = `${zone} ${date} ${time}`;
  const known = instants.get(key);
  if (known !== undefined) return known;
  const wallClock = Temporal.PlainDate.from(date).toPlainDateTime(Temporal.PlainTime.from(time));
  const instant = wallClock.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds;
  if (instants.size >= INSTANTS_MAX) instants.clear();
  instants.set(key, instant);
  return instant;
}

/** The calendar date in an IANA zone at an instant (epoch milliseconds). */
export function localDateAt(instant: number, zone: string): IsoDate {
  const date = dateOf(Math.floor((instant + offsetAt(instant, zone)) / DAY_MS));
  return date ?? zonedAt(instant, zone).toPlainDate().toString();
}

/** Wall-clock time in an IANA zone at an instant (epoch milliseconds): ISO weekday and minutes after midnight. */
export function localTimeAt(instant: number, zone: string): { weekday: Weekday; minute: number } {
  const minutes = Math.floor((instant + offsetAt(instant, zone)) / MINUTE_MS);
  const day = Math.floor(minutes / MINUTES_A_DAY);
  return { weekday: weekdayOfDay(day), minute: minutes - day * MINUTES_A_DAY };
}

function zonedAt(instant: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
}

const MINUTE_MS = 60_000;
const MINUTES_A_DAY = 1_440;
const DAY_MS = 86_400_000;
/** The clocks of every zone have changed on whole minutes of UTC since then; before, some went by the sun. */
const WHOLE_MINUTES_SINCE = 94_694_400_000; // 1973-01-01
/** What is asked in a row is mostly of the same days: the cut-offs of all currencies, every second. */
const INSTANTS_MAX = 4_096;
const instants = new Map<string, number>();
/** Of each zone, the minute that was asked for last, and the offset in it. */
const offsets = new Map<string, { readonly minute: number; readonly offset: number }>();

/** What the clocks of a zone are ahead of UTC at an instant, ms. */
function offsetAt(instant: number, zone: string): number {
  const minute = Math.floor(instant / MINUTE_MS);
  const last = offsets.get(zone);
  if (last?.minute === minute && Number.isInteger(instant)) return last.offset;
  const offset = zonedAt(instant, zone).offsetNanoseconds / 1_000_000;
  if (instant >= WHOLE_MINUTES_SINCE) offsets.set(zone, { minute, offset });
  return offset;
}
