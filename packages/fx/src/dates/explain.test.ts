import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { builtInCalendars, builtInDefinitions } from './built-in.ts';
import { withCalendarYears } from './calendar.ts';
import { BUILT_IN_DATE_RULES, tradeDateOf } from './date-rules.ts';
import { firstDate, NoGoodDateError } from './derivation.ts';
import { explainValueDates } from './explain.ts';
import { type DateReason, reasonInWords, reasonText } from './reasons.ts';
import { spotDate } from './spot.ts';
import type { CurrencyPair } from './spot-rules.ts';
import { addDays, instantOf } from './time.ts';
import { resolveValueDate } from './value-date.ts';

const utc = (date: string, time: string) => instantOf(date, time, 'UTC');
const shownDates = (pair: CurrencyPair, now: number) =>
  explainValueDates(pair, now).dates.map(({ date, tenor, reasons }) => [
    date,
    tenor ?? reasons.map(reasonText).join(', '),
  ]);

test('Easter 2026: every date from the trade date on, with what stands against it', () => {
  assert.deepEqual(shownDates(['EUR', 'USD'], utc('2026-04-01', '14:00')), [
    ['2026-04-01', 'cutoff_passed: EUR, cutoff_passed: USD'],
    ['2026-04-02', 'tom'],
    ['2026-04-03', 'holiday: EUR Good Friday'],
    ['2026-04-04', 'weekend: EUR, weekend: USD'],
    ['2026-04-05', 'weekend: EUR, weekend: USD'],
    ['2026-04-06', 'holiday: EUR Easter Monday'],
    ['2026-04-07', 'spot'],
    ['2026-04-08', 'after_spot'],
    ['2026-04-09', 'after_spot'],
    ['2026-04-10', 'after_spot'],
    ['2026-04-11', 'weekend: EUR, weekend: USD, after_spot'],
    ['2026-04-12', 'weekend: EUR, weekend: USD, after_spot'],
    ['2026-04-13', 'after_spot'],
    ['2026-04-14', 'after_spot'],
  ]);
});

test('a weekend is a weekend for the dollar too, and no holiday of it', () => {
  const { dates } = explainValueDates(['EUR', 'GBP'], utc('2026-04-01', '14:00'));
  assert.deepEqual(dates.find(({ date }) => date === '2026-04-04')?.reasons, [
    { code: 'weekend', currency: 'EUR' },
    { code: 'weekend', currency: 'GBP' },
    { code: 'weekend', currency: 'USD' },
  ]);
});

test('a US holiday on the day between is looked at and ignored for USD', () => {
  const { derivation } = explainValueDates(['EUR', 'USD'], utc('2025-11-10', '12:00'));
  const veterans = { code: 'holiday', currency: 'USD', name: 'Veterans Day' };
  assert.deepEqual(derivation?.legs[1], {
    currency: 'USD',
    lagDays: 2,
    days: [
      { date: '2025-11-11', reasons: [], ignored: [veterans] },
      { date: '2025-11-12', reasons: [], ignored: [] },
    ],
    date: '2025-11-12',
  });
  assert.deepEqual(derivation?.deciding, ['EUR', 'USD']);
});

test('the Latin American rule: the same holiday holds up a peso', () => {
  const { derivation } = explainValueDates(['USD', 'MXN'], utc('2025-11-10', '12:00'));
  const peso = derivation?.legs[1];
  assert.deepEqual(peso?.days[0]?.reasons, [
    { code: 'us_holiday_between', currency: 'MXN', name: 'Veterans Day' },
  ]);
  assert.deepEqual([peso?.date, derivation?.spot], ['2025-11-13', '2025-11-13']);
});

test('a cross avoids US holidays, and says that they are not its own', () => {
  const { derivation, dates } = explainValueDates(['EUR', 'GBP'], utc('2025-11-25', '12:00'));
  const thanksgiving = { code: 'us_holiday', currency: 'USD', name: 'Thanksgiving Day' };
  assert.deepEqual(derivation?.joint, [
    { date: '2025-11-27', reasons: [thanksgiving], ignored: [] },
    { date: '2025-11-28', reasons: [], ignored: [] },
  ]);
  assert.deepEqual(dates.find(({ date }) => date === '2025-11-27')?.reasons, [thanksgiving]);
});

