import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDecimal } from '@firmquote/fx';
import { RateBook } from '../market/rate-book.ts';
import { VirtualClock } from '../platform/clock.ts';
import { EXPOSURE_LIMITS, readExposureLimits } from './limits.ts';
import type { ExposureRoom } from './room.ts';
import { showExposure } from './show-exposure.ts';

test('a currency without a position is shown with its limit or hedge, and nothing open', async () => {
  const clock = new VirtualClock();
  const book = new RateBook({ clock });
  const dollar = parseDecimal('1.50000') ?? assert.fail();
  book.freeze('GBPUSD', dollar, dollar);
  const limits = readExposureLimits(
    {
      ...EXPOSURE_LIMITS.initial,
      currencies: [{ currency: 'GBP', limit: '100.00' }],
      hedges: [{ currency: 'CHF', amount: '-7.00' }],
    },
    2,
  );
  const { positions, total } = await showExposure({
    clock,
    book,
    limits: { current: () => limits } as unknown as ExposureRoom['limits'],
    guard: {
      read: async () => ({ byCurrency: new Map(), openQuotes: 0 }),
    } as unknown as ExposureRoom['guard'],
  });
  const nothing = { position: '0.00', openLong: '0.00', openShort: '0.00' };
  assert.deepEqual(positions, [
    // Without a price.
    {
      currency: 'CHF',
      ...nothing,
      hedged: '-7.00',
      net: '-7.00',
      netUsd: null,
      worstUsd: null,
      limitUsd: null,
    },
    {
      currency: 'GBP',
      ...nothing,
      hedged: '0.00',
      net: '0.00',
      netUsd: '0.00',
      worstUsd: '0.00',
      limitUsd: '100.00',
    },
  ]);
  // The Swiss francs are in no sum.
  const sums = { longUsd: '0.00', shortUsd: '0.00', netOpenUsd: '0.00', limitUsd: null };
  assert.deepEqual(total, { ...sums, complete: false });
});
