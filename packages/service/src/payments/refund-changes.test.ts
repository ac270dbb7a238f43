import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransactionRow } from '../transactions/record.ts';
import { minorOf, openedRefund, payRefund, refundOf } from './refund-changes.ts';

test('a refund of more than a caller could name is paid like any other', () => {
  // Banks report up to 18 digits, and amounts of requests have 15 before the point.
  for (const [currency, excess] of [
    ['JPY', 999_999_999_999_899_999n],
    ['EUR', 123_456_789_012_345_678n],
    ['KWD', 123_456_789_012_345_678_901n],
  ] as const) {
    const row = {
      ...{ id: 'id', customer_id: 'customer', quote_id: 'quote', status: 'settled', version: 3 },
      ...{ sell_currency: currency, excess_minor: `${excess}`, client_reference: null, refund: null },
    } as unknown as TransactionRow;
    const open = { ...row, refund: openedRefund(row, excess, 'excess') };
    const refund = refundOf(open) ?? assert.fail();
    assert.equal(minorOf(refund), excess);
    const { patch, entries } = payRefund(open, 0, 'operator', 'OUT-1');
    assert.equal(patch?.excessMinor, 0n);
    assert.deepEqual(entries?.[0]?.postings[0], { account: 'customer_excess', currency, amount: excess });
  }
});
