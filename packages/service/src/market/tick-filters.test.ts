import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_PAIR_SETTINGS } from './pair-settings.ts';
import { NOW, pair, testBook } from './test-book.ts';

test('a price far from the last good one is held back until three ticks agree', () => {
  const { clock, book, send, shown } = testBook();
  send('a', '1.08488', '1.08494');
  clock.at = NOW + 100;
  assert.equal(send('a', '1.10488', '1.10494'), 'outlier');
  clock.at = NOW + 200;
  assert.equal(send('a', '1.08489', '1.08495'), 'accepted');
  assert.equal(shown(), '1.08489/1.08495 a fresh');
  const jump: string[] = [];
  for (const bid of ['1.10488', '1.10490', '1.10492']) {
    clock.at += 100;
    jump.push(send('a', bid, '1.10494'));
  }
  assert.deepEqual(jump, ['outlier', 'outlier', 'accepted']);
  assert.equal(shown(), '1.10492/1.10494 a fresh');
  assert.equal(book.ticksBySource.get('a')?.rejected.outlier, 3);
});

test('ticks that do not agree with each other never make a jump', () => {
  const { clock, send, shown } = testBook();
  send('a', '1.08488', '1.08494');
  for (const mid of ['1.10000', '1.06000', '1.10000', '1.06000', '1.10000']) {
    clock.at += 100;
    assert.equal(send('a', mid, mid), 'outlier');
  }
  assert.equal(shown(), '1.08488/1.08494 a stale', 'what the source no longer says is not dealt on');
  clock.at += 100;
  assert.equal(send('a', '1.08487', '1.08493'), 'accepted');
  assert.equal(shown(), '1.08487/1.08493 a fresh');
});

test('saying a price again and again says nothing new', () => {
  const { clock, send, shown } = testBook();
  send('a', '1.08488', '1.08494');
  for (let i = 0; i < 20; i++) {
    clock.at += 1_000;
    assert.equal(send('a', '1.10488', '1.10494'), 'outlier');
  }
  assert.match(shown(), /stale$/);
  assert.equal(send('a', '1.10487', '1.10494'), 'accepted');
});

test('a slow source is believed by time, and after a long silence at once', () => {
  const { clock, send } = testBook();
  send('a', '1.08488', '1.08494');
  clock.at = NOW + 1000;
  assert.equal(send('a', '1.10000', '1.10006'), 'outlier');
  clock.at = NOW + 3000;
  assert.equal(send('a', '1.10001', '1.10007'), 'accepted');
  clock.at = NOW + 3000 + 60_000;
  assert.equal(send('a', '1.12000', '1.12006'), 'outlier');
  clock.at = NOW + 3000 + 60_001;
  assert.equal(send('a', '1.12500', '1.12506'), 'accepted');
});

test('a price that its source has left behind is not dealt on again because an operator sets something', () => {
  const EURUSD = pair('EURUSD');
  const heldBack = () => {
    const made = testBook();
    made.send('a', '1.08488', '1.08494');
    made.clock.at += 100;
    assert.equal(made.send('a', '1.10488', '1.10494'), 'outlier');
    return made;
  };
  const { book, send, shown } = heldBack();
  book.configure(EURUSD, { ...DEFAULT_PAIR_SETTINGS, agreementMs: 6_000 });
  assert.equal(shown(), '1.08488/1.08494 a stale', 'another setting');
  book.setDisabledSources(new Set(['a']));
  book.setDisabledSources(new Set());
  assert.equal(shown(), '1.08488/1.08494 a stale', 'a source that is switched off and on');
  book.acceptPrice(EURUSD, { sum: { units: 216_982n, scale: 5 }, at: NOW + 100 });
  assert.equal(shown(), '1.08488/1.08494 a stale', 'the price is right, and the source says another');
  book.acceptPrice(EURUSD, { sum: { units: 220_982n, scale: 5 }, at: NOW + 100 });
  assert.equal(shown(), '1.10488/1.10494 a fresh', 'what the source says is right');
  assert.equal(send('a', '1.10489', '1.10495'), 'accepted');
  const wide = heldBack();
  wide.book.configure(EURUSD, { ...DEFAULT_PAIR_SETTINGS, outlierBps: { units: 200_00n, scale: 2 } });
  assert.equal(wide.shown(), '1.10488/1.10494 a fresh', 'no outlier by the new settings');
  const off = heldBack();
  off.book.configure(EURUSD, { ...DEFAULT_PAIR_SETTINGS, outlierBps: null });
  assert.equal(off.shown(), '1.10488/1.10494 a fresh', 'there are no outliers any more');
});

