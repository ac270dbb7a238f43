import assert from 'node:assert/strict';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packagedBinaries } from './binaries.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { query, startForTest, temporaryFolder } from './testing.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root: only root runs the database as another user';

test('root: the cluster belongs to an unprivileged user, the data folder does not', { skip }, async (t) => {
  const dataDir = join(temporaryFolder(t), 'data');
  const database = await startForTest(t, { dataDir });
  assert.notEqual(statSync(database.dataDir).uid, 0);
  assert.equal(statSync(database.dataDir).mode & 0o777, 0o700);
  assert.equal(statSync(dataDir).uid, 0);
  assert.equal(statSync(dataDir).mode & 0o022, 0);
});

test('root: a data folder and binaries that nobody else can reach', { skip }, async (t) => {
  const folder = temporaryFolder(t);
  const systemDirectory = join(folder, 'system');
  const closed = join(folder, 'closed');
  mkdirSync(closed, { mode: 0o700 });
  const packaged = packagedBinaries();
  cpSync(packaged.directory, join(closed, 'native'), { recursive: true, verbatimSymlinks: true });
  const options = {
    dataDir: join(closed, 'data'),
    systemDirectory,
    binaries: { ...packaged, directory: join(closed, 'native') },
  };
  const lines: string[] = [];
  const first = await startForTest(t, { ...options, log: (line) => lines.push(line) });
  assert.match(lines.join('\n'), /cannot reach .*closed\/data: the database is in .*system\//);
  assert.ok(first.dataDir.startsWith(systemDirectory));
  assert.equal(
    readFileSync(join(options.dataDir, 'postgres.location'), 'utf8').trim(),
    join(first.dataDir, '..'),
  );
  assert.equal(statSync(closed).mode & 0o777, 0o700);
  assert.equal(statSync(closed).uid, 0);
  await query(first.poolOptions, 'CREATE TABLE kept (n int)', 'INSERT INTO kept VALUES (5)');
  await assert.rejects(startEmbeddedPostgres(options), /Another Firmquote is running/);
  await first.stop();

  await t.test('is found again, also when the folder has moved', async (inner) => {
    const dataDir = join(closed, 'moved');
    renameSync(options.dataDir, dataDir);
    const moved = await startForTest(inner, { ...options, dataDir });
    assert.deepEqual(await query(moved.poolOptions, 'SELECT n FROM kept'), [{ n: 5 }]);
    await moved.stop();
    cpSync(dataDir, join(closed, 'copy'), { recursive: true });
    await assert.rejects(
      startEmbeddedPostgres({ ...options, dataDir: join(closed, 'copy') }),
      /is a copy of/,
    );
  });

  await t.test('is missed when it is gone, instead of replaced by an empty one', async () => {
    rmSync(first.dataDir, { recursive: true });
    const dataDir = join(closed, 'moved');
    await assert.rejects(
      startEmbeddedPostgres({ ...options, dataDir }),
      /is not there. Bring it back, or delete/,
    );
    assert.equal(existsSync(first.dataDir), false);
  });
});

test('root: a folder that becomes unreachable is named', { skip }, async (t) => {
  const parent = join(temporaryFolder(t), 'parent');
  const dataDir = join(parent, 'data');
  await (await startForTest(t, { dataDir })).stop();
  chmodSync(parent, 0o700);
  await assert.rejects(startEmbeddedPostgres({ dataDir }), /can no longer reach .*parent\/data/);
});
