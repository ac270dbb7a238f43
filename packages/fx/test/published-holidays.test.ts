import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ruleMadeCalendars } from '../src/dates/rules/index.ts';
import { isInWorkingWeek } from '../src/dates/weeks.ts';
import published from './published-holidays.json' with { type: 'json' };
import history from './quantlib-history.json' with { type: 'json' };

/**
 * What the rules make of a year, against lists of others. Each list tells what it rests on: the publisher's own list, one
 * that others quote, the publisher's rule, or QuantLib alone. It holds without QuantLib too. Days on weekends are in the
 * lists where the rules have them: in other years they are not on one.
 */

interface List {
  readonly year: string;
  readonly basis: string;
  readonly source: string;
  readonly days: string;
}

const LISTS: Readonly<Record<string, readonly List[]>> = published.currencies;
const HISTORY: Readonly<Record<string, { years: Readonly<Record<string, string>> }>> = history.currencies;
const allYears = ruleMadeCalendars('1980-01-01', '2030-12-31');
const calendars = ruleMadeCalendars('2024-01-01', '2030-12-31');

test('every currency whose calendar is made by rules has a list', () => {
  assert.deepEqual(calendars.map(({ currency }) => currency).sort(), Object.keys(LISTS).sort());
});

describe('the rules close exactly on the listed days', () => {
  for (const [currency, lists] of Object.entries(LISTS)) {
    for (const { year, basis, source, days } of lists) {
      test(`${currency} ${year} (${basis})`, () => {
        assert.ok(basis in published.basis && source.length > 3, 'it tells what it rests on');
        const [definition] = allYears.filter((each) => each.currency === currency);
        const closed = [...(definition?.holidays.keys() ?? [])].filter((date) => date.startsWith(year));
        assert.deepEqual(
          closed.sort(),
          days.split(' ').map((day) => `${year}-${day}`),
          source,
        );
      });
    }
  }
});

test('a part of the years gives the days that the whole of them gives', () => {
  const parts = Array.from({ length: 28 }, (_, i) => [`${2003 + i}-02-01`, `${2003 + i}-12-31`] as const);
  for (const [from, to] of [...parts, ['2027-12-20', '2028-01-05'] as const]) {
    for (const { currency, holidays } of ruleMadeCalendars(from, to)) {
      const whole = allYears.find((each) => each.currency === currency)?.holidays ?? new Map();
      const expected = [...whole].filter(([date]) => date >= from && date <= to);
      assert.deepEqual([...holidays].sort(), expected.sort(), `${currency} ${from}`);
    }
  }
});

describe('the rules close on the days of QuantLib in the years before', () => {
  for (const [currency, { years }] of Object.entries(HISTORY)) {
    test(currency, () => {
      const [definition] = allYears.filter((each) => each.currency === currency);
      for (const [year, days] of Object.entries(years)) {
        const closed = [...(definition?.holidays.keys() ?? [])].filter(
          (date) => date.startsWith(year) && isInWorkingWeek(currency, date),
        );
        assert.deepEqual(
          closed.sort(),
          days.split(' ').map((day) => `${year}-${day}`),
        );
      }
    });
  }
});

test('a calendar begins with the first year that its rules are complete for', () => {
  const begins = Object.fromEntries(allYears.map(({ currency, from }) => [currency, from.slice(0, 4)]));
  assert.deepEqual(begins, {
    AUD: '2024',
    BRL: '2024',
    CAD: '2003',
    CHF: '2000',
    CZK: '2016',
    DKK: '2024',
    EUR: '2002',
    GBP: '2003',
    HUF: '2024',
    ISK: '2024',
    JPY: '2022',
    MXN: '2006',
    NOK: '2000',
    NZD: '2024',
    PLN: '2012',
    RON: '2024',
    SEK: '2005',
    USD: '1986',
    ZAR: '2024',
  });
  const before = ruleMadeCalendars('1980-01-01', '2003-12-31').map(({ currency }) => currency);
  assert.deepEqual(before.sort(), ['CAD', 'CHF', 'EUR', 'GBP', 'NOK', 'USD']);
});
