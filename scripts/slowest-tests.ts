// A reporter of Node's test runner: tells which test files and tests took longest, and keeps how long each file took.
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { readTimes, writeTimes } from './test-groups.ts';

const SHOWN = 10;

interface Timed {
  readonly name: string;
  readonly ms: number;
}

export default async function* slowestTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files: Timed[] = [];
  const tests: Timed[] = [];
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, nesting, file, line, details } = data;
    const ms = details.duration_ms;
    if (details.type !== 'suite') tests.push({ name: `${name} (${place(file)}:${line})`, ms });
    // Only groups of files have suites like this (test-group.ts).
    else if (nesting === 0 && name.endsWith('.test.ts')) files.push({ name, ms });
  }
  if (files.length > SHOWN) yield table('Slowest test files', files);
  if (tests.length > SHOWN) yield table('Slowest tests', tests);
  const path = process.env.FIRMQUOTE_TEST_TIMES;
  if (path === undefined) return;
  const now = Object.fromEntries(files.map(({ name, ms }) => [name, Math.round(ms)]));
  writeTimes(path, { ...readTimes(path), ...now });
}

function table(title: string, all: readonly Timed[]): string {
  const slowest = all.toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN);
  const lines = slowest.map(({ name, ms }) => `${(ms / 1_000).toFixed(1).padStart(6)} s  ${name}`);
  return `\n${title}\n${lines.join('\n')}\n`;
}

function place(file: string | undefined): string {
  return file === undefined ? '' : relative(process.cwd(), file);
}
