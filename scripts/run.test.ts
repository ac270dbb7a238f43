import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';

const RUN = join(import.meta.dirname, 'run.mjs');

/** Names each signal, and all of them when none has come for a while. */
const COUNTING_PROGRAM = `
  const heard: string[] = [];
  let end: NodeJS.Timeout | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      heard.push(signal);
      console.log(signal);
      clearTimeout(end);
      end = setTimeout(() => { console.log('end after', ...heard); process.exit(7); }, 200);
    });
  }
  setInterval(() => {}, 60_000);
  console.log(process.pid);`;

interface Run {
  readonly wrapper: ChildProcess;
  readonly next: () => Promise<string>;
}

function run(t: TestContext, program: string, ...args: string[]): Run {
  const folder = mkdtempSync(join(tmpdir(), 'firmquote-run-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'program.ts');
  writeFileSync(file, program);
  const wrapper = spawn(process.execPath, [RUN, file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Not as a child of the npm that may be running the tests.
    env: { ...process.env, npm_lifecycle_event: undefined },
  });
  t.after(() => wrapper.kill('SIGKILL'));
  const lines = createInterface(wrapper.stdout)[Symbol.asyncIterator]();
  return { wrapper, next: async () => String((await lines.next()).value) };
}

test('arguments go in and the exit code comes out', async (t) => {
  const { wrapper, next } = run(
    t,
    'const words: string[] = process.argv.slice(2); console.log(words.join(" ")); process.exitCode = 3;',
    'one',
    'two',
  );
  assert.equal(await next(), 'one two');
  assert.deepEqual(await once(wrapper, 'exit'), [3, null]);
});

test('a signal that comes twice reaches the program once, and its end is waited for', async (t) => {
  const { wrapper, next } = run(t, COUNTING_PROGRAM);
  await next();
  wrapper.kill('SIGINT');
  assert.equal(await next(), 'SIGINT');
  wrapper.kill('SIGINT');
  assert.equal(await next(), 'end after SIGINT');
  assert.deepEqual(await once(wrapper, 'exit'), [7, null]);
});

test('each of the three signals is handed on', async (t) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const { wrapper, next } = run(t, COUNTING_PROGRAM);
    await next();
    wrapper.kill(signal);
    assert.equal(await next(), signal);
    assert.equal(await next(), `end after ${signal}`);
    assert.deepEqual(await once(wrapper, 'exit'), [7, null]);
  }
});

test('a program that a signal ends makes its wrapper end in the same way', async (t) => {
  const { wrapper, next } = run(t, 'console.log("up"); setInterval(() => {}, 60_000);');
  await next();
  wrapper.kill('SIGTERM');
  assert.deepEqual(await once(wrapper, 'exit'), [null, 'SIGTERM']);
});

test('the program ends properly when its wrapper is killed', async (t) => {
  const { wrapper, next } = run(t, COUNTING_PROGRAM);
  await next();
  wrapper.kill('SIGKILL');
  // The program itself holds the other end of the pipe, so this is its own last line.
  assert.equal(await next(), 'SIGTERM');
});