test('one broken source cannot jump against two that go on elsewhere', () => {
  const { clock, book, send, shown } = testBook();
  for (const source of ['a', 'b', 'c']) send(source, '1.08488', '1.08494');
  for (let i = 0; i < 60; i++) {
    clock.at += 100;
    send('a', '1.08488', i % 2 === 0 ? '1.08494' : '1.08495');
    send('b', '1.08487', i % 2 === 0 ? '1.08494' : '1.08495');
    assert.equal(send('c', '1.10488', i % 2 === 0 ? '1.10494' : '1.10495'), 'outlier');
    assert.equal(book.isHalted(pair('EURUSD')), false);
  }
  assert.match(shown(), /^1\.08488\/1\.0849[45] a fresh$/);
  clock.at += 100;
  assert.equal(send('c', '1.08488', '1.08494'), 'accepted');
});

test('a jump that most sources make is believed when the second one makes it', () => {
  const { clock, send, shown } = testBook();
  for (const source of ['a', 'b', 'c']) send(source, '1.08488', '1.08494');
  clock.at += 100;
  assert.equal(send('a', '1.10488', '1.10494'), 'outlier');
  assert.equal(shown(), '1.08488/1.08494 b fresh');
  assert.equal(send('b', '1.10488', '1.10494'), 'accepted');
  assert.equal(shown(), '1.10488/1.10494 b fresh', 'c is contradicted by two');
  assert.equal(send('c', '1.10488', '1.10494'), 'accepted');
});

test('a jump of the whole market is followed source by source', () => {
  const { clock, book, send, shown } = testBook();
  for (const source of ['a', 'b', 'c']) send(source, '1.08488', '1.08494');
  const outcomes: string[] = [];
  for (let i = 0; i < 5; i++) {
    clock.at += 100;
    for (const source of ['a', 'b', 'c']) outcomes.push(`${source} ${send(source, '1.10488', '1.10494')}`);
  }
  assert.deepEqual(outcomes.slice(0, 3), ['a outlier', 'b accepted', 'c accepted']);
  assert.equal(outcomes.filter((outcome) => outcome.endsWith('outlier')).length, 1);
  assert.match(shown(), /^1\.10488\/1\.10494 . fresh$/);
  assert.equal(book.read(pair('EURUSD')).status, 'fresh');
});

test('a source that repeats one price while others move is frozen, until it moves', () => {
  const { clock, book, send, shown } = testBook();
  send('dead', '1.08490', '1.08491');
  for (let i = 0; i <= 30; i++) {
    clock.at = NOW + i * 1000;
    send('alive', i % 2 === 0 ? '1.08488' : '1.08487', '1.08494');
    assert.equal(send('dead', '1.08490', '1.08491'), 'accepted');
  }
  clock.at = NOW + 31_000;
  send('alive', '1.08488', '1.08494');
  assert.equal(send('dead', '1.08490', '1.08491'), 'frozen');
  assert.equal(shown(), '1.08488/1.08494 alive fresh');
  assert.equal(book.ticksBySource.get('dead')?.rejected.frozen, 1);
  book.configure(pair('EURUSD'), { ...DEFAULT_PAIR_SETTINGS, frozenMs: null });
  assert.equal(shown(), '1.08490/1.08491 dead fresh', 'judged by the new settings');
  book.configure(pair('EURUSD'), undefined);
  assert.equal(send('dead', '1.08490', '1.08491'), 'frozen');
  assert.equal(send('dead', '1.08490', '1.08492'), 'accepted');
  assert.equal(shown(), '1.08490/1.08492 dead fresh');
});

test('a frozen source stays so while it repeats, and a silent one is not frozen when it comes back', () => {
  const { clock, send } = testBook();
  for (const source of ['dead', 'slow', 'alive']) send(source, '1.08488', '1.08494');
  const outcomes = new Set<string>();
  for (let i = 1; i <= 200; i++) {
    clock.at = NOW + i * 1000;
    send('alive', i % 2 === 0 ? '1.08488' : '1.08487', '1.08494');
    const outcome = send('dead', '1.08488', '1.08494');
    if (i > 30) outcomes.add(outcome);
    if (i % 40 === 0) assert.equal(send('slow', '1.08488', '1.08494'), 'accepted');
  }
  assert.deepEqual([...outcomes], ['frozen']);
});

test('a quiet market is no frozen source', () => {
  const { clock, send, shown } = testBook();
  for (let i = 0; i < 120; i++) {
    clock.at = NOW + i * 1000;
    assert.equal(send('a', '1.08488', '1.08494'), 'accepted');
    assert.equal(send('b', '1.08488', '1.08494'), 'accepted');
  }
  assert.match(shown(), /fresh$/);
});

test('two sources that disagree halt the pair until they have agreed for a while', () => {
  const { clock, book, send } = testBook({ deviationBps: { units: 10_00n, scale: 2 } });
  const halts: string[] = [];
  book.onHalt((code, { sources }) => halts.push(`${code} ${sources}`));
  send('a', '1.08488', '1.08494');
  send('b', '1.08688', '1.08694');
  assert.equal(book.isHalted(pair('EURUSD')), true);
  assert.deepEqual(halts, ['EURUSD a,b']);
  clock.at = NOW + 100;
  send('a', '1.08488', '1.08494');
  assert.deepEqual(halts, ['EURUSD a,b'], 'told once');
  assert.deepEqual(book.view(pair('EURUSD')).disagreement?.since, NOW);
  send('b', '1.08489', '1.08494');
  clock.at = NOW + 5099;
  assert.equal(book.isHalted(pair('EURUSD')), true);
  send('a', '1.08489', '1.08494');
  clock.at = NOW + 5100;
  assert.equal(book.isHalted(pair('EURUSD')), false);
  assert.equal(book.view(pair('EURUSD')).disagreement, undefined);
});

