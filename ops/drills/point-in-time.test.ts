import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createPool } from '../../packages/service/src/database/pool.ts';
import { type Api, QUOTE_BODY, sandboxApis } from '../../packages/service/test/support/api.ts';
import { assertNothingIsHalf } from '../../packages/service/test/support/audit.ts';
import {
  hledgerBalances,
  hledgerCheck,
  needsHledger,
  ownBalances,
} from '../../packages/service/test/support/hledger.ts';
import {
  runProgram,
  startService,
  temporaryFolder,
  until,
} from '../../packages/service/test/support/process.ts';
import { executePath } from '../../packages/service/test/support/traffic.ts';
import { blocksOf } from '../../packages/site/src/snippet-blocks.ts';
import { ROOT } from '../test/kit.ts';
import { configure, openCluster, skipWithoutPostgres } from './cluster.ts';

/** What docs/operations/recovery.md says of a PostgreSQL of one's own is done as it stands there, on a real server. */

const OPERATOR = join(ROOT, 'packages/service/src/operator.ts');

/** Blocks of the page, by what they do. */
const BLOCKS = blocksOf(readFileSync(join(ROOT, 'docs/operations/recovery.md'), 'utf8'))
  .filter(({ reason }) => reason === 'a drill runs it')
  .map(({ code }) => code);

function block(what: string): string {
  const found = BLOCKS.filter((code) => code.includes(what));
  assert.equal(found.length, 1, what);
  return found[0] ?? '';
}

async function trade(customer: Api): Promise<string> {
  const quote = await customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
  const { body } = await customer.expect(201, 'POST', executePath(quote));
  return body.transactionId;
}

test("a database of one's own goes back to a moment between two trades, with its books and seals whole", {
  skip: skipWithoutPostgres(),
}, async (t) => {
  assert.equal(BLOCKS.length, 5, 'each block of the page is run here');
  const cluster = openCluster(t);
  const copies = cluster.place('copies');
  const variables = {
    ARCHIVE: cluster.place('archive'),
    BASE: join(copies, 'base'),
    RECOVERED: join(copies, 'recovered'),
    PGUSER: 'firmquote',
    OWNER_URL: `postgres://firmquote@${encodeURIComponent(cluster.socket)}/firmquote`,
  };
  const inShell = (code: string, more: Readonly<Record<string, string>> = {}) =>
    cluster.shell(code, { ...variables, ...more });
  inShell(
    'initdb --pgdata "$PGDATA" --username firmquote --auth trust --data-checksums --encoding UTF8 --no-locale --no-sync',
  );
  configure(cluster);
  inShell('pg_ctl start --pgdata "$PGDATA" --log "$PGDATA/server.log" --wait');
  inShell('createdb firmquote');
  inShell(block('archive_mode = on'));

  const environment = { DATABASE_URL: variables.OWNER_URL };
  let service = await startService(t, temporaryFolder(t), environment);
  const { dataDir } = service;
  let { customer } = await sandboxApis(service);
  const before = await trade(customer);
  inShell(block('pg_basebackup'));
  const kept = await trade(customer);
  inShell(block('pg_dump'));
  const counted = inShell('psql -At -d firmquote_copy -c "select count(*) from transactions"');
  assert.equal(counted.trim(), '2', 'the copy has what was traded');

  const sql = (text: string) => inShell(`psql -At -d firmquote -c "${text}"`).trim();
  const moment = sql('select clock_timestamp()');
  const lost = await trade(customer);
  const last = sql('select pg_walfile_name(pg_switch_wal())');
  await until('the log in the archive', () => readdirSync(variables.ARCHIVE).includes(last));
  // The machine is gone, and all that is left is the base backup and the archive.
  service.child.kill('SIGKILL');
  await service.ended;
  inShell('pg_ctl stop --pgdata "$PGDATA" --mode immediate');

  inShell(block('recovery_target_time'), { MOMENT: moment });
  await until('the end of recovery', () => sql('select pg_is_in_recovery()') === 'f');
  const pool = createPool({ connection: variables.OWNER_URL, max: 1, onError: () => undefined });
  t.after(() => pool.end());
  await assertNothingIsHalf(pool);
  for (const command of block('operator -- verify').trim().split('\n')) {
    const [, words = ''] = /^npm run --silent operator -- (.+)$/.exec(command) ?? [];
    const args = words.replace('books.journal', join(dataDir, 'books.journal')).split(' ');
    const done = await runProgram(t, { ...environment, FIRMQUOTE_DATA_DIR: dataDir }, OPERATOR, ...args);
    assert.equal(done.code, 0, `${command}: ${done.stdout}${done.stderr}`);
  }
  const books = readFileSync(join(dataDir, 'books.journal'), 'utf8');
  assert.deepEqual(
    [before, kept, lost].map((id) => books.includes(id)),
    [true, true, false],
  );

  if (needsHledger.skip === undefined) {
    assert.equal(hledgerCheck(books).status, 0, 'hledger finds the books in order');
    assert.deepEqual(hledgerBalances(books), await ownBalances(pool));
  } else t.diagnostic(`SKIPPED: the books as hledger reads them, since ${needsHledger.skip}`);
  const inBooks = (...ids: readonly string[]) => ids.filter((id) => books.includes(id)).length;
  t.diagnostic(
    `of 2 trades before the moment ${inBooks(before, kept)} are there, of 1 after it ${inBooks(lost)}`,
  );

  service = await startService(t, dataDir, environment);
  ({ customer } = await sandboxApis(service));
  for (const id of [before, kept]) await customer.expect(200, 'GET', `/v1/customer/transactions/${id}`);
  await customer.expect(404, 'GET', `/v1/customer/transactions/${lost}`);
  const after = await trade(customer);
  await customer.expect(200, 'GET', `/v1/customer/transactions/${after}`);
  await service.end('SIGTERM');
});
