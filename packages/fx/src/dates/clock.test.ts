import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutOffInstant, seedCutOffs } from './cut-offs.ts';
import { type MarketHours, marketHoursAt } from './market-hours.ts';
import { addDays, instantOf, isIsoDate, weekdayOf } from './time.ts';
import { AUCKLAND_ROLL, tradeDateAt, tradeDateEnd } from './trade-date.ts';

const utc = (date: string, time: string) => instantOf(date, time, 'UTC');
const anyInstant = fc.integer({ min: utc('2024-01-01', '00:00'), max: utc('2030-12-31', '00:00') });
const anyDate = fc.integer({ min: 0, max: 2500 }).map((days) => addDays('2024-01-01', days));

test('the trade date changes exactly at 17:00 New York, also in weeks with a clock change', () => {
  for (const [date, roll] of [
    ['2026-03-04', '22:00'],
    ['2026-03-09', '21:00'],
    ['2026-10-30', '21:00'],
    ['2026-11-02', '22:00'],
  ] as const) {
    assert.equal(tradeDateAt(utc(date, roll) - 1), date);
    assert.equal(tradeDateAt(utc(date, roll)), addDays(date, weekdayOf(date) === 5 ? 3 : 1));
  }
});

test('after the Friday roll and at the weekend the trade date is Monday', () => {
  assert.equal(tradeDateAt(utc('2026-03-06', '21:59')), '2026-03-06');
  for (const [date, time] of [
    ['2026-03-06', '22:00'],
    ['2026-03-07', '12:00'],
    ['2026-03-08', '23:00'],
    ['2026-03-09', '20:59'],
  ] as const) {
    assert.equal(tradeDateAt(utc(date, time)), '2026-03-09');
  }
});

test('a pair may roll at 07:00 Auckland', () => {
  // 07:00 NZDT on Thursday 5 March is 18:00Z on Wednesday.
  assert.equal(tradeDateAt(utc('2026-03-04', '17:59'), AUCKLAND_ROLL), '2026-03-04');
  assert.equal(tradeDateAt(utc('2026-03-04', '18:00'), AUCKLAND_ROLL), '2026-03-05');
  assert.equal(tradeDateAt(utc('2026-03-06', '18:00'), AUCKLAND_ROLL), '2026-03-09');
});

test('property: the trade date is a weekday that ends after the instant, and one millisecond is its edge', () => {
  fc.assert(
    fc.property(anyInstant, (instant) => {
      const tradeDate = tradeDateAt(instant);
      const end = tradeDateEnd(tradeDate);
      assert.ok(weekdayOf(tradeDate) <= 5 && instant < end);
      assert.equal(tradeDateAt(end - 1), tradeDate);
      assert.ok(tradeDateAt(end) > tradeDate);
      assert.equal(end, instantOf(tradeDate, '17:00', 'America/New_York'));
    }),
  );
});

test('the market closes on Friday 6 March 2026 at 22:00Z and reopens on Sunday at 21:00Z', () => {
  const closes = utc('2026-03-06', '22:00');
  const reopens = utc('2026-03-08', '21:00');
  assert.deepEqual(marketHoursAt(closes - 1), { open: true, closesAt: closes });
  assert.deepEqual(marketHoursAt(closes), { open: false, reason: 'weekend', reopensAt: reopens });
  assert.deepEqual(marketHoursAt(reopens - 1), { open: false, reason: 'weekend', reopensAt: reopens });
  assert.deepEqual(marketHoursAt(reopens), { open: true, closesAt: utc('2026-03-13', '21:00') });
});

test('autumn: the week of 30 October 2026 closes at 21:00Z and reopens at 22:00Z', () => {
  const reopensAt = utc('2026-11-01', '22:00');
  assert.deepEqual(marketHoursAt(utc('2026-10-30', '21:00')), { open: false, reason: 'weekend', reopensAt });
});

const stateAt = (date: string, time: string): MarketHours => marketHoursAt(utc(date, time));

test('25 December and 1 January are closed, with the Sunday evenings before them', () => {
  for (const [sunday, monday] of [
    ['2017-12-24', '2017-12-25'],
    ['2017-12-31', '2018-01-01'],
  ] as const) {
    const reopensAt = utc(monday, '22:00');
    assert.deepEqual(stateAt(sunday, '21:59'), { open: false, reason: 'weekend', reopensAt });
    assert.deepEqual(stateAt(sunday, '22:00'), { open: false, reason: 'holiday', reopensAt });
    assert.equal(stateAt(monday, '22:00').open, true);
  }
});

test('a Friday holiday runs into the weekend', () => {
  const reopensAt = utc('2026-12-27', '22:00');
  assert.deepEqual(stateAt('2026-12-24', '21:00'), { open: true, closesAt: utc('2026-12-24', '22:00') });
  assert.deepEqual(stateAt('2026-12-25', '12:00'), { open: false, reason: 'holiday', reopensAt });
  assert.deepEqual(stateAt('2026-12-26', '12:00'), { open: false, reason: 'weekend', reopensAt });
});

test('property: closesAt is the first closed instant and reopensAt the first open one', () => {
  fc.assert(
    fc.property(anyInstant, (instant) => {
      const hours = marketHoursAt(instant);
      const change = hours.open ? hours.closesAt : hours.reopensAt;
      assert.ok(change !== undefined && change > instant);
      assert.equal(hours.reason === undefined, hours.open);
      assert.equal(marketHoursAt(change).open, !hours.open);
      for (const share of [0.25, 0.5, 0.75, 1]) {
        const between = Math.floor(instant + (change - 1 - instant) * share);
        assert.equal(marketHoursAt(between).open, hours.open);
      }
    }),
  );
});

test('seeds: London times follow British summer time, unknown currencies get the earliest', () => {
  assert.equal(cutOffInstant('USD', '2026-03-06'), utc('2026-03-06', '15:00'));
  assert.equal(cutOffInstant('EUR', '2026-07-01'), utc('2026-07-01', '12:30'));
  assert.equal(cutOffInstant('JPY', '2026-03-04'), utc('2026-03-04', '01:00'));
  assert.deepEqual(seedCutOffs.sameDay('XXX'), { time: '09:00', zone: 'Europe/London' });
});

test("an operator's new cut-off takes effect at once", () => {
  const cutOffs = (time: string) => {
    const cutOff = { time, zone: 'Europe/London' };
    return { sameDay: () => cutOff };
  };
  assert.equal(cutOffInstant('USD', '2026-03-06', cutOffs('14:50')), utc('2026-03-06', '14:50'));
  assert.equal(cutOffInstant('USD', '2026-03-06', cutOffs('17:00')), utc('2026-03-06', '17:00'));
});

test('property: cut-offs rise with the date', () => {
  fc.assert(
    fc.property(anyDate, fc.constantFrom('USD', 'JPY', 'NZD', 'MXN'), (date, currency) => {
      assert.ok(cutOffInstant(currency, date) < cutOffInstant(currency, addDays(date, 1)));
    }),
  );
});

test('dates must exist and have the one form', () => {
  assert.ok(isIsoDate('2028-02-29'));
  for (const text of ['2027-02-29', '2026-13-01', '20260304', '2026-3-4', '2026-03-04T00:00', '']) {
    assert.ok(!isIsoDate(text), text);
  }
});

test('wall-clock times that the clocks skip or repeat', () => {
  assert.equal(instantOf('2026-03-08', '02:30', 'America/New_York'), utc('2026-03-08', '07:30'));
  assert.equal(instantOf('2026-11-01', '01:30', 'America/New_York'), utc('2026-11-01', '05:30'));
});
