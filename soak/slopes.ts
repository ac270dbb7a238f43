import { readFileSync } from 'node:fs';
import type { Report } from './report.ts';

/** Whether the service needs more memory, or more time, the longer it runs: a line through what was measured. */

export interface Point {
  readonly atMs: number;
  readonly value: number;
}

export interface Line {
  readonly perHour: number;
  /** Of the line, where what was measured begins and ends. */
  readonly first: number;
  readonly last: number;
  readonly points: number;
}

const HOUR_MS = 3_600_000;

/** The straight line with the smallest squares of distances. @returns undefined for fewer than two instants */
export function lineThrough(points: readonly Point[]): Line | undefined {
  const { length } = points;
  const meanAt = sum(points.map(({ atMs }) => atMs)) / length;
  const mean = sum(points.map(({ value }) => value)) / length;
  const spread = sum(points.map(({ atMs }) => (atMs - meanAt) ** 2));
  if (length < 2 || spread === 0) return undefined;
  const slope = sum(points.map(({ atMs, value }) => (atMs - meanAt) * (value - mean))) / spread;
  return lineOf(points, slope, (atMs) => mean + slope * (atMs - meanAt));
}

/**
 * The line whose slope is the middle one of all pairs (Theil and Sen): what answers take while a database is away, seconds instead of
 * milliseconds, does not turn it as long as it is rare.
 * @returns undefined for fewer than two instants
 */
export function steadyLine(points: readonly Point[]): Line | undefined {
  const slopes = points.flatMap((a, i) =>
    points.slice(i + 1).flatMap((b) => (a.atMs === b.atMs ? [] : [(b.value - a.value) / (b.atMs - a.atMs)])),
  );
  if (slopes.length === 0) return undefined;
  const slope = median(slopes);
  const start = median(points.map(({ atMs, value }) => value - slope * atMs));
  return lineOf(points, slope, (atMs) => start + slope * atMs);
}

function lineOf(points: readonly Point[], slope: number, on: (atMs: number) => number): Line {
  const at = points.map(({ atMs }) => atMs);
  return {
    perHour: slope * HOUR_MS,
    first: on(at.reduce((a, b) => Math.min(a, b))),
    last: on(at.reduce((a, b) => Math.max(a, b))),
    points: points.length,
  };
}

const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);

/** What a process that is warm may grow by: some megabytes come and go with its heap. */
export const GROWTH_MAX_MB_PER_HOUR = 48; // limit: Growth of an instance's resident memory in an hour of soak
/** An answer may take so much longer: a machine that does other work meanwhile differs from itself by more than a soak does. */
const SLOWER_MAX_MS_PER_HOUR = 20; // limit: Growth of the median time of an answer in an hour of soak
/** A line through less says more about the garbage collector than about the service. */
const JUDGED_MS = 15 * 60_000;
/** So long a process may fill its caches and compile what is hot, or a fifth of a shorter run. */
const WARM_UP_MS = 10 * 60_000;
const WARM_UP_SHARE = 0.2;
/** Latencies become a median of so long. */
const BUCKET_MS = 10_000;

interface Running {
  readonly name: string;
  readonly pid: number;
}

/** Memory of each process and the median time of its answers, over time. */
export class Slopes {
  readonly #memory = new Map<string, Point[]>();
  readonly #latencies = new Map<string, Map<number, number[]>>();
  readonly #now: () => number;
  readonly #began: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#began = now();
  }

  /** @param megabytes resident memory */
  remember({ name, pid }: Running, megabytes: number): void {
    add(this.#memory, `${name} (${pid})`, { atMs: this.#now(), value: megabytes });
  }

  /** @param name of the process that answered */
  answered(name: string, ms: number): void {
    const bucket = Math.floor(this.#now() / BUCKET_MS);
    let buckets = this.#latencies.get(name);
    if (buckets === undefined) {
      buckets = new Map();
      this.#latencies.set(name, buckets);
    }
    add(buckets, bucket, ms);
  }

  /** Lines of a table, and a violation for each process that grows, or gets slower, by more than it may. */
  judge(report: Report, maxMbPerHour: number): string[] {
    const now = this.#now();
    const warmUpMs = Math.min(WARM_UP_MS, (now - this.#began) * WARM_UP_SHARE);
    const rule = `no instance grows by more than ${maxMbPerHour} MB in an hour`;
    const exceptions: string[] = [];
    const rows: string[] = [];
    let judged = 0;
    for (const [name, points] of this.#memory) {
      // Each process warms up on its own: one that was killed has a successor.
      const born = points[0]?.atMs ?? now;
      const line = lineThrough(points.filter(({ atMs }) => atMs >= born + warmUpMs));
      if (line === undefined) continue;
      const isLong = now - born - warmUpMs >= JUDGED_MS;
      if (isLong) judged += 1;
      if (isLong && line.perHour > maxMbPerHour) exceptions.push(`${name}: ${text(line, 'MB')}`);
      rows.push(
        `  memory of ${name.padEnd(16)} ${text(line, 'MB')}${isLong ? '' : ' (too short to be judged)'}`,
      );
    }
    // A rule that nothing was held against does not hold.
    if (judged > 0) report.rule(rule, exceptions);
    return [...rows, ...this.#judgeAnswers(report, this.#began + warmUpMs, now)];
  }

  #judgeAnswers(report: Report, fromMs: number, now: number): string[] {
    const isLong = now - fromMs >= JUDGED_MS;
    const exceptions: string[] = [];
    const rows = [...this.#latencies].flatMap(([name, buckets]) => {
      const points = [...buckets].map(([bucket, times]) => ({
        atMs: bucket * BUCKET_MS,
        value: median(times),
      }));
      const line = steadyLine(points.filter(({ atMs }) => atMs >= fromMs));
      if (line === undefined) return [];
      if (line.perHour > SLOWER_MAX_MS_PER_HOUR) exceptions.push(`${name}: ${text(line, 'ms')}`);
      return [`  median answer of ${name.padEnd(9)} ${text(line, 'ms')}`];
    });
    if (isLong && rows.length > 0)
      report.rule(`no answers get slower by more than ${SLOWER_MAX_MS_PER_HOUR} ms in an hour`, exceptions);
    return rows;
  }
}

function add<Key, Value>(into: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = into.get(key);
  if (list === undefined) into.set(key, [value]);
  else list.push(value);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function text({ perHour, first, last, points }: Line, unit: string): string {
  const sign = perHour < 0 ? '' : '+';
  return `${sign}${perHour.toFixed(1)} ${unit}/hour, from ${first.toFixed(1)} to ${last.toFixed(1)} ${unit} (${points} points)`;
}

/** Resident memory in megabytes; undefined where the system does not tell, or the process is gone. */
export function residentMb(pid: number): number | undefined {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}
