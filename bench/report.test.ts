import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Growth } from './bytes.ts';
import type { Figures, Rows, Sample } from './measure.ts';
import { SHORT } from './options.ts';
import { cellsOf, isSound, reportLines } from './report.ts';

const sample = (perSecond: number, errors = 0): Sample => ({
  ...{ perSecond, errors, firstError: errors > 0 ? '500: no' : undefined, operations: perSecond },
  latency: { p50: 1, p95: 2, p99: 3 },
  cost: { server: 10, database: 20, load: 5 },
});

function figures(own: readonly Sample[], found: Partial<Rows> = {}): Figures {
  return {
    samples: new Map([
      [
        'quote',
        new Map([
          ['floor', [sample(100), sample(300), sample(200)]],
          ['many', own],
        ] as const),
      ],
    ]),
    open: [],
    payments: undefined,
    trades: new Growth(),
    memory: undefined,
    pgbench: { skipped: 'not here' },
    answered: { quotes: 5, transactions: 2 },
    found: { ...{ quotes: 5, transactions: 2, entries: 2, off: 0 }, ...found },
  };
}

test('ratios are taken round by round, and the middle one is told', () => {
  const lines = reportLines(figures([sample(50), sample(75), sample(150)]), SHORT);
  const [line] = cellsOf(lines.join('\n'));
  assert.deepEqual(line?.cells.slice(0, 6), ['firm quote', 'many', '75', '200', '0.50', '0.50']);
});

test('a figure does not count when an answer was wrong, nobody answered, or rows are missing, too many or unbalanced', () => {
  const good = [sample(50)];
  assert.equal(isSound(figures(good)), true);
  assert.equal(isSound(figures([sample(50, 1)])), false);
  assert.equal(isSound(figures([sample(0)])), false);
  for (const wrong of [{ quotes: 4 }, { quotes: 6 }, { transactions: 1 }, { entries: 3 }, { off: 1 }])
    assert.equal(isSound(figures(good, wrong)), false, JSON.stringify(wrong));
  assert.match(reportLines(figures(good, { quotes: 4 }), SHORT).join('\n'), /WRONG/);
});