test('a new disagreement begins the wait anew, and a source that dies ends it', () => {
  const { clock, book, send } = testBook({ deviationBps: { units: 10_00n, scale: 2 } });
  send('a', '1.08488', '1.08494');
  send('b', '1.08688', '1.08694');
  send('b', '1.08488', '1.08494');
  clock.at = NOW + 4000;
  send('b', '1.08688', '1.08694');
  send('a', '1.08488', '1.08494');
  clock.at = NOW + 9000;
  assert.equal(book.isHalted(pair('EURUSD')), true);
  clock.at = NOW + 9001;
  send('a', '1.08488', '1.08494');
  clock.at = NOW + 14_000;
  assert.equal(book.isHalted(pair('EURUSD')), true);
  clock.at = NOW + 14_001;
  assert.equal(book.isHalted(pair('EURUSD')), false);
});

test('a cross over a pair whose sources disagree is halted as well', () => {
  const { book, send, shown } = testBook({ deviationBps: { units: 10_00n, scale: 2 } });
  send('a', '151.236', '151.240', 'USDJPY');
  send('a', '1.08488', '1.08494');
  assert.equal(shown('EURJPY'), '164.072/164.087 a fresh');
  send('b', '1.08688', '1.08694');
  assert.equal(book.isHalted(pair('EURJPY')), true);
  assert.match(shown('EURJPY'), /stale$/);
  assert.equal(book.isHalted(pair('USDJPY')), false);
});

test('the sandbox shows its own price, whatever the sources do', () => {
  const { book, send, shown } = testBook({ deviationBps: { units: 10_00n, scale: 2 } });
  const price = { units: 120_000n, scale: 5 };
  book.freeze('EURUSD', price, price);
  assert.equal(send('a', '1.08488', '1.08494'), 'sandbox_hold');
  assert.equal(send('b', '1.08688', '1.08694'), 'sandbox_hold');
  assert.equal(shown(), '1.20000/1.20000 sandbox fresh');
  assert.equal(book.isHalted(pair('EURUSD')), false);
  assert.equal(book.disagreements().length, 0);
  book.release('EURUSD');
  assert.equal(book.isHalted(pair('EURUSD')), true);
  assert.equal(book.disagreements().length, 1);
});

test('switching a source or setting the pair does not lift a halt that still has its reason', () => {
  const tight = { deviationBps: { units: 10_00n, scale: 2 } };
  const { clock, book, send } = testBook(tight);
  const halts: string[] = [];
  book.onHalt((code, { sources }) => halts.push(`${code} ${sources}`));
  send('a', '1.08488', '1.08494');
  send('b', '1.08688', '1.08694');
  send('c', '1.08888', '1.08894');
  book.setDisabledSources(new Set(['c']));
  assert.equal(book.isHalted(pair('EURUSD')), true);
  book.configure(pair('EURUSD'), { ...DEFAULT_PAIR_SETTINGS, ...tight, stalenessMs: 60_000 });
  assert.equal(book.isHalted(pair('EURUSD')), true);
  book.setDisabledSources(new Set(['b', 'c']));
  clock.at += 4_999;
  assert.equal(book.isHalted(pair('EURUSD')), true, 'agreement takes its time');
  clock.at += 1;
  assert.equal(book.isHalted(pair('EURUSD')), false);
  assert.deepEqual(halts, ['EURUSD a,b']);
  book.setDisabledSources(new Set(['c']));
  assert.equal(book.isHalted(pair('EURUSD')), true, 'b is back, and says what it said');
  assert.equal(halts.length, 2);
});

test('a source that is frozen stays so while other things are set', () => {
  const { clock, book, send, shown } = testBook({ stalenessMs: 60_000 });
  send('dead', '1.08490', '1.08491');
  for (let i = 1; i <= 31; i++) {
    clock.at = NOW + i * 1000;
    send('alive', i % 2 === 0 ? '1.08488' : '1.08487', '1.08494');
    send('dead', '1.08490', '1.08491');
  }
  assert.match(shown(), /alive fresh$/);
  book.configure(pair('EURUSD'), { ...DEFAULT_PAIR_SETTINGS, stalenessMs: 60_000, agreementMs: 6_000 });
  assert.match(shown(), /alive fresh$/);
  book.configure(pair('EURUSD'), { ...DEFAULT_PAIR_SETTINGS, stalenessMs: 60_000, frozenMs: 40_000 });
  assert.equal(shown(), '1.08490/1.08491 dead fresh');
});
