import assert from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FILE_BYTES_MAX } from '@firmquote/bank-formats';
import { camt } from '../../../bank-formats/src/test-support.ts';
import { requireMode } from '../../src/database/mode.ts';
import { sandboxApis } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { runProgram, startService, temporaryFolder } from '../support/process.ts';

const COMMAND = join(import.meta.dirname, '../../src/import-statements.ts');

test('the command imports files, tells what became of each, and is right to be run again', async (t) => {
  const { url, pool } = await createTestDatabase();
  await requireMode(pool, 'sandbox');
  const folder = temporaryFolder(t);
  const environment = { DATABASE_URL: url, FIRMQUOTE_DATA_DIR: folder };
  const good = join(folder, 'good.xml');
  const bad = join(folder, 'bad.sta');
  writeFileSync(good, camt([{ amount: '5.00', reference: 'CMD-1' }]));
  writeFileSync(bad, ':20:S\n:25:1\n:60F:C260304EUR1,\n:62F:C260304EUR2,\n-\n');
  const first = await runProgram(t, environment, COMMAND, good, bad);
  assert.equal(first.code, 1, first.stderr);
  const lines = first.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map((line) => [line.name, line.outcome, line.newEntries, line.refusal?.reason, line.source]),
    [
      ['good.xml', 'accepted', 1, undefined, 'command'],
      ['bad.sta', 'refused', 0, 'balance_mismatch', 'command'],
    ],
  );
  const again = await runProgram(t, environment, COMMAND, good);
  assert.deepEqual([again.code, JSON.parse(again.stdout).outcome], [0, 'known']);
  assert.equal((await pool.query('select 1 from bank_entries')).rowCount, 1);
});

test('the command imports while a service runs on the data folder', async (t) => {
  const folder = temporaryFolder(t);
  const service = await startService(t, folder);
  const { operator } = await sandboxApis(service);
  const file = join(folder, 'credit.xml');
  writeFileSync(file, camt([{ amount: '5.00', reference: 'CMD-2' }]));
  const { code, stdout, stderr } = await runProgram(t, { FIRMQUOTE_DATA_DIR: folder }, COMMAND, file);
  assert.equal(code, 0, stderr);
  const { fileId } = JSON.parse(stdout);
  const { body } = await operator.expect(200, 'GET', `/v1/operator/statements/${fileId}`);
  assert.deepEqual([body.name, body.status, body.source], ['credit.xml', 'accepted', 'command']);

  // As for a user who may not reach the socket.
  const pid = join(folder, 'postgres', 'postmaster.pid');
  const content = readFileSync(pid, 'utf8');
  writeFileSync(pid, content.replaceAll(/^\/.*$/gm, '/nowhere'));
  const refused = await runProgram(t, { FIRMQUOTE_DATA_DIR: folder }, COMMAND, file);
  writeFileSync(pid, content);
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /^firmquote: A service is running on the data folder .* or send the file to the service: POST \/v1\/operator\/statements\?name=<file>\.\n$/,
  );
});

test('the command says how it is used', async (t) => {
  const help = await runProgram(t, {}, COMMAND, '--help');
  assert.deepEqual(
    [help.code, help.stdout.split('\n')[0]?.slice(0, 38)],
    [0, 'Usage: npm run import-statements -- [-'],
  );
  for (const wrong of [[], ['--format', 'pdf', 'x'], ['--colour', 'x']]) {
    const ended = await runProgram(t, { FIRMQUOTE_DATA_DIR: temporaryFolder(t) }, COMMAND, ...wrong);
    assert.equal(ended.code, 2, `${wrong.join(' ')}: ${ended.stderr}`);
    assert.match(ended.stderr, /^firmquote: .+ See --help\.\n$/m);
  }
});

test('the command imports nothing where one of its files cannot be read', async (t) => {
  const { url, pool } = await createTestDatabase();
  await requireMode(pool, 'sandbox');
  const folder = temporaryFolder(t);
  const good = join(folder, 'good.xml');
  writeFileSync(good, camt([{ amount: '5.00', reference: 'CMD-3' }]));
  const large = join(folder, 'large.xml');
  writeFileSync(large, '');
  truncateSync(large, FILE_BYTES_MAX + 1);
  for (const [other, why] of [
    [join(folder, 'none.xml'), /^firmquote: There is no file \S+none\.xml\. Nothing was imported\.\n$/],
    [folder, /^firmquote: \S+ is not a file\. Nothing was imported\.\n$/],
    [large, /^firmquote: \S+large\.xml: A statement file has at most \d+ MiB\. Nothing was imported\.\n$/],
  ] as const) {
    const environment = { DATABASE_URL: url, FIRMQUOTE_DATA_DIR: temporaryFolder(t) };
    const ended = await runProgram(t, environment, COMMAND, good, other);
    assert.deepEqual([ended.code, ended.stdout], [2, '']);
    assert.match(ended.stderr, why);
  }
  assert.equal((await pool.query('select 1 from bank_entries')).rowCount, 0);
});
