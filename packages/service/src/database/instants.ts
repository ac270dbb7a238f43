/** The first millisecond of days that were met last: instants of a row are of few days. */
const days = new Map<string, number>();
const DAYS_MAX = 100; // limit: Days remembered for reading instants

/** `2026-03-04 14:30:00.252+00` (the sessions run in UTC) to epoch milliseconds; it is read for every row, a few times each. */
export function parseInstant(text: string): number {
  const { length } = text;
  // Years of more than four digits, before Christ, and what has no end.
  if (length < 22 || length > 29 || text.charCodeAt(10) !== BLANK || text.charCodeAt(length - 3) !== PLUS) {
    return Date.parse(`${text.slice(0, 10)}T${text.slice(11, length - 3)}Z`);
  }
  const hours = twoDigits(text, 11);
  const minutes = twoDigits(text, 14);
  const seconds = twoDigits(text, 17);
  let millis = 0;
  for (let at = 20, worth = 100; at < length - 3 && worth >= 1; at++, worth /= 10) {
    millis += (text.charCodeAt(at) - ZERO) * worth;
  }
  return dayOf(text.slice(0, 10)) + ((hours * 60 + minutes) * 60 + seconds) * 1_000 + millis;
}

const BLANK = 32;
const PLUS = 43;
const ZERO = 48;

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
}

function dayOf(date: string): number {
  let day = days.get(date);
  if (day === undefined) {
    if (days.size >= DAYS_MAX) days.clear();
    day = Date.parse(date);
    days.set(date, day);
  }
  return day;
}
