import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS } from '@firmquote/api';
import type { PairSettings } from '@firmquote/client/operator';
import { Compile } from 'typebox/schema';
import { changeOf, linesOfVersion, unchanged } from './settings.ts';

const SETTINGS: PairSettings = {
  ...{ pair: 'EURUSD', version: 1, enabled: false, stalenessMs: 5_000, composite: 'best', priority: [] },
  ...{ lockedPrices: 'accept', outlierBps: '100.00', jumpTicks: 3, jumpMs: 2_000, frozenMs: 30_000 },
  ...{ deviationBps: '50.00', agreementMs: 5_000, maxWidthBps: '50.00', bandBps: '300.00' },
  ...{ referenceBps: '1000.00', changedAt: null, changedBy: null, ownLimits: ['bandBps'] },
  classLimits: { maxWidthBps: '50.00', bandBps: '500.00', referenceBps: '1000.00' },
};

function takes(document: unknown): void {
  const body = Object.values(OPERATIONS).find(({ id }) => id === 'setPairSettings')?.body;
  assert.ok(body !== undefined && Compile(body).Check(document), JSON.stringify(document));
}

test('there is a row for each setting but whether the pair is quoted, and what nobody has touched goes back as it came', () => {
  const { rows, lines, document } = changeOf(SETTINGS, {});
  assert.deepEqual(lines, []);
  assert.deepEqual(document, unchanged(SETTINGS));
  const { enabled, ...settings } = unchanged(SETTINGS);
  const { maxWidthBps, referenceBps, ...shown } = SETTINGS;
  assert.deepEqual({ ...shown, ...settings, enabled }, shown, "what is its class's is not sent");
  assert.deepEqual(
    rows.map(({ key }) => key).sort(),
    Object.keys({ ...settings, maxWidthBps, referenceBps }).sort(),
  );
  takes(document);
});

test('a change is told in words, and comes to what the service takes', () => {
  const { lines, wrong, document } = changeOf(SETTINGS, {
    ...{ composite: 'priority', priority: 'push:desk-a , simulated', stalenessMs: '2000', frozenMs: '' },
    ...{ outlierBps: '', deviationBps: '7.5', bandBps: '', maxWidthBps: '50', referenceBps: '900' },
  });
  assert.deepEqual(wrong, []);
  const { bandBps: _, ...rest } = unchanged(SETTINGS);
  assert.deepEqual(document, {
    ...rest,
    ...{ composite: 'priority', priority: ['push:desk-a', 'simulated'], stalenessMs: 2_000 },
    ...{ frozenMs: null, outlierBps: null, deviationBps: '7.50', referenceBps: '900.00' },
  });
  takes(document);
  assert.deepEqual(
    lines.map(({ what, before, after }) => `${what}: ${before} → ${after}`),
    [
      'Price from: The best bid and ask of all sources → The first fresh source',
      'Sources, first choice first: by name → push:desk-a, simulated',
      'Oldest price that makes a firm quote: 5000 ms → 2000 ms',
      'Band around the last good price, and that of a minute ago: 300.00 bps → 500.00 bps, as its class',
      'Band around the reference rate: 1000.00 bps, as its class → 900.00 bps',
      'A price further from the last is held back: 100.00 bps → not checked',
      'A source that repeats one price for longer is frozen: 30000 ms → not checked',
      'Sources further apart halt the pair: 50.00 bps → 7.50 bps',
    ],
  );
});

test('what is not understood, or limits nothing, is told by its row, and nothing is sent', () => {
  for (const edits of [
    { stalenessMs: '' },
    { stalenessMs: '99' },
    { jumpTicks: '1' },
    { jumpMs: '2.5' },
    { frozenMs: '10' },
    { outlierBps: '0' },
    { deviationBps: '1.234' },
    { maxWidthBps: '5000.01' },
    { referenceBps: '0.00' },
    { priority: 'a, b, a' },
  ]) {
    const { wrong, lines, document } = changeOf(SETTINGS, edits);
    assert.deepEqual([wrong.length, lines.length, document], [1, 0, undefined], JSON.stringify(edits));
  }
});

test('a version is told by what differs from the one before, and whose a limit was', () => {
  const next: PairSettings = { ...SETTINGS, enabled: true, bandBps: '500.00', ownLimits: [], jumpTicks: 4 };
  assert.deepEqual(
    linesOfVersion(SETTINGS, next).map(({ what, before, after }) => `${what}: ${before} → ${after}`),
    [
      'The pair is: suspended → quoted',
      'Band around the last good price, and that of a minute ago: 300.00 bps → 500.00 bps, as its class',
      'Prices that agree until such a move is believed: 3 → 4',
    ],
  );
});
