import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Admission, type WorkKind } from './admission.ts';

/** A second in which this much of a kind was done. */
function after(rates: Partial<Record<WorkKind, number>>): {
  admission: Admission;
  advance(ms: number): void;
} {
  let now = 5_000;
  const admission = new Admission(() => now);
  for (const [kind, rate] of Object.entries(rates) as [WorkKind, number][]) {
    for (let i = 0; i < rate; i++) {
      admission.begin(kind);
      admission.end(kind, true);
    }
  }
  return {
    admission,
    advance(ms) {
      now += ms;
    },
  };
}

/** How many are taken on when nothing gets done meanwhile. */
function taken(admission: Admission, kind: WorkKind): number {
  for (let count = 0; count < 100_000; count++) {
    if (admission.refusedFor(kind) > 0) return count;
    admission.begin(kind);
  }
  throw new Error('nothing was refused');
}

test('a burst is taken on whole, whatever was done before it', () => {
  assert.equal(taken(new Admission(), 'quote'), 256);
  assert.equal(taken(new Admission(), 'execution'), 1_024);
});

test('as much is taken on as is done in the time that it may wait', () => {
  assert.equal(taken(after({ quote: 5_000 }).admission, 'quote'), 1_000);
  assert.equal(taken(after({ execution: 5_000 }).admission, 'execution'), 5_000);
});

test('executions go last: quotes are refused while they wait, and not the other way round', () => {
  const { admission } = after({ quote: 2_000, execution: 2_000 });
  for (let i = 0; i < 400; i++) admission.begin('execution');
  assert.ok(admission.refusedFor('quote') > 0);
  assert.ok(admission.refusedFor('other') > 0);
  assert.equal(admission.refusedFor('execution'), 0);
  for (let i = 0; i < 100; i++) admission.end('execution', true);
  assert.equal(admission.refusedFor('quote'), 0);
});

test('what is refused or fails does not count as done, and gives its place back', () => {
  const { admission } = after({});
  for (let i = 0; i < 10_000; i++) {
    admission.begin('quote');
    admission.end('quote', false);
  }
  assert.equal(taken(admission, 'quote'), 256);
});

test('Retry-After is the time that what was refused would take', () => {
  const { admission, advance } = after({ quote: 1_000 });
  const seconds: number[] = [];
  taken(admission, 'quote');
  for (let i = 0; i < 4_000; i++) seconds.push(admission.refusedFor('quote'));
  assert.deepEqual([seconds[0], seconds[2_000], seconds.at(-1)], [1, 3, 5]);
  assert.equal(admission.refusals('quote'), 4_001);
  // A second later nobody has asked, and what is under way has been done.
  advance(1_000);
  assert.equal(admission.refusedFor('quote'), 30, 'nothing gets done any more');
  for (let i = 0; i < 200; i++) admission.end('quote', true);
  assert.equal(admission.refusedFor('quote'), 0);
});

test('the rate is that of the last second', () => {
  const { admission, advance } = after({ quote: 5_000 });
  advance(900);
  assert.equal(taken(admission, 'quote'), 1_000);
  advance(200);
  for (let i = 0; i < 700; i++) admission.end('quote', false);
  assert.ok(admission.refusedFor('quote') > 0, 'what was done a second ago is forgotten');
});
