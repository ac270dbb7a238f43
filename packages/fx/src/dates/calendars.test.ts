import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInCalendars, builtInDefinitions } from './built-in.ts';
import { CalendarMissingError, type CalendarYear, calendarSetOf, withCalendarYears } from './calendar.ts';
import { ruleMadeCalendars } from './rules/index.ts';
import { estimatedCurrencies, spotDate } from './spot.ts';
import { addDays, isIsoDate } from './time.ts';
import { isInWorkingWeek } from './weeks.ts';

const isOpen = (currency: string, date: string) => builtInCalendars.isBusinessDay(currency, date);

const REQUIRED = [
  ...['USD', 'EUR', 'GBP', 'JPY', 'CHF', 'CAD', 'AUD', 'NZD', 'SEK', 'NOK', 'DKK', 'PLN'],
  ...['CZK', 'HUF', 'MXN', 'SGD', 'HKD', 'ZAR', 'TRY', 'CNH', 'INR', 'AED', 'KWD'],
];

test('every required currency is known from 2024 to 2030', () => {
  for (const currency of REQUIRED) {
    assert.deepEqual(builtInCalendars.range(currency), { from: '2024-01-01', to: '2030-12-31' }, currency);
  }
});

test('every calendar names its source and holds real dates in its range, some in each year', () => {
  for (const { currency, source, from, to, estimatedFrom, holidays } of builtInDefinitions) {
    assert.ok(source.length > 20, currency);
    assert.ok(estimatedFrom === undefined || isIsoDate(estimatedFrom), currency);
    for (const [date, name] of holidays) {
      assert.ok(isIsoDate(date) && date >= from && date <= to && name.length > 0, `${currency} ${date}`);
    }
    for (let year = 2024; year <= 2030; year += 1) {
      const closed = [...holidays.keys()].filter((date) => date.startsWith(`${year}-`)).length;
      assert.ok(closed >= 5 && closed <= 30, `${currency} ${year}: ${closed} holidays`);
    }
  }
});

test('past the known range and for unknown currencies there is no answer', () => {
  assert.throws(
    () => builtInCalendars.isBusinessDay('EUR', '2031-01-01'),
    (error) =>
      error instanceof CalendarMissingError && error.currency === 'EUR' && error.date === '2031-01-01',
  );
  assert.throws(() => isOpen('EUR', '2023-12-31'), CalendarMissingError);
  assert.throws(() => isOpen('XXX', '2026-03-04'), CalendarMissingError);
  assert.equal(builtInCalendars.range('XXX'), undefined);
  assert.throws(() => spotDate(['EUR', 'USD'], '2030-12-31'), CalendarMissingError);
  assert.equal(spotDate(['EUR', 'USD'], '2030-12-27'), '2030-12-31');
});

test('the Fed stays open on the Friday before a Saturday holiday and closes on the Monday after a Sunday', () => {
  const besideSaturdays = [
    '2026-07-03',
    '2026-07-06',
    '2027-06-18',
    '2027-06-21',
    '2027-12-24',
    '2027-12-31',
  ];
  for (const date of besideSaturdays) assert.ok(isOpen('USD', date), date);
  assert.ok(!isOpen('USD', '2028-12-25'));
  assert.ok(!isOpen('USD', '2027-07-05'), '4 July 2027 is a Sunday');
});

test('TARGET closes on six days only', () => {
  const closed2026 = ['2026-01-01', '2026-04-03', '2026-04-06', '2026-05-01', '2026-12-25'];
  for (const date of closed2026) assert.ok(!isOpen('EUR', date), date);
  for (const date of ['2026-05-14', '2026-05-25', '2026-12-24', '2026-12-31']) {
    assert.ok(isOpen('EUR', date), date);
  }
});

test('United Kingdom: substitute days', () => {
  for (const date of ['2026-12-28', '2027-12-27', '2027-12-28', '2028-01-03']) {
    assert.ok(!isOpen('GBP', date), date);
  }
  assert.ok(isOpen('GBP', '2026-12-29'));
});

test('United Kingdom: proclaimed days of past years', () => {
  const past = calendarSetOf(ruleMadeCalendars('2010-01-01', '2023-12-31'));
  const closed = ['2011-04-29', '2012-06-04', '2012-06-05', '2020-05-08', '2022-06-02', '2022-06-03'];
  for (const date of [...closed, '2022-09-19', '2023-05-08']) {
    assert.ok(!past.isBusinessDay('GBP', date), date);
  }
  for (const date of ['2012-05-28', '2020-05-04', '2022-05-30']) {
    assert.ok(past.isBusinessDay('GBP', date), date);
  }
});

