import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { createPool } from '../../packages/service/src/database/pool.ts';
import { type Api, QUOTE_BODY, sandboxApis } from '../../packages/service/test/support/api.ts';
import { assertNothingIsHalf } from '../../packages/service/test/support/audit.ts';
import {
  runProgram,
  startService,
  temporaryFolder,
  until,
} from '../../packages/service/test/support/process.ts';
import { executePath } from '../../packages/service/test/support/traffic.ts';
import { blocksOf } from '../../packages/site/src/snippet-blocks.ts';
import { ROOT } from '../test/kit.ts';
import { attempt, run } from './shell.ts';

/** What docs/operations/recovery.md says of a PostgreSQL of one's own is done as it stands there, on a real server. */

const PROGRAMS = '/usr/lib/postgresql/15/bin';
const NEEDED = ['initdb', 'pg_ctl', 'pg_basebackup', 'pg_verifybackup', 'pg_dump', 'pg_restore', 'createdb'];
const OPERATOR = join(ROOT, 'packages/service/src/operator.ts');
const missing = NEEDED.filter((name) => !existsSync(join(PROGRAMS, name)));
const user = process.getuid?.() === 0 ? accountOf('postgres') : undefined;
const skip =
  missing.length > 0
    ? `${PROGRAMS} lacks ${missing.join(', ')} (apt-get install postgresql-15)`
    : process.getuid?.() === 0 &&
      user === undefined &&
      'there is no user postgres, and PostgreSQL does not run as root';

function accountOf(name: string): { uid: number; gid: number } | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined
    ? undefined
    : { uid: Number.parseInt(uid, 10), gid: Number.parseInt(gid, 10) };
}

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
  skip,
}, async (t) => {
  assert.equal(BLOCKS.length, 5, 'each block of the page is run here');
  // Short, since the path of a socket may not be long; passable for the server's user.
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'fq-pitr-'));
  chmodSync(folder, 0o755);
  const place = (name: string): string => {
    const path = join(folder, name);
    mkdirSync(path, { mode: 0o700 });
    if (user !== undefined) chownSync(path, user.uid, user.gid);
    return path;
  };
  const own = place('own');
  const socket = place('s');
  chmodSync(socket, 0o755);
  const variables = {
    PGDATA: join(own, 'data'),
    ARCHIVE: place('archive'),
    BASE: join(own, 'base'),
    RECOVERED: join(own, 'recovered'),
    PGHOST: socket,
    PGUSER: 'firmquote',
    OWNER_URL: `postgres://firmquote@${encodeURIComponent(socket)}/firmquote`,
    PATH: `${PROGRAMS}:${process.env.PATH}`,
  };
  const inShell = (code: string, more: Readonly<Record<string, string>> = {}) =>
    run('bash', ['--norc', '-euo', 'pipefail', '-c', code], {
      cwd: own,
      env: { ...variables, ...more },
      ...user,
    });
  t.after(() => {
    for (const data of [variables.PGDATA, variables.RECOVERED]) {
      attempt(join(PROGRAMS, 'pg_ctl'), ['stop', '--pgdata', data, '--mode', 'immediate'], {
        ...user,
        cwd: own,
      });
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  inShell(
    'initdb --pgdata "$PGDATA" --username firmquote --auth trust --data-checksums --encoding UTF8 --no-locale',
  );
  // Nobody pulls the plug, so that nothing has to be on the disk.
  inShell(
    `cat >> "$PGDATA/postgresql.conf" <<END\nlisten_addresses = ''\nunix_socket_directories = '${socket}'\nfsync = off\nEND`,
  );
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

  service = await startService(t, dataDir, environment);
  ({ customer } = await sandboxApis(service));
  for (const id of [before, kept]) await customer.expect(200, 'GET', `/v1/customer/transactions/${id}`);
  await customer.expect(404, 'GET', `/v1/customer/transactions/${lost}`);
  const after = await trade(customer);
  await customer.expect(200, 'GET', `/v1/customer/transactions/${after}`);
  await service.end('SIGTERM');
});
