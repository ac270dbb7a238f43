import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { folderForAnybody } from '@firmquote/embedded-postgres/testing';

const OPERATOR = join(import.meta.dirname, '../../src/operator.ts');
/** As a platform for containers gives one to each project. */
const NAMELESS = 1_000_650_000;

test('operators have their commands where the user of the machine has no name', (t) => {
  const as = { uid: NAMELESS, gid: NAMELESS, encoding: 'utf8' } as const;
  const reads = spawnSync(
    process.execPath,
    ['-e', `require('node:fs').readFileSync(process.argv[1])`, OPERATOR],
    as,
  );
  if (reads.status !== 0) {
    t.skip(`needs root, and a checkout that every user may read: ${reads.error?.message ?? reads.stderr}`);
    return;
  }
  const args = [OPERATOR, 'verify-archive', '--file', folderForAnybody(t)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { ...as, env: {} });
  assert.deepEqual(
    [stderr, stdout, status],
    ['', '{"ok":false,"fault":"manifest_missing","file":"manifest.json"}\n', 1],
  );
});
