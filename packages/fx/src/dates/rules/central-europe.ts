import { addDays } from '../time.ts';
import {
  easterPlus,
  fixed,
  type Holiday,
  orthodoxEasterSunday,
  type RuleMadeCalendar,
} from './holiday-rules.ts';

export const pln: RuleMadeCalendar = {
  currency: 'PLN',
  source: 'Polish act on days off work (SORBNET follows it); Christmas Eve since 2025',
  firstYear: 2012,
  holidaysOf: (year) => [
    fixed(year, 1, 1, "New Year's Day"),
    fixed(year, 1, 6, 'Epiphany'),
    easterPlus(year, 1, 'Easter Monday'),
    fixed(year, 5, 1, 'Labour Day'),
    fixed(year, 5, 3, 'Constitution Day'),
    easterPlus(year, 60, 'Corpus Christi'),
    fixed(year, 8, 15, 'Assumption'),
    fixed(year, 11, 1, "All Saints' Day"),
    fixed(year, 11, 11, 'Independence Day'),
    ...(year >= 2025 ? [fixed(year, 12, 24, 'Christmas Eve')] : []),
    fixed(year, 12, 25, 'Christmas Day'),
    fixed(year, 12, 26, 'Second Day of Christmas'),
  ],
};

export const czk: RuleMadeCalendar = {
  currency: 'CZK',
  source: 'Czech act 245/2000 on public holidays (CERTIS follows it)',
  firstYear: 2016,
  holidaysOf: (year) => [
    fixed(year, 1, 1, "New Year's Day"),
    easterPlus(year, -2, 'Good Friday'),
    easterPlus(year, 1, 'Easter Monday'),
    fixed(year, 5, 1, 'Labour Day'),
    fixed(year, 5, 8, 'Victory Day'),
    fixed(year, 7, 5, 'Saints Cyril and Methodius'),
    fixed(year, 7, 6, 'Jan Hus Day'),
    fixed(year, 9, 28, 'Statehood Day'),
    fixed(year, 10, 28, 'Independence Day'),
    fixed(year, 11, 17, 'Freedom and Democracy Day'),
    fixed(year, 12, 24, 'Christmas Eve'),
    fixed(year, 12, 25, 'Christmas Day'),
    fixed(year, 12, 26, "St Stephen's Day"),
  ],
};

/** Weekdays that a ministerial decree swaps for a Saturday, published about a year ahead. */
const HUNGARIAN_BRIDGE_DAYS: ReadonlyMap<number, readonly Holiday[]> = new Map([
  [
    2024,
    [fixed(2024, 8, 19, 'Bridge day'), fixed(2024, 12, 24, 'Bridge day'), fixed(2024, 12, 27, 'Bridge day')],
  ],
  [
    2025,
    [fixed(2025, 5, 2, 'Bridge day'), fixed(2025, 10, 24, 'Bridge day'), fixed(2025, 12, 24, 'Bridge day')],
  ],
  [
    2026,
    [fixed(2026, 1, 2, 'Bridge day'), fixed(2026, 8, 21, 'Bridge day'), fixed(2026, 12, 24, 'Bridge day')],
  ],
]);

export const huf: RuleMadeCalendar = {
  currency: 'HUF',
  source: 'Hungarian Labour Code (VIBER follows it); bridge days by decree are known to 2026',
  firstYear: 2024,
  // Which days a decree will swap is not known, and nearly every year has some.
  estimatedFromYear: Math.max(...HUNGARIAN_BRIDGE_DAYS.keys()) + 1,
  holidaysOf: (year) => [
    fixed(year, 1, 1, "New Year's Day"),
    fixed(year, 3, 15, 'National Day'),
    easterPlus(year, -2, 'Good Friday'),
    easterPlus(year, 1, 'Easter Monday'),
    fixed(year, 5, 1, 'Labour Day'),
    easterPlus(year, 50, 'Whit Monday'),
    fixed(year, 8, 20, 'State Foundation Day'),
    fixed(year, 10, 23, 'National Day'),
    fixed(year, 11, 1, "All Saints' Day"),
    fixed(year, 12, 25, 'Christmas Day'),
    fixed(year, 12, 26, 'Second Day of Christmas'),
    ...(HUNGARIAN_BRIDGE_DAYS.get(year) ?? []),
  ],
};

export const ron: RuleMadeCalendar = {
  currency: 'RON',
  source: 'Romanian Labour Code, article 139; Easter and Whitsun are the Orthodox ones',
  firstYear: 2024,
  holidaysOf(year) {
    const easter = orthodoxEasterSunday(year);
    return [
      fixed(year, 1, 1, "New Year's Day"),
      fixed(year, 1, 2, "Day after New Year's Day"),
      fixed(year, 1, 6, 'Epiphany'),
      fixed(year, 1, 7, 'St John the Baptist'),
      fixed(year, 1, 24, 'Union Day'),
      { date: addDays(easter, -2), name: 'Good Friday' },
      { date: addDays(easter, 1), name: 'Easter Monday' },
      fixed(year, 5, 1, 'Labour Day'),
      fixed(year, 6, 1, "Children's Day"),
      { date: addDays(easter, 50), name: 'Whit Monday' },
      fixed(year, 8, 15, 'Dormition'),
      fixed(year, 11, 30, 'St Andrew'),
      fixed(year, 12, 1, 'National Day'),
      fixed(year, 12, 25, 'Christmas Day'),
      fixed(year, 12, 26, 'Second Day of Christmas'),
    ];
  },
};
