import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUILT_IN_DATE_RULES, builtInDefinitions } from '@firmquote/fx';
import { VirtualClock } from '../platform/clock.ts';
import { createLogger } from '../platform/logger.ts';
import { calendarAlarmSweep, calendarDaysLeft, checkCalendars } from './alarm.ts';
import { dateRulesOf } from './date-rules.ts';
import { calendarsRunningShort, WARNING_MONTHS } from './range.ts';

const at = (text: string) => Date.parse(text);
const BUILT_IN = { current: BUILT_IN_DATE_RULES };
/** A dong that is known for 2026 only. */
const short = {
  current: dateRulesOf({ years: [{ currency: 'VND', year: 2026, complete: true, days: [] }], cutOffs: [] }),
};

test('a calendar runs short from the day on which it ends less than 13 months ahead', () => {
  assert.equal(WARNING_MONTHS, 13);
  assert.deepEqual(calendarsRunningShort(BUILT_IN.current, at('2029-11-30T12:00:00Z')), []);
  const all = calendarsRunningShort(BUILT_IN.current, at('2029-12-03T12:00:00Z'));
  assert.equal(all.length, builtInDefinitions.length);
});

test('the log warns once on each trade date, and only while there is something to say', async () => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line: string) => lines.push(line) });
  const sweep = calendarAlarmSweep({ dates: short, clock, logger });
  for (const [now, expected] of [
    ['2026-03-04T12:00:00Z', 1],
    ['2026-03-04T21:00:00Z', 1],
    ['2026-03-04T22:30:00Z', 2],
    ['2026-03-05T12:00:00Z', 2],
  ] as const) {
    clock.set(at(now));
    await sweep.run();
    assert.equal(lines.length, expected, now);
  }
  assert.match(lines[0] ?? '', /"calendars":\{"VND":"2026-12-31"\}/);
  await calendarAlarmSweep({ dates: BUILT_IN, clock, logger }).run();
  assert.equal(lines.length, 2);
});

test('readiness fails when nothing can be quoted any more', () => {
  assert.deepEqual(checkCalendars(BUILT_IN, at('2026-03-04T12:00:00Z')), {
    ok: true,
    detail: 'USD is known from 2024-01-01 to 2030-12-31',
  });
  assert.match(checkCalendars(short, at('2026-03-04T12:00:00Z')).detail, /within 13 months end: VND$/);
  assert.equal(checkCalendars(BUILT_IN, at('2030-12-16T12:00:00Z')).ok, true);
  assert.equal(checkCalendars(BUILT_IN, at('2030-12-18T12:00:00Z')).ok, false);
  assert.equal(checkCalendars(BUILT_IN, at('2014-05-06T12:00:00Z')).ok, false);
});

test('days left are counted to the last day', () => {
  const clock = new VirtualClock();
  clock.set(at('2030-12-30T12:00:00Z'));
  assert.equal(calendarDaysLeft(BUILT_IN, clock)().get('EUR'), 1);
  assert.equal(calendarDaysLeft(BUILT_IN, clock)().get('NGN'), undefined);
});
