import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, parseDecimal } from '@firmquote/fx';
import { BUILT_IN_REFERENCE } from './ecb-reference.ts';
import { midText } from './level-store.ts';
import { classOf, DEFAULT_PAIR_SETTINGS, withLimits } from './pair-settings.ts';
import { ReferenceTable } from './reference-rates.ts';
import { decimal, NOW, pair, testBook } from './test-book.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

test('a wrong price is not believed: not by repeating it, not with small changes, not after a silence', () => {
  const { clock, send, shown, book } = testBook();
  send('a', '1.08488', '1.08494');
  for (const pause of [100, 100, 2_000, MINUTE, 61 * MINUTE, 3 * DAY]) {
    clock.at += pause;
    assert.equal(send('a', '1.20488', '1.20494'), 'outside_band');
    assert.equal(send('a', '1.20489', '1.20495'), 'outside_band');
    assert.match(shown(), /^1\.08488\/1\.08494 a stale$/, 'nor is what it said before dealt on');
  }
  assert.deepEqual(book.awaitingOperator(), ['EURUSD']);
  assert.equal(send('a', '1.08500', '1.08506'), 'accepted');
  assert.deepEqual(book.awaitingOperator(), []);
  assert.equal(shown(), '1.08500/1.08506 a fresh');
});

test('within a minute a price moves no further than the band, by however many steps', () => {
  const { clock, send } = testBook({ outlierBps: null });
  const first = 108_000n;
  let units = first;
  let highest = first;
  send('a', '1.08000', '1.08000');
  const text = (value: bigint) => formatDecimal({ units: value, scale: 5 });
  for (let i = 0; i < 300; i++) {
    clock.at += 190;
    units += units / 100n;
    if (send('a', text(units), text(units)) !== 'accepted') units = highest;
    else highest = units;
    if (clock.at - NOW < MINUTE) assert.ok(highest * 100n <= first * 103n, `${highest}`);
  }
});

test('the reference rate bounds the first price, and how far a price can walk', () => {
  const { clock, send, shown } = testBook({}, { reference: BUILT_IN_REFERENCE });
  // The reference is 17.3916.
  assert.equal(send('a', '1.86000', '1.86050', 'USDMXN'), 'outside_reference');
  assert.equal(shown('USDMXN'), 'missing');
  clock.at += DAY;
  for (let i = 0; i < 5; i++) {
    clock.at += 5_000;
    assert.equal(send('a', '1.86000', `1.8605${i}`, 'USDMXN'), 'outside_reference');
  }
  assert.equal(send('a', '17.40000', '17.40500', 'USDMXN'), 'accepted');
  let units = 17_400n;
  for (let i = 0; i < 100; i++) {
    clock.at += 61_000;
    const next = units + units / 50n;
    const price = formatDecimal({ units: next, scale: 3 });
    if (send('a', price, price, 'USDMXN') === 'accepted') units = next;
  }
  assert.ok(units > 19_000n && units <= 20_001n, `15 % above the reference at most: ${units}`);
});

test('a price that is too wide is none', () => {
  const { send, shown } = testBook();
  assert.equal(send('a', '1.08000', '1.08540'), 'accepted');
  assert.equal(send('a', '1.08000', '1.08543'), 'too_wide');
  assert.match(shown(), /stale$/);
  assert.equal(send('a', '1.08488', '1.08494'), 'accepted');
});

test('a cross is held to the width and the reference of its own pair', () => {
  const { book, send, shown } = testBook({}, { reference: BUILT_IN_REFERENCE });
  // Either leg is within its 10 percent, 1.1684 and 1.3421 (GBPUSD); EURGBP is 17 percent from its 0.87058.
  send('a', '1.07000', '1.07005');
  send('a', '1.46500', '1.46510', 'GBPUSD');
  assert.match(shown('EURGBP'), /stale$/);
  send('b', '159.80', '160.40', 'USDJPY');
  assert.match(shown('EURJPY'), /fresh$/);
  const narrow = { ...DEFAULT_PAIR_SETTINGS, maxWidthBps: decimal('10') };
  book.configure(pair('EURJPY'), narrow);
  assert.match(shown('EURJPY'), /stale$/, 'wider than 10 bps');
});

test('the first price of a pair of which nothing is known waits for a second source or an operator', () => {
  const { clock, book, send, shown } = testBook(
    {},
    { reference: BUILT_IN_REFERENCE, firstPrices: 'confirm' },
  );
  assert.equal(send('a', '0.30711', '0.30719', 'USDKWD'), 'unconfirmed');
  assert.equal(send('a', '0.30711', '0.30720', 'USDKWD'), 'unconfirmed');
  assert.equal(shown('USDKWD'), 'missing');
  assert.equal(book.isSupported(pair('USDKWD')), true, 'there is a source, but no price yet');
  assert.equal(send('b', '0.35000', '0.35010', 'USDKWD'), 'unconfirmed', 'says something else');
  assert.equal(send('b', '0.30712', '0.30719', 'USDKWD'), 'accepted');
  assert.equal(shown('USDKWD'), '0.30712/0.30719 b fresh');
  assert.equal(send('a', '3.67200', '3.67300', 'USDAED'), 'unconfirmed');
  book.acceptPrice(pair('USDAED'), { sum: decimal('7.3450'), at: clock.at });
  assert.equal(shown('USDAED'), '3.67200/3.67300 a fresh', 'without waiting for its next price');
});

