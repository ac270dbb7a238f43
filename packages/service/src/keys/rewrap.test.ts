import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { silentLogger } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { isoInstant, VirtualClock } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';
import { openSecrets, sealSecrets, WEBHOOK_SECRETS } from '../webhooks/signing.ts';
import { encrypt, keyFingerprint } from './key-encryption.ts';
import { rewrap } from './rewrap.ts';
import { createKeys, type KeyEncryptionKeys, type Keys } from './room.ts';

const [OLD, NEW] = [randomBytes(32), randomBytes(32)];
const realClock = new VirtualClock();

function instance(pool: Pool, encryption: KeyEncryptionKeys): Keys {
  return createKeys({
    ...{ pool, realClock, encryption },
    logger: silentLogger,
    rotationDays: { tokens: 90, evidence: 365 },
    places: [WEBHOOK_SECRETS],
  });
}

async function addWebhook({ pool, vault }: Keys): Promise<string> {
  const id = newUuid(realClock.now());
  const room = { vault, realClock } as unknown as Parameters<typeof sealSecrets>[0];
  const secrets = { current: 'c2VjcmV0', previous: undefined } as unknown as Parameters<
    typeof sealSecrets
  >[3];
  const { sealed, sealed_under } = await sealSecrets(room, pool, id, secrets);
  await pool.query(
    `insert into webhook_endpoints (id, url, sealed, sealed_under, created_at, updated_at, sequence) values ($1, 'https://x.example/', $2, $3, $4, $4, 0)`,
    [id, sealed, sealed_under, isoInstant(realClock.now())],
  );
  return id;
}

async function readWebhook({ pool, vault }: Keys, id: string): Promise<unknown> {
  const { rows } = await pool.query(
    'select id, sealed, sealed_under, previous_until from webhook_endpoints where id = $1',
    [id],
  );
  const room = { vault, realClock } as unknown as Parameters<typeof openSecrets>[0];
  return (await openSecrets(room, rows[0])).current;
}

async function sealedUnder(pool: Pool): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ under: string; count: number }>(
    `select under, count(*)::int as count from (
       select encrypted_under as under from signing_keys where encrypted_private_key is not null
       union all select encrypted_under from evidence_keys where encrypted_private_key is not null
       union all select sealed_under from webhook_endpoints) s group by 1`,
  );
  return Object.fromEntries(rows.map(({ under, count }) => [under, count]));
}

const [OLD_NAME, NEW_NAME] = [keyFingerprint(OLD), keyFingerprint(NEW)];

test('an instance with both keys and one with the old one work side by side, and all is sealed under the old one', async () => {
  const { pool } = await createTestDatabase();
  const one = instance(pool, { current: OLD });
  await one.start();
  const first = await addWebhook(one);
  const other = instance(pool, { current: NEW, previous: OLD });
  await other.start();
  const second = await addWebhook(other);
  realClock.advance(3_600_000);
  await other.tokens.rotate('a test');
  await one.tokens.refresh();
  assert.equal((await one.tokens.signer()).kid, (await other.tokens.signer()).kid);
  for (const keys of [one, other])
    for (const id of [first, second]) assert.equal(await readWebhook(keys, id), 'c2VjcmV0');
  assert.deepEqual(await sealedUnder(pool), { [OLD_NAME]: 6 });

  await assert.rejects(
    rewrap(other.sealing, realClock.now()),
    new RegExp(`1 running instances do not have the key ${NEW_NAME}`),
  );
  assert.deepEqual(await sealedUnder(pool), { [OLD_NAME]: 6 });
  await one.stop();
  const reported: number[] = [];
  const came = await rewrap(other.sealing, realClock.now(), (left) => reported.push(left));
  assert.deepEqual(came, { sealedUnder: NEW_NAME, rewrapped: 6, remaining: 0 });
  assert.deepEqual(reported, [0]);
  assert.deepEqual(await sealedUnder(pool), { [NEW_NAME]: 6 });
  assert.deepEqual(await rewrap(other.sealing, realClock.now()), { ...came, rewrapped: 0 });

  const alone = instance(pool, { current: NEW });
  await alone.start();
  for (const id of [first, second]) assert.equal(await readWebhook(alone, id), 'c2VjcmV0');
  await assert.rejects(
    instance(pool, { current: OLD }).start(),
    /2 signing keys, 2 evidence keys, 2 webhooks' secrets/,
  );
});

