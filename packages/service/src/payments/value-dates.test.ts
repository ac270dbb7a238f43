import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUILT_IN_DATE_RULES } from '@firmquote/fx';
import { nextPayoutOpening, nextValueDate, openPayoutWindows } from './value-dates.ts';

const at = (text: string) => Date.parse(text);

test('the next value date is good for both and before both cut-offs', () => {
  const vectors: readonly [pair: [string, string], now: string, notBefore: string, expected: string][] = [
    // Before and at the euro's cut-off, the earlier of the two.
    [['USD', 'EUR'], '2026-03-06T13:29:59.999Z', '2026-03-06', '2026-03-06'],
    [['USD', 'EUR'], '2026-03-06T13:30:00.000Z', '2026-03-06', '2026-03-09'],
    [['USD', 'EUR'], '2026-03-07T12:00:00.000Z', '2026-03-07', '2026-03-09'],
    [['USD', 'EUR'], '2026-03-06T10:00:00.000Z', '2026-03-10', '2026-03-10'],
    // Easter.
    [['USD', 'EUR'], '2026-04-02T16:00:00.000Z', '2026-04-02', '2026-04-07'],
    // In Auckland the trade date of the 4th began at 18:00Z on the 3rd; its cut-off comes at 21:00Z.
    [['NZD', 'USD'], '2026-03-03T18:30:00.000Z', '2026-03-03', '2026-03-04'],
    [['NZD', 'USD'], '2026-03-03T21:30:00.000Z', '2026-03-03', '2026-03-05'],
  ];
  for (const [pair, now, notBefore, expected] of vectors) {
    assert.equal(
      nextValueDate(pair, at(now), notBefore, BUILT_IN_DATE_RULES),
      expected,
      `${pair.join('')} at ${now}`,
    );
  }
  assert.equal(
    nextValueDate(['USD', 'EUR'], at('2031-03-04T10:00:00Z'), '2031-03-04', BUILT_IN_DATE_RULES),
    undefined,
  );
});

test('a currency can be paid out on its business days until its cut-off', () => {
  const dateOf = (now: string, currency: string) =>
    openPayoutWindows(at(now), BUILT_IN_DATE_RULES).find((window) => window.currency === currency)?.date;
  assert.equal(dateOf('2026-03-06T13:29:59Z', 'EUR'), '2026-03-06');
  assert.equal(dateOf('2026-03-06T13:30:00Z', 'EUR'), undefined);
  assert.equal(dateOf('2026-03-06T13:30:00Z', 'USD'), '2026-03-06');
  assert.equal(dateOf('2026-03-07T09:00:00Z', 'USD'), undefined);
  assert.equal(dateOf('2026-03-05T15:00:00Z', 'JPY'), '2026-03-06');
  assert.equal(dateOf('2031-03-06T09:00:00Z', 'USD'), undefined);
});

test('the next opening is the start of the day, or now when that has begun', () => {
  const opening = (currency: string, valueDate: string, now: string) =>
    nextPayoutOpening(currency, valueDate, at(now), BUILT_IN_DATE_RULES);
  assert.equal(opening('EUR', '2026-03-06', '2026-03-04T14:30:00Z'), at('2026-03-06T00:00:00Z'));
  assert.equal(opening('EUR', '2026-03-06', '2026-03-06T10:00:00Z'), at('2026-03-06T10:00:00Z'));
  assert.equal(opening('EUR', '2026-03-06', '2026-03-06T13:30:00Z'), at('2026-03-09T00:00:00Z'));
  assert.equal(opening('JPY', '2026-03-06', '2026-03-04T14:30:00Z'), at('2026-03-05T15:00:00Z'));
  assert.equal(opening('EUR', '2026-04-03', '2026-04-02T14:30:00Z'), at('2026-04-06T23:00:00Z'));
  assert.equal(opening('EUR', '2031-03-06', '2031-03-04T14:30:00Z'), undefined);
});
