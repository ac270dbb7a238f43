import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { cutOffInstant, seedCutOffs } from './cut-offs.ts';
import { type MarketHours, marketHoursAt } from './market-hours.ts';
import {
  addDays,
  daysBetween,
  instantOf,
  isIsoDate,
  isoDate,
  isTimeZone,
  localDateAt,
  localTimeAt,
  weekdayOf,
  yearOf,
} from './time.ts';
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
  // The clocks go back on Sunday 5 April and forward on Sunday 27 September, when no trade date changes.
  for (const [date, roll] of [
    ['2026-04-02', '18:00'],
    ['2026-04-06', '19:00'],
    ['2026-09-24', '19:00'],
    ['2026-09-28', '18:00'],
  ] as const) {
    assert.equal(tradeDateAt(utc(date, roll) - 1, AUCKLAND_ROLL), date);
    assert.equal(tradeDateAt(utc(date, roll), AUCKLAND_ROLL), addDays(date, 1));
    assert.equal(tradeDateEnd(date, AUCKLAND_ROLL), utc(date, roll));
  }
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
  assert.ok(isIsoDate('0001-01-01'));
  for (const text of [
    '2027-02-29',
    '2026-13-01',
    '20260304',
    '2026-3-4',
    '2026-03-04T00:00',
    '',
    '0000-12-31',
  ]) {
    assert.ok(!isIsoDate(text), text);
  }
});

test('each month ends on its last day, and the day after it is no date', () => {
  const LAST_DAYS = { 2026: [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], 2028: [31, 29] };
  for (const [year, days] of Object.entries(LAST_DAYS)) {
    for (const [index, last] of days.entries()) {
      const month = String(index + 1).padStart(2, '0');
      assert.ok(isIsoDate(`${year}-${month}-${last}`), `${year}-${month}-${last}`);
      assert.ok(!isIsoDate(`${year}-${month}-${last + 1}`), `${year}-${month}-${last + 1}`);
      assert.throws(() => isoDate(Number.parseInt(year, 10), index + 1, last + 1), RangeError);
    }
  }
});

test('a zone is one of the IANA database; an offset is none, however it is written', () => {
  for (const zone of ['UTC', 'Europe/London', 'America/Argentina/Buenos_Aires', 'Asia/Tokyo', 'Etc/GMT+5']) {
    assert.equal(isTimeZone(zone), true, zone);
  }
  for (const text of [
    '+01:00',
    '-0500',
    '+01',
    'UTC+1',
    'GMT+1',
    'Z',
    'Europe/Nowhere',
    'Europe',
    '',
    ' UTC',
  ]) {
    assert.equal(isTimeZone(text), false, text);
  }
});

test('wall-clock times that the clocks skip or repeat', () => {
  assert.equal(instantOf('2026-03-08', '02:30', 'America/New_York'), utc('2026-03-08', '07:30'));
  assert.equal(instantOf('2026-11-01', '01:30', 'America/New_York'), utc('2026-11-01', '05:30'));
});

test('property: local dates and times are those of Temporal, in whatever order they are asked for', () => {
  const zones = ['America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Africa/Monrovia', 'UTC'];
  // Where clocks change, some of them by half an hour, and in 1972 at 44 minutes and 30 seconds.
  const changes = ['2026-03-08T07:00Z', '2026-11-01T06:00Z', '2026-04-04T15:00Z', '1985-12-31T18:30Z'];
  const edges = [...changes, '1972-01-07T00:44:30Z', '1969-12-31T23:59Z', '9999-12-31T23:59Z'];
  const instant = fc
    .tuple(fc.constantFrom(...edges), fc.integer({ min: -90_000, max: 90_000 }))
    .map(([edge, ms]) => Date.parse(edge) + ms);
  const question = fc.tuple(fc.oneof(instant, fc.integer({ min: 0, max: 2e12 })), fc.constantFrom(...zones));
  fc.assert(
    fc.property(fc.array(question, { minLength: 1, maxLength: 20 }), (questions) => {
      for (const [at, zone] of questions) {
        const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
        const date = local.toPlainDate();
        const time = { weekday: local.dayOfWeek, minute: local.hour * 60 + local.minute };
        assert.deepEqual([localDateAt(at, zone), localTimeAt(at, zone)], [date.toString(), time]);
        const clock = local.toPlainTime().toString({ smallestUnit: 'minute' });
        const first = date.toZonedDateTime({ timeZone: zone, plainTime: clock }).epochMilliseconds;
        for (let again = 0; again < 2; again++) assert.equal(instantOf(date.toString(), clock, zone), first);
      }
    }),
    { numRuns: 300 },
  );
  assert.throws(() => localDateAt(0.5, 'UTC'), RangeError);
});

