import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { test } from 'node:test';

/** Niceness by the name of the thread, of a process that serves. */
const PRIORITIES = `
  import { readdirSync, readFileSync } from 'node:fs';
  import { setUpV8 } from './v8-settings.ts';
  setUpV8();
  const threads = readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync('/proc/self/task/' + thread + '/stat', 'latin1');
    const [name, fields] = [stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')), stat.slice(stat.lastIndexOf(')') + 2)];
    return [name, Number(fields.split(' ')[16])];
  });
  process.stdout.write(JSON.stringify(threads));
`;

/** What is left beside the heap, MB, after it was large once and goes on being used. */
const afterALoad = (giveBackAbove: number) => `
  import { constants, PerformanceObserver } from 'node:perf_hooks';
  import { setUpV8 } from './v8-settings.ts';
  setUpV8(200, ${giveBackAbove});
  const many = (count) => Array.from({ length: count }, (_, i) => ({ i, of: [i] }));
  let held = many(2_000_000);
  held = [];
  let collected = 0;
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collected++;
  }).observe({ entryTypes: ['gc'] });
  const began = performance.now();
  const goOn = () => {
    held = held.length > 200_000 ? [] : held.concat(many(20_000));
    if (collected < 10 || performance.now() - began < 1_500) { setImmediate(goOn); return; }
    const { rss, heapTotal, external } = process.memoryUsage();
    process.stdout.write(String((rss - heapTotal - external) / 1e6));
  };
  goOn();
`;

function printedBy(program: string, niceness = 0): unknown {
  const nice = niceness === 0 ? [] : ['nice', '-n', `${niceness}`];
  const [command = '', ...argv] = [
    ...nice,
    process.execPath,
    '--max-semi-space-size=16',
    '--input-type=module',
    '--eval',
    program,
  ];
  const options = { cwd: import.meta.dirname, encoding: 'utf8', timeout: 60_000 } as const;
  return JSON.parse(execFileSync(command, argv, options));
}

test('what the heap has left after a load is given back where it is much, though the process always has something to do', () => {
  const [kept, given] = [printedBy(afterALoad(10e9)), printedBy(afterALoad(0))] as [number, number];
  assert.ok(given < kept / 2, `${given} MB beside the heap, and ${kept} where that is not much`);
});

test('threads of V8 give way to the one that answers requests, and no other thread does, whatever priority the process has', {
  skip: process.platform === 'linux' ? false : 'priorities of threads are those of Linux',
}, () => {
  for (const niceness of [0, 5, 15]) {
    const own = Math.min(getPriority() + niceness, 19);
    const threads = printedBy(PRIORITIES, niceness) as [name: string, nice: number][];
    const [workers, others] = [true, false].map((isWorker) =>
      threads.filter(([name]) => (name === 'V8Worker') === isWorker).map(([, nice]) => nice),
    );
    assert.deepEqual(new Set(workers), new Set([Math.min(own + 10, 19)]));
    assert.ok(others?.length, 'there is the main thread at least');
    assert.deepEqual(new Set(others), new Set([own]), 'as the process was started');
  }
});
