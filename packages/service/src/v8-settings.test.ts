import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { test } from 'node:test';

/** Niceness by the name of the thread, of a process that serves. */
const PROGRAM = `
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

test('threads of V8 give way to the one that answers requests, and no other thread does', {
  skip: process.platform === 'linux' ? false : 'priorities of threads are those of Linux',
}, () => {
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  const threads = JSON.parse(printed) as [name: string, nice: number][];
  const [workers, others] = [true, false].map((isWorker) =>
    threads.filter(([name]) => (name === 'V8Worker') === isWorker).map(([, nice]) => nice),
  );
  assert.deepEqual(new Set(workers), new Set([19]));
  assert.ok(others?.length, 'there is the main thread at least');
  assert.deepEqual(new Set(others), new Set([getPriority()]), 'as the process was started');
});
