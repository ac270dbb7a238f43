import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_SOURCES_OF_PAIR } from './pair-book.ts';
import { DEFAULT_PAIR_SETTINGS } from './pair-settings.ts';
import { NOW, pair, testBook } from './test-book.ts';

test('best bid and offer: each side names its source, and the price is as old as the older side', () => {
  const { clock, book, send, shown } = testBook();
  send('a', '1.08488', '1.08496');
  clock.at = NOW + 100;
  send('b', '1.08486', '1.08492');
  assert.equal(shown(), '1.08488/1.08492 composite fresh');
  const reading = book.read(pair('EURUSD'));
  assert.ok(reading.status === 'fresh');
  const { price } = reading;
  assert.deepEqual([price.bidFrom?.source, price.bidFrom?.at], ['a', NOW]);
  assert.deepEqual([price.askFrom?.source, price.askFrom?.at], ['b', NOW + 100]);
  assert.equal(price.asOf, NOW);
  assert.equal(reading.ageMs, 100);
  send('b', '1.08489', '1.08492');
  assert.equal(shown(), '1.08489/1.08492 b fresh');
});

test('of two sources that cross, the older one is left out', () => {
  const { clock, book, send, shown } = testBook();
  send('a', '1.08488', '1.08490');
  clock.at = NOW + 50;
  send('b', '1.08495', '1.08497');
  assert.equal(shown(), '1.08495/1.08497 b fresh');
  assert.equal(book.view(pair('EURUSD')).crossings, 1);
  clock.at = NOW + 90;
  send('a', '1.08494', '1.08496');
  assert.equal(shown(), '1.08495/1.08496 composite fresh');
  assert.equal(book.view(pair('EURUSD')).crossings, 1);
});

test('of two sources that cross and are of one age, the priority decides; locked ones cross where locks are refused', () => {
  const { book, send, shown } = testBook({ priority: ['b', 'a'], lockedPrices: 'refuse' });
  send('a', '1.08488', '1.08490');
  send('b', '1.08490', '1.08492');
  assert.equal(shown(), '1.08490/1.08492 b fresh');
  assert.equal(send('c', '1.08490', '1.08490'), 'locked');
  assert.equal(book.rejected.locked, 1);
  book.configure(pair('EURUSD'), { ...DEFAULT_PAIR_SETTINGS, lockedPrices: 'accept' });
  assert.equal(shown(), '1.08490/1.08490 composite fresh');
  assert.equal(send('c', '1.08490', '1.08490'), 'accepted');
  assert.equal(book.ticksBySource.get('c')?.locked, 1);
});

test('by priority the first fresh source makes the price alone, and the next one takes over at read time', () => {
  const { clock, send, shown } = testBook({ composite: 'priority', priority: ['b'] });
  send('c', '1.08489', '1.08491');
  send('a', '1.08488', '1.08490');
  assert.equal(shown(), '1.08488/1.08490 a fresh');
  send('b', '1.08480', '1.08500');
  assert.equal(shown(), '1.08480/1.08500 b fresh');
  clock.at = NOW + 3000;
  send('a', '1.08488', '1.08490');
  clock.at = NOW + 5000;
  assert.equal(shown(), '1.08480/1.08500 b fresh');
  clock.at = NOW + 5001;
  assert.equal(shown(), '1.08488/1.08490 a fresh');
  clock.at = NOW + 8001;
  assert.equal(shown(), '1.08488/1.08490 a stale');
});

test('a source that has become stale leaves the composite without any tick', () => {
  const { clock, send, shown } = testBook();
  send('a', '1.08489', '1.08496');
  clock.at = NOW + 2000;
  send('b', '1.08486', '1.08492');
  assert.equal(shown(), '1.08489/1.08492 composite fresh');
  clock.at = NOW + 5000;
  assert.equal(shown(), '1.08489/1.08492 composite fresh');
  clock.at = NOW + 5001;
  assert.equal(shown(), '1.08486/1.08492 b fresh');
  clock.at = NOW + 7001;
  assert.equal(shown(), '1.08486/1.08492 b stale');
  clock.at = NOW + 4000;
  assert.equal(shown(), '1.08489/1.08492 composite fresh', 'a clock that is set back');
});

