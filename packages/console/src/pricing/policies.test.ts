import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS } from '@firmquote/api';
import { Compile } from 'typebox/schema';
import type { ChangeLine } from '../parts/change.tsx';
import * as premiums from './premiums.ts';
import * as swap from './swap-policy.ts';

/** Whether what is edited in rows comes to what the interface takes, and everything that nobody has touched goes back as it came. */

function takes(id: string, document: unknown): void {
  const body = Object.values(OPERATIONS).find((each) => each.id === id)?.body;
  assert.ok(body !== undefined && Compile(body).Check(document), JSON.stringify(document));
}

const told = (lines: readonly ChangeLine[]) =>
  lines.map(({ what, before, after }) => `${what}: ${before ?? 'none'} → ${after ?? 'none'}`);

const WINDOW: premiums.Window = {
  ...{ pair: null, zone: 'America/New_York', days: ['mon', 'tue'] as const },
  ...{ from: '16:55', to: '17:10', bps: '4.00' },
};
const POLICY: premiums.Policy = {
  validityPremium: {
    method: 'table',
    table: [
      { upToSeconds: 30, bps: '0.00' },
      { upToSeconds: 300, bps: '2.50' },
    ],
    volatility: null,
  },
  // Twice the same hours: both go back.
  marketHours: [WINDOW, { ...WINDOW, bps: '6.00' }],
};

test('a pricing policy that nobody has touched goes back as it came', () => {
  const { lines, wrong, document } = premiums.changeOf(POLICY, premiums.NO_EDITS);
  assert.deepEqual([lines, wrong], [[], []]);
  assert.deepEqual(document, POLICY);
  takes('setPricingPolicy', document);
});

test('premiums and hours are set, taken away and added, and lengths stand in their order', () => {
  const step = premiums.STEPS.read({ upToSeconds: '60', bps: '1' }, undefined);
  const window = premiums.WINDOWS.read(
    { pair: 'EURUSD', zone: 'Europe/London', days: 'Fri sat', from: '21:00', to: '24:00', bps: '12' },
    undefined,
  );
  const { lines, wrong, document } = premiums.changeOf(POLICY, {
    settings: {
      ...{ method: 'volatility', multiplier: '0.4', windowSeconds: '900', minimumReturns: '60' },
      ...{ floorBps: '0', capBps: '25' },
    },
    steps: { '60': step, '300': null },
    windows: {
      [premiums.WINDOWS.keyOf(WINDOW)]: premiums.WINDOWS.read({ bps: '5' }, WINDOW),
      [premiums.WINDOWS.keyOf(window)]: window,
    },
    increments: { HUF: premiums.INCREMENTS.read({ currency: 'huf', increment: '1.00' }, undefined) },
  });
  assert.deepEqual(wrong, []);
  assert.deepEqual(document, {
    validityPremium: {
      method: 'volatility',
      table: [
        { upToSeconds: 30, bps: '0.00' },
        { upToSeconds: 60, bps: '1' },
      ],
      volatility: {
        ...{ multiplier: '0.4', windowSeconds: 900, minimumReturns: 60 },
        ...{ floorBps: '0.00', capBps: '25.00' },
      },
    },
    marketHours: [
      { ...WINDOW, bps: '5' },
      { ...WINDOW, bps: '6.00' },
      {
        ...{ pair: 'EURUSD', zone: 'Europe/London', days: ['fri', 'sat'] },
        ...{ from: '21:00', to: '24:00', bps: '12' },
      },
    ],
    settlementIncrements: [{ currency: 'HUF', increment: '1.00' }],
  });
  takes('setPricingPolicy', document);
  assert.deepEqual(told(lines).slice(0, 2), [
    'A longer promise costs: The table → Volatility',
    'Volatility: multiplier: not set → 0.4',
  ]);
  assert.deepEqual(told(lines).slice(-5), [
    'Firm for up to 300 s: 2.50 bps → none',
    'Firm for up to 60 s: none → 1 bps',
    'any pair, mon, tue 16:55 to 17:10 America/New_York: 4.00 bps → 5 bps',
    'EURUSD, fri, sat 21:00 to 24:00 Europe/London: none → 12 bps',
    'Amounts of HUF: none → multiples of 1.00',
  ]);
});

