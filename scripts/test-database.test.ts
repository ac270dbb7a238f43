import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { openRunFolder } from './test-database.ts';

/** Names another place for temporary files until the test is over. */
function setTemporary(t: { after(work: () => void): void }, place: string | undefined): void {
  const { TMPDIR: before } = process.env;
  const set = (value: string | undefined): void => {
    if (value === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = value;
  };
  set(place);
  t.after(() => set(before));
}

test('the folder of a run is where TMPDIR says, can be passed by the database, and goes with the run', (t) => {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'fq-run-')));
  t.after(() => rmSync(parent, { recursive: true }));
  setTemporary(t, parent);
  const folder = openRunFolder();
  assert.equal(dirname(folder.path), parent);
  assert.equal(statSync(folder.path).mode & 0o777, 0o711);
  writeFileSync(join(folder.path, 'left'), '');
  folder.remove();
  assert.equal(existsSync(folder.path), false);
});

test('without TMPDIR it is in memory or on disk, and programs run there', (t) => {
  setTemporary(t, undefined);
  const folder = openRunFolder();
  t.after(() => folder.remove());
  assert.ok(['/dev/shm', realpathSync('/tmp')].includes(dirname(folder.path)), folder.path);
});

test('what a run left that was killed goes with the next one, and what lives stays', (t) => {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'fq-run-')));
  t.after(() => rmSync(parent, { recursive: true }));
  setTemporary(t, parent);
  const living = openRunFolder();
  // No process has this id: the highest that Linux gives is 2^22.
  const abandoned = join(parent, `firmquote-verify-${2 ** 22 + 1}-x`);
  writeFileSync(abandoned, '');
  openRunFolder().remove();
  assert.deepEqual([existsSync(abandoned), existsSync(living.path)], [false, true]);
});