test('where there is no reference rate the first price stands in for it', () => {
  const { clock, send } = testBook({}, { reference: BUILT_IN_REFERENCE });
  assert.equal(send('a', '3.67200', '3.67300', 'USDAED'), 'accepted');
  let units = 367_250n;
  for (let i = 0; i < 100; i++) {
    clock.at += 61_000;
    const next = units + units / 50n;
    const price = formatDecimal({ units: next, scale: 5 });
    if (send('a', price, price, 'USDAED') === 'accepted') units = next;
  }
  assert.ok(units * 100n <= 367_250n * 115n, `${units}`);
});

test('an operator says which price is right: from then on that is believed and the former is not', () => {
  const reference = new ReferenceTable('2026-03-03', BUILT_IN_REFERENCE.unitsPerEuro);
  const { clock, book, send, shown } = testBook({}, { reference });
  send('a', '0.92400', '0.92410', 'EURCHF');
  send('b', '0.92400', '0.92410', 'EURCHF');
  clock.at += 1_000;
  assert.equal(send('a', '0.78000', '0.78020', 'EURCHF'), 'outside_band');
  assert.equal(shown('EURCHF'), '0.92400/0.92410 b fresh');
  book.acceptPrice(pair('EURCHF'), { sum: decimal('1.5600'), at: clock.at });
  assert.equal(shown('EURCHF'), '0.78000/0.78020 a fresh');
  assert.equal(send('b', '0.92400', '0.92410', 'EURCHF'), 'outside_band');
  clock.at += 3 * DAY;
  assert.equal(
    send('a', '0.77000', '0.77020', 'EURCHF'),
    'accepted',
    'the reference of before counts no more',
  );
});

test('a reference rate of a later day takes the place of what an operator accepted', () => {
  const on = (date: string, francs: string) =>
    new ReferenceTable(date, new Map([...BUILT_IN_REFERENCE.unitsPerEuro, ['CHF', decimal(francs)]]));
  let table = on('2026-03-04', '0.9242');
  const { clock, book, send } = testBook({}, { reference: { rate: (of) => table.rate(of) } });
  send('a', '0.92400', '0.92410', 'EURCHF');
  book.acceptPrice(pair('EURCHF'), { sum: decimal('1.5600'), at: clock.at });
  assert.equal(send('a', '0.78000', '0.78020', 'EURCHF'), 'accepted');
  table = on('2026-03-05', '0.9242');
  assert.equal(send('a', '0.78000', '0.78020', 'EURCHF'), 'outside_reference', 'the operator was wrong');
  table = on('2026-03-05', '0.7850');
  assert.equal(send('a', '0.78001', '0.78021', 'EURCHF'), 'accepted');
});

test('what was known before a restart holds after it, unless an operator has said something since', () => {
  const before = { sum: decimal('2.16982'), at: NOW - 5 * DAY };
  const restarted = testBook();
  restarted.book.restore(pair('EURUSD'), before, before);
  assert.equal(restarted.send('a', '1.20000', '1.20006'), 'outside_band');
  assert.equal(restarted.send('a', '1.08488', '1.08494'), 'accepted');
  const reported = testBook();
  reported.book.acceptPrice(pair('EURUSD'), { sum: decimal('2.40000'), at: NOW - DAY });
  reported.book.restore(pair('EURUSD'), before, before);
  assert.equal(reported.send('a', '1.20000', '1.20006'), 'accepted');
});

test('sources that disagree move no band', () => {
  const { clock, send, book } = testBook();
  send('a', '1.08488', '1.08494');
  clock.at += 100;
  send('b', '1.09140', '1.09146');
  assert.equal(book.isHalted(pair('EURUSD')), true);
  assert.equal(midText(book.view(pair('EURUSD')).lastGood?.sum ?? decimal('0')), '1.08491');
});

test('every pair has a class, and each class its limits', () => {
  const numbers = (code: string) => {
    const { maxWidthBps, bandBps, referenceBps } = withLimits(pair(code), DEFAULT_PAIR_SETTINGS);
    return [classOf(pair(code)), ...[maxWidthBps, bandBps, referenceBps].map(formatDecimal)];
  };
  assert.deepEqual(numbers('EURUSD'), ['major', '50.00', '300.00', '1000.00']);
  assert.deepEqual(numbers('USDMXN'), ['minor', '150.00', '500.00', '1500.00']);
  assert.deepEqual(numbers('USDTRY'), ['exotic', '500.00', '1000.00', '3000.00']);
  assert.equal(parseDecimal('50.00')?.scale, 2);
});
