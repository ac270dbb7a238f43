import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { createKeys } from '../../src/keys/room.ts';
import { isoInstant, systemClock } from '../../src/platform/clock.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { createTestDatabase } from '../support/database.ts';
import {
  type Environment,
  runProgram,
  spawnProgram,
  startService,
  temporaryFolder,
  until,
} from '../support/process.ts';
import { silentLogger } from '../support/sandbox.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const OPERATOR = join(ROOT, 'packages/service/src/operator.ts');
const [LIST_AND_ROTATE = '', REVOKE = '', MAKE = '', REWRAP = ''] = [
  ...readFileSync(join(ROOT, 'docs/keys.md'), 'utf8').matchAll(
    /^ *```sh norun: a drill runs it\n([\s\S]*?)^ *```$/gm,
  ),
].map(([, block]) => block);
const SECRETS = 1_000;

test('the drill of docs/keys.md: rotation, compromise, another key-encryption key, and a lost one', async (t) => {
  const { url, pool } = await createTestDatabase();
  const folder = temporaryFolder(t);
  const file = (name: string) => join(folder, name);
  writeFileSync(file('key'), Buffer.alloc(32, 1).toString('base64'));
  const common = { DATABASE_URL: url, FIRMQUOTE_AUTH_URL: 'http://fx.example.com' };
  const old = { ...common, FIRMQUOTE_KEY_ENCRYPTION_KEY_FILE: file('key') };
  const both = {
    ...common,
    FIRMQUOTE_KEY_ENCRYPTION_KEY_COMMAND: `cat ${file('key.new')}`,
    FIRMQUOTE_KEY_ENCRYPTION_KEY_PREVIOUS_FILE: file('key'),
  };
  const anew = { ...common, FIRMQUOTE_KEY_ENCRYPTION_KEY_COMMAND: `cat ${file('key.new')}` };

  /** As a person types it, in the folder with the keys. */
  async function typed(block: string, settings: Environment) {
    const script = block.replaceAll('npm run --silent operator --', `"${process.execPath}" "${OPERATOR}"`);
    const env = { PATH: process.env.PATH ?? '', FIRMQUOTE_DATA_DIR: file('data'), ...settings };
    const child = spawn('sh', ['-ec', script], { cwd: folder, env });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (data) => (stdout += data));
    child.stderr.on('data', (data) => (stderr += data));
    const [code] = await once(child, 'close');
    return {
      code,
      stderr,
      lines: stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
    };
  }

  const one = await startService(t, file('data'), old);
  const sandbox = JSON.parse(readFileSync(file('data/sandbox.json'), 'utf8'));
  const newToken = async (service: { baseUrl: string }) => {
    const answer = await fetch(`${service.baseUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        audience: sandbox.audience,
        client_id: sandbox.customer.clientId,
        client_secret: sandbox.customer.clientSecret,
      }),
    });
    return ((await answer.json()) as { access_token: string }).access_token;
  };
  const status = async (service: { baseUrl: string }, token: string) =>
    (
      await fetch(`${service.baseUrl}/v1/customer/transactions`, {
        headers: { Authorization: `Bearer ${token}` },
      })
    ).status;
  const kidOf = (token: string) => decodeProtectedHeader(token).kid;

  // The clock of a process cannot be moved: what was published is.
  const aged = (days: number) =>
    pool.query(
      "update signing_keys set published_at = published_at - $1 * interval '1 day', activated_at = activated_at - $1 * interval '1 day'",
      [days],
    );
  const first = await newToken(one);
  await aged(1);
  const rotated = await typed(LIST_AND_ROTATE, old);
  assert.equal(rotated.code, 0, rotated.stderr);
  const [{ keys: listed }, { kid: second, state }] = rotated.lines;
  assert.deepEqual([listed.length, state], [4, 'active']);
  await until('the next key signs', async () => kidOf(await newToken(one)) === second);
  assert.equal(await status(one, first), 200, 'what was signed before is good');

  const stolen = await newToken(one);
  const revoked = await typed(REVOKE, old);
  assert.deepEqual(
    [revoked.code, revoked.lines[0]?.kid, revoked.lines[0]?.state],
    [0, second, 'revoked'],
    revoked.stderr,
  );
  await until('tokens of the revoked key are refused', async () => (await status(one, stolen)) === 401);
  assert.equal(await status(one, first), 200);
  assert.equal(await status(one, await newToken(one)), 200);

  const sealing = createKeys({
    ...{ pool, realClock: systemClock, logger: silentLogger },
    encryption: { current: Buffer.alloc(32, 1) },
    rotationDays: { tokens: 90, evidence: 365 },
  });
  const rows = await Promise.all(
    Array.from({ length: SECRETS }, async () => {
      const id = newUuid(systemClock.now());
      return {
        id,
        ...(await sealing.vault.seal(pool, Buffer.from('{}'), `webhook ${id}`, systemClock.now())),
      };
    }),
  );
  await pool.query(
    `insert into webhook_endpoints (id, url, sealed, sealed_under, created_at, updated_at, sequence)
     select n.id, 'https://x.example/', n.sealed, n.under, $4, $4, 0 from unnest($1::uuid[], $2::bytea[], $3::text[]) n (id, sealed, under)`,
    [
      rows.map(({ id }) => id),
      rows.map(({ sealed }) => sealed),
      rows.map(({ sealedUnder }) => sealedUnder),
      isoInstant(systemClock.now()),
    ],
  );
  assert.equal((await typed(MAKE, old)).code, 0);
  const other = await startService(t, file('data'), both);
  for (const service of [one, other]) assert.equal(await status(service, await newToken(other)), 200);
  const early = await typed(REWRAP, both);
  assert.equal(early.code, 2);
  assert.match(early.stderr, /1 running instances do not have the key [0-9a-f]{16}/);
  await one.end('SIGTERM');

  const killed = spawnProgram(t, [OPERATOR, 'rewrap-keys'], { FIRMQUOTE_DATA_DIR: file('data'), ...both });
  await until('a batch is done', async () => killed.output.stderr.includes('left'));
  killed.child.kill('SIGKILL');
  await killed.ended;
  const left = async () =>
    (await pool.query('select count(distinct sealed_under)::int as under from webhook_endpoints')).rows[0]
      .under;
  assert.equal(await left(), 2, 'in the middle');
  const refusal = await runProgram(t, { FIRMQUOTE_DATA_DIR: file('data'), FIRMQUOTE_PORT: '0', ...anew });
  assert.equal(refusal.code, 2);
  assert.match(
    refusal.stderr,
    /webhooks' secrets are encrypted under another key \([0-9a-f]{16}\).*KEY_PREVIOUS and run npm run operator -- rewrap-keys/,
  );
  assert.equal(await status(other, await newToken(other)), 200, 'nobody has noticed');
  const again = await typed(REWRAP, both);
  assert.deepEqual([again.code, again.lines[0]?.remaining], [0, 0], again.stderr);
  assert.equal(await left(), 1);
  await other.end('SIGTERM');
  const last = await startService(t, file('data'), anew);
  assert.equal(await status(last, first), 200);
  await last.end('SIGTERM');
  const lost = await runProgram(t, { FIRMQUOTE_DATA_DIR: file('data'), FIRMQUOTE_PORT: '0', ...old });
  assert.equal(lost.code, 2);
  assert.match(
    lost.stderr,
    /2 signing keys, 2 evidence keys, 1000 webhooks' secrets are encrypted under another key/,
  );
  for (const text of [early.stderr, again.stderr, refusal.stderr, lost.stderr, other.stdout()])
    assert.ok(!text.includes(readFileSync(file('key.new'), 'utf8').trim()), 'no key is told');
});