test('property: plain dates are reckoned as Temporal does, to both ends of the years of four digits', () => {
  const EPOCH = Temporal.PlainDate.from('1970-01-01');
  const FIRST = -719_528;
  const LAST = 2_932_896;
  const day = fc.oneof(
    fc.integer({ min: FIRST, max: LAST }),
    fc.integer({ min: FIRST, max: FIRST + 800 }),
    fc.integer({ min: LAST - 800, max: LAST }),
    fc.integer({ min: 0, max: 40_000 }),
  );
  fc.assert(
    fc.property(day, day, (first, second) => {
      const date = EPOCH.add({ days: first });
      const text = date.toString();
      assert.equal(addDays('1970-01-01', first), text);
      assert.equal(isoDate(date.year, date.month, date.day), text);
      const isDate = date.year > 0;
      assert.deepEqual([weekdayOf(text), yearOf(text), isIsoDate(text)], [date.dayOfWeek, date.year, isDate]);
      const other = addDays(text, second - first);
      assert.equal(other, EPOCH.add({ days: second }).toString());
      assert.equal(daysBetween(text, other), second - first);
    }),
    { numRuns: 2_000 },
  );
});

test('the weeks of 400 years follow each other', () => {
  let date = '1900-01-01';
  let expected = Temporal.PlainDate.from(date);
  for (let count = 0; count < 146_097; count += 7) {
    date = addDays(date, 7);
    expected = expected.add({ days: 7 });
    if (date !== expected.toString()) assert.equal(date, expected.toString());
  }
  assert.equal(date, '2300-01-01');
});

test('dates outside of the years of four digits, and texts that are no dates, are what Temporal makes of them', () => {
  assert.equal(addDays('9999-12-31', 1), '+010000-01-01');
  assert.equal(addDays('0000-01-01', -1), '-000001-12-31');
  assert.equal(addDays('+010000-01-01', -1), '9999-12-31');
  assert.equal(weekdayOf('+010000-01-01'), 6);
  for (const text of [
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    'x',
    '',
  ]) {
    assert.equal(isIsoDate(text), false, text);
    assert.throws(() => addDays(text, 1), RangeError, text);
    assert.throws(() => weekdayOf(text), RangeError, text);
    assert.throws(() => yearOf(text), RangeError, text);
    assert.throws(() => daysBetween(text, '2026-01-01'), RangeError, text);
  }
  assert.equal(isIsoDate('2000-02-29'), true);
  for (const text of ['2026-3-04', '2026-03-04 ', '20260304', '２026-03-04', '+002026-03-04', '2026/03/04'])
    assert.equal(isIsoDate(text), false, text);
  for (const [year, month, day] of [
    [2026, 2, 29],
    [2026, 0, 1],
    [2026, 12, 32],
  ] as const)
    assert.throws(() => isoDate(year, month, day), RangeError);
  assert.throws(() => addDays('2026-03-04', 1.5), RangeError);
  // A text with a fraction in it would be no date.
  for (const [year, month, day] of [
    [2026.5, 3, 4],
    [2026, 3.5, 4],
    [2026, 3, 4.5],
  ] as const)
    assert.equal(isoDate(year, month, day), '2026-03-04');
});
