import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInCalendars } from './built-in.ts';
import { type CalendarDefinition, type CalendarSet, calendarSetOf } from './calendar.ts';
import { BUILT_IN_DATE_RULES } from './date-rules.ts';
import { explainValueDates } from './explain.ts';
import { ruleMadeCalendars } from './rules/index.ts';
import { spotDate } from './spot.ts';
import { type CurrencyPair, DEFAULT_SPOT_RULES } from './spot-rules.ts';
import { instantOf } from './time.ts';

// AED and JOD have no holiday in these two weeks of July 2006.
const openWeeks = (currency: string): CalendarDefinition => ({
  currency,
  source: 'test: no holidays in this range',
  from: '2006-07-03',
  to: '2006-07-14',
  holidays: new Map(),
});
const historical = calendarSetOf([
  ...ruleMadeCalendars('2006-01-01', '2017-12-31'),
  openWeeks('AED'),
  openWeeks('JOD'),
]);

const pairOf = (code: string): CurrencyPair => [code.slice(0, 3), code.slice(3)];

const HISTORICAL: readonly (readonly [string, string, string])[] = [
  ['EURUSD', '2017-07-03', '2017-07-05'],
  ['EURUSD', '2006-06-30', '2006-07-05'],
  ['EURUSD', '2006-07-03', '2006-07-05'],
  ['USDCAD', '2006-07-03', '2006-07-05'],
  ['EURMXN', '2006-06-30', '2006-07-05'],
  ['EURMXN', '2006-07-03', '2006-07-06'],
  ['EURGBP', '2006-06-30', '2006-07-05'],
  ['USDJOD', '2006-07-06', '2006-07-11'],
  ['USDAED', '2006-07-06', '2006-07-10'],
  // Not moved by the US holiday on the trade date itself.
  ['EURUSD', '2006-07-04', '2006-07-06'],
];

const PRESENT: readonly (readonly [string, string, string])[] = [
  ['EURUSD', '2025-11-10', '2025-11-12'],
  ['USDMXN', '2025-11-10', '2025-11-13'],
  ['EURGBP', '2025-11-25', '2025-11-28'],
  ['EURUSD', '2025-11-26', '2025-11-28'],
  ['GBPJPY', '2025-11-21', '2025-11-26'],
  ['GBPCAD', '2026-03-04', '2026-03-06'],
  ['USDCAD', '2026-03-06', '2026-03-09'],
  ['EURUSD', '2026-04-01', '2026-04-07'],
  ['USDJPY', '2026-05-01', '2026-05-08'],
  ['USDKWD', '2026-03-04', '2026-03-09'],
  ['USDKWD', '2026-03-05', '2026-03-09'],
];

/** The derivation that is shown ends at the date that is traded, and every day it passes over has a reason. */
function explains(code: string, tradeDate: string, expected: string, calendars: CalendarSet): void {
  const noon = instantOf(tradeDate, '12:00', 'America/New_York');
  const rules = { ...BUILT_IN_DATE_RULES, calendars };
  const { derivation, dates, tenors } = explainValueDates(pairOf(code), noon, rules);
  assert.ok(derivation !== undefined && derivation.spot === expected);
  assert.ok(tenors.spot.ok && tenors.spot.valueDate === expected);
  for (const { lagDays, days, date } of derivation.legs) {
    const counted = days.filter(({ reasons }) => reasons.length === 0);
    assert.equal(counted.length, lagDays);
    assert.equal(counted.at(-1)?.date, date);
  }
  assert.deepEqual(
    derivation.joint.map(({ reasons }) => reasons.length > 0),
    derivation.joint.map((_, index) => index < derivation.joint.length - 1),
  );
  assert.equal(dates.find(({ tenor }) => tenor === 'spot')?.date, expected);
  for (const { tenor, reasons } of dates) assert.equal(tenor === undefined, reasons.length > 0);
}

for (const [code, tradeDate, expected] of HISTORICAL) {
  test(`${code} traded on ${tradeDate} settles on ${expected}`, () => {
    assert.equal(spotDate(pairOf(code), tradeDate, historical), expected);
    explains(code, tradeDate, expected, historical);
  });
}

for (const [code, tradeDate, expected] of PRESENT) {
  test(`${code} traded on ${tradeDate} settles on ${expected}`, () => {
    const [a, b] = pairOf(code);
    assert.equal(spotDate([a, b], tradeDate), expected);
    assert.equal(spotDate([b, a], tradeDate), expected, 'the order of the pair does not matter');
    explains(code, tradeDate, expected, builtInCalendars);
  });
}

test('a deployment that moves the trade date gets the ObjectLab result for 4 July 2006', () => {
  const rules = { ...DEFAULT_SPOT_RULES, movesTradeDate: true };
  assert.equal(spotDate(['EUR', 'USD'], '2006-07-04', historical, rules), '2006-07-07');
});

test('a cross of two one-day currencies settles after one day', () => {
  assert.equal(spotDate(['CAD', 'TRY'], '2026-03-04'), '2026-03-05');
});

test('only the exempt pair may settle on a US holiday', () => {
  const open = (currency: string): CalendarDefinition => ({
    currency,
    source: 'test: no holidays in this range',
    from: '2025-11-20',
    to: '2025-12-05',
    holidays: new Map(),
  });
  const calendars = calendarSetOf([
    ...ruleMadeCalendars('2025-01-01', '2025-12-31').filter(({ currency }) => currency !== 'RON'),
    open('RSD'),
    open('RON'),
  ]);
  assert.equal(spotDate(['EUR', 'RSD'], '2025-11-25', calendars), '2025-11-27');
  assert.equal(spotDate(['RSD', 'EUR'], '2025-11-25', calendars), '2025-11-27');
  assert.equal(spotDate(['EUR', 'RON'], '2025-11-25', calendars), '2025-11-28');
});
