import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS } from '@firmquote/api';
import { Compile } from 'typebox/schema';
import { changedYear, saidOfDay, tagOf, tagsOf } from './days.ts';

const day = (date: string, state: 'closed' | 'open' = 'closed') => ({
  ...{ date, state, reason: 'Mourning', source: 'the gazette' },
});
const read = (...dates: readonly string[]) => ({
  calendar: { year: 2026, complete: false, days: [], changes: dates.map((date) => day(date)) },
  tag: '"v3"',
});

test('a day is added to the changes of its year, or takes the place of what was said of it', () => {
  const body = Object.values(OPERATIONS).find(({ id }) => id === 'setCalendarYear')?.body;
  assert.ok(body !== undefined);
  const added = changedYear(read('2026-05-01'), day('2026-05-04'), 'announced');
  assert.deepEqual(
    added.changes.map(({ date }) => date),
    ['2026-05-01', '2026-05-04'],
  );
  const opened = changedYear(read('2026-05-01', '2026-05-04'), day('2026-05-01', 'open'), 'taken back');
  assert.deepEqual(
    opened.changes.map(({ date, state }) => [date, state]),
    [
      ['2026-05-04', 'closed'],
      ['2026-05-01', 'open'],
    ],
  );
  for (const each of [added, opened]) assert.ok(Compile(body).Check(each), JSON.stringify(each));
});

test('a form keeps the version of each year', () => {
  const tags = tagsOf([read(), { ...read(), calendar: { ...read().calendar, year: 2027 }, tag: '"v1"' }]);
  assert.deepEqual([tagOf(tags, 2026), tagOf(tags, 2027), tagOf(tags, 2028)], ['"v3"', '"v1"', '']);
});

test('trades that keep the day as their value date are told', () => {
  assert.equal(saidOfDay({ turnedDays: [] }), 'It is stored. The day was already like that.');
  assert.equal(saidOfDay({ turnedDays: [{ openTransactions: 0 }] }), 'The day is changed.');
  assert.match(saidOfDay({ turnedDays: [{ openTransactions: 2 }] }), /2 open trades/);
});
