import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { pino } from 'pino';
import { createTestDatabase } from '../../test/support/database.ts';
import { customerClient, probe, startServer, tokenFor } from '../authorization/test-support.ts';
import type { Pool } from '../database/pool.ts';
import { VirtualClock } from '../platform/clock.ts';
import { decrypt, encrypt, keyFingerprint } from './key-encryption.ts';
import { createKeys } from './room.ts';
import type { SigningKeys } from './signing-keys.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const { pool } = await createTestDatabase();
const logger = pino({ level: 'silent' });

interface Given {
  readonly pool: Pool;
  readonly realClock: VirtualClock;
  readonly days?: number;
  readonly keyEncryptionKey?: Buffer | undefined;
}

/** An instance's keys of tokens. */
function newKeys({ pool, realClock, days = 90, keyEncryptionKey }: Given): SigningKeys {
  return createKeys({
    ...{ pool, realClock, logger },
    encryption: { current: keyEncryptionKey },
    rotationDays: { tokens: days, evidence: 365 },
  }).tokens;
}

const kids = async (keys: SigningKeys) => (await keys.jwks()).keys.map((key) => String(key.kid));

test('the next key is published before it signs, a retired one until its tokens have expired', async () => {
  const server = await startServer(pool);
  const signingKeys = server.keys.tokens;
  const client = await customerClient(server);
  const first = await tokenFor(server, client);
  const [activeKid, nextKid] = [(await signingKeys.signer()).kid, (await kids(signingKeys))[1]];
  assert.deepEqual(new Set(await kids(signingKeys)), new Set([activeKid, nextKid]));

  await assert.rejects(signingKeys.rotate('a test'), /has been published for less than an hour/);
  server.realClock.advance(HOUR_MS);
  const second = await startServer(pool, { issuer: () => server.url, audience: () => server.url });
  await signingKeys.rotate('a test');

  assert.equal(decodeProtectedHeader(first).kid, activeKid);
  const rotated = await tokenFor(server, client);
  assert.ok((await kids(signingKeys)).includes(String(decodeProtectedHeader(rotated).kid)));
  assert.notEqual(decodeProtectedHeader(rotated).kid, activeKid);
  assert.equal((await kids(signingKeys)).length, 3, 'retired, active, next');
  assert.equal((await probe(server, first)).status, 200, 'old tokens live on');
  assert.equal((await probe(second, rotated)).status, 200, 'the other instance knew the next key already');

  const { rows } = await pool.query<{ gone: boolean }>(
    "select encrypted_private_key is null as gone from signing_keys where state = 'retired'",
  );
  assert.deepEqual(rows, [{ gone: true }]);

  server.realClock.advance(25 * HOUR_MS);
  await signingKeys.refresh();
  assert.equal((await kids(signingKeys)).length, 2);
  assert.ok(!(await kids(signingKeys)).includes(activeKid));
});

test('a key rotates by age, once, however many instances see that it is due', async () => {
  const { pool: own } = await createTestDatabase();
  const realClock = new VirtualClock();
  const instances = Array.from({ length: 3 }, () => newKeys({ pool: own, realClock, days: 30 }));
  await Promise.all(instances.map((keys) => keys.refresh()));
  const before = await Promise.all(instances.map(async (keys) => (await keys.signer()).kid));
  assert.equal(new Set(before).size, 1, 'instances that start together make one key');
  realClock.advance(29 * DAY_MS);
  await Promise.all(instances.map((keys) => keys.refresh()));
  assert.equal((await instances[0]?.signer())?.kid, before[0]);
  realClock.advance(DAY_MS);
  await Promise.all(instances.map((keys) => keys.refresh()));
  const after = await Promise.all(instances.map(async (keys) => (await keys.signer()).kid));
  assert.equal(new Set(after).size, 1);
  assert.notEqual(after[0], before[0]);
  const { rows } = await own.query('select state from signing_keys order by state');
  assert.deepEqual(rows, [{ state: 'active' }, { state: 'next' }, { state: 'retired' }]);
});

