import assert from 'node:assert/strict';
import { test } from 'node:test';
import { easterSunday, orthodoxEasterSunday } from '../src/dates/rules/holiday-rules.ts';
import easters from './easter-sundays.json' with { type: 'json' };

/** The Easter Sundays of 1901 to 2099, as the day of March on which each would fall: 32 is the 1st of April. */
const { firstYear, gregorian, orthodox } = easters;

for (const [name, days, easterOf] of [
  ['Gregorian', gregorian, easterSunday],
  ['Orthodox', orthodox, orthodoxEasterSunday],
] as const) {
  test(`${name} Easter is where QuantLib has it`, () => {
    const expected = days.split(' ').map((day, index) => {
      const march = new Date(Date.UTC(firstYear + index, 2, Number.parseInt(day, 10)));
      return march.toISOString().slice(0, 10);
    });
    assert.equal(expected.length, 199);
    assert.deepEqual(
      expected.map((_, index) => easterOf(firstYear + index)),
      expected,
    );
  });
}

test('Easter in the years that are easily got wrong', () => {
  // The earliest and the latest there are, and the years in which the full moon is moved by a day.
  const known = [
    '1818-03-22',
    '1943-04-25',
    '1954-04-18',
    '1981-04-19',
    '2038-04-25',
    '2049-04-18',
    '2160-03-23',
    '2285-03-22',
  ];
  for (const date of known) assert.equal(easterSunday(Number.parseInt(date, 10)), date);
});
