import {
  easterPlus,
  FRIDAY,
  fixed,
  MONDAY,
  nthWeekday,
  onOrAfter,
  type RuleMadeCalendar,
  THURSDAY,
} from './holiday-rules.ts';

export const eur: RuleMadeCalendar = {
  currency: 'EUR',
  source: 'European Central Bank, TARGET closing days (the long-term calendar in force since 2002)',
  firstYear: 2002,
  holidaysOf: (year) => [
    fixed(year, 1, 1, "New Year's Day"),
    easterPlus(year, -2, 'Good Friday'),
    easterPlus(year, 1, 'Easter Monday'),
    fixed(year, 5, 1, 'Labour Day'),
    fixed(year, 12, 25, 'Christmas Day'),
    fixed(year, 12, 26, 'Christmas Holiday'),
  ],
};

export const chf: RuleMadeCalendar = {
  currency: 'CHF',
  source: 'Swiss bank holidays on which SIC and the Zurich market are closed',
  firstYear: 2000,
  holidaysOf: (year) => [
    fixed(year, 1, 1, "New Year's Day"),
    fixed(year, 1, 2, 'Berchtoldstag'),
    easterPlus(year, -2, 'Good Friday'),
    easterPlus(year, 1, 'Easter Monday'),
    fixed(year, 5, 1, 'Labour Day'),
    easterPlus(year, 39, 'Ascension Day'),
    easterPlus(year, 50, 'Whit Monday'),
    fixed(year, 8, 1, 'National Day'),
    fixed(year, 12, 25, 'Christmas Day'),
    fixed(year, 12, 26, "St Stephen's Day"),
  ],
};

export const sek: RuleMadeCalendar = {
  currency: 'SEK',
  source: 'Swedish bank holidays (RIX closing days), with the eves of Midsummer, Christmas and New Year',
  firstYear: 2005,
  holidaysOf: (year) => [
    fixed(year, 1, 1, "New Year's Day"),
    fixed(year, 1, 6, 'Epiphany'),
    easterPlus(year, -2, 'Good Friday'),
    easterPlus(year, 1, 'Easter Monday'),
    fixed(year, 5, 1, 'Labour Day'),
    easterPlus(year, 39, 'Ascension Day'),
    fixed(year, 6, 6, 'National Day'),
    onOrAfter(year, 6, 19, FRIDAY, 'Midsummer Eve'),
    fixed(year, 12, 24, 'Christmas Eve'),
    fixed(year, 12, 25, 'Christmas Day'),
    fixed(year, 12, 26, 'Boxing Day'),
    fixed(year, 12, 31, "New Year's Eve"),
  ],
};

/** Christmas Eve is a closing day of NBO, New Year's Eve is not. */
export const nok: RuleMadeCalendar = {
  currency: 'NOK',
  source: "Norges Bank, settlement days of the Bank's settlement system (NBO)",
  firstYear: 2000,
  holidaysOf: (year) => [
    fixed(year, 1, 1, "New Year's Day"),
    easterPlus(year, -3, 'Maundy Thursday'),
    easterPlus(year, -2, 'Good Friday'),
    easterPlus(year, 1, 'Easter Monday'),
    fixed(year, 5, 1, 'Labour Day'),
    fixed(year, 5, 17, 'Constitution Day'),
    easterPlus(year, 39, 'Ascension Day'),
    easterPlus(year, 50, 'Whit Monday'),
    fixed(year, 12, 24, 'Christmas Eve'),
    fixed(year, 12, 25, 'Christmas Day'),
    fixed(year, 12, 26, 'Boxing Day'),
  ],
};

/** The Great Prayer Day was abolished with effect from 2024. */
export const dkk: RuleMadeCalendar = {
  currency: 'DKK',
  source: 'Danish bank closing days (Finance Denmark)',
  firstYear: 2024,
  holidaysOf: (year) => [
    fixed(year, 1, 1, "New Year's Day"),
    easterPlus(year, -3, 'Maundy Thursday'),
    easterPlus(year, -2, 'Good Friday'),
    easterPlus(year, 1, 'Easter Monday'),
    easterPlus(year, 39, 'Ascension Day'),
    easterPlus(year, 40, 'Day after Ascension Day'),
    easterPlus(year, 50, 'Whit Monday'),
    fixed(year, 6, 5, 'Constitution Day'),
    fixed(year, 12, 24, 'Christmas Eve'),
    fixed(year, 12, 25, 'Christmas Day'),
    fixed(year, 12, 26, 'Boxing Day'),
    fixed(year, 12, 31, "New Year's Eve"),
  ],
};

export const isk: RuleMadeCalendar = {
  currency: 'ISK',
  source: 'Icelandic bank holidays, with the eves of Christmas and New Year',
  firstYear: 2024,
  holidaysOf: (year) => [
    fixed(year, 1, 1, "New Year's Day"),
    easterPlus(year, -3, 'Maundy Thursday'),
    easterPlus(year, -2, 'Good Friday'),
    easterPlus(year, 1, 'Easter Monday'),
    onOrAfter(year, 4, 19, THURSDAY, 'First Day of Summer'),
    fixed(year, 5, 1, 'Labour Day'),
    easterPlus(year, 39, 'Ascension Day'),
    easterPlus(year, 50, 'Whit Monday'),
    fixed(year, 6, 17, 'National Day'),
    nthWeekday(year, 8, 1, MONDAY, 'Commerce Day'),
    fixed(year, 12, 24, 'Christmas Eve'),
    fixed(year, 12, 25, 'Christmas Day'),
    fixed(year, 12, 26, 'Boxing Day'),
    fixed(year, 12, 31, "New Year's Eve"),
  ],
};
