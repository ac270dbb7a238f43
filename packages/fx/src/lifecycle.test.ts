import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  canQuoteTransition,
  canTransition,
  findTransition,
  isFinalTransactionStatus,
  isTerminalQuoteStatus,
  QUOTE_TRANSITIONS,
  type QuoteStatus,
  quoteStatusAt,
  TRANSACTION_STATUSES,
  TRANSACTION_TRANSITIONS,
  type TransactionStatus,
} from './lifecycle.ts';

const QUOTE_STATUSES: QuoteStatus[] = ['open', 'executed', 'cancelled', 'expired', 'withdrawn'];

// Written out from the documented table, number by number, independently of the data.
const TRANSACTION_ARROWS: Record<string, number> = {
  '- > awaiting_funds': 1,
  '- > funded': 2,
  'awaiting_funds > partially_funded': 3,
  'awaiting_funds > funded': 4,
  'partially_funded > funded': 4,
  'awaiting_funds > overdue': 5,
  'partially_funded > overdue': 5,
  'overdue > funded': 6,
  'overdue > cancelled': 7,
  'funded > settling': 8,
  'settling > settled': 9,
  'settling > settlement_failed': 10,
  'settled > settlement_failed': 11,
  'settlement_failed > settling': 12,
  'awaiting_funds > cancelled': 13,
  'partially_funded > cancelled': 13,
  'funded > cancelled': 13,
  'settlement_failed > cancelled': 13,
  'funded > awaiting_funds': 14,
  'funded > partially_funded': 14,
  'partially_funded > awaiting_funds': 14,
  'partially_funded > partially_funded': 14,
  'overdue > awaiting_funds': 15,
  'overdue > partially_funded': 15,
};

test('a quote goes from open to one of four ends, and nowhere else', () => {
  assert.equal(QUOTE_TRANSITIONS.length, 5);
  for (const from of [null, ...QUOTE_STATUSES]) {
    for (const to of QUOTE_STATUSES) {
      const expected = from === null ? to === 'open' : from === 'open' && to !== 'open';
      assert.equal(canQuoteTransition(from, to), expected, `${from} > ${to}`);
    }
  }
  assert.deepEqual(QUOTE_STATUSES.filter(isTerminalQuoteStatus), QUOTE_STATUSES.slice(1));
  assert.equal(canQuoteTransition('open', 'withdrawn', 'client'), false);
  assert.equal(canQuoteTransition('open', 'withdrawn', 'risk'), true);
});

test('an open quote is expired from the millisecond of its expiry on', () => {
  assert.equal(quoteStatusAt('open', 1000, 999), 'open');
  assert.equal(quoteStatusAt('open', 1000, 1000), 'expired');
  assert.equal(quoteStatusAt('open', 1000, 1001), 'expired');
  for (const status of QUOTE_STATUSES.slice(1)) assert.equal(quoteStatusAt(status, 1000, 2000), status);
});

test('a transaction has exactly the documented transitions', () => {
  assert.deepEqual(
    TRANSACTION_TRANSITIONS.map(({ number }) => number),
    Array.from({ length: 15 }, (_, index) => index + 1),
  );
  for (const from of [null, ...TRANSACTION_STATUSES]) {
    for (const to of TRANSACTION_STATUSES) {
      const arrow = `${from ?? '-'} > ${to}`;
      assert.equal(findTransition(from, to)?.number, TRANSACTION_ARROWS[arrow], arrow);
      assert.equal(canTransition(from, to), arrow in TRANSACTION_ARROWS, arrow);
    }
  }
});

test('no arrow belongs to two transitions', () => {
  const arrows = TRANSACTION_TRANSITIONS.flatMap(({ from, to }) =>
    from.flatMap((start) => to.map((end) => `${start ?? '-'} > ${end}`)),
  );
  assert.equal(new Set(arrows).size, arrows.length);
  assert.equal(arrows.length, Object.keys(TRANSACTION_ARROWS).length);
});

test('only the documented actors may cause a transition', () => {
  assert.equal(canTransition('awaiting_funds', 'funded', 'matcher'), true);
  assert.equal(canTransition('awaiting_funds', 'funded', 'client'), false);
  assert.equal(canTransition('funded', 'cancelled', 'client'), false);
  assert.equal(canTransition('settling', 'settled', 'bank_feed'), true);
  assert.equal(canTransition('settlement_failed', 'settling', 'system'), false);
  for (const { by } of TRANSACTION_TRANSITIONS) assert.ok(by.length > 0);
  assert.deepEqual(findTransition('funded', 'cancelled')?.twoPersonsFrom, ['funded']);
});

test('cancelled leads nowhere, and settled only back by a returned payout', () => {
  const waysOut = (status: TransactionStatus) =>
    TRANSACTION_STATUSES.filter((to) => canTransition(status, to));
  assert.deepEqual(waysOut('cancelled'), []);
  assert.deepEqual(waysOut('settled'), ['settlement_failed']);
  assert.deepEqual(TRANSACTION_STATUSES.filter(isFinalTransactionStatus), ['settled', 'cancelled']);
});