test('Japan: substitutes, the sandwiched day of 2026, equinoxes and bank days', () => {
  for (const date of ['2026-05-06', '2024-05-06', '2024-11-04', '2026-03-20', '2027-03-22', '2028-03-20']) {
    assert.ok(!isOpen('JPY', date), date);
  }
  assert.equal(builtInCalendars.holidayName('JPY', '2026-09-22'), "Citizens' Holiday");
  assert.equal(builtInCalendars.holidayName('JPY', '2026-09-23'), 'Autumnal Equinox Day');
  for (const date of ['2026-01-02', '2024-01-03', '2026-12-31']) assert.ok(!isOpen('JPY', date), date);
});

test('lunar, Islamic and announced holidays of known years', () => {
  const closed: readonly (readonly [string, string])[] = [
    ...(['2026-02-17', '2026-02-18', '2026-06-01'] as const).map((date) => ['SGD', date] as const),
    ...(['2026-02-19', '2026-04-07', '2026-10-19'] as const).map((date) => ['HKD', date] as const),
    ...(['2026-02-19', '2026-04-07', '2026-07-01'] as const).map((date) => ['CNH', date] as const),
    ['HKD', '2027-02-09'],
    ['HKD', '2030-02-06'],
    ['INR', '2026-01-26'],
    ['TRY', '2026-05-27'],
    ['AED', '2026-12-02'],
    ['KWD', '2026-02-25'],
    ['ILS', '2026-09-21'],
    ['KRW', '2026-09-25'],
    ['THB', '2026-04-13'],
    ['TWD', '2026-05-01'],
    ['PHP', '2026-11-30'],
    ['MYR', '2026-02-02'],
    ['IDR', '2026-03-24'],
  ];
  for (const [currency, date] of closed) assert.ok(!isOpen(currency, date), `${currency} ${date}`);
});

test('the offshore renminbi settles when Hong Kong does, whatever the mainland keeps', () => {
  // Spring Festival and National Day week of the mainland.
  for (const date of ['2026-02-20', '2026-02-23', '2026-10-02', '2026-10-07'])
    assert.ok(isOpen('CNH', date), date);
  const daysOf = (code: string) => builtInDefinitions.find(({ currency }) => currency === code)?.holidays;
  assert.deepEqual(daysOf('CNH'), daysOf('HKD'));
});

test("the riyal follows the central bank's schedule of its payment system", () => {
  // SAMA, 17 September 2025, as quoted by Zawya: payments stop later and go on earlier than branches do.
  for (const [first, last] of [
    ['2026-03-19', '2026-03-22'],
    ['2027-03-08', '2027-03-10'],
    ['2028-02-27', '2028-02-28'],
    ['2029-02-13', '2029-02-15'],
    ['2026-05-26', '2026-05-28'],
    ['2027-05-16', '2027-05-18'],
    ['2028-05-04', '2028-05-07'],
    ['2029-04-23', '2029-04-25'],
  ] as const) {
    for (let date: string = first; date <= last; date = addDays(date, 1))
      assert.ok(!isOpen('SAR', date), date);
  }
  for (const date of ['2026-03-17', '2026-03-23', '2026-03-24', '2027-03-11', '2027-05-19', '2028-02-29'])
    assert.ok(isOpen('SAR', date), date);
  for (const date of ['2026-09-23', '2027-02-22', '2028-02-22', '2029-02-22'])
    assert.ok(!isOpen('SAR', date), date);
});

test('working weeks are data', () => {
  assert.ok(isOpen('KWD', '2026-03-08') && !isOpen('KWD', '2026-03-06'), 'Sunday open, Friday closed');
  assert.ok(isOpen('AED', '2026-03-06') && !isOpen('AED', '2026-03-08'), 'Monday to Friday since 2022');
  assert.ok(!isOpen('SAR', '2026-03-08') && !isOpen('JOD', '2026-03-06'));
});

const corrections = (currency: string, year: number, complete: boolean, ...days: CalendarYear['days']) => ({
  currency,
  year,
  complete,
  days,
});

test('the Emirates worked from Sunday to Thursday until the end of 2021', () => {
  const week = ['2021-12-31', '2021-12-26', '2021-12-30', '2022-01-07', '2022-01-09'];
  assert.deepEqual(
    week.map((date) => isInWorkingWeek('AED', date)),
    [false, true, true, true, false],
  );
});

test('a correction closes or opens one day in a new set', () => {
  const calendars = withCalendarYears(builtInCalendars, [
    corrections('EUR', 2026, false, { date: '2026-03-06', state: 'closed', name: 'System outage' }),
    corrections('USD', 2025, false, { date: '2025-11-27', state: 'open', name: 'Test' }),
  ]);
  assert.equal(spotDate(['EUR', 'USD'], '2026-03-04', calendars), '2026-03-09');
  assert.equal(spotDate(['EUR', 'USD'], '2026-03-04'), '2026-03-06');
  assert.equal(calendars.holidayName('EUR', '2026-03-06'), 'System outage');
  assert.equal(calendars.holidayName('EUR', '2026-04-03'), 'Good Friday', 'the built-in days stay');
  assert.ok(calendars.isBusinessDay('USD', '2025-11-27'));
  assert.equal(calendars.holidayName('USD', '2025-11-27'), undefined);
  assert.throws(() => calendars.isBusinessDay('EUR', '2031-01-02'), CalendarMissingError);
});

