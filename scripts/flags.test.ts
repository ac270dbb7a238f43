import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { readFlags } from './flags.ts';

const refuse = (message: string): never => assert.fail(message);
const read = (...args: string[]) =>
  readFlags({ usage: 'npm run x', values: ['count', 'file'], switches: ['steady'] }, { args, refuse });

test('flags have values, or are there', () => {
  const flags = read('--steady', '--count', '12.5', '--file=a b');
  assert.equal(flags.has('steady'), true);
  assert.equal(flags.text('file'), 'a b');
  assert.equal(flags.number('count', 1, 0, 20, 2), 12.5);
  const none = read();
  assert.deepEqual(
    [none.has('steady'), none.text('file'), none.number('count', 7, 1, 9)],
    [false, undefined, 7],
  );
});

test('what is not known, or has a wrong value, is refused', () => {
  assert.throws(() => read('--fast'), { message: 'There is no option --fast.' });
  for (const wrong of ['0', '11', '-1', '1.5', '1e1', '', 'many'])
    assert.throws(() => read(`--count=${wrong}`).number('count', 1, 1, 10), {
      message: '--count takes a whole number from 1 to 10.',
    });
  assert.throws(() => read('--file', 'here').folder('file', '/'), {
    message: '--file takes an absolute path.',
  });
});

test('commands say so in a line, and how they are called, and end with 2', () => {
  const ROOT = resolve(import.meta.dirname, '..');
  for (const [file, flag, line] of [
    ['bench/main.ts', '--fast', 'There is no option --fast.'],
    ['bench/main.ts', '--rounds=0', '--rounds takes a whole number from 1 to 20'],
    ['bench/growth.ts', '--trades=1', '--trades takes a whole number from '],
    ['bench/history.ts', '--folder=here', '--folder takes an absolute path'],
    ['bench/stream.ts', '--readers=0', '--readers takes a whole number from '],
    ['bench/attack.ts', '--second=3', 'There is no option --second.'],
    ['bench/trade-bytes.ts', '--trades=x', '--trades takes a whole number from '],
    ['soak/main.ts', '--minuts=60', 'There is no option --minuts.'],
    ['simulator/main.ts', '--steps=none', '--steps takes a whole number from '],
  ] as const) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, file), flag], {
      encoding: 'utf8',
    });
    assert.deepEqual([status, stdout], [2, ''], file);
    assert.ok(stderr.startsWith(line), `${file}: ${stderr}`);
    assert.match(stderr, /^.+\nnpm run [a-z:]+ \[-- .+\n$/, file);
  }
});