test('who was killed counts as running for a minute only, and what is left decides who may start', async () => {
  const { pool } = await createTestDatabase();
  await instance(pool, { current: OLD }).start();
  const both = instance(pool, { current: NEW, previous: OLD });
  await both.start();
  await assert.rejects(rewrap(both.sealing, realClock.now()), /counts for a minute/);
  await pool.query(`update key_holders set seen_at = seen_at - interval '61 seconds'`);
  for (let i = 0; i < 120; i++) await addWebhook(both);
  // Ended after the first batch, as by a kill.
  await assert.rejects(
    rewrap(both.sealing, realClock.now(), () => {
      throw new Error('killed');
    }),
    /killed/,
  );
  assert.deepEqual(await sealedUnder(pool), { [OLD_NAME]: 20, [NEW_NAME]: 104 });
  for (const current of [OLD, NEW]) {
    const error = await instance(pool, { current })
      .start()
      .then(() => undefined, String);
    assert.match(
      error ?? '',
      current === NEW
        ? new RegExp(
            `^ConfigError: .*, 20 webhooks' secrets are encrypted under another key \\(${OLD_NAME}\\).*PREVIOUS`,
          )
        : new RegExp(`${NEW_NAME}`),
    );
  }
  const sealed = await addWebhook(both);
  assert.equal(await readWebhook(both, sealed), 'c2VjcmV0');
  const came = await rewrap(instance(pool, { current: NEW, previous: OLD }).sealing, realClock.now());
  assert.deepEqual(came, { sealedUnder: NEW_NAME, rewrapped: 20, remaining: 0 });
  await instance(pool, { current: NEW }).start();
});

test('what earlier versions have sealed is opened, and sealed for its purpose when it is re-wrapped', async () => {
  const { pool } = await createTestDatabase();
  const keys = instance(pool, { current: OLD });
  await keys.start();
  const label = (kid: string) => `token key ${kid}`;
  const { rows } = await pool.query<{ kid: string; encrypted_private_key: Buffer; encrypted_under: string }>(
    'select kid, encrypted_private_key, encrypted_under from signing_keys',
  );
  for (const { kid, encrypted_private_key: sealed, encrypted_under } of rows) {
    const plain = await keys.vault.open({ sealed, sealedUnder: encrypted_under }, label(kid));
    await pool.query('update signing_keys set encrypted_private_key = $2 where kid = $1', [
      kid,
      encrypt(OLD, plain, kid),
    ]);
  }
  await instance(pool, { current: OLD }).start();
  await keys.stop();
  await pool.query('delete from key_holders');
  const both = instance(pool, { current: NEW, previous: OLD });
  await rewrap(both.sealing, realClock.now());
  const { rows: anew } = await pool.query<{ kid: string; encrypted_private_key: Buffer }>(
    'select kid, encrypted_private_key from signing_keys',
  );
  for (const { kid, encrypted_private_key: sealed } of anew) {
    const opened = { sealed, sealedUnder: NEW_NAME };
    await both.vault.open(opened, label(kid));
    for (const wrong of [kid, `evidence key ${kid}`, label('another'), `webhook ${kid}`])
      await assert.rejects(both.vault.open(opened, wrong), /authenticate/);
  }
});

test('a sealed key in the place of another one signs nothing', async () => {
  const { pool } = await createTestDatabase();
  await instance(pool, { current: OLD }).start();
  await pool.query(
    `update signing_keys set encrypted_private_key = (select encrypted_private_key from signing_keys where state = 'next') where state = 'active'`,
  );
  await assert.rejects(instance(pool, { current: OLD }).start(), /authenticate/);
  await pool.query(
    `update signing_keys set encrypted_private_key = (select encrypted_private_key from evidence_keys where state = 'active') where state = 'active'`,
  );
  await assert.rejects(instance(pool, { current: OLD }).start(), /authenticate/);
});
