/** The vocabulary in which rule-made calendars are written. Months count from 1, weekdays from Monday = 1. */
import { addDays, type IsoDate, isoDate, type Weekday, weekdayOf } from '../time.ts';

export interface Holiday {
  readonly date: IsoDate;
  readonly name: string;
}

/** The settlement holidays of one currency, as a function of the year. */
export interface RuleMadeCalendar {
  readonly currency: string;
  readonly source: string;
  /** First year for which the rules below are complete. */
  readonly firstYear: number;
  /** First year for which some days still await an announcement; absent where the rules say all. */
  readonly estimatedFromYear?: number;
  holidaysOf(year: number): readonly Holiday[];
}

export const MONDAY: Weekday = 1;
export const THURSDAY: Weekday = 4;
export const FRIDAY: Weekday = 5;
export const SATURDAY: Weekday = 6;
export const SUNDAY: Weekday = 7;

export function fixed(year: number, month: number, day: number, name: string): Holiday {
  return { date: isoDate(year, month, day), name };
}

/** The n-th given weekday of a month. */
export function nthWeekday(
  year: number,
  month: number,
  nth: number,
  weekday: Weekday,
  name: string,
): Holiday {
  return onOrAfter(year, month, 1 + 7 * (nth - 1), weekday, name);
}

/** The first given weekday on or after a date. */
export function onOrAfter(year: number, month: number, day: number, weekday: Weekday, name: string): Holiday {
  const start = isoDate(year, month, day);
  return { date: addDays(start, (weekday - weekdayOf(start) + 7) % 7), name };
}

/** Days from Easter Sunday, e.g. -2 is Good Friday. */
export function easterPlus(year: number, days: number, name: string): Holiday {
  return { date: addDays(easterSunday(year), days), name };
}

/** Gregorian Easter by the anonymous algorithm of 1876 (Meeus, Astronomical Algorithms, chapter 8). */
export function easterSunday(year: number): IsoDate {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const yearOfCentury = year % 100;
  const correction = Math.floor((8 * century + 13) / 25);
  const epact = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30;
  const weekday =
    (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - epact - (yearOfCentury % 4)) % 7;
  const shift = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
  const marchDay = epact + weekday - 7 * shift + 22;
  return addDays(isoDate(year, 3, 1), marchDay - 1);
}

/** Orthodox Easter: the Julian reckoning (Meeus, chapter 8), 13 days later on the Gregorian calendar until 2099. */
export function orthodoxEasterSunday(year: number): IsoDate {
  const epact = (19 * (year % 19) + 15) % 30;
  const weekday = (2 * (year % 4) + 4 * (year % 7) - epact + 34) % 7;
  return addDays(isoDate(year, 3, 1), epact + weekday + 21 + 13);
}

/** A Sunday moves to the Monday; a Saturday stays where it is. */
export function sundayToMonday(holiday: Holiday): Holiday {
  return weekdayOf(holiday.date) === SUNDAY ? inLieu(holiday, addDays(holiday.date, 1)) : holiday;
}

/** Saturday and Sunday move to the Monday. */
export function weekendToMonday(holiday: Holiday): Holiday {
  const weekday = weekdayOf(holiday.date);
  return weekday >= SATURDAY ? inLieu(holiday, addDays(holiday.date, 8 - weekday)) : holiday;
}

/** Two neighbouring holidays: what falls on a weekend moves to the next weekday that neither of them takes. */
export function pairToWeekdays(first: Holiday, second: Holiday): Holiday[] {
  const taken = new Set([first.date, second.date]);
  return [first, second].map((holiday) => {
    if (weekdayOf(holiday.date) < SATURDAY) return holiday;
    let date = addDays(holiday.date, 1);
    while (weekdayOf(date) >= SATURDAY || taken.has(date)) date = addDays(date, 1);
    taken.add(date);
    return inLieu(holiday, date);
  });
}

function inLieu(holiday: Holiday, date: IsoDate): Holiday {
  return { date, name: `${holiday.name} (in lieu)` };
}
