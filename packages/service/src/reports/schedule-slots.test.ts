import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, weekdayOf } from '@firmquote/fx';
import fc from 'fast-check';
import { dueSlots, nextSlot, periodOf, slotFrom, type Timing } from './schedule-slots.ts';

const weekday = (date: string) => weekdayOf(date) < 6;
const daily: Timing = {
  ...{ every: 'day', on: undefined, at: '06:30', zone: 'UTC', holidays: 'run' },
  isOpen: weekday,
  settlesMs: 60_000,
};
const at = (text: string) => Date.parse(text);
const reported = ({ date, dueAt }: { date: string; dueAt: number }) =>
  `${date} ${new Date(dueAt).toISOString().slice(0, 16)}`;
const period = (timing: Timing, date: string) => {
  const { from, to } = periodOf(timing, { date, dueAt: 0 });
  return [from, to].map((instant) => new Date(instant).toISOString().slice(0, 16));
};

test('a day that is skipped belongs to the run of the next open day', () => {
  const timing: Timing = { ...daily, holidays: 'skip' };
  assert.equal(reported(nextSlot(timing, at('2026-03-06T07:00:00Z'))), '2026-03-09 2026-03-09T06:30');
  assert.deepEqual(period(timing, '2026-03-09'), ['2026-03-06T00:00', '2026-03-09T00:00']);
  assert.deepEqual(period(daily, '2026-03-09'), ['2026-03-08T00:00', '2026-03-09T00:00']);
});

test('a month without the day has its last one, and a closed day runs on the next open one with the same period', () => {
  const timing: Timing = { ...daily, every: 'month', on: 31 };
  assert.equal(reported(nextSlot(timing, at('2026-02-01T00:00:00Z'))), '2026-02-28 2026-02-28T06:30');
  const following: Timing = { ...timing, on: 1, holidays: 'following' };
  // The first of March 2026 is a Sunday.
  assert.equal(reported(nextSlot(following, at('2026-02-27T00:00:00Z'))), '2026-03-01 2026-03-02T06:30');
  assert.deepEqual(period(following, '2026-03-01'), ['2026-02-01T00:00', '2026-03-01T00:00']);
});

test('a time of day follows the clocks of its zone, also where they skip it', () => {
  const berlin: Timing = { ...daily, every: 'week', on: 7, at: '02:30', zone: 'Europe/Berlin' };
  assert.equal(reported(nextSlot(berlin, at('2026-03-20T00:00:00Z'))), '2026-03-22 2026-03-22T01:30');
  // 02:30 of 29 March is skipped: it runs at 03:30.
  assert.equal(reported(nextSlot(berlin, at('2026-03-23T00:00:00Z'))), '2026-03-29 2026-03-29T01:30');
  assert.deepEqual(period(berlin, '2026-03-29'), ['2026-03-21T23:00', '2026-03-28T23:00']);
  assert.deepEqual(period(berlin, '2026-04-05'), ['2026-03-28T23:00', '2026-04-04T22:00']);
});

test('a run is not due before all of its period is settled, whatever its time of day', () => {
  const atMidnight: Timing = { ...daily, at: '00:00', zone: 'Europe/Berlin' };
  assert.equal(reported(nextSlot(atMidnight, at('2026-03-04T22:00:00Z'))), '2026-03-05 2026-03-04T23:01');
  assert.equal(reported(nextSlot(atMidnight, at('2026-03-04T23:00:00Z'))), '2026-03-05 2026-03-04T23:01');
  assert.equal(reported(nextSlot(atMidnight, at('2026-03-04T23:01:00Z'))), '2026-03-06 2026-03-05T23:01');
});

test('what is due comes in its order and once, and what comes next is not due', () => {
  const { due, next } = dueSlots(daily, '2026-03-04', at('2026-03-06T06:30:00Z'));
  assert.deepEqual(due.map(reported), [
    '2026-03-04 2026-03-04T06:30',
    '2026-03-05 2026-03-05T06:30',
    '2026-03-06 2026-03-06T06:30',
  ]);
  assert.equal(next, '2026-03-07');
  assert.equal(reported(slotFrom(daily, next)), '2026-03-07 2026-03-07T06:30');
  assert.deepEqual(dueSlots(daily, '2026-03-07', at('2026-03-07T06:29:59Z')).due, []);
});

test('periods of slots that follow each other meet, whatever the schedule', () => {
  const timings = fc.record({
    every: fc.constantFrom('day', 'week', 'month'),
    on: fc.integer({ min: 1, max: 31 }),
    hour: fc.integer({ min: 0, max: 23 }),
    zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo'),
    holidays: fc.constantFrom('run', 'following', 'skip'),
    start: fc.integer({ min: 0, max: 700 }),
  });
  fc.assert(
    fc.property(timings, ({ every, on, hour, zone, holidays, start }) => {
      const timing: Timing = {
        every,
        on: every === 'day' ? undefined : every === 'week' ? (on % 7) + 1 : on,
        at: `${String(hour).padStart(2, '0')}:15`,
        zone,
        holidays: every === 'week' && holidays === 'skip' ? 'run' : holidays,
        isOpen: weekday,
        settlesMs: 60_000,
      };
      const from = addDays('2025-01-01', start);
      const { due, next } = dueSlots(timing, from, at(`${addDays(from, 100)}T00:00:00Z`));
      const slots = [...due, slotFrom(timing, next)];
      for (const [i, slot] of slots.entries()) {
        const following = slots[i + 1];
        if (following === undefined) continue;
        assert.ok(slot.date < following.date && slot.dueAt <= following.dueAt);
        assert.equal(periodOf(timing, slot).to, periodOf(timing, following).from);
      }
      assert.ok(slots.length > 1);
    }),
  );
});
