import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf, comparedTo, nameInWords, numberText } from './changes.ts';

test('a match is told value by value, with currencies, and without what is empty', () => {
  const allocation = {
    to: 'transaction',
    transactionId: 'txn_1',
    allocatedAmount: '150000.00',
    score: null,
    evidence: { reason: 'same amount' },
    at: '(new)',
  };
  const changes = changesOf(
    [
      { at: '/allocations', before: [], after: [allocation] },
      { at: '/status', before: 'unmatched', after: 'matched' },
      { at: '/exception', before: { type: 'unmatched' }, after: null },
    ],
    'GBP',
  );
  assert.deepEqual(
    changes.map(({ path, before, after, currency }) => [path.join(' › '), before, after, currency]),
    [
      ['Allocations 1 › To', undefined, 'transaction', 'GBP'],
      ['Allocations 1 › Transaction', undefined, 'txn_1', 'GBP'],
      ['Allocations 1 › Allocated amount', undefined, '150000.00', 'GBP'],
      ['Allocations 1 › At', undefined, '(new)', 'GBP'],
      ['Status', 'unmatched', 'matched', 'GBP'],
      ['Exception › Type', 'unmatched', undefined, 'GBP'],
    ],
  );
});

test('an amount has the currency that stands beside it, and equal members are left out', () => {
  const [only, ...more] = changesOf([
    { at: '/limits', before: { currency: 'EUR', daily: '1.00' }, after: { currency: 'EUR', daily: '2.00' } },
  ]);
  assert.deepEqual(more, []);
  assert.deepEqual(only, {
    path: ['Limits', 'Daily'],
    name: 'daily',
    before: '1.00',
    after: '2.00',
    currency: 'EUR',
  });
});

test('all of it, also a single value, and names with a slash', () => {
  assert.deepEqual(
    changesOf([
      { at: '', before: null, after: 'x' },
      { at: '/rates/a~1b', before: 1, after: false },
    ]).map(({ path, before, after }) => [path, before, after]),
    [
      [[], undefined, 'x'],
      [['Rates', 'A/b'], 1, false],
    ],
  );
  assert.equal(nameInWords('usableFrom'), 'Usable from');
});

test('what would change now stands beside what was proposed: what has come, gone, or become something else', () => {
  const [proposed, now] = [
    changesOf([
      { at: '/dailyVolume', before: '100.00', after: '70.00' },
      { at: '/maxOpenQuotes', before: 5, after: 10 },
      { at: '/openPosition', before: '1.00', after: '2.00' },
    ]),
    changesOf([
      { at: '/dailyVolume', before: '80.00', after: '70.00' },
      { at: '/maxOpenQuotes', before: 5, after: 10 },
      { at: '/largestTrade', before: '3.00', after: '4.00' },
    ]),
  ];
  assert.deepEqual(
    comparedTo(proposed, now).map((each) => [
      (each.now ?? each.proposed)?.name,
      each.isSame,
      each.now?.before,
      each.proposed?.before,
    ]),
    [
      ['dailyVolume', false, '80.00', '100.00'],
      ['maxOpenQuotes', true, 5, 5],
      ['largestTrade', false, '3.00', undefined],
      ['openPosition', false, undefined, '1.00'],
    ],
  );
});

test('a number is told as it is: a year is no count of thousands', () => {
  assert.deepEqual([2027, 0, -5, 1_000_000].map(numberText), ['2027', '0', '−5', '1000000']);
});
