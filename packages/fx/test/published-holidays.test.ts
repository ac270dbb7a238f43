import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ruleMadeCalendars } from '../src/dates/rules/index.ts';
import published from './published-holidays.json' with { type: 'json' };

/**
 * What the rules make of a year, against the days that central banks and governments list for it, each list with its
 * source. It holds everywhere; the longer comparison with QuantLib needs QuantLib. Days on weekends are in the lists too:
 * in other years they are not on one.
 */

const LISTS: Readonly<Record<string, { source: string; years: Readonly<Record<string, string>> }>> =
  published;
const calendars = ruleMadeCalendars('2024-01-01', '2030-12-31');

test('every currency whose calendar is made by rules has a list', () => {
  assert.deepEqual(calendars.map(({ currency }) => currency).sort(), Object.keys(LISTS).sort());
});

describe('the rules close exactly on the listed days', () => {
  for (const { currency, holidays } of calendars) {
    const { years = {}, source = '' } = LISTS[currency] ?? {};
    for (const [year, days] of Object.entries(years)) {
      test(`${currency} ${year}`, () => {
        const closed = [...holidays.keys()].filter((date) => date.startsWith(year)).sort();
        assert.deepEqual(
          closed,
          days.split(' ').map((day) => `${year}-${day}`),
          source,
        );
      });
    }
  }
});
