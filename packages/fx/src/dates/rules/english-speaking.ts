import {
  easterPlus,
  fixed,
  type Holiday,
  MONDAY,
  nthWeekday,
  onOrAfter,
  pairToWeekdays,
  type RuleMadeCalendar,
  sundayToMonday,
  THURSDAY,
  weekendToMonday,
} from './holiday-rules.ts';

/**
 * Federal Reserve Banks (K.8): a holiday on a Sunday closes the Monday, one on a Saturday does not close
 * the Friday, unlike the federal government's and the stock exchanges' calendars.
 */
export const usd: RuleMadeCalendar = {
  currency: 'USD',
  source: 'Federal Reserve Board, K.8, Holidays Observed by the Federal Reserve System',
  firstYear: 1986,
  holidaysOf: (year) => [
    sundayToMonday(fixed(year, 1, 1, "New Year's Day")),
    nthWeekday(year, 1, 3, MONDAY, 'Birthday of Martin Luther King, Jr.'),
    nthWeekday(year, 2, 3, MONDAY, "Washington's Birthday"),
    onOrAfter(year, 5, 25, MONDAY, 'Memorial Day'),
    ...(year >= 2022 ? [sundayToMonday(fixed(year, 6, 19, 'Juneteenth'))] : []),
    sundayToMonday(fixed(year, 7, 4, 'Independence Day')),
    nthWeekday(year, 9, 1, MONDAY, 'Labor Day'),
    nthWeekday(year, 10, 2, MONDAY, 'Columbus Day'),
    sundayToMonday(fixed(year, 11, 11, 'Veterans Day')),
    nthWeekday(year, 11, 4, THURSDAY, 'Thanksgiving Day'),
    sundayToMonday(fixed(year, 12, 25, 'Christmas Day')),
  ],
};

/** Days that a royal proclamation added, or to which it moved a bank holiday. */
const UK_PROCLAIMED: ReadonlyMap<number, readonly Holiday[]> = new Map([
  [2011, [fixed(2011, 4, 29, 'Royal wedding')]],
  [2012, [fixed(2012, 6, 4, 'Spring bank holiday'), fixed(2012, 6, 5, 'Diamond Jubilee')]],
  [2020, [fixed(2020, 5, 8, 'Early May bank holiday (VE day)')]],
  [2022, [fixed(2022, 6, 2, 'Spring bank holiday'), fixed(2022, 6, 3, 'Platinum Jubilee')]],
  [2023, [fixed(2023, 5, 8, 'Coronation of King Charles III')]],
]);
const UK_STATE_FUNERAL = fixed(2022, 9, 19, 'State Funeral of Queen Elizabeth II');

export const gbp: RuleMadeCalendar = {
  currency: 'GBP',
  source:
    'Bank holidays of England and Wales (Banking and Financial Dealings Act 1971), on which CHAPS is closed',
  firstYear: 2003,
  holidaysOf: (year) => [
    weekendToMonday(fixed(year, 1, 1, "New Year's Day")),
    easterPlus(year, -2, 'Good Friday'),
    easterPlus(year, 1, 'Easter Monday'),
    ...(year === 2020 ? [] : [nthWeekday(year, 5, 1, MONDAY, 'Early May bank holiday')]),
    ...(year === 2012 || year === 2022 ? [] : [onOrAfter(year, 5, 25, MONDAY, 'Spring bank holiday')]),
    ...(UK_PROCLAIMED.get(year) ?? []),
    ...(year === 2022 ? [UK_STATE_FUNERAL] : []),
    onOrAfter(year, 8, 25, MONDAY, 'Summer bank holiday'),
    ...pairToWeekdays(fixed(year, 12, 25, 'Christmas Day'), fixed(year, 12, 26, 'Boxing Day')),
  ],
};

/**
 * Family Day and the Civic Holiday are days of provinces, on which banks make no payments nationally: the National Bank of
 * Canada's bank holidays of 2024, and the electronic payment holidays of PaymentEvolution for 2024. Quebec's own days are
 * not among them. The schedule of Lynx itself could not be read.
 */
export const cad: RuleMadeCalendar = {
  currency: 'CAD',
  source: 'Federal statutory holidays of Canada with the bank holidays of Toronto',
  firstYear: 2003,
  holidaysOf: (year) => [
    weekendToMonday(fixed(year, 1, 1, "New Year's Day")),
    ...(year >= 2008 ? [nthWeekday(year, 2, 3, MONDAY, 'Family Day')] : []),
    easterPlus(year, -2, 'Good Friday'),
    onOrAfter(year, 5, 18, MONDAY, 'Victoria Day'),
    weekendToMonday(fixed(year, 7, 1, 'Canada Day')),
    nthWeekday(year, 8, 1, MONDAY, 'Civic Holiday'),
    nthWeekday(year, 9, 1, MONDAY, 'Labour Day'),
    ...(year >= 2021 ? [weekendToMonday(fixed(year, 9, 30, 'Truth and Reconciliation'))] : []),
    nthWeekday(year, 10, 2, MONDAY, 'Thanksgiving Day'),
    weekendToMonday(fixed(year, 11, 11, 'Remembrance Day')),
    ...pairToWeekdays(fixed(year, 12, 25, 'Christmas Day'), fixed(year, 12, 26, 'Boxing Day')),
  ],
};