test('an instance that meets an unknown kid looks for new keys, at most every five seconds', async () => {
  const { pool: own } = await createTestDatabase();
  const realClock = new VirtualClock();
  const keys = newKeys({ pool: own, realClock });
  await keys.refresh();
  const other = newKeys({ pool: own, realClock });
  realClock.advance(HOUR_MS);
  await keys.refresh();
  await other.rotate('a test');
  const newest = (await kids(other)).at(-1) ?? '';
  assert.equal(await keys.verificationKey(newest), undefined, 'asked too early');
  realClock.advance(5_000);
  assert.ok(await keys.verificationKey(newest));
  assert.equal(await keys.verificationKey('unheard-of'), undefined);
});

test('private keys are encrypted under the key given, and useless without it', async () => {
  const { pool: own } = await createTestDatabase();
  const keyEncryptionKey = randomBytes(32);
  const realClock = new VirtualClock();
  await newKeys({ pool: own, realClock, keyEncryptionKey }).refresh();
  const again = newKeys({ pool: own, realClock, keyEncryptionKey });
  assert.ok((await again.signer()).kid);
  const { rows } = await own.query<{ kid: string; encrypted_private_key: Buffer; public_jwk: object }>(
    'select kid, encrypted_private_key, public_jwk from signing_keys',
  );
  for (const row of rows) {
    assert.ok(!('d' in row.public_jwk));
    assert.ok(decrypt(keyEncryptionKey, row.encrypted_private_key, `token key ${row.kid}`).length > 100);
    assert.throws(() => decrypt(keyEncryptionKey, row.encrypted_private_key, 'token key another'));
    assert.throws(() => decrypt(keyEncryptionKey, row.encrypted_private_key, `evidence key ${row.kid}`));
    assert.throws(() => decrypt(randomBytes(32), row.encrypted_private_key, `token key ${row.kid}`));
  }
  assert.equal((await own.query('select 1 from sandbox_key_encryption_key')).rowCount, 0);
  for (const other of [randomBytes(32), undefined]) {
    await assert.rejects(
      newKeys({ pool: own, realClock, keyEncryptionKey: other }).refresh(),
      /check FIRMQUOTE_KEY_ENCRYPTION_KEY/,
    );
  }
});

test('the sandbox keeps a key of its own and starts again with it', async () => {
  const { pool: own } = await createTestDatabase();
  const realClock = new VirtualClock();
  const first = await newKeys({ pool: own, realClock }).signer();
  const second = await newKeys({ pool: own, realClock }).signer();
  assert.equal(second.kid, first.kid);
  assert.equal((await own.query('select 1 from sandbox_key_encryption_key')).rowCount, 1);
});

test('sealed text cannot be changed, and differs each time', () => {
  const key = randomBytes(32);
  const sealed = encrypt(key, Buffer.from('secret'), 'label');
  assert.equal(decrypt(key, sealed, 'label').toString(), 'secret');
  assert.notDeepEqual(encrypt(key, Buffer.from('secret'), 'label'), sealed);
  for (let i = 0; i < sealed.length; i++) {
    const changed = Buffer.from(sealed);
    changed[i] = (changed[i] ?? 0) ^ 1;
    assert.throws(() => decrypt(key, changed, 'label'));
  }
  assert.throws(() => decrypt(key, sealed.subarray(0, 20), 'label'));
  assert.match(keyFingerprint(key), /^[0-9a-f]{16}$/);
});

test('a rotation that is committed is told, though the database is gone before it is read again', async () => {
  const { pool: own } = await createTestDatabase();
  const realClock = new VirtualClock();
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  let [isArmed, isGone] = [false, false];
  const leaving = Object.assign(Object.create(own) as Pool, {
    query: (...args: Parameters<Pool['query']>) => (isGone ? Promise.reject(refused) : own.query(...args)),
    connect: async () => {
      const connection = await own.connect();
      const [query, release] = [connection.query.bind(connection), connection.release.bind(connection)];
      return Object.assign(Object.create(connection) as typeof connection, {
        release,
        query: async (...args: Parameters<typeof query>) => {
          const result = await query(...args);
          isGone = isArmed && String(args[0]) === 'commit';
          return result;
        },
      });
    },
  });
  const keys = newKeys({ pool: leaving, realClock });
  const [, next] = await kids(keys);
  realClock.advance(HOUR_MS);
  isArmed = true;
  const { kid, state } = await keys.rotate('a test');
  assert.deepEqual([kid, state, isGone], [next, 'active', true]);
  [isArmed, isGone] = [false, false];
  await keys.refresh();
  assert.equal((await keys.signer()).kid, next);
});