test('cut-offs are instants, and passed at their own', () => {
  const at = utc('2026-03-04', '13:30');
  const { cutOffs, tenors, tradeDateEndsAt } = explainValueDates(['EUR', 'USD'], at);
  assert.deepEqual(cutOffs[0], {
    currency: 'EUR',
    zone: 'Europe/London',
    time: '13:30',
    cutOffAt: at,
    passed: true,
  });
  assert.equal(cutOffs[1].passed, false);
  assert.ok(!tenors.today.ok && tenors.today.code === 'cutoff_passed');
  assert.deepEqual(tenors.today.because, [{ code: 'cutoff_passed', currency: 'EUR', cutOffAt: at }]);
  assert.equal(tradeDateEndsAt, utc('2026-03-04', '22:00'));
});

test('after the roll and at the weekend, the days before the trade date are named', () => {
  const [first, second] = shownDates(['EUR', 'USD'], utc('2026-03-07', '12:00'));
  assert.deepEqual(first, ['2026-03-07', 'before_trade_date, weekend: EUR, weekend: USD']);
  assert.deepEqual(second?.[0], '2026-03-08');
  const rolled = shownDates(['EUR', 'USD'], utc('2026-03-04', '23:00'));
  assert.deepEqual(rolled[0], ['2026-03-04', 'before_trade_date']);
});

test('a missing calendar names the currency and the date that it does not know', () => {
  const unknown = explainValueDates(['USD', 'VND'], utc('2026-03-04', '10:00'));
  assert.equal(unknown.derivation, undefined);
  assert.ok(!unknown.tenors.spot.ok);
  assert.deepEqual(unknown.tenors.spot.because, [
    { code: 'calendar_missing', currency: 'VND', date: '2026-03-05' },
  ]);
  for (const { reasons } of unknown.dates) {
    assert.equal(reasons.filter(({ code }) => code === 'calendar_missing').length, 1);
  }
  const end = explainValueDates(['EUR', 'USD'], utc('2030-12-31', '10:00'));
  const missing = { code: 'calendar_missing', currency: 'EUR', date: '2031-01-01' };
  assert.deepEqual(end.tenors.spot.ok ? [] : end.tenors.spot.because, [missing]);
  // It is in the calendars itself, but nothing before spot is quoted where spot is not known.
  assert.deepEqual(end.dates[0], { date: '2030-12-31', reasons: [missing] });
});

test('calendars that never meet refuse the date instead of failing', () => {
  const every = (currency: string, offset: number) => ({
    currency,
    year: 2026,
    complete: true,
    days: Array.from({ length: 182 }, (_, index) => ({
      date: addDays('2026-01-01', 2 * index + offset),
      state: 'closed' as const,
      name: 'Test',
    })),
  });
  const calendars = withCalendarYears(builtInCalendars, [every('EUR', 0), every('USD', 1)]);
  const { tenors, derivation } = explainValueDates(['EUR', 'USD'], utc('2026-03-04', '10:00'), {
    ...BUILT_IN_DATE_RULES,
    calendars,
  });
  assert.equal(derivation, undefined);
  for (const tenor of ['tom', 'spot'] as const) {
    const { [tenor]: result } = tenors;
    assert.deepEqual(result.ok ? [] : result.because, [{ code: 'no_good_date' }]);
  }
});

const CURRENCIES = builtInDefinitions.map(({ currency }) => currency);
const anyPair = fc
  .uniqueArray(fc.constantFrom(...CURRENCIES), { minLength: 2, maxLength: 2 })
  .map(([a = '', b = '']): CurrencyPair => [a, b]);

