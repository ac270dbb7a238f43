import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf, nameInWords } from './changes.ts';

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
