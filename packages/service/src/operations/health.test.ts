import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClockWatch } from '../database/clock-watch.ts';
import { checkReadiness } from './health.ts';

/** The parent of several processes ends one that leaves its questions unanswered for so long (`processes/questions.ts`), with a margin. */
const WAITED_FOR_MS = 3_000;

const never = () => new Promise<never>(() => undefined);

test('a database that is slow in all it does is told within the time that those who ask wait', async () => {
  const slow = async () => {
    await delay(1_800);
    return 0;
  };
  const before = performance.now();
  const { ready, checks } = await checkReadiness({
    clockWatch: { measure: slow } as unknown as ClockWatch,
    writes: never,
    missingMigrations: never,
    accepting: () => ({ ok: true, detail: 'yes' }),
  });
  const tookMs = performance.now() - before;
  assert.ok(tookMs < WAITED_FOR_MS, `it took ${Math.round(tookMs)} ms`);
  assert.equal(ready, false);
  assert.equal(checks.database.ok, true);
  assert.deepEqual(
    [checks.writes, checks.migrations],
    [
      { ok: false, detail: 'a small write takes too long' },
      { ok: false, detail: 'they cannot be read' },
    ],
  );
});