test('a disabled source counts no more, at once, and again when it is enabled and has another price', () => {
  const { book, send, shown } = testBook();
  send('a', '1.08489', '1.08496');
  send('b', '1.08486', '1.08492');
  book.setDisabledSources(new Set(['a']));
  assert.equal(shown(), '1.08486/1.08492 b fresh');
  assert.equal(send('a', '1.08490', '1.08491'), 'source_disabled');
  book.setDisabledSources(new Set(['a', 'b']));
  assert.equal(shown(), 'missing');
  assert.equal(book.isSupported(pair('EURUSD')), true);
  book.setDisabledSources(new Set(['b']));
  assert.equal(shown(), '1.08489/1.08496 a stale', 'it has said something else since');
  send('a', '1.08490', '1.08491');
  assert.equal(shown(), '1.08490/1.08491 a fresh');
  assert.equal(book.ticksBySource.get('a')?.rejected.source_disabled, 1);
});

test('a pair whose sources are all disabled is priced as a cross', () => {
  const { book, send, shown } = testBook();
  send('a', '1.08488', '1.08494', 'EURUSD');
  send('a', '151.236', '151.240', 'USDJPY');
  send('b', '164.000', '164.002', 'EURJPY');
  assert.equal(shown('EURJPY'), '164.000/164.002 b fresh');
  book.setDisabledSources(new Set(['b']));
  assert.equal(shown('EURJPY'), '164.072/164.087 a fresh');
});

test('a pair has a limited number of sources', () => {
  const { clock, send } = testBook();
  for (let i = 0; i < MAX_SOURCES_OF_PAIR; i++) {
    assert.equal(send(`s${i}`, '1.08488', '1.08494'), 'accepted');
  }
  assert.equal(send('one more', '1.08488', '1.08494'), 'too_many_sources');
  clock.at = NOW + 3_600_000;
  assert.equal(send('s3', '1.08488', '1.08494'), 'accepted');
  assert.equal(send('one more', '1.08488', '1.08494'), 'too_many_sources');
  clock.at = NOW + 3_600_001;
  assert.equal(send('one more', '1.08488', '1.08494'), 'accepted', 'in the place of a silent one');
  assert.equal(send('s3', '1.08488', '1.08494'), 'accepted');
});

test('a cross goes through the euro where that is tighter, and through the other way when one is stale or halted', () => {
  const { clock, book, send, shown } = testBook();
  send('a', '10.4900', '10.4950', 'USDNOK');
  send('a', '9.9900', '9.9950', 'USDSEK');
  const throughDollar = shown('NOKSEK');
  assert.match(throughDollar, / a fresh$/);
  send('b', '11.3850', '11.3851', 'EURNOK');
  send('b', '10.8420', '10.8421', 'EURSEK');
  const throughEuro = shown('NOKSEK');
  assert.match(throughEuro, / b fresh$/);
  const reading = book.read(pair('NOKSEK'));
  assert.ok(reading.status === 'fresh');
  assert.deepEqual(
    reading.price.legs?.map((leg) => leg.pair),
    ['EURNOK', 'EURSEK'],
  );
  book.setHaltedPairs(new Set(['EURSEK']));
  assert.equal(shown('NOKSEK'), throughDollar);
  assert.equal(book.isHalted(pair('NOKSEK')), false);
  book.setHaltedPairs(new Set(['EURSEK', 'USDNOK']));
  assert.match(shown('NOKSEK'), /stale$/);
  assert.equal(book.isHalted(pair('NOKSEK')), true);
  book.setHaltedPairs(new Set());
  assert.equal(shown('NOKSEK'), throughEuro);
  clock.at = NOW + 4000;
  send('a', '10.4900', '10.4950', 'USDNOK');
  send('a', '9.9900', '9.9950', 'USDSEK');
  clock.at = NOW + 5001;
  assert.equal(shown('NOKSEK'), throughDollar);
});

test('a dollar pair without a price of its own is the cross of its euro legs', () => {
  const { send, shown } = testBook();
  send('a', '1.08488', '1.08494', 'EURUSD');
  assert.equal(shown('USDSEK'), 'missing');
  send('a', '10.8420', '10.8440', 'EURSEK');
  // 10.8420 / 1.08494 = 9.993179…, 10.8440 / 1.08488 = 9.99557…
  assert.equal(shown('USDSEK'), '9.99317/9.99558 a fresh');
});
