import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { builtInCalendars, builtInDefinitions } from './built-in.ts';
import { cutOffInstant } from './cut-offs.ts';
import { BUILT_IN_DATE_RULES, tradeDateOf } from './date-rules.ts';
import { spotDate, tomDate } from './spot.ts';
import { type CurrencyPair, DEFAULT_SPOT_RULES, decidingCurrencies } from './spot-rules.ts';
import { addDays, instantOf } from './time.ts';
import { NEW_YORK_ROLL, rollingInAuckland, tradeDateAt } from './trade-date.ts';
import {
  resolveTenor as resolveTenorInFull,
  resolveValueDate as resolveValueDateInFull,
  type ValueDateResult,
} from './value-date.ts';

/** Without the reasons as data: those are what the texts are made of, and explain.test.ts looks at them. */
function shown(result: ValueDateResult) {
  if (result.ok) return result;
  const { because, ...rest } = result;
  assert.equal(because.length, rest.reasons.length);
  return rest;
}
const resolveTenor = (...given: Parameters<typeof resolveTenorInFull>) => shown(resolveTenorInFull(...given));
const resolveValueDate = (...given: Parameters<typeof resolveValueDateInFull>) =>
  shown(resolveValueDateInFull(...given));

const utc = (date: string, time: string) => instantOf(date, time, 'UTC');
const EURUSD: CurrencyPair = ['EUR', 'USD'];
const wednesday = utc('2026-03-04', '10:00');

test('the three tenors of an ordinary Wednesday morning', () => {
  assert.deepEqual(resolveTenor(EURUSD, 'today', wednesday), {
    ok: true,
    tenor: 'today',
    valueDate: '2026-03-04',
  });
  assert.deepEqual(resolveTenor(EURUSD, 'tom', wednesday), {
    ok: true,
    tenor: 'tom',
    valueDate: '2026-03-05',
  });
  assert.deepEqual(resolveTenor(EURUSD, 'spot', wednesday), {
    ok: true,
    tenor: 'spot',
    valueDate: '2026-03-06',
  });
});

test('today ends at the earlier of the two cut-offs', () => {
  const cutOff = utc('2026-03-04', '13:30');
  assert.equal(resolveTenor(EURUSD, 'today', cutOff - 1).ok, true);
  const late = {
    ok: false,
    code: 'cutoff_passed',
    reasons: ['cutoff_passed: EUR'],
    nextValueDate: '2026-03-05',
  };
  assert.deepEqual(resolveTenor(EURUSD, 'today', cutOff), late);
  assert.deepEqual(resolveValueDate(EURUSD, '2026-03-04', cutOff), late);
  const both = resolveTenor(EURUSD, 'today', utc('2026-03-04', '16:00'));
  assert.deepEqual(both.ok ? [] : both.reasons, ['cutoff_passed: EUR', 'cutoff_passed: USD']);
});

test('today on a holiday of USD is refused for a cross too', () => {
  const thanksgiving = utc('2025-11-27', '09:00');
  assert.deepEqual(resolveTenor(['EUR', 'GBP'], 'today', thanksgiving), {
    ok: false,
    code: 'value_date_invalid',
    reasons: ['holiday: USD Thanksgiving Day'],
    nextValueDate: '2025-11-28',
  });
});

test('a rejected date names every currency that is closed, and the next good date', () => {
  assert.deepEqual(resolveValueDate(EURUSD, '2026-04-03', utc('2026-04-01', '10:00')), {
    ok: false,
    code: 'value_date_invalid',
    reasons: ['holiday: EUR Good Friday'],
    nextValueDate: '2026-04-07',
  });
  assert.deepEqual(resolveValueDate(['EUR', 'KWD'], '2026-03-07', wednesday), {
    ok: false,
    code: 'value_date_invalid',
    reasons: ['weekend: EUR', 'weekend: KWD', 'weekend: USD'],
    nextValueDate: '2026-03-09',
  });
});

test('after spot there are no forward points', () => {
  assert.deepEqual(resolveValueDate(EURUSD, '2026-03-09', wednesday), {
    ok: false,
    code: 'tenor_not_supported',
    reasons: ['after_spot'],
    nextValueDate: '2026-03-06',
  });
});

test('before the trade date, and dates that do not exist', () => {
  assert.deepEqual(resolveValueDate(EURUSD, '2026-03-03', wednesday), {
    ok: false,
    code: 'value_date_invalid',
    reasons: ['before_trade_date'],
    nextValueDate: '2026-03-04',
  });
  assert.deepEqual(resolveValueDate(EURUSD, '2026-02-30', utc('2026-03-04', '16:00')), {
    ok: false,
    code: 'value_date_invalid',
    reasons: ['not_a_date'],
    nextValueDate: '2026-03-05',
  });
});

