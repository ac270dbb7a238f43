import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { restoreBackup, verifyBackup } from '@firmquote/embedded-postgres';
import { QUOTE_BODY, sandboxApis } from '../support/api.ts';
import { assertNothingIsHalf } from '../support/audit.ts';
import {
  embeddedPool,
  runProgram,
  type ServiceProcess,
  spawnProgram,
  startService,
  temporaryFolder,
  until,
} from '../support/process.ts';
import { executePath } from '../support/traffic.ts';

const PROGRAM = join(import.meta.dirname, '../../src/backup.ts');

function run(t: TestContext, dataDir: string, ...args: string[]) {
  return runProgram(t, { FIRMQUOTE_DATA_DIR: dataDir }, PROGRAM, ...args);
}

/** Trades until it is told to stop. @returns ids of transactions, in the order in which they were acknowledged */
function trading(service: ServiceProcess): { acknowledged: string[]; stop(): Promise<void> } {
  const acknowledged: string[] = [];
  let isOver = false;
  const work = sandboxApis(service).then(({ customer }) =>
    Promise.all(
      Array.from({ length: 2 }, async () => {
        while (!isOver) {
          const quote = await customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
          const trade = await customer.expect(201, 'POST', executePath(quote));
          acknowledged.push(trade.body.transactionId);
        }
      }),
    ),
  );
  return {
    acknowledged,
    async stop() {
      isOver = true;
      await work;
    },
  };
}

test('a backup of a service that trades has every trade that was acknowledged before it, and nothing half', async (t) => {
  const dataDir = temporaryFolder(t);
  const folder = join(temporaryFolder(t), 'backup');
  let service = await startService(t, dataDir);
  mkdirSync(join(dataDir, 'fix'), { recursive: true });
  writeFileSync(join(dataDir, 'fix/lp1.seq'), 'where the session stands');
  const trader = trading(service);
  await until('first trades', async () => trader.acknowledged.length > 5);
  const before = trader.acknowledged.length;
  const made = await run(t, dataDir, 'make', folder);
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /^Backed up to .*: \d+ files, \d+ MB\.\n$/);
  const during = trader.acknowledged.length - before;
  assert.ok(during > 0, 'trading went on meanwhile');
  await trader.stop();
  const known = trader.acknowledged.slice(0, before);
  await service.end('SIGTERM');

  const restored = join(temporaryFolder(t), 'data');
  const put = await run(t, restored, 'restore', folder);
  assert.equal(put.code, 0, put.stderr);
  assert.equal(readFileSync(join(restored, 'fix/lp1.seq'), 'utf8'), 'where the session stands');
  service = await startService(t, restored);
  const pool = embeddedPool(t, restored);
  const { customer } = await sandboxApis(service);
  for (const id of [known[0], known.at(-1)]) {
    await customer.expect(200, 'GET', `/v1/customer/transactions/${id}`);
  }
  const { rows } = await pool.query<{ count: number }>('select count(*)::int as count from transactions');
  const count = rows[0]?.count ?? 0;
  assert.ok(count >= before && count <= trader.acknowledged.length, `${count} trades, ${before} before`);
  await assertNothingIsHalf(pool);
  // It goes on from there.
  const quote = await customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
  await customer.expect(201, 'POST', executePath(quote));
  await pool.end();

  await isRefusedElsewhere(folder, dataDir, temporaryFolder(t));
  await isNoBackupWhenCutShort(t, dataDir);
});

/** @param folder of a backup, which is damaged here */
async function isRefusedElsewhere(folder: string, dataDir: string, empty: string): Promise<void> {
  await verifyBackup(folder);
  const refused = (dataFolder: string, from: string, message: RegExp) =>
    assert.rejects(restoreBackup(from, { dataDir: dataFolder }), { name: 'BackupError', message });
  await refused(dataDir, folder, /holds a database already/);
  await refused(empty, empty, /is no backup/);
  appendFileSync(join(folder, 'postgres/global/pg_control'), 'x');
  await refused(empty, folder, /^postgres\/global\/pg_control in .* is not what was backed up/);
  rmSync(join(folder, 'postgres/PG_VERSION'));
  await refused(empty, folder, /^postgres\/PG_VERSION is missing/);
  assert.ok(!existsSync(join(empty, 'postgres')), 'nothing was put back');
  const outside = { format: 1, folders: ['../x'], files: [] };
  writeFileSync(join(folder, 'backup.json'), JSON.stringify(outside));
  await refused(empty, folder, /names files outside of it/);
}

/** Of a database at rest, whose server is started for it. */
async function isNoBackupWhenCutShort(t: TestContext, dataDir: string): Promise<void> {
  const place = temporaryFolder(t);
  const folder = join(place, 'backup');
  const cutShort = async (signal: NodeJS.Signals) => {
    const { child, ended } = spawnProgram(t, [PROGRAM, 'make', folder], { FIRMQUOTE_DATA_DIR: dataDir });
    await until('the copy', async () => readdirSync(place).some((name) => name.includes('.partial-')));
    child.kill(signal);
    return ended;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const { code, stderr } = await cutShort(signal);
    assert.deepEqual(readdirSync(place), [], 'half a copy of the books is not left lying about');
    assert.deepEqual([code, stderr], [1, `firmquote: The backup was interrupted (${signal}).\n`]);
  }
  await cutShort('SIGKILL');
  assert.deepEqual(
    readdirSync(place).filter((name) => !name.includes('.partial-')),
    [],
  );
}

test('what makes no sense is told with one line, and changes nothing', async (t) => {
  const empty = temporaryFolder(t);
  const nothing = await run(t, empty, 'make', join(empty, 'backup'));
  assert.deepEqual([nothing.code, nothing.stderr], [2, `firmquote: ${empty} has no database.\n`]);
  const wrong = await run(t, empty, 'restore', '--verify', 'a');
  assert.deepEqual([wrong.code, wrong.stderr], [2, 'firmquote: --verify is for backup only. See --help.\n']);
  assert.deepEqual(readdirSync(empty), []);
});
