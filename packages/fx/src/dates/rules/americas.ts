import { easterPlus, fixed, MONDAY, nthWeekday, type RuleMadeCalendar } from './holiday-rules.ts';

/** The presidency changes hands on 1 October every six years since 2024. */
export const mxn: RuleMadeCalendar = {
  currency: 'MXN',
  source: 'Mexican banking commission (CNBV), days on which banks close; SPEI value dates follow them',
  firstYear: 2006,
  holidaysOf: (year) => [
    fixed(year, 1, 1, "New Year's Day"),
    nthWeekday(year, 2, 1, MONDAY, 'Constitution Day'),
    nthWeekday(year, 3, 3, MONDAY, "Juárez's Birthday"),
    easterPlus(year, -3, 'Maundy Thursday'),
    easterPlus(year, -2, 'Good Friday'),
    fixed(year, 5, 1, 'Labour Day'),
    fixed(year, 9, 16, 'Independence Day'),
    ...(year >= 2024 && (year - 2024) % 6 === 0 ? [fixed(year, 10, 1, 'Transfer of the presidency')] : []),
    fixed(year, 11, 2, "All Souls' Day"),
    nthWeekday(year, 11, 3, MONDAY, 'Revolution Day'),
    fixed(year, 12, 12, 'Bank employees’ day'),
    fixed(year, 12, 25, 'Christmas Day'),
  ],
};

/** Black Awareness Day is national since 2024. */
export const brl: RuleMadeCalendar = {
  currency: 'BRL',
  source: 'Brazilian national bank holidays (National Monetary Council), with Carnival and Corpus Christi',
  firstYear: 2024,
  holidaysOf: (year) => [
    fixed(year, 1, 1, "New Year's Day"),
    easterPlus(year, -48, 'Carnival'),
    easterPlus(year, -47, 'Carnival'),
    easterPlus(year, -2, 'Good Friday'),
    fixed(year, 4, 21, "Tiradentes' Day"),
    fixed(year, 5, 1, 'Labour Day'),
    easterPlus(year, 60, 'Corpus Christi'),
    fixed(year, 9, 7, 'Independence Day'),
    fixed(year, 10, 12, 'Our Lady of Aparecida'),
    fixed(year, 11, 2, "All Souls' Day"),
    fixed(year, 11, 15, 'Republic Day'),
    fixed(year, 11, 20, 'Black Awareness Day'),
    fixed(year, 12, 25, 'Christmas Day'),
  ],
};