test('a good date between tom and spot is accepted as broken', () => {
  // Only a rule that moves the trade date leaves such a day: Thanksgiving's trades then count from the 28th.
  const rules = { ...DEFAULT_SPOT_RULES, movesTradeDate: true };
  const thanksgiving = utc('2025-11-27', '12:00');
  const expected: readonly (readonly [string, string])[] = [
    ['2025-11-28', 'tom'],
    ['2025-12-01', 'broken'],
    ['2025-12-02', 'spot'],
  ];
  for (const [valueDate, tenor] of expected) {
    assert.deepEqual(resolveValueDate(EURUSD, valueDate, thanksgiving, { rules }), {
      ok: true,
      tenor,
      valueDate,
    });
  }
  assert.equal(resolveTenor(EURUSD, 'spot', thanksgiving).ok, true);
  assert.equal(spotDate(EURUSD, '2025-11-27'), '2025-12-01', 'the default keeps the trade date');
});

test('where tom is spot it is called spot', () => {
  assert.deepEqual(resolveValueDate(['USD', 'CAD'], '2026-03-05', wednesday), {
    ok: true,
    tenor: 'spot',
    valueDate: '2026-03-05',
  });
});

test('without a calendar nothing is priced', () => {
  const missing = { ok: false, code: 'value_date_invalid', reasons: ['calendar_missing'] };
  assert.deepEqual(resolveTenor(EURUSD, 'spot', utc('2030-12-31', '10:00')), missing);
  assert.deepEqual(resolveTenor(['USD', 'XXX'], 'today', wednesday), missing);
  assert.deepEqual(resolveValueDate(EURUSD, '2031-01-02', utc('2030-12-31', '10:00')), missing);
});

test('pairs with NZD roll in Auckland, unless they are told otherwise', () => {
  const spotAt = (pair: CurrencyPair, now: number, options = {}) => {
    const result = resolveTenor(pair, 'spot', now, options);
    return result.ok && result.valueDate;
  };
  const inNewYork = { rollOf: () => NEW_YORK_ROLL };
  // Auckland has no daylight saving time from 5 April to 27 September 2026, New York has it from 8 March to 1 November.
  for (const [roll, before, after] of [
    // Wednesday 4 March, 07:00 NZDT on Thursday: 13:00 in New York.
    [utc('2026-03-04', '18:00'), '2026-03-06', '2026-03-09'],
    // Wednesday 11 March: 14:00 in New York.
    [utc('2026-03-11', '18:00'), '2026-03-13', '2026-03-16'],
    // Wednesday 8 April, 07:00 NZST: 15:00 in New York.
    [utc('2026-04-08', '19:00'), '2026-04-10', '2026-04-13'],
    // Wednesday 30 September, 07:00 NZDT: 14:00 in New York.
    [utc('2026-09-30', '18:00'), '2026-10-02', '2026-10-05'],
    // Wednesday 4 November: 13:00 in New York.
    [utc('2026-11-04', '18:00'), '2026-11-06', '2026-11-09'],
  ] as const) {
    for (const pair of [
      ['NZD', 'USD'],
      ['USD', 'NZD'],
    ] as const) {
      assert.equal(spotAt(pair, roll - 1), before);
      assert.equal(spotAt(pair, roll), after);
      assert.equal(spotAt(pair, roll, inNewYork), before);
    }
    assert.equal(spotAt(EURUSD, roll), before);
  }
  // After the roll of Friday in Auckland, Saturday 07:00 there, it is Monday's trade date.
  assert.equal(spotAt(['NZD', 'USD'], utc('2026-03-06', '18:00') - 1), '2026-03-10');
  assert.equal(spotAt(['NZD', 'USD'], utc('2026-03-06', '18:00')), '2026-03-11');
  const named = { rollOf: rollingInAuckland(['AUDNZD', 'GBP']) };
  const roll = utc('2026-03-04', '18:00');
  assert.equal(spotAt(['NZD', 'USD'], roll, named), '2026-03-06');
  for (const pair of [
    ['AUD', 'NZD'],
    ['NZD', 'AUD'],
    ['GBP', 'USD'],
  ] as const) {
    assert.equal(spotAt(pair, roll, named), '2026-03-09');
  }
});

const CURRENCIES = builtInDefinitions.map(({ currency }) => currency);
const anyPair = fc
  .uniqueArray(fc.constantFrom(...CURRENCIES), { minLength: 2, maxLength: 2 })
  .map(([a = '', b = '']): CurrencyPair => [a, b]);
const anyTradeInstant = fc.integer({ min: utc('2024-01-02', '00:00'), max: utc('2030-11-30', '00:00') });
const isGood = (pair: CurrencyPair, date: string) =>
  [...pair, 'USD'].every((currency) => builtInCalendars.isBusinessDay(currency, date));

