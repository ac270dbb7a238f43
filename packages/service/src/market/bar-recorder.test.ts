import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal } from '@firmquote/fx';
import { type Bar, BarRecorder } from './bar-recorder.ts';
import { DEFAULT_PAIR_SETTINGS } from './pair-settings.ts';
import { NOW, pair, testBook } from './test-book.ts';

function setUp() {
  const { clock, book, send } = testBook();
  return { clock, book, send, recorder: new BarRecorder(clock, book) };
}

function text({ pair: code, at, open, high, low, close, bid, ask, ticks }: Bar): string {
  const prices = [open, high, low, close, bid, ask].map(formatDecimal).join(' ');
  return `${code} +${at - NOW} ${prices} ${ticks}`;
}

test('a bar has the mids of its second, its last bid and ask, and how many prices there were', () => {
  const { clock, send, recorder } = setUp();
  clock.at = NOW + 100;
  send('a', '1.08488', '1.08494');
  send('a', '1.08500', '1.08507');
  clock.at = NOW + 900;
  send('a', '1.08480', '1.08486');
  assert.deepEqual(recorder.take(), [], 'the second is not over');
  clock.at = NOW + 1000;
  send('a', '1.08490', '1.08492');
  assert.deepEqual(recorder.take().map(text), [
    'EURUSD +0 1.084910 1.085035 1.084830 1.084830 1.08480 1.08486 3',
  ]);
  clock.at = NOW + 5000;
  assert.deepEqual(recorder.take().map(text), [
    'EURUSD +1000 1.084910 1.084910 1.084910 1.084910 1.08490 1.08492 1',
  ]);
  assert.deepEqual(recorder.take(), [], 'a second without a price has no bar');
});

test('refused ticks, halts and settings make no bars', () => {
  const { clock, book, send, recorder } = setUp();
  send('a', '1.08488', '1.08494');
  send('a', '1.08498', '1.08494');
  book.setHaltedPairs(new Set(['EURUSD', 'USDJPY']));
  book.setHaltedPairs(new Set());
  clock.at = NOW + 2000;
  send('a', '2.00000', '2.00001');
  book.setHaltedPairs(new Set(['EURUSD']));
  clock.at = NOW + 3000;
  const bars = recorder.take();
  assert.deepEqual(
    bars.map(({ at, ticks }) => [at, ticks]),
    [[NOW, 1]],
  );
  book.configure(pair('GBPUSD'), DEFAULT_PAIR_SETTINGS);
  clock.at = NOW + 5000;
  assert.deepEqual(recorder.take(), []);
});

test('what could not be written comes again first, and no more waits than is useful', () => {
  const { clock, send, recorder } = setUp();
  send('a', '1.08488', '1.08494');
  clock.at = NOW + 1000;
  const [bar] = recorder.take();
  assert.ok(bar);
  send('a', '1.08490', '1.08492');
  recorder.putBack([bar]);
  clock.at = NOW + 2000;
  assert.deepEqual(
    recorder.take().map(({ at }) => at - NOW),
    [0, 1000],
  );
  recorder.putBack(new Array<Bar>(50_003).fill(bar));
  assert.equal(recorder.dropped, 3);
  assert.equal(recorder.take().length, 50_000);
});
