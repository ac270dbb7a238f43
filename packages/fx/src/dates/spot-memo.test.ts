import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInCalendars } from './built-in.ts';
import type { CalendarSet } from './calendar.ts';
import { spotDate } from './spot.ts';
import { DEFAULT_SPOT_RULES } from './spot-rules.ts';
import { addDays } from './time.ts';

/** The built-in calendars, counting the questions they are asked. */
function countingCalendars(): { calendars: CalendarSet; asked: () => number } {
  let count = 0;
  const calendars: CalendarSet = {
    ...builtInCalendars,
    isBusinessDay(currency, date) {
      count += 1;
      return builtInCalendars.isBusinessDay(currency, date);
    },
  };
  return { calendars, asked: () => count };
}

test('a repeated question asks no calendar', () => {
  const { calendars, asked } = countingCalendars();
  const first = spotDate(['EUR', 'USD'], '2026-03-04', calendars);
  const before = asked();
  assert.ok(before > 0);
  assert.equal(spotDate(['EUR', 'USD'], '2026-03-04', calendars), first);
  assert.equal(asked(), before);
});

test('the memory is bounded: an old trade date is computed again', () => {
  const { calendars, asked } = countingCalendars();
  const first = spotDate(['EUR', 'USD'], '2026-03-04', calendars);
  for (let days = 1; days <= 200; days += 1) {
    spotDate(['EUR', 'USD'], addDays('2026-03-04', days), calendars);
  }
  const before = asked();
  assert.equal(spotDate(['EUR', 'USD'], '2026-03-04', calendars), first);
  assert.ok(asked() > before);
});

test('other rules are another answer', () => {
  const rules = { ...DEFAULT_SPOT_RULES, oneDayCurrencies: new Set(['EUR']) };
  assert.equal(spotDate(['EUR', 'USD'], '2026-03-04', builtInCalendars, rules), '2026-03-05');
  assert.equal(spotDate(['EUR', 'USD'], '2026-03-04'), '2026-03-06');
});

test('a failure is not remembered as a date', () => {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    assert.throws(() => spotDate(['EUR', 'XXX'], '2026-03-04'), /no settlement calendar for XXX/);
    assert.throws(() => spotDate(['EUR', 'EUR'], '2026-03-04'), /two currencies/);
  }
});
