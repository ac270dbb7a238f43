import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Halt } from '@firmquote/client/operator';
import { heldBackBy } from './halts.ts';

const since = '2026-01-01T00:00:00.000Z';
const halt = (scope: string, pair: string | null, customerId: string | null) =>
  ({ scope, pair, customerId, haltedAt: since, reason: `of ${scope}` }) as Halt;

test('of all halts those are told that hold back this pair for this customer', () => {
  const halts = [
    halt('pair', 'EURUSD', null),
    halt('pair', 'USDJPY', null),
    halt('customer', null, 'cus_1'),
    halt('customer', null, 'cus_2'),
    halt('all', null, null),
  ];
  const automatic = [
    { pair: 'EURUSD', reason: 'sources_disagree', since, sources: ['one', 'two'] },
    { pair: 'GBPUSD', reason: 'sources_disagree', since, sources: ['one', 'two'] },
  ] as const;
  assert.deepEqual(
    heldBackBy(halts, automatic, 'EURUSD', 'cus_1').map(({ what, why }) => `${what}: ${why}`),
    [
      'EUR/USD is halted: of pair',
      'Quotes of this customer are halted: of customer',
      'The whole market is halted: of all',
      'EUR/USD is halted automatically: one and two disagree',
    ],
  );
});