test('volatility takes all of its figures, and nothing is sent without', () => {
  for (const settings of [{ method: 'volatility' }, { multiplier: '0.4' }, { multiplier: '0' }]) {
    const { wrong, document } = premiums.changeOf(POLICY, { ...premiums.NO_EDITS, settings });
    assert.deepEqual([wrong.length, document], [1, undefined], JSON.stringify(settings));
  }
});

const RATE: swap.Rate = {
  ...{ currency: 'EUR', bid: '1.90', ask: '2.10', dayCount: 'ACT/360' },
  ...{ asOf: '2026-03-05', source: 'the desk' },
};
const SWAP: swap.Policy = {
  ...{ withoutPoints: 'refuse', worseSideBpsPerDay: null, pointsMaxAgeSeconds: 86_400 },
  ...{ ratesMaxAgeDays: 7, interestRates: [RATE] },
};

test('a swap point policy that nobody has touched goes back as it came, and a change is told in words', () => {
  const unchanged = swap.changeOf(SWAP, swap.NO_EDITS);
  assert.deepEqual([unchanged.lines, unchanged.document], [[], SWAP]);
  takes('setSwapPointPolicy', unchanged.document);
  const usd = { ...RATE, currency: 'USD', bid: '-0.10' };
  const { lines, document } = swap.changeOf(SWAP, {
    settings: { withoutPoints: 'worse_side', worseSideBpsPerDay: '1.5' },
    rates: { EUR: { ...RATE, ask: '2.20' }, USD: usd },
  });
  assert.deepEqual(document, {
    ...{ ...SWAP, withoutPoints: 'worse_side', worseSideBpsPerDay: '1.50' },
    interestRates: [{ ...RATE, ask: '2.20' }, usd],
  });
  takes('setSwapPointPolicy', document);
  const wider = swap.changeOf(SWAP, { ...swap.NO_EDITS, settings: { maxBpsPerDay: '60' } });
  assert.deepEqual(wider.document, { ...SWAP, maxBpsPerDay: '60.00' });
  takes('setSwapPointPolicy', wider.document);
  assert.deepEqual(told(lines), [
    'A date before spot without points is: Refused → Priced on the worse side',
    'The worse side, for each day: not set → 1.50 bps',
    'Interest rate of EUR: 1.90 / 2.10 %, ACT/360, 2026-03-05, the desk → 1.90 / 2.20 %, ACT/360, 2026-03-05, the desk',
    'Interest rate of USD: none → -0.10 / 2.10 %, ACT/360, 2026-03-05, the desk',
  ]);
});

test('the worse side needs its basis points', () => {
  const settings = { withoutPoints: 'worse_side' };
  const { wrong, document } = swap.changeOf(SWAP, { ...swap.NO_EDITS, settings });
  assert.deepEqual([wrong.length, document], [1, undefined]);
});

test('a version of a policy is told by what differs from the one before', () => {
  const next: premiums.Policy = {
    validityPremium: {
      ...POLICY.validityPremium,
      method: 'none',
      table: POLICY.validityPremium.table.slice(0, 1),
    },
    marketHours: [WINDOW, { ...WINDOW, pair: 'EURUSD' }],
  };
  const lines = told(premiums.linesOfVersion(POLICY, next));
  assert.equal(lines[0], 'A longer promise costs: The table → Nothing');
  assert.deepEqual(told(premiums.linesOfVersion(POLICY, POLICY)), []);
  assert.deepEqual(lines.slice(1), [
    'Firm for up to 300 s: 2.50 bps → none',
    'any pair, mon, tue 16:55 to 17:10 America/New_York: 6.00 bps → none',
    'EURUSD, mon, tue 16:55 to 17:10 America/New_York: none → 4.00 bps',
  ]);
});