test('property: a date is explained as good exactly when it is accepted, and with the reasons of the refusal', () => {
  const anyInstant = fc.integer({ min: utc('2024-01-02', '00:00'), max: utc('2030-11-30', '00:00') });
  fc.assert(
    fc.property(anyPair, anyInstant, (pair, now) => {
      const { dates, derivation, tradeDate } = explainValueDates(pair, now);
      assert.equal(derivation?.spot, spotDate(pair, tradeDateOf(pair, now, BUILT_IN_DATE_RULES)));
      for (const { date, tenor, reasons } of dates) {
        const result = resolveValueDate(pair, date, now);
        assert.equal(result.ok ? result.tenor : undefined, tenor, `${pair.join('')} ${date}`);
        assert.equal(result.ok, reasons.length === 0);
        if (!result.ok && date >= tradeDate) {
          const said = new Set(reasons.map(reasonText));
          for (const reason of result.reasons) assert.ok(said.has(reason), reason);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('a good date is looked for on forty days, no more', () => {
  let looked = 0;
  const never = () => {
    looked++;
    return false;
  };
  assert.throws(() => firstDate('2026-01-01', never), NoGoodDateError);
  assert.equal(looked, 40);
  assert.equal(
    firstDate('2026-01-01', (date) => date === '2026-02-09'),
    '2026-02-09',
  );
});

test('the day between is no weekend for the dollar either', () => {
  // Friday; Monday is the day between.
  const { derivation } = explainValueDates(['EUR', 'USD'], utc('2026-03-06', '12:00'));
  assert.deepEqual(
    derivation?.legs.map(({ currency, date }) => [currency, date]),
    [
      ['EUR', '2026-03-10'],
      ['USD', '2026-03-10'],
    ],
  );
});

test('a holiday in New York that counts for another currency is told by its name, where it has one', () => {
  const between = { code: 'us_holiday_between', currency: 'MXN' } as const;
  assert.equal(reasonText(between), 'us_holiday_between: MXN');
  assert.equal(reasonText({ ...between, name: 'Veterans Day' }), 'us_holiday_between: MXN Veterans Day');
});

test('each reason is a clause that people can read', () => {
  const reported: readonly (readonly [DateReason, string])[] = [
    [{ code: 'weekend', currency: 'KWD' }, 'it is a weekend for KWD'],
    [{ code: 'holiday', currency: 'EUR', name: 'Good Friday' }, 'Good Friday is a holiday for EUR'],
    [{ code: 'us_holiday', currency: 'USD', name: 'Labor Day' }, 'Labor Day is a holiday for USD'],
    [{ code: 'us_holiday', currency: 'USD' }, 'it is a weekend for USD'],
    [
      { code: 'us_holiday_between', currency: 'MXN', name: 'Veterans Day' },
      'MXN does not count Veterans Day of the US on the way',
    ],
    [{ code: 'us_holiday_between', currency: 'MXN' }, 'MXN does not count a closed day of the US on the way'],
    [{ code: 'cutoff_passed', currency: 'EUR', cutOffAt: 0 }, 'the cut-off of EUR has passed'],
    [
      { code: 'calendar_missing', currency: 'ARS', date: '2031-05-01' },
      'there is no calendar of ARS for 2031-05-01',
    ],
    [{ code: 'before_trade_date' }, 'it is before the trade date'],
    [{ code: 'after_spot' }, 'it is after spot'],
    [{ code: 'not_a_date' }, 'there is no such date'],
    [{ code: 'unknown_tenor' }, 'there is no such tenor'],
    [{ code: 'no_good_date' }, 'no day in reach is open'],
  ];
  for (const [reason, words] of reported) assert.equal(reasonInWords(reason), words);
});

test("in Auckland's night the trade date is still yesterday's, and is listed", () => {
  // Thursday 5 March, 06:00 in Auckland.
  const { tradeDate, tradeDateEndsAt, dates } = explainValueDates(['NZD', 'USD'], utc('2026-03-04', '17:00'));
  assert.equal(tradeDate, '2026-03-04');
  assert.equal(tradeDateEndsAt, utc('2026-03-04', '18:00'));
  assert.equal(dates[0]?.date, '2026-03-04');
  assert.deepEqual(
    dates[0]?.reasons.map(({ code }) => code),
    ['cutoff_passed', 'cutoff_passed'],
  );
});
