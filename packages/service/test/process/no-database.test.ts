import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sealLog } from '../../src/audit/seal.ts';
import { auditLines } from '../../src/audit/sealed-log.ts';
import { requireMode } from '../../src/database/mode.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createTestDatabase } from '../support/database.ts';
import { type Environment, runProgram, temporaryFolder } from '../support/process.ts';

/** A mistyped folder or address must not look like books in which all is well. */

const OPERATOR = join(import.meta.dirname, '../../src/operator.ts');
const IMPORT = join(import.meta.dirname, '../../src/import-statements.ts');
const COMMANDS: readonly (readonly [program: string, ...args: string[]])[] = [
  [OPERATOR, 'verify'],
  [OPERATOR, 'list-clients'],
  [OPERATOR, 'list-keys'],
  [OPERATOR, 'rewrap-keys'],
  [OPERATOR, 'export', '--format', 'hledger'],
  [OPERATOR, 'archive-year', '--year', '2025', '--output', '/nowhere/2025'],
  [IMPORT, join(import.meta.dirname, 'no-database.test.ts')],
];

test('a command on books that there are not refuses, and makes none', async (t) => {
  const folder = temporaryFolder(t);
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  for (const [program, ...args] of COMMANDS) {
    for (const dataDir of [empty, join(folder, 'mistyped')]) {
      const environment = { FIRMQUOTE_DATA_DIR: dataDir };
      const { code, stdout, stderr } = await runProgram(t, environment, program, ...args);
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' }, args[0]);
      assert.equal(
        stderr,
        `firmquote: FIRMQUOTE_DATA_DIR: there is no database in ${dataDir}. The first start of the service makes it.\n`,
      );
    }
  }
  assert.deepEqual(readdirSync(empty), []);
  assert.ok(!existsSync(join(folder, 'mistyped')));
});

test('a command on a database that no service has started on refuses, and does not say whose it is', async (t) => {
  const { url, pool } = await createTestDatabase();
  const environment: Environment = { DATABASE_URL: url, FIRMQUOTE_DATA_DIR: temporaryFolder(t) };
  for (const [program, ...args] of COMMANDS) {
    const { code, stdout, stderr } = await runProgram(t, environment, program, ...args);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' }, args[0]);
    assert.match(stderr, /^firmquote: No service has started on this database yet\. /m);
  }
  const { rowCount } = await pool.query('select from database_mode');
  assert.equal(rowCount, 0);
});

test('a check says how many rows it has verified, so that one of nothing does not look like a good one', async (t) => {
  const { url, pool } = await createTestDatabase();
  await requireMode(pool, 'sandbox');
  const environment: Environment = { DATABASE_URL: url, FIRMQUOTE_DATA_DIR: temporaryFolder(t) };
  const verify = async () => JSON.parse((await runProgram(t, environment, OPERATOR, 'verify')).stdout);
  assert.deepEqual(await verify(), { ok: true, rows: { audit: 0, journal: 0 } });
  const invite = ['invite-person', '--email', 'ada@example.com', '--roles', 'administrator'];
  const invited = await runProgram(t, environment, OPERATOR, ...invite);
  assert.equal(invited.code, 0, invited.stderr);
  // What is as young as this may not be sealed yet.
  const realClock = { now: () => systemClock.now() + 10_000 };
  assert.equal(await sealLog({ pool, clock: realClock, realClock }, auditLines(realClock.now)), 1);
  assert.deepEqual(await verify(), { ok: true, rows: { audit: 1, journal: 0 } });
});

test('evidence that cannot be read is not evidence that is wrong: another exit code, and one line', async (t) => {
  const folder = temporaryFolder(t);
  const [log, missing, keys] = [
    join(folder, 'log.ndjson'),
    join(folder, 'mistyped'),
    join(folder, 'keys.json'),
  ];
  writeFileSync(log, '{"head":{}}\n');
  writeFileSync(keys, 'null');
  for (const [line, ...args] of [
    [
      /^firmquote: --file: .*mistyped cannot be read \(ENOENT\)\. See --help\.\n$/,
      'verify',
      '--file',
      missing,
    ],
    [/^firmquote: --file must be a file\./, 'verify', '--file', folder],
    [/^firmquote: --keys: .*mistyped/, 'verify', '--file', log, '--keys', missing],
    [/^firmquote: --keys must be a file with a JSON Web Key Set/, 'verify', '--file', log, '--keys', keys],
    [/^firmquote: --file: .*mistyped cannot be read \(ENOENT\)\./, 'verify-archive', '--file', missing],
    [/^firmquote: --file must be a folder\./, 'verify-archive', '--file', log],
    [/^firmquote: --keys: .*mistyped/, 'verify-archive', '--file', folder, '--keys', missing],
  ] as const) {
    const { code, stdout, stderr } = await runProgram(t, {}, OPERATOR, ...args);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' }, `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, line);
  }
  const wrong = await runProgram(t, {}, OPERATOR, 'verify', '--file', log);
  assert.deepEqual([wrong.code, JSON.parse(wrong.stdout).ok], [1, false]);
  // A port that nobody listens on: below those that systems give away.
  const away: Environment = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/books' };
  const unread = await runProgram(t, away, OPERATOR, 'verify');
  assert.deepEqual([unread.code, unread.stdout], [2, '']);
  assert.match(unread.stderr, /^firmquote: DATABASE_URL cannot be used: .*ECONNREFUSED.*\n$/);
  const listed = await runProgram(t, away, OPERATOR, 'list-clients');
  assert.equal(listed.code, 1, 'where there is nothing to prove, a supervisor may try again');
});
