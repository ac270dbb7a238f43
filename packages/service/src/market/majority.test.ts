import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOW, pair, testBook } from './test-book.ts';
import type { SourceNews } from './tick-judge.ts';

function threeSources() {
  const made = testBook();
  const news: string[] = [];
  made.book.onNews(({ kind, source }: SourceNews) => news.push(`${kind} ${source}`));
  for (const source of ['a', 'b', 'c']) made.send(source, '1.08488', '1.08494');
  const stateOf = (source: string) =>
    made.book.view(pair('EURUSD')).tops.find((top) => top.source === source);
  return { ...made, news, stateOf };
}

test('of three sources two outvote the third: it is set aside, told once, and nothing is halted', () => {
  const { clock, book, send, shown, news, stateOf } = threeSources();
  for (let i = 0; i < 10; i++) {
    clock.at += 500;
    // 60 basis points off: no outlier, but further than sources may lie apart.
    assert.equal(send('c', '1.09140', '1.09146'), 'accepted');
    send('a', '1.08488', '1.08494');
    send('b', '1.08488', '1.08494');
    assert.equal(book.isHalted(pair('EURUSD')), false);
    assert.match(shown(), /^1\.08488\/1\.08494 [ab] fresh$/);
  }
  assert.deepEqual(news, ['set_aside c']);
  assert.equal(stateOf('c')?.aside?.since, NOW + 500);
});

test('a source that was set aside is back when it has agreed for the set time', () => {
  const { clock, send, shown, news } = threeSources();
  clock.at += 100;
  send('c', '1.09140', '1.09146');
  const all = () =>
    ['a', 'b', 'c'].map((source) => send(source, source === 'c' ? '1.08490' : '1.08488', '1.08494'));
  clock.at += 100;
  all();
  clock.at += 4_999;
  all();
  assert.equal(shown(), '1.08488/1.08494 a fresh', 'c has the better bid');
  clock.at += 1;
  all();
  assert.match(shown(), /^1\.08490\/1\.08494 .* fresh$/);
  assert.deepEqual(news, ['set_aside c', 'returned c']);
});

test('agreement that breaks begins anew', () => {
  const { clock, send, news } = threeSources();
  const tickAll = (rogue: string) => {
    clock.at += 2_500;
    send('a', '1.08488', '1.08494');
    send('b', '1.08488', '1.08494');
    send('c', rogue, rogue);
  };
  for (const rogue of ['1.09140', '1.08490', '1.09140', '1.08490', '1.08490']) tickAll(rogue);
  assert.deepEqual(news, ['set_aside c']);
  tickAll('1.08490');
  assert.deepEqual(news, ['set_aside c', 'returned c']);
});

test('a source that is set aside does not become right by being left alone', () => {
  const { clock, book, send, shown, news } = threeSources();
  clock.at += 100;
  send('c', '1.09140', '1.09146');
  for (let i = 0; i < 20; i++) {
    clock.at += 1_000;
    send('c', '1.09140', `1.0914${i % 2 === 0 ? 6 : 7}`);
  }
  assert.match(shown(), /stale$/);
  assert.equal(book.isHalted(pair('EURUSD')), false);
  // The last of the others is believed without it, and it is not enough to halt the pair.
  send('a', '1.08488', '1.08494');
  assert.equal(shown(), '1.08488/1.08494 a fresh');
  assert.deepEqual(news, ['set_aside c']);
});

test('an operator brings a source back: by accepting its price, or by switching it off and on', () => {
  const accepted = threeSources();
  accepted.clock.at += 100;
  accepted.send('c', '1.09140', '1.09146');
  accepted.clock.at += 10_000;
  accepted.book.acceptPrice(pair('EURUSD'), { sum: { units: 218_286n, scale: 5 }, at: accepted.clock.at });
  accepted.send('c', '1.09141', '1.09147');
  assert.equal(accepted.shown(), '1.09141/1.09147 c fresh');

  const switched = threeSources();
  switched.clock.at += 100;
  switched.send('c', '1.09140', '1.09146');
  switched.clock.at += 10_000;
  switched.book.setDisabledSources(new Set(['c']));
  switched.book.setDisabledSources(new Set());
  switched.send('c', '1.09141', '1.09147');
  assert.equal(switched.shown(), '1.09141/1.09147 c fresh');
});

test('three sources that all say something else have no majority: the pair is halted', () => {
  const { clock, book, send, news } = threeSources();
  clock.at += 100;
  send('b', '1.09140', '1.09146');
  send('c', '1.07840', '1.07846');
  assert.equal(book.isHalted(pair('EURUSD')), true);
  assert.ok(news.includes('set_aside b'));
});

test('a source beyond the band is set aside as well', () => {
  const { clock, send, shown, stateOf } = threeSources();
  clock.at += 100;
  assert.equal(send('c', '1.30000', '1.30010'), 'outside_band');
  assert.ok(stateOf('c')?.aside);
  assert.match(shown(), /^1\.08488\/1\.08494 [ab] fresh$/);
});
