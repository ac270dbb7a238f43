import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { requireMode } from '../../src/database/mode.ts';
import { createTestDatabase, ownerOf } from '../support/database.ts';
import { runProgram, temporaryFolder } from '../support/process.ts';

const OPERATOR = join(import.meta.dirname, '../../src/operator.ts');

test('a new secret is shown though the tokens could not be revoked, and it is said what is left to do', async (t) => {
  const { url, pool } = await createTestDatabase();
  await requireMode(pool, 'sandbox');
  const environment = { DATABASE_URL: url, FIRMQUOTE_DATA_DIR: temporaryFolder(t) };
  const run = (...args: string[]) => runProgram(t, environment, OPERATOR, ...args);
  const made = await run('create-client', '--name', 'Desk', '--responsible', 'ada@example.com');
  assert.equal(made.code, 0, made.stderr);
  const { clientId, clientSecret } = JSON.parse(made.stdout);
  await ownerOf(pool).query(`create function fault() returns trigger language plpgsql as $$
    begin raise exception 'a fault'; end $$`);
  await ownerOf(pool).query(
    'create trigger fault before insert on revoked_tokens for each row execute function fault()',
  );
  const { code, stdout, stderr } = await run('rotate-secret', '--client', clientId, '--revoke-tokens');
  assert.equal(code, 1);
  const shown = JSON.parse(stdout);
  assert.equal(shown.clientId, clientId);
  assert.notEqual(shown.clientSecret, clientSecret);
  const said = 'The new secret is in force, but the tokens are not revoked.';
  const line = stderr.split('\n').find((each) => each.startsWith('firmquote: '));
  assert.equal(line, `firmquote: ${said} Run revoke-tokens --client ${clientId}.`);
  await ownerOf(pool).query('drop trigger fault on revoked_tokens');
  const done = await run('rotate-secret', '--client', clientId, '--revoke-tokens');
  assert.equal(done.code, 0, done.stderr);
});