test('property: spot is a good day after the trade date, tom is the first good one and not after spot', () => {
  fc.assert(
    fc.property(anyPair, anyTradeInstant, (pair, instant) => {
      const tradeDate = tradeDateAt(instant);
      const spot = spotDate(pair, tradeDate);
      const tom = tomDate(pair, tradeDate);
      assert.ok(spot > tradeDate && isGood(pair, spot));
      assert.ok(tom > tradeDate && tom <= spot && isGood(pair, tom));
      for (let date = addDays(tradeDate, 1); date < tom; date = addDays(date, 1)) {
        assert.ok(!isGood(pair, date));
      }
      assert.equal(spotDate([pair[1], pair[0]], tradeDate), spot);
      assert.deepEqual(new Set(decidingCurrencies(pair)), new Set([...pair, 'USD']));
    }),
  );
});

test('property: a later trade date never settles earlier', () => {
  fc.assert(
    fc.property(anyPair, anyTradeInstant, fc.integer({ min: 0, max: 10 }), (pair, instant, days) => {
      const first = tradeDateAt(instant);
      const second = tradeDateAt(instant + days * 86_400_000);
      assert.ok(spotDate(pair, first) <= spotDate(pair, second));
    }),
  );
});

test('property: value dates are accepted exactly on the good days from today to spot', () => {
  fc.assert(
    fc.property(anyPair, anyTradeInstant, (pair, now) => {
      const tradeDate = tradeDateOf(pair, now, BUILT_IN_DATE_RULES);
      const spot = spotDate(pair, tradeDate);
      for (let date = addDays(tradeDate, -2); date <= addDays(spot, 3); date = addDays(date, 1)) {
        const inRange = date >= tradeDate && date <= spot;
        const isInTime = pair.every((currency) => now < cutOffInstant(currency, date));
        const expected = inRange && isGood(pair, date) && isInTime;
        const result = resolveValueDate(pair, date, now);
        assert.equal(result.ok, expected, `${pair.join('')} ${date}`);
        assert.ok(
          !result.ok || result.tenor !== 'broken',
          'the default rules leave no day between tom and spot',
        );
        if (!result.ok) {
          assert.ok(result.reasons.length > 0 && result.nextValueDate !== undefined);
          assert.equal(resolveValueDate(pair, result.nextValueDate, now).ok, true);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('property: a tenor and its own date agree', () => {
  fc.assert(
    fc.property(anyPair, anyTradeInstant, fc.constantFrom('today', 'tom', 'spot'), (pair, now, tenor) => {
      const byTenor = resolveTenor(pair, tenor, now);
      if (!byTenor.ok) return assert.notEqual(tenor, 'spot');
      const byDate = resolveValueDate(pair, byTenor.valueDate, now);
      assert.ok(byDate.ok && byDate.valueDate === byTenor.valueDate);
    }),
  );
});

test('a cut-off of tomorrow that is over today leaves tomorrow out', () => {
  // 10:00 on Thursday in Auckland was 21:00 UTC on Wednesday, an hour before New York rolls.
  const inNewYork = { rollOf: () => NEW_YORK_ROLL };
  const pair = ['NZD', 'USD'] as const;
  const before = Date.UTC(2026, 2, 4, 20, 59, 59);
  const late = Date.UTC(2026, 2, 4, 21, 0);
  assert.deepEqual(resolveTenor(pair, 'tom', before, inNewYork), {
    ok: true,
    tenor: 'tom',
    valueDate: '2026-03-05',
  });
  const refused = { ok: false, code: 'cutoff_passed', reasons: ['cutoff_passed: NZD'] };
  assert.deepEqual(resolveTenor(pair, 'tom', late, inNewYork), { ...refused, nextValueDate: '2026-03-06' });
  assert.deepEqual(resolveValueDate(pair, '2026-03-05', late, inNewYork), {
    ...refused,
    nextValueDate: '2026-03-06',
  });
  assert.deepEqual(resolveTenor(pair, 'spot', late, inNewYork), {
    ok: true,
    tenor: 'spot',
    valueDate: '2026-03-06',
  });
});

test('a date before spot is not given where spot is not known: its price is made from that of spot', () => {
  const beforeTheEnd = utc('2030-12-31', '10:00');
  const refused = {
    ok: false,
    code: 'value_date_invalid',
    reasons: ['calendar_missing'],
  };
  for (const tenor of ['today', 'tom', 'spot'] as const) {
    assert.deepEqual(resolveTenor(EURUSD, tenor, beforeTheEnd), refused, tenor);
  }
  // Tom is the last day that is known.
  assert.deepEqual(resolveTenor(EURUSD, 'tom', utc('2030-12-30', '10:00')), refused);
  assert.deepEqual(resolveValueDate(EURUSD, '2030-12-31', beforeTheEnd), refused);
});
