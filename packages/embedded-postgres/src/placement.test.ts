import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs, {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { accountOf } from './account.ts';
import { packagedBinaries } from './binaries.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { folderForAnybody, query, startForTest, temporaryFolder } from './testing.ts';

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
    // Nobody has chosen the folder.
    isChosen: false,
    systemDirectory,
    binaries: { ...packaged, directory: join(closed, 'native') },
  };
  const lines: string[] = [];
  const first = await startForTest(t, { ...options, log: (line) => lines.push(line) });
  assert.match(lines.join('\n'), /cannot reach .*closed\/data: the database is in .*system\//);
  // Who follows the advice finds the same books, see below.
  assert.ok(
    lines.join('\n').includes(`set FIRMQUOTE_DATA_DIR=${join(first.dataDir, '..')} to`),
    lines.join('\n'),
  );
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

  await t.test(
    'is not looked for elsewhere by who names the folder, who is told where it is',
    async (inner) => {
      const { message } = await startEmbeddedPostgres({ ...options, isChosen: true }).then(
        () => assert.fail('it started'),
        (error: Error) => error,
      );
      const home = join(first.dataDir, '..');
      assert.ok(
        message.includes(`lies in ${home}`) && message.includes(`Set FIRMQUOTE_DATA_DIR=${home},`),
        message,
      );
      const there = await startForTest(inner, { ...options, dataDir: home, isChosen: true });
      assert.deepEqual(await query(there.poolOptions, 'SELECT n FROM kept'), [{ n: 5 }]);
      await there.stop();
    },
  );

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

test('root: a folder that was named and cannot be reached is refused, with what to do', {
  skip,
}, async (t) => {
  const closed = join(temporaryFolder(t), 'closed');
  mkdirSync(closed, { mode: 0o700 });
  const dataDir = join(closed, 'data');
  await assert.rejects(
    startEmbeddedPostgres({ dataDir }),
    /^Error: The user 'firmquote', which runs the database, cannot reach \S+closed\/data\. Set FIRMQUOTE_DATA_DIR to a folder/,
  );
  assert.deepEqual(readdirSync(dataDir), [], 'nothing was begun, here or elsewhere');
});

test('root: the books belong to a user of their own, also when one of another database had them', {
  skip,
}, async (t) => {
  const dataDir = join(temporaryFolder(t), 'data');
  const first = await startForTest(t, { dataDir });
  const own = accountOf(statSync(first.dataDir).uid);
  assert.equal(own?.name, 'firmquote');
  await query(first.poolOptions, 'CREATE TABLE kept (n int)', 'INSERT INTO kept VALUES (6)');
  await first.stop();
  if (spawnSync('id', ['-u', 'postgres']).status !== 0) {
    t.diagnostic('there is no user postgres here to take a cluster from');
    return;
  }
  execFileSync('chown', ['-R', 'postgres:', first.dataDir]);
  const lines: string[] = [];
  const next = await startForTest(t, { dataDir, log: (line) => lines.push(line) });
  assert.deepEqual(lines, [
    "The database belonged to the user 'postgres' and belongs to 'firmquote' from now on.",
  ]);
  assert.equal(statSync(next.dataDir).uid, own?.uid);
  assert.deepEqual(await query(next.poolOptions, 'SELECT n FROM kept'), [{ n: 6 }]);
});

test('root: a cluster whose owner changes is whole after a start that was ended in the middle of that', {
  skip,
}, async (t) => {
  const dataDir = join(temporaryFolder(t), 'data');
  const first = await startForTest(t, { dataDir });
  await query(first.poolOptions, 'CREATE TABLE kept (n int)', 'INSERT INTO kept VALUES (7)');
  await first.stop();
  // As of another machine, where somebody else had this number.
  execFileSync('chown', ['-R', '54321:54321', first.dataDir]);
  const give = fs.lchownSync;
  let given = 0;
  t.mock.method(fs, 'lchownSync', (...args: Parameters<typeof give>) => {
    given += 1;
    if (given > 10) throw new Error('the end');
    give(...args);
  });
  syncBuiltinESMExports();
  await assert.rejects(startEmbeddedPostgres({ dataDir, durable: false }), /the end/);
  t.mock.restoreAll();
  syncBuiltinESMExports();
  const next = await startForTest(t, { dataDir });
  assert.deepEqual(await query(next.poolOptions, 'SELECT n FROM kept'), [{ n: 7 }]);
});

test('the folder and its lock are closed to other users, also a folder that was open', async (t) => {
  const dataDir = join(temporaryFolder(t), 'data');
  mkdirSync(dataDir, { mode: 0o755 });
  chmodSync(dataDir, 0o755);
  const database = await startForTest(t, { dataDir });
  const isRoot = process.getuid?.() === 0;
  // Root's database user passes through by its group.
  assert.equal(statSync(dataDir).mode & 0o777, isRoot ? 0o710 : 0o700);
  assert.equal(statSync(dataDir).gid, isRoot ? statSync(database.dataDir).gid : process.getgid?.());
  assert.equal(statSync(join(dataDir, 'postgres.lock')).mode & 0o777, 0o600);
});

test("root: what it makes in a folder of another user is that one's, who starts on it", {
  skip,
}, async (t) => {
  const dataDir = join(folderForAnybody(t), 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  // Of the system, and not the one that a database gets by itself.
  execFileSync('chown', ['nobody:', dataDir]);
  const nobody = statSync(dataDir).uid;
  await (await startForTest(t, { dataDir })).stop();
  const owners = readdirSync(dataDir).map((name) => [name, statSync(join(dataDir, name)).uid]);
  assert.deepEqual(owners.sort(), [
    ['postgres', nobody],
    ['postgres.lock', nobody],
    ['postgres.log', nobody],
  ]);
});
