import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeBackup, restoreBackup, verifyBackup } from './backup.ts';
import { folderForAnybody, query, startForTest } from './testing.ts';

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'fq-backup-'));
  // Started by root, the files become another user's, who must be able to pass.
  chmodSync(folder, 0o711);
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A backup as far as putting it back goes, which starts no server. */
function backupWith(folder: string, contents: Readonly<Record<string, string>>, postgres = '18'): string {
  const files = Object.entries(contents).map(([path, text]) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    return { path, bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') };
  });
  const manifest = { format: 1, madeAt: '2026-03-04T12:00:00.000Z', postgres, folders: ['fix'], files };
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

test('root puts a backup back as whoever has the data folder, who starts on it', {
  skip: process.getuid?.() === 0 ? false : 'needs root',
}, async (t) => {
  const backup = backupWith(folderOf(t), { 'postgres/PG_VERSION': '18\n', 'fix/lp1.seq': '7 8' });
  const dataDir = join(folderForAnybody(t), 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  execFileSync('chown', ['nobody:', dataDir]);
  await restoreBackup(backup, { dataDir });
  const { uid } = statSync(dataDir);
  assert.notEqual(uid, 0);
  const others = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter(
    (path) => statSync(join(dataDir, path)).uid !== uid,
  );
  assert.deepEqual(others, []);
  assert.equal(statSync(join(dataDir, 'postgres/PG_VERSION')).mode & 0o777, 0o600);
});

test('a backup of another PostgreSQL is not put where this one cannot serve it', async (t) => {
  const backup = backupWith(folderOf(t), { 'postgres/PG_VERSION': '17\n' }, '17');
  const dataDir = join(folderOf(t), 'data');
  await assert.rejects(restoreBackup(backup, { dataDir }), {
    name: 'BackupError',
    message: /was made by PostgreSQL 17, and this is PostgreSQL 18/,
  });
  assert.ok(!existsSync(dataDir), 'nothing was put back');
});

test('a backup of another form, or with a damaged list, is named as such', async (t) => {
  const folder = folderOf(t);
  for (const [list, message] of [
    ['{"format":2,"parts":[]}', /was made by another version\.$/],
    ['{}', /is no backup: it has no backup\.json, or a damaged one\.$/],
    ['null', /is no backup: it has no backup\.json, or a damaged one\.$/],
    ['{"format":1,"folders":[],"files":[null]}', /is no backup: it has no backup\.json, or a damaged one\.$/],
  ] as const) {
    writeFileSync(join(folder, 'backup.json'), list);
    await assert.rejects(verifyBackup(folder), { name: 'BackupError', message }, list);
  }
});

test('a backup has what was moved to another disk, and is none where it cannot have it', async (t) => {
  const [place, elsewhere] = [folderOf(t), folderOf(t)];
  const dataDir = join(place, 'data');
  const first = await startForTest(t, { dataDir, durable: true });
  await query(first.poolOptions, 'CREATE TABLE kept (n int)', 'INSERT INTO kept VALUES (42)');
  await first.stop();
  for (const name of ['base', 'pg_wal', 'pg_hba.conf']) {
    renameSync(join(first.dataDir, name), join(elsewhere, name));
    symlinkSync(join(elsewhere, name), join(first.dataDir, name));
  }
  const moved = await startForTest(t, { dataDir, durable: true });
  const server = moved.poolOptions;
  const folder = join(place, 'backup');
  await makeBackup({ server, dataDir, folder, now: 0 });

  for (const inside of ['postgres/backup', 'postgres/base/backup', 'fix/backup']) {
    const within = makeBackup({ server, dataDir, folder: join(dataDir, inside), now: 0 });
    await assert.rejects(within, { name: 'BackupError', message: /is within the database itself/ }, inside);
  }
  const tablespace = join(first.dataDir, 'pg_tblspc/16999');
  symlinkSync(elsewhere, tablespace);
  const other = { server, dataDir, folder: join(place, 'other'), now: 0 };
  await assert.rejects(makeBackup(other), { name: 'BackupError', message: /pg_tblspc\/16999/ });
  rmSync(tablespace);
  symlinkSync(join(elsewhere, 'gone'), join(first.dataDir, 'lost'));
  await assert.rejects(makeBackup(other), { name: 'BackupError', message: /lost/ });
  rmSync(join(first.dataDir, 'lost'));
  await moved.stop();
  rmSync(elsewhere, { recursive: true });

  const restored = join(folderOf(t), 'data');
  await restoreBackup(folder, { dataDir: restored });
  const again = await startForTest(t, { dataDir: restored });
  assert.deepEqual(await query(again.poolOptions, 'SELECT n FROM kept'), [{ n: 42 }]);
});
