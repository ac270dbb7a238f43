import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pair, testBook } from './test-book.ts';

/** Prices that their source took back: an hour's limit shows that it is not the age that ends them. */
const HOUR = { stalenessMs: 3_600_000 };

test('a price that was taken back is dealt on no more, whatever its age, until the source has another', () => {
  const { book, send, shown } = testBook(HOUR);
  send('alpha', '1.08488', '1.08494');
  const moved: string[] = [];
  book.onChange((code) => moved.push(code));
  assert.deepEqual(book.withdraw('alpha', 'EURUSD'), ['EURUSD']);
  assert.equal(shown(), '1.08488/1.08494 alpha stale');
  assert.deepEqual(moved, ['EURUSD'], 'whoever shows the price hears of it');
  assert.equal(book.isSupported(pair('EURUSD')), true);
  assert.deepEqual(book.withdraw('alpha', 'EURUSD'), [], 'once');
  assert.equal(book.view(pair('EURUSD')).tops[0]?.withdrawn, true);
  assert.equal(send('alpha', '1.08488', '1.08494'), 'accepted');
  assert.equal(shown(), '1.08488/1.08494 alpha fresh');
  assert.equal(book.ticksBySource.get('alpha')?.withdrawn, 1);
});

test('what other sources say stands, and a side that came from the one that is gone does not', () => {
  const { book, send, shown } = testBook(HOUR);
  send('alpha', '1.08490', '1.08496');
  send('beta', '1.08488', '1.08494');
  assert.equal(shown(), '1.08490/1.08494 composite fresh');
  book.withdraw('beta');
  assert.equal(shown(), '1.08490/1.08496 alpha fresh');
  book.withdraw('alpha');
  assert.equal(shown(), '1.08490/1.08496 alpha stale');
  // A change of settings or a switched source brings nothing back.
  book.configure(pair('EURUSD'), { ...book.defaults, stalenessMs: 7_200_000 });
  book.setDisabledSources(new Set(['alpha']));
  book.setDisabledSources(new Set());
  assert.match(shown(), / stale$/);
});

test('a source that is gone takes all its pairs with it, and the crosses made of them', () => {
  const { book, send, shown } = testBook(HOUR);
  send('alpha', '1.08488', '1.08494');
  send('alpha', '1.26810', '1.26818', 'GBPUSD');
  send('beta', '151.236', '151.240', 'USDJPY');
  assert.match(shown('EURGBP'), / fresh$/);
  assert.deepEqual(book.withdraw('alpha'), ['EURUSD', 'GBPUSD']);
  assert.match(shown('EURGBP'), / stale$/);
  assert.match(shown('EURJPY'), / stale$/);
  assert.match(shown('USDJPY'), / beta fresh$/);
  assert.deepEqual(book.withdraw('nobody'), []);
  assert.deepEqual(book.withdraw('alpha', 'no pair'), []);
});

test('a price from before the withdrawal comes too late; one of the same instant or later counts', () => {
  const { clock, book, send, shown } = testBook(HOUR);
  send('alpha', '1.08488', '1.08494', 'EURUSD', clock.at - 500);
  book.withdraw('alpha', 'EURUSD', clock.at);
  assert.equal(send('alpha', '1.08489', '1.08495', 'EURUSD', clock.at - 100), 'backwards');
  assert.match(shown(), / stale$/);
  assert.equal(send('alpha', '1.08489', '1.08495', 'EURUSD', clock.at), 'accepted');
  assert.match(shown(), / fresh$/);
  // A withdrawal with a time that cannot be must not lock the source out.
  book.withdraw('alpha', 'EURUSD', clock.at + 86_400_000);
  clock.at += 10;
  assert.equal(send('alpha', '1.08489', '1.08495'), 'accepted');
});

test('a side of zero is an empty side: the price before it is over too', () => {
  const { send, shown } = testBook(HOUR);
  send('alpha', '1.08488', '1.08494');
  assert.equal(send('alpha', '1.08488', '0'), 'not_positive');
  assert.match(shown(), / stale$/);
});

test('what a source says while it is switched off ends what it said before: switched on again it has no price until its next', () => {
  const { book, clock, send, shown } = testBook(HOUR);
  send('alpha', '1.08488', '1.08494');
  send('alpha', '151.236', '151.240', 'USDJPY');
  book.setDisabledSources(new Set(['alpha']));
  clock.at += 60_000;
  assert.equal(send('alpha', '1.07488', '1.07494'), 'source_disabled');
  book.setDisabledSources(new Set());
  assert.equal(shown(), '1.08488/1.08494 alpha stale');
  assert.match(shown('USDJPY'), / fresh$/, 'of this pair it has said nothing else');
  clock.at += 10;
  assert.equal(send('alpha', '1.07489', '1.07495'), 'accepted');
  assert.equal(shown(), '1.07489/1.07495 alpha fresh');
});

test('ticks that were held back before do not count towards a jump afterwards', () => {
  const { book, clock, send, shown } = testBook(HOUR);
  send('alpha', '1.08488', '1.08494');
  for (let n = 0; n < 2; n++) {
    clock.at += 100;
    assert.equal(send('alpha', `1.1000${n}`, '1.10006'), 'outlier');
  }
  book.withdraw('alpha');
  clock.at += 100;
  assert.equal(send('alpha', '1.10003', '1.10006'), 'outlier');
  assert.match(shown(), / stale$/);
});
