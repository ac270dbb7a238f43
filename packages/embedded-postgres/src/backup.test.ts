import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { restoreBackup } from './backup.ts';

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'fq-backup-'));
  // Started by root, the files become another user's, who must be able to pass.
  chmodSync(folder, 0o711);
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A backup as far as putting it back goes, which starts no server. */
function backupWith(folder: string, contents: Readonly<Record<string, string>>): string {
  const files = Object.entries(contents).map(([path, text]) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    return { path, bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') };
  });
  const manifest = { format: 1, madeAt: '2026-03-04T12:00:00.000Z', postgres: '18', folders: ['fix'], files };
  writeFileSync(join(folder, 'backup.json'), JSON.stringify(manifest));
  return folder;
}

test('a restore that fails at any place can be repeated, and then has put back all of it', async (t) => {
  const backup = backupWith(folderOf(t), { 'postgres/PG_VERSION': '18\n', 'fix/lp1.seq': '7 8' });
  const dataDir = join(folderOf(t), 'data');
  mkdirSync(dataDir, { mode: 0o711 });
  // In the way of what lies beside the database.
  writeFileSync(join(dataDir, 'fix'), '');
  const restore = () => restoreBackup(backup, { dataDir, isChosen: true });
  await assert.rejects(restore(), { code: 'EEXIST' });
  assert.ok(!existsSync(join(dataDir, 'postgres')), 'the database comes last: where it is, all is');
  rmSync(join(dataDir, 'fix'));
  await restore();
  assert.equal(readFileSync(join(dataDir, 'fix/lp1.seq'), 'utf8'), '7 8');
  assert.equal(readFileSync(join(dataDir, 'postgres/PG_VERSION'), 'utf8'), '18\n');
  await assert.rejects(restore(), { name: 'BackupError', message: /holds a database already/ });
});
