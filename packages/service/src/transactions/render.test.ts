import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransactionRow } from './record.ts';
import { nextPollAfterSeconds } from './render.ts';

const HOUR_MS = 3_600_000;
const CUT_OFF = Date.UTC(2026, 2, 6, 15);

test('looking again is worth it often where money is awaited, and never where nothing happens any more', () => {
  const after = (status: TransactionRow['status'], now: number, atMost?: number) =>
    nextPollAfterSeconds(
      { status, funding_cutoff_at: CUT_OFF, value_date: '2026-03-06' } as TransactionRow,
      now,
      atMost,
    );
  for (const status of ['awaiting_funds', 'partially_funded'] as const) {
    assert.equal(after(status, CUT_OFF - HOUR_MS - 1), 60);
    for (const now of [CUT_OFF - HOUR_MS, CUT_OFF]) assert.equal(after(status, now), 5);
    assert.equal(after(status, CUT_OFF + 1), 60);
    assert.equal(after(status, CUT_OFF, 2), 2);
  }
  for (const status of ['funded', 'overdue', 'settling'] as const) assert.equal(after(status, CUT_OFF), 60);
  assert.equal(after('funded', Date.UTC(2026, 2, 6) - 1), 900, 'before the value date');
  assert.equal(after('funded', Date.UTC(2026, 2, 6)), 60);
  assert.equal(after('funded', CUT_OFF, 30), 30);
  for (const status of ['settled', 'cancelled'] as const) assert.equal(after(status, CUT_OFF, 2), null);
});
