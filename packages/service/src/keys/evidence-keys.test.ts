import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, SignJWT } from 'jose';
import { pino } from 'pino';
import { createTestDatabase } from '../../test/support/database.ts';
import { probe, startServer } from '../authorization/test-support.ts';
import { TermsSigner } from '../evidence/sign-terms.ts';
import { VirtualClock } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';
import { decrypt } from './key-encryption.ts';
import { createKeys } from './room.ts';
import type { SigningKeys } from './signing-keys.ts';

const DAY_MS = 86_400_000;
const logger = pino({ level: 'silent' });
const QUOTE = {
  type: 'firm',
  quoteId: 'quote_01jngx7z5d2m8r4v6t9k3b1c0a',
  sellCurrency: 'USD',
  buyCurrency: 'EUR',
  fixedSide: 'sell',
  sellAmount: '100000.00',
  buyAmount: '91987.01',
  rate: { pair: 'EURUSD', side: 'ask', value: '1.08711' },
  settlement: { valueDate: '2026-03-06' },
  createdAt: '2026-03-04T14:30:00.252Z',
  expiresAt: '2026-03-04T14:30:30.252Z',
};

async function newKeys(options: { readonly keyEncryptionKey?: Buffer } = {}) {
  const { pool } = await createTestDatabase();
  const realClock = new VirtualClock();
  const instance = () =>
    createKeys({
      ...{ pool, realClock, logger },
      encryption: { current: options.keyEncryptionKey },
      rotationDays: { tokens: 90, evidence: 365 },
    }).evidence;
  return { pool, realClock, instance, keys: instance() };
}

function signerOf(keys: SigningKeys, realClock: VirtualClock): TermsSigner {
  return new TermsSigner({ signer: () => keys.signer(), realClock, issuer: () => 'https://fx.example.com' });
}

/** Checks the signature of a quote by what the JWKS has now. */
async function verify(keys: SigningKeys, signature: string): Promise<void> {
  const { rate, settlement, ...rest } = QUOTE;
  const sorted = Object.entries({ ...rest, rate, settlement }).sort(([a], [b]) => (a < b ? -1 : 1));
  const payload = Buffer.from(JSON.stringify(Object.fromEntries(sorted))).toString('base64url');
  const { keys: published } = await keys.jwks();
  await compactVerify(signature.replace('..', `.${payload}.`), createLocalJWKSet({ keys: [...published] }));
}

test('old signatures verify after rotations, for as long as trades are on record', async () => {
  const { pool, realClock, keys, instance } = await newKeys();
  const signer = signerOf(keys, realClock);
  const customerId = newUuid(realClock.now());
  const first = await signer.sign('quote', customerId, JSON.stringify(QUOTE));
  await verify(keys, first);

  for (let year = 1; year <= 10; year++) {
    realClock.advance(364 * DAY_MS);
    await keys.refresh();
    const before = (await keys.signer()).kid;
    realClock.advance(DAY_MS);
    await keys.refresh();
    assert.notEqual((await keys.signer()).kid, before, 'a key signs for a year');
    await verify(keys, first);
  }
  assert.equal((await keys.jwks()).keys.length, 12, 'ten retired, one in use, the next');
  const other = instance();
  const last = await signerOf(other, realClock).sign('quote', customerId, JSON.stringify(QUOTE));
  await verify(keys, last);
  assert.notEqual(kidOf(last), kidOf(first));

  const { rows } = await pool.query<{ held: number }>(
    `select count(*)::int as held from evidence_keys where state = 'retired' and encrypted_private_key is not null`,
  );
  assert.deepEqual(rows, [{ held: 0 }], 'nobody signs with a retired key any more');
  realClock.advance(100 * 366 * DAY_MS);
  await keys.refresh();
  await verify(keys, first);
});

function kidOf(signature: string): string | undefined {
  return decodeProtectedHeader(`${signature.split('.')[0]}..`).kid;
}

test('instances that start together share one key', async () => {
  const { instance } = await newKeys();
  const started = [instance(), instance(), instance()];
  await Promise.all(started.map((each) => each.refresh()));
  const kids = await Promise.all(started.map(async (each) => (await each.signer()).kid));
  assert.equal(new Set(kids).size, 1);
});

test('private halves are Ed25519, encrypted under the key given, and never public', async () => {
  const keyEncryptionKey = randomBytes(32);
  const { pool, keys } = await newKeys({ keyEncryptionKey });
  await keys.refresh();
  const { rows } = await pool.query<{ kid: string; encrypted_private_key: Buffer }>(
    'select kid, encrypted_private_key from evidence_keys',
  );
  assert.equal(rows.length, 2);
  // A PKCS #8 key of Ed25519 has 48 bytes (RFC 8410 §10.3).
  for (const { kid, encrypted_private_key: sealed } of rows)
    assert.equal(decrypt(keyEncryptionKey, sealed, `evidence key ${kid}`).length, 48);
  for (const jwk of (await keys.jwks()).keys) {
    assert.deepEqual(Object.keys(jwk).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x']);
    assert.deepEqual([jwk.kty, jwk.crv, jwk.alg], ['OKP', 'Ed25519', 'EdDSA']);
  }
});

test('a token that is signed with an evidence key lets nobody in', async () => {
  const { pool } = await createTestDatabase();
  const server = await startServer(pool);
  const { evidence: evidenceKeys, tokens: signingKeys } = server.keys;
  const { kid, privateKey } = await evidenceKeys.signer();
  const now = Math.floor(server.realClock.now() / 1_000);
  const token = await new SignJWT({ scope: 'quotes:read', client_id: 'cli_x' })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid })
    .setIssuer(server.url)
    .setAudience(server.url)
    .setSubject('cli_x')
    .setJti(newUuid(server.realClock.now()))
    .setIssuedAt(now)
    .setExpirationTime(now + 60)
    .sign(privateKey);
  assert.equal((await probe(server, token)).status, 401);
  assert.equal(await signingKeys.verificationKey(kid), undefined);
});

test('a body without its terms is not signed', async () => {
  const { realClock, keys } = await newKeys();
  const signer = signerOf(keys, realClock);
  for (const body of [{}, { ...QUOTE, buyAmount: 91987.01 }, { ...QUOTE, rate: null }]) {
    await assert.rejects(
      signer.sign('quote', newUuid(realClock.now()), JSON.stringify(body)),
      /has no terms to sign/,
    );
  }
});