/**
 * RITS closes only on these eight where both New South Wales and Victoria keep them, hence neither on the
 * bank holiday of August nor on Labour Day, nor on a state's own Monday after a weekend Anzac Day.
 */
export const aud: RuleMadeCalendar = {
  currency: 'AUD',
  source: 'Reserve Bank of Australia, RITS Business Hours',
  firstYear: 2024,
  holidaysOf: (year) => [
    weekendToMonday(fixed(year, 1, 1, "New Year's Day")),
    weekendToMonday(fixed(year, 1, 26, 'Australia Day')),
    easterPlus(year, -2, 'Good Friday'),
    easterPlus(year, 1, 'Easter Monday'),
    fixed(year, 4, 25, 'Anzac Day'),
    nthWeekday(year, 6, 2, MONDAY, "King's Birthday"),
    ...pairToWeekdays(fixed(year, 12, 25, 'Christmas Day'), fixed(year, 12, 26, 'Boxing Day')),
  ],
};

/** Te Kāhui o Matariki Public Holiday Act 2022, schedule 1. */
const MATARIKI: ReadonlyMap<number, Holiday> = new Map([
  [2024, fixed(2024, 6, 28, 'Matariki')],
  [2025, fixed(2025, 6, 20, 'Matariki')],
  [2026, fixed(2026, 7, 10, 'Matariki')],
  [2027, fixed(2027, 6, 25, 'Matariki')],
  [2028, fixed(2028, 7, 14, 'Matariki')],
  [2029, fixed(2029, 7, 6, 'Matariki')],
  [2030, fixed(2030, 6, 21, 'Matariki')],
]);

/** National holidays only: the anniversary days of Wellington and Auckland are regional. */
export const nzd: RuleMadeCalendar = {
  currency: 'NZD',
  source: 'New Zealand Holidays Act 2003, national holidays with their Monday observance',
  firstYear: 2024,
  holidaysOf(year) {
    const matariki = MATARIKI.get(year);
    return [
      ...pairToWeekdays(fixed(year, 1, 1, "New Year's Day"), fixed(year, 1, 2, "Day after New Year's Day")),
      weekendToMonday(fixed(year, 2, 6, 'Waitangi Day')),
      easterPlus(year, -2, 'Good Friday'),
      easterPlus(year, 1, 'Easter Monday'),
      weekendToMonday(fixed(year, 4, 25, 'Anzac Day')),
      nthWeekday(year, 6, 1, MONDAY, "King's Birthday"),
      ...(matariki === undefined ? [] : [matariki]),
      nthWeekday(year, 10, 4, MONDAY, 'Labour Day'),
      ...pairToWeekdays(fixed(year, 12, 25, 'Christmas Day'), fixed(year, 12, 26, 'Boxing Day')),
    ];
  },
};

/**
 * Days that are declared for elections are known only once they are proclaimed (Public Holidays Act, section 2A; that of
 * 2021 was three weeks before). Operators add them: the next local ones fall due from November 2026 on.
 */
export const zar: RuleMadeCalendar = {
  currency: 'ZAR',
  source: 'South African Public Holidays Act 1994: a Sunday also closes the Monday; SAMOS follows it',
  firstYear: 2024,
  holidaysOf: (year) => [
    sundayToMonday(fixed(year, 1, 1, "New Year's Day")),
    sundayToMonday(fixed(year, 3, 21, 'Human Rights Day')),
    easterPlus(year, -2, 'Good Friday'),
    easterPlus(year, 1, 'Family Day'),
    sundayToMonday(fixed(year, 4, 27, 'Freedom Day')),
    sundayToMonday(fixed(year, 5, 1, "Workers' Day")),
    ...(year === 2024 ? [fixed(2024, 5, 29, 'General elections')] : []),
    sundayToMonday(fixed(year, 6, 16, 'Youth Day')),
    sundayToMonday(fixed(year, 8, 9, "National Women's Day")),
    sundayToMonday(fixed(year, 9, 24, 'Heritage Day')),
    sundayToMonday(fixed(year, 12, 16, 'Day of Reconciliation')),
    sundayToMonday(fixed(year, 12, 25, 'Christmas Day')),
    sundayToMonday(fixed(year, 12, 26, 'Day of Goodwill')),
  ],
};
