import assert from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { camt } from '../../../bank-formats/src/test-support.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createSandbox, type Sandbox, silentLogger } from '../../test/support/sandbox.ts';
import { inTransaction } from '../database/pool.ts';
import { enableSandboxBank } from '../sandbox/store.ts';
import { folderSweeps, StatementFolder } from './folder.ts';
import { lockImports } from './statement-store.ts';

let sandbox: Sandbox;
let folder: string;
let elapsedMs = 0;
const names = async (below: string) => (await readdir(join(folder, below))).sort();

before(async () => {
  const { pool } = await createTestDatabase({ connections: 8 });
  await enableSandboxBank(pool);
  sandbox = await createSandbox(pool);
  folder = await mkdtemp(join(tmpdir(), 'fq-statements-'));
  assert.equal((await folderSweeps(sandbox.desk, folder, silentLogger)).length, 1, 'makes its folders');
});
after(() => rm(folder, { recursive: true, force: true }));

const watch = () => new StatementFolder(sandbox.desk, folder, silentLogger, () => elapsedMs);
/** Looks, lets time pass, and looks again. */
async function settle(watched: StatementFolder): Promise<number> {
  await watched.run();
  elapsedMs += 10_000;
  return watched.run();
}

describe('the watched folder', () => {
  test('takes a file once it has stopped growing, and puts it aside with a report', async () => {
    const watched = watch();
    const file = camt([{ amount: '5.00', reference: 'FOLDER-1' }]);
    const path = join(folder, 'bank.xml');
    await writeFile(path, file.slice(0, 200));
    assert.equal(await watched.run(), 0);
    elapsedMs += 2_000;
    await appendFile(path, file.slice(200));
    assert.equal(await watched.run(), 0, 'it has grown');
    elapsedMs += 2_999;
    assert.equal(await watched.run(), 0, 'it may grow further');
    elapsedMs += 1;
    assert.equal(await watched.run(), 1);
    assert.deepEqual(await names('done'), ['bank.xml', 'bank.xml.report.json']);
    assert.equal(await readFile(join(folder, 'done', 'bank.xml'), 'utf8'), file);
    const report = JSON.parse(await readFile(join(folder, 'done', 'bank.xml.report.json'), 'utf8'));
    assert.deepEqual([report.outcome, report.source, report.newEntries], ['accepted', 'folder', 1]);
    assert.deepEqual(await names('processing'), []);
  });

  test('puts what is refused aside with the reason', async () => {
    await writeFile(join(folder, 'bad.sta'), ':20:S\n:25:1\n');
    assert.equal(await settle(watch()), 1);
    const report = JSON.parse(await readFile(join(folder, 'failed', 'bad.sta.report.json'), 'utf8'));
    assert.deepEqual(
      [report.outcome, report.refusal.reason, report.refusal.line],
      ['refused', 'statement_incomplete', 1],
    );
  });

  test('replaces nothing, and imports nothing twice', async () => {
    const file = camt([{ amount: '5.00', reference: 'FOLDER-1' }]);
    await writeFile(join(folder, 'bank.xml'), file);
    assert.equal(await settle(watch()), 1);
    assert.deepEqual(await names('done'), [
      '2-bank.xml',
      '2-bank.xml.report.json',
      'bank.xml',
      'bank.xml.report.json',
    ]);
    const report = JSON.parse(await readFile(join(folder, 'done', '2-bank.xml.report.json'), 'utf8'));
    assert.deepEqual([report.outcome, report.attempts], ['known', 2]);
  });

  test('leaves unfinished files, links and folders alone', async () => {
    const outside = join(folder, 'done', 'bank.xml');
    for (const name of ['.hidden.xml', 'a.xml.part', 'b.tmp', 'c.xml~'])
      await writeFile(join(folder, name), 'x');
    await symlink(outside, join(folder, 'link.xml'));
    await mkdir(join(folder, 'below.xml'));
    assert.equal(await settle(watch()), 0);
  });

  test('finishes what a process left behind, and two instances take a file once', async () => {
    await writeFile(
      join(folder, 'processing', 'left.xml'),
      camt([{ amount: '6.00', reference: 'FOLDER-2' }]),
    );
    assert.equal(await settle(watch()), 1);
    await writeFile(join(folder, 'both.xml'), camt([{ amount: '7.00', reference: 'FOLDER-3' }]));
    const [one, two] = [watch(), watch()];
    await Promise.all([one.run(), two.run()]);
    elapsedMs += 10_000;
    const taken = await Promise.all([one.run(), two.run()]);
    assert.equal(taken[0] + taken[1], 1);
    assert.ok((await names('done')).includes('both.xml.report.json'));
  });

  test('puts a file aside whose name leaves no room for that of its report, and holds up no other', async () => {
    const long = `${'a'.repeat(240)}.xml`;
    await writeFile(join(folder, long), camt([{ amount: '8.00', reference: 'FOLDER-4' }]));
    await writeFile(join(folder, 'z.xml'), camt([{ amount: '9.00', reference: 'FOLDER-5' }]));
    assert.equal(await settle(watch()), 2);
    assert.deepEqual(await names('processing'), []);
    const kept = (await names('done')).filter((name) => name.startsWith('aaa'));
    assert.deepEqual([kept.length, kept[1]], [2, `${kept[0]}.report.json`]);
    assert.ok(kept[0]?.endsWith('.xml'));
  });

  test('holds up no file for one that cannot be moved', async () => {
    // A folder has the name that the first report gets.
    await mkdir(join(folder, 'done', 'stuck.xml.report.json'));
    await writeFile(join(folder, 'stuck.xml'), camt([{ amount: '10.00', reference: 'FOLDER-6' }]));
    await writeFile(join(folder, 'waits.xml'), camt([{ amount: '11.00', reference: 'FOLDER-7' }]));
    assert.equal(await settle(watch()), 1);
    assert.ok((await names('done')).includes('waits.xml'));
    await rm(join(folder, 'done', 'stuck.xml.report.json'), { recursive: true });
    assert.equal(await settle(watch()), 1);
    assert.deepEqual(await names('processing'), []);
  });

  test('goes on to others however many cannot be moved, and the sweep fails so that operators see it', async () => {
    const stuck = Array.from({ length: 25 }, (_, i) => `a${i + 10}.xml`);
    for (const [i, name] of stuck.entries()) {
      await mkdir(join(folder, 'done', `${name}.report.json`));
      await writeFile(join(folder, 'processing', name), camt([{ amount: '1.00', reference: `STUCK-${i}` }]));
    }
    await writeFile(join(folder, 'processing', 'z1.xml'), camt([{ amount: '12.00', reference: 'FOLDER-8' }]));
    const watched = watch();
    assert.equal((await settle(watched)) + (await watched.run()), 1);
    assert.ok((await names('done')).includes('z1.xml'));
    const [sweep] = await folderSweeps(sandbox.desk, folder, silentLogger, () => elapsedMs);
    await sweep?.run();
    elapsedMs += 10_000;
    await assert.rejects(sweep?.run() ?? assert.fail(), /20 statement files could not be imported/);
    for (const name of stuck) await rm(join(folder, 'done', `${name}.report.json`), { recursive: true });
    await settle(watched);
    assert.deepEqual(await names('processing'), []);
  });

  test('takes files whose names are not UTF-8, under the name that they mean', async () => {
    const raw = Buffer.from('M\xe4rz.xml', 'latin1');
    const file = camt([{ amount: '13.00', reference: 'FOLDER-9' }]);
    await writeFile(Buffer.concat([Buffer.from(`${folder}/`), raw]), file);
    // The same name in UTF-8 is another file.
    await writeFile(join(folder, 'März.xml'), camt([{ amount: '14.00', reference: 'FOLDER-10' }]));
    const watched = watch();
    assert.equal((await settle(watched)) + (await watched.run()), 2);
    const taken = (await names('done')).filter((name) => name.includes('März') && !name.endsWith('.json'));
    assert.deepEqual(taken, ['2-März.xml', 'März.xml']);
    assert.deepEqual(await names('processing'), []);
  });

  test('takes a file that grows while it is imported as it was, and then as it is', async () => {
    const file = camt([{ amount: '15.00', reference: 'FOLDER-11' }]);
    await writeFile(join(folder, 'grows.xml'), file);
    const watched = watch();
    await watched.run();
    elapsedMs += 10_000;
    let running = Promise.resolve(0);
    await inTransaction(sandbox.desk.pool, async (connection) => {
      // It waits for another import meanwhile.
      await lockImports(connection);
      running = watched.run();
      await sleep(500);
      await appendFile(join(folder, 'processing', 'grows.xml'), '\n');
    });
    assert.equal(await running, 0, 'it is not done with');
    assert.equal(await settle(watched), 1);
    const { rows } = await sandbox.desk.pool.query(
      `select size_bytes::int, (select sum(length(bytes))::int from statement_file_parts p where p.file_id = f.id) as kept
       from statement_files f where name = 'grows.xml' order by size_bytes`,
    );
    assert.deepEqual(rows, [
      { size_bytes: file.length, kept: file.length },
      { size_bytes: file.length + 1, kept: file.length + 1 },
    ]);
    assert.deepEqual(await names('processing'), []);
  });

  test('must be there when the service starts', async () => {
    await assert.rejects(
      folderSweeps(sandbox.desk, join(folder, 'nowhere'), silentLogger),
      /FIRMQUOTE_STATEMENT_FOLDER/,
    );
    assert.deepEqual(await folderSweeps(sandbox.desk, undefined, silentLogger), []);
  });
});
