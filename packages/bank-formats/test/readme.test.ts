import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';

const PACKAGE = resolve(import.meta.dirname, '..');

test('the example of the README prints what it says', () => {
  const readme = readFileSync(resolve(PACKAGE, 'README.md'), 'utf8');
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const said = /^\/\/ (mt940 .*)$/m.exec(example)?.[1];
  const ran = spawnSync(process.execPath, ['--input-type=module-typescript', '-'], {
    cwd: PACKAGE,
    input: example,
    encoding: 'utf8',
  });
  assert.equal(ran.stderr, '');
  assert.equal(ran.stdout.trim(), said);
});
