import { addDays, type IsoDate, weekdayOf } from '../time.ts';
import {
  fixed,
  type Holiday,
  MONDAY,
  nthWeekday,
  type RuleMadeCalendar,
  SATURDAY,
  SUNDAY,
} from './holiday-rules.ts';

/**
 * Day of the month of an equinox in Japan, 1980 to 2099: the approximation used by almanacs, in millionths of
 * a day so that it stays in integers. The government gazettes each year's days the February before.
 */
function equinoxDay(year: number, offsetMicrodays: number): number {
  const elapsed = year - 1980;
  return Math.floor((offsetMicrodays + 242_194 * elapsed) / 1_000_000) - Math.floor(elapsed / 4);
}

function nationalHolidays(year: number): Holiday[] {
  return [
    fixed(year, 1, 1, "New Year's Day"),
    nthWeekday(year, 1, 2, MONDAY, 'Coming of Age Day'),
    fixed(year, 2, 11, 'National Foundation Day'),
    fixed(year, 2, 23, "Emperor's Birthday"),
    fixed(year, 3, equinoxDay(year, 20_843_100), 'Vernal Equinox Day'),
    fixed(year, 4, 29, 'Showa Day'),
    fixed(year, 5, 3, 'Constitution Memorial Day'),
    fixed(year, 5, 4, 'Greenery Day'),
    fixed(year, 5, 5, "Children's Day"),
    nthWeekday(year, 7, 3, MONDAY, 'Marine Day'),
    fixed(year, 8, 11, 'Mountain Day'),
    nthWeekday(year, 9, 3, MONDAY, 'Respect for the Aged Day'),
    fixed(year, 9, equinoxDay(year, 23_248_800), 'Autumnal Equinox Day'),
    nthWeekday(year, 10, 2, MONDAY, 'Sports Day'),
    fixed(year, 11, 3, 'Culture Day'),
    fixed(year, 11, 23, 'Labor Thanksgiving Day'),
  ];
}

/** Act on National Holidays, article 3: (2) the day after a Sunday holiday, (3) a day between two holidays. */
function withSubstitutes(national: readonly Holiday[]): Map<IsoDate, string> {
  const days = new Map(national.map(({ date, name }) => [date, name]));
  for (const { date, name } of national) {
    if (weekdayOf(date) === SUNDAY) {
      let substitute = addDays(date, 1);
      while (days.has(substitute)) substitute = addDays(substitute, 1);
      days.set(substitute, `${name} (in lieu)`);
    }
  }
  for (const { date } of national) {
    const between = addDays(date, 1);
    const isSandwiched = !days.has(between) && national.some((other) => other.date === addDays(date, 2));
    if (isSandwiched && weekdayOf(between) < SATURDAY) days.set(between, "Citizens' Holiday");
  }
  return days;
}

export const jpy: RuleMadeCalendar = {
  currency: 'JPY',
  source: 'Japanese Act on National Holidays, and 2-3 January and 31 December as bank holidays (Banking Act)',
  firstYear: 2022,
  holidaysOf: (year) => [
    ...Array.from(withSubstitutes(nationalHolidays(year)), ([date, name]) => ({ date, name })),
    fixed(year, 1, 2, 'Bank holiday'),
    fixed(year, 1, 3, 'Bank holiday'),
    fixed(year, 12, 31, 'Bank holiday'),
  ],
};
