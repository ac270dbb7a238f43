import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionSchedule } from '../../service/src/market/fix/protocol.ts';
import { spanAt } from './schedule.ts';

const DAILY: SessionSchedule = {
  zone: 'America/New_York',
  days: ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday'],
  start: '17:05',
  end: '16:55',
  resetAtStart: true,
};

/** A span with its instants as texts. */
function span(schedule: SessionSchedule, at: string): string {
  const found = spanAt(schedule, Date.parse(at));
  const text = (instant: number) => new Date(instant).toISOString().slice(0, 16);
  return found.isOpen ? `${text(found.startedAt)} to ${text(found.endsAt)}` : `opens ${text(found.opensAt)}`;
}

test('a session a day over the night, a pause between two, none at the weekend', () => {
  // Wednesday 4 March 2026, New York is five hours behind.
  assert.equal(span(DAILY, '2026-03-04T14:30:00Z'), '2026-03-03T22:05 to 2026-03-04T21:55');
  assert.equal(span(DAILY, '2026-03-04T21:54:59.999Z'), '2026-03-03T22:05 to 2026-03-04T21:55');
  assert.equal(span(DAILY, '2026-03-04T21:55:00Z'), 'opens 2026-03-04T22:05');
  assert.equal(span(DAILY, '2026-03-04T22:05:00Z'), '2026-03-04T22:05 to 2026-03-05T21:55');
  // From Friday evening to Sunday evening, over the change of the clocks.
  assert.equal(span(DAILY, '2026-03-06T21:55:00Z'), 'opens 2026-03-08T21:05');
  assert.equal(span(DAILY, '2026-03-08T21:05:00Z'), '2026-03-08T21:05 to 2026-03-09T20:55');
});

test('a session a week, and one within a day', () => {
  const weekly: SessionSchedule = { ...DAILY, days: ['sunday'], endDay: 'friday', end: '17:00' };
  assert.equal(span(weekly, '2026-03-04T14:30:00Z'), '2026-03-01T22:05 to 2026-03-06T22:00');
  assert.equal(span(weekly, '2026-03-07T12:00:00Z'), 'opens 2026-03-08T21:05');
  assert.equal(span({ ...weekly, endDay: 'sunday' }, '2026-03-08T21:02:00Z'), 'opens 2026-03-08T21:05');
  const inDay: SessionSchedule = {
    ...DAILY,
    zone: 'Europe/London',
    days: ['monday'],
    start: '08:00',
    end: '17:00',
  };
  assert.equal(span(inDay, '2026-03-02T08:00:00Z'), '2026-03-02T08:00 to 2026-03-02T17:00');
  assert.equal(span(inDay, '2026-03-02T17:00:00Z'), 'opens 2026-03-09T08:00');
  assert.equal(
    span({ ...inDay, end: '08:00' }, '2026-03-03T07:59:00Z'),
    '2026-03-02T08:00 to 2026-03-03T08:00',
  );
});
