import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Random } from './random.ts';
import { Report } from './report.ts';
import { lineThrough, residentMb, Slopes, steadyLine } from './slopes.ts';

const MINUTE = 60_000;

test('a line goes through what is measured, whatever lies around it', () => {
  const exact = lineThrough([0, 1, 2, 3].map((n) => ({ atMs: n * 30 * MINUTE, value: 100 + 6 * n })));
  assert.deepEqual(exact, { perHour: 12, first: 100, last: 118, points: 4 });
  const random = new Random(3);
  const noisy = Array.from({ length: 720 }, (_, n) => ({
    atMs: n * 5_000,
    value: 300 + n / 60 + random.between(-20, 20),
  }));
  const perHour = lineThrough(noisy)?.perHour ?? Number.NaN;
  assert.ok(Math.abs(perHour - 12) < 3, `${perHour} instead of 12`);
  assert.equal(lineThrough([{ atMs: 1, value: 1 }]), undefined);
  assert.equal(lineThrough([1, 2].map((value) => ({ atMs: 1, value }))), undefined);
});

test('answers that take seconds for a while do not turn the line of their medians', () => {
  const minutes = Array.from({ length: 60 }, (_, n) => n);
  const values = (n: number) => (n > 45 && n % 3 === 0 ? 8_000 : 5 + n / 10);
  const line = steadyLine(minutes.map((n) => ({ atMs: n * MINUTE, value: values(n) })));
  assert.ok(Math.abs((line?.perHour ?? Number.NaN) - 6) < 1, `${line?.perHour} instead of 6`);
  assert.equal(steadyLine([{ atMs: 1, value: 1 }]), undefined);
  assert.equal(steadyLine([1, 2].map((value) => ({ atMs: 1, value }))), undefined);
});

/** An hour of two instances, as if it had been measured. */
function hour(
  t: { after(work: () => void): void },
  mbAt: (minute: number) => number,
  msAt = (minute: number) => 4 + minute / 60,
) {
  const folder = mkdtempSync(join(tmpdir(), 'fq-slopes-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const report = new Report(join(folder, 'log'));
  let now = 7;
  const slopes = new Slopes(() => now);
  for (let minute = 0; minute < 60; minute++) {
    now = 7 + minute * MINUTE;
    slopes.remember({ name: 'one', pid: 11 }, mbAt(minute));
    // Killed every ten minutes: what its successor takes is no growth.
    slopes.remember({ name: 'two', pid: 20 + Math.floor(minute / 10) }, 150 + 10 * (minute % 10));
    for (const ms of [3, msAt(minute), 900]) slopes.answered('one', ms);
  }
  return { report, rows: slopes.judge(report, 48) };
}

test('a leak is found, and warming up or being killed is none', (t) => {
  const leak = hour(t, (minute) => 200 + minute);
  assert.deepEqual(leak.report.violations, ['no instance grows by more than 48 MB in an hour']);
  assert.match(
    leak.rows[0] ?? '',
    /memory of one \(11\)\s+\+60\.0 MB\/hour, from 210\.0 to 259\.0 MB \(50 points\)$/,
  );
  assert.match(leak.rows.at(-1) ?? '', /median answer of one\s+\+1\.0 ms\/hour/);
  const warm = hour(t, (minute) => (minute < 10 ? 200 + 20 * minute : 400 + (minute % 2)));
  assert.deepEqual(warm.report.violations, []);
  assert.ok(!warm.rows.some((row) => row.includes('two (21)')), 'it lived no longer than it may warm up');
});

test('answers that get slower and slower are found', (t) => {
  const { report, rows } = hour(
    t,
    () => 200,
    (minute) => 4 + minute,
  );
  assert.deepEqual(report.violations, ['no answers get slower by more than 20 ms in an hour']);
  assert.match(rows.at(-1) ?? '', /median answer of one\s+\+60\.0 ms\/hour/);
});

test('the memory of a process is what the system says', {
  skip: process.platform !== 'linux' && 'only Linux has /proc',
}, () => {
  const megabytes = residentMb(process.pid) ?? 0;
  assert.ok(megabytes > 20 && megabytes < 4_000, `${megabytes} MB`);
  assert.equal(residentMb(2 ** 30), undefined);
});
