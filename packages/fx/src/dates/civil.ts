/**
 * Dates of the proleptic Gregorian calendar as whole numbers: days from 1970-01-01. Calendars ask for thousands of dates
 * while they are made, and a library object for each costs more than all the rest of it. The reckoning is that of
 * H. Hinnant, "chrono-Compatible Low-Level Date Algorithms": years begin in March, so that the leap day is the last.
 */

const DAYS_TO_MARCH_0000 = 719_468;
const DAYS_OF_400_YEARS = 146_097;
/** `0000-01-01` and `9999-12-31`, between which four digits are enough for a year. */
const FIRST_DAY = -719_528;
const LAST_DAY = 2_932_896;

const ZERO = 48;
const DASH = 45;

/** Days from 1970-01-01; undefined unless the text is a date that exists, in exactly the form `YYYY-MM-DD`. */
export function dayOf(date: string): number | undefined {
  if (date.length !== 10 || date.charCodeAt(4) !== DASH || date.charCodeAt(7) !== DASH) return undefined;
  const year = digits(date, 0, 4);
  const month = digits(date, 5, 7);
  const day = digits(date, 8, 10);
  return exists(year, month, day) ? dayOfFields(year, month, day) : undefined;
}

/** The date so many days from 1970-01-01; undefined where its year has not four digits. */
export function dateOf(day: number): string | undefined {
  if (!Number.isInteger(day) || day < FIRST_DAY || day > LAST_DAY) return undefined;
  const fromMarch = day + DAYS_TO_MARCH_0000;
  const era = Math.floor(fromMarch / DAYS_OF_400_YEARS);
  const dayOfEra = fromMarch - era * DAYS_OF_400_YEARS;
  const leapDays =
    Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - daysBefore(yearOfEra);
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return dateText(era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfMonth);
}

/** The text of a date; undefined unless the date exists and its year has four digits. */
export function dateOfFields(year: number, month: number, day: number): string | undefined {
  return exists(year, month, day) ? dateText(year, month, day) : undefined;
}

/** ISO weekday: 1 is Monday, 7 is Sunday. */
export function weekdayOfDay(day: number): number {
  // 1970-01-01 was a Thursday.
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

function dayOfFields(year: number, month: number, day: number): number {
  const fromMarch = month <= 2 ? year - 1 : year;
  const era = Math.floor(fromMarch / 400);
  const yearOfEra = fromMarch - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return era * DAYS_OF_400_YEARS + daysBefore(yearOfEra) + dayOfYear - DAYS_TO_MARCH_0000;
}

function daysBefore(yearOfEra: number): number {
  return yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
}

/** False for anything that is no whole number, too. */
function exists(year: number, month: number, day: number): boolean {
  if (!Number.isInteger(year) || !Number.isInteger(month) || !Number.isInteger(day)) return false;
  if (year < 0 || year > 9999 || month < 1 || month > 12 || day < 1) return false;
  if (month !== 2) return day <= (month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (isLeap ? 29 : 28);
}

/** The number that decimal digits make; -1 when one of them is something else. */
function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let index = from; index < to; index++) {
    const digit = text.charCodeAt(index) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return -1;
    number = number * 10 + digit;
  }
  return number;
}

function dateText(year: number, month: number, day: number): string {
  return `${String(year).padStart(4, '0')}-${month < 10 ? '0' : ''}${month}-${day < 10 ? '0' : ''}${day}`;
}
