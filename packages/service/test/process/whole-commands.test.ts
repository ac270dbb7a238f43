import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { requireMode } from '../../src/database/mode.ts';
import { createTestDatabase } from '../support/database.ts';
import { runProgram, temporaryFolder } from '../support/process.ts';

const OPERATOR = join(import.meta.dirname, '../../src/operator.ts');

test('a command that is refused in one part has done no part', async (t) => {
  const { url, pool } = await createTestDatabase();
  await requireMode(pool, 'sandbox');
  const folder = temporaryFolder(t);
  const run = (...args: string[]) =>
    runProgram(t, { DATABASE_URL: url, FIRMQUOTE_DATA_DIR: folder }, OPERATOR, ...args);
  const made = await run('create-client', '--name', 'Desk one', '--responsible', 'ada@example.com');
  assert.equal(made.code, 0, made.stderr);
  const { clientId } = JSON.parse(made.stdout);
  const clients = async () => JSON.parse((await run('list-clients')).stdout).clients;
  const before = await clients();

  const keys = join(folder, 'keys.json');
  writeFileSync(keys, JSON.stringify({ keys: [{ kty: 'RSA', n: 'AQAB', e: 'AQAB' }] }));
  const other = ['--client', clientId, '--name', 'Desk two', '--scopes', '', '--roles', 'finance'];
  const somebody = ['--responsible', 'ben@example.com'];
  for (const [command = '', ...args] of [
    ['update-client', ...other, '--addresses', 'nowhere'],
    ['update-client', ...other, '--addresses', '10.0.0.0/8', '--keys', keys],
    ['create-client', '--name', 'Desk three', '--scopes', 'operator:nothing', ...somebody],
    ['answer-for-client', '--client', clientId.replace(/.{5}$/, '00000'), ...somebody],
  ]) {
    const { code, stdout } = await run(command, ...args);
    assert.deepEqual([code, stdout], [2, ''], command);
  }
  assert.deepEqual(await clients(), before);
  const { rows: people } = await pool.query('select email from persons');
  assert.deepEqual(people, [{ email: 'ada@example.com' }]);

  const done = await run('update-client', ...other, '--addresses', '10.0.0.0/8');
  assert.equal(done.code, 0, done.stderr);
  const { name, roles, ipAllowList } = JSON.parse(done.stdout);
  assert.deepEqual([name, roles, ipAllowList], ['Desk two', ['finance'], ['10.0.0.0/8']]);
  const { rows } = await pool.query('select operation from audit_log order by number');
  assert.deepEqual(
    rows.map(({ operation }) => operation),
    ['command:create-client', 'command:update-client'],
    'each is one act',
  );
});
