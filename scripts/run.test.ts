import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { SERVICE_ENVIRONMENT, withServiceEnvironment } from './service-environment.mjs';

const RUN = join(import.meta.dirname, 'run.mjs');

/** Names each signal, and all of them when none has come for a while. */
const countingProgram = (quietMs: number) => `
  const heard: string[] = [];
  let end: NodeJS.Timeout | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      heard.push(signal);
      console.log(signal);
      clearTimeout(end);
      end = setTimeout(() => { console.log('end after', ...heard); process.exit(7); }, ${quietMs});
    });
  }
  setInterval(() => {}, 60_000);
  console.log(process.pid);`;
const COUNTING_PROGRAM = countingProgram(200);

interface Run {
  readonly wrapper: ChildProcess;
  readonly next: () => Promise<string>;
}

function programFile(t: TestContext, program: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'firmquote-run-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'program.ts');
  writeFileSync(file, program);
  return file;
}

/** Stands still once it has a child, for longer than the child takes to start, as a wrapper on a busy machine may. */
const SLOW_AFTER_SPAWN = `data:text/javascript,${encodeURIComponent(`
  import childProcess from 'node:child_process';
  import { syncBuiltinESMExports } from 'node:module';
  const { spawn } = childProcess;
  childProcess.spawn = (...words) => {
    const child = spawn(...words);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    return child;
  };
  syncBuiltinESMExports();`)}`;

interface Options {
  readonly args?: string[];
  readonly slowAfterSpawn?: boolean;
}

function run(t: TestContext, program: string, { args = [], slowAfterSpawn = false }: Options = {}): Run {
  const slow = slowAfterSpawn ? ['--import', SLOW_AFTER_SPAWN] : [];
  const wrapper = spawn(process.execPath, [...slow, RUN, programFile(t, program), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Not as a child of the npm that may be running the tests.
    env: { ...process.env, npm_lifecycle_event: undefined },
  });
  t.after(() => wrapper.kill('SIGKILL'));
  const lines = createInterface(wrapper.stdout)[Symbol.asyncIterator]();
  return { wrapper, next: async () => String((await lines.next()).value) };
}

function endIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended as it should.
  }
}

test('arguments go in and the exit code comes out', async (t) => {
  const { wrapper, next } = run(
    t,
    'const words: string[] = process.argv.slice(2); console.log(words.join(" ")); process.exitCode = 3;',
    { args: ['one', 'two'] },
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

test('a signal that comes as soon as there is a program reaches the program', async (t) => {
  const { wrapper, next } = run(t, COUNTING_PROGRAM, { slowAfterSpawn: true });
  await next();
  wrapper.kill('SIGINT');
  assert.equal(await next(), 'SIGINT');
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

test('an npm that ends is one reason to stop, and not one each second', async (t) => {
  // The shell between npm and its script: npm hands SIGTERM to it, it dies of that, and npm with it.
  const shell = spawn(
    '/bin/sh',
    ['-c', '"$@"; true', 'sh', process.execPath, RUN, programFile(t, countingProgram(2_500))],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, npm_lifecycle_event: 'start' },
    },
  );
  t.after(() => shell.kill('SIGKILL'));
  const lines = createInterface(shell.stdout)[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  const pid = Number.parseInt(await next(), 10);
  t.after(() => endIfAlive(pid));
  shell.kill('SIGTERM');
  assert.equal(await next(), 'SIGTERM');
  // Twice would be an order to end at once, in the middle of requests.
  assert.equal(await next(), 'end after SIGTERM');
});

test('the service has the same memory settings however it is started', () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
  const unit = read('ops/systemd/firmquote.service').split('\n');
  const image = read('ops/container/Containerfile');
  for (const [name, value] of Object.entries(SERVICE_ENVIRONMENT)) {
    assert.ok(unit.includes(`Environment=${name}=${value}`), `the unit sets ${name}`);
    assert.match(image, new RegExp(`^(ENV|  ) ?${name}=${value} \\\\$`, 'm'));
  }
  assert.deepEqual(withServiceEnvironment({ HOME: '/h', MALLOC_ARENA_MAX: '4' }), {
    ...SERVICE_ENVIRONMENT,
    HOME: '/h',
    MALLOC_ARENA_MAX: '4',
  });
  const own = withServiceEnvironment({ NODE_OPTIONS: '--max-semi-space-size=64' });
  assert.equal(own.NODE_OPTIONS, `${SERVICE_ENVIRONMENT.NODE_OPTIONS} --max-semi-space-size=64`);
});

test('young objects take 32 MB, also when they live on', () => {
  // The level, not the peak: while a collection waits for work on other threads, V8 goes over its limit for a moment.
  const program = `
    const { getHeapSpaceStatistics } = require('node:v8');
    const sizes = [];
    let kept = [];
    for (let i = 0; i < 4_000_000; i++) {
      if (kept.push({ i: [i] }) === 400_000) kept = [];
      if (i % 50_000 !== 0) continue;
      sizes.push(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size);
    }
    console.log(sizes.sort((a, b) => a - b)[sizes.length / 2] / 2 ** 20);`;
  const level = (environment: NodeJS.ProcessEnv) =>
    Number(spawnSync(process.execPath, ['-e', program], { env: environment, encoding: 'utf8' }).stdout);
  const ours = level(withServiceEnvironment({}));
  assert.ok(ours > 0 && ours <= 32, `${ours} MB`);
  assert.ok(level({}) > 32, 'it is there for a reason');
});