test('a complete year stands for itself, and a weekend day can be opened', () => {
  const calendars = withCalendarYears(builtInCalendars, [
    corrections(
      'EUR',
      2026,
      true,
      { date: '2026-12-25', state: 'closed', name: 'Christmas' },
      { date: '2026-03-07', state: 'open', name: 'Working Saturday' },
    ),
  ]);
  assert.ok(calendars.isBusinessDay('EUR', '2026-04-03') && !calendars.isBusinessDay('EUR', '2026-12-25'));
  assert.equal(calendars.holidayName('EUR', '2026-04-03'), undefined);
  assert.ok(calendars.isBusinessDay('EUR', '2026-03-07') && !calendars.isBusinessDay('EUR', '2026-03-14'));
  assert.deepEqual(calendars.range('EUR'), builtInCalendars.range('EUR'));
});

test('complete years extend the known range, without gaps', () => {
  const calendars = withCalendarYears(builtInCalendars, [
    corrections('EUR', 2032, true),
    corrections('EUR', 2031, true),
    corrections('EUR', 2034, true),
    corrections('EUR', 2033, false, { date: '2033-01-03', state: 'closed', name: 'x' }),
    corrections('VND', 2027, true),
    corrections('VND', 2026, true, { date: '2026-04-13', state: 'closed', name: 'Hùng Kings' }),
  ]);
  assert.deepEqual(calendars.range('EUR'), { from: '2024-01-01', to: '2032-12-31' });
  assert.ok(calendars.isBusinessDay('EUR', '2032-12-31'));
  for (const date of ['2033-01-03', '2034-01-03']) {
    assert.throws(() => calendars.isBusinessDay('EUR', date), CalendarMissingError, date);
  }
  assert.deepEqual(calendars.range('VND'), { from: '2026-01-01', to: '2027-12-31' });
  assert.ok(!calendars.isBusinessDay('VND', '2026-04-13') && calendars.isBusinessDay('VND', '2026-04-14'));
  assert.equal(calendars.range('XXX'), undefined);
});

test('a set refuses two calendars for one currency and an upside-down range', () => {
  const eur = { currency: 'EUR', source: 'test', from: '2026-01-01', to: '2026-12-31', holidays: new Map() };
  assert.throws(() => calendarSetOf([eur, eur]), /two calendars for EUR/);
  assert.throws(() => calendarSetOf([{ ...eur, from: '2027-01-01' }]), /ends before it begins/);
});

test('estimated are the days from a date on, but for years of which an operator has given all', () => {
  const estimated = (
    pair: readonly [string, string],
    from: string,
    to: string,
    calendars = builtInCalendars,
  ) => estimatedCurrencies(pair, from, to, calendars);
  assert.deepEqual(estimated(['USD', 'KWD'], '2026-03-04', '2026-03-06'), ['KWD']);
  assert.deepEqual(estimated(['SAR', 'KWD'], '2029-03-05', '2029-03-07'), ['KWD']);
  assert.deepEqual(estimated(['SAR', 'KWD'], '2030-03-05', '2030-03-07'), ['SAR', 'KWD']);
  assert.deepEqual(estimated(['EUR', 'USD'], '2030-03-05', '2030-03-07'), []);
  // The decree on bridge days of 2026 is known, that of 2027 is not.
  assert.deepEqual(estimated(['EUR', 'HUF'], '2026-12-29', '2026-12-31'), []);
  assert.deepEqual(estimated(['EUR', 'HUF'], '2026-12-30', '2027-01-04'), ['HUF']);
  // The first date that is estimated decides.
  assert.deepEqual(estimated(['USD', 'CNH'], '2027-12-29', '2027-12-31'), []);
  assert.deepEqual(estimated(['USD', 'CNH'], '2027-12-30', '2028-01-03'), ['CNH']);
  const known = withCalendarYears(builtInCalendars, [
    { currency: 'KWD', year: 2027, complete: true, days: [] },
  ]);
  assert.deepEqual(estimated(['USD', 'KWD'], '2027-03-04', '2027-03-08', known), []);
  assert.deepEqual(estimated(['USD', 'KWD'], '2026-12-30', '2027-01-04', known), ['KWD']);
  assert.deepEqual(estimated(['USD', 'KWD'], '2027-12-30', '2028-01-03', known), ['KWD']);
  const corrected = withCalendarYears(builtInCalendars, [
    { currency: 'KWD', year: 2027, complete: false, days: [{ date: '2027-03-08', state: 'open', name: '' }] },
  ]);
  assert.deepEqual(estimated(['USD', 'KWD'], '2027-03-04', '2027-03-08', corrected), ['KWD']);
});
