import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { calculateJwkThumbprint, decodeJwt, EmbeddedJWK, jwtVerify } from 'jose';
import { FakeService, json, networkError, problem, type Seen, TokenReply } from '../test/support/fake.ts';
import { Firmquote } from './client.ts';
import { ConfigurationError } from './errors.ts';
import type { ClientOptions } from './options.ts';
import type { StoredToken } from './token.ts';

const bound = () =>
  new TokenReply(json(200, { access_token: 'bound', token_type: 'DPoP', expires_in: 86_400 }));
const ES256 = { name: 'ECDSA', namedCurve: 'P-256' } as const;

function start(options: ClientOptions = {}) {
  const service = new FakeService();
  const firmquote = new Firmquote(service.options({ dpop: true, ...options }));
  const read = () => service.runtime.run(firmquote.reference.currencies());
  return { service, firmquote, read };
}

/** Verified as a server would, but for its time. */
async function proven({ headers }: Seen): Promise<Readonly<Record<string, unknown>>> {
  const text = headers.get('dpop') ?? assert.fail('no proof');
  const { protectedHeader, payload } = await jwtVerify(text, EmbeddedJWK, { typ: 'dpop+jwt' });
  assert.deepEqual(
    Object.keys(protectedHeader.jwk ?? {}).filter((name) => name === 'd'),
    [],
    'its private half stays',
  );
  return {
    ...(payload as Readonly<Record<string, unknown>>),
    alg: protectedHeader.alg,
    jwk: protectedHeader.jwk ?? {},
  };
}

describe('a token that is bound to a key', () => {
  test('is asked for and shown with a proof for each request', async () => {
    const { service, firmquote } = start();
    service.replies.push(bound(), json(200, { items: [], hasMore: false, nextCursor: null }));
    await service.runtime.run(firmquote.quotes.list({ status: 'open' }));
    const [asked, shown] = await Promise.all(service.seen.map(proven));
    assert.deepEqual([asked?.htm, asked?.htu], ['POST', 'https://fx.example.com/oauth/token']);
    assert.equal(asked?.ath, undefined);
    assert.deepEqual([shown?.htm, shown?.htu], ['GET', 'https://fx.example.com/v1/customer/quotes']);
    assert.ok(service.seen[1]?.path.endsWith('?status=open'));
    assert.equal(shown?.ath, hash('sha256', 'bound', 'base64url'));
    assert.equal(service.seen[1]?.headers.get('authorization'), 'DPoP bound');
    assert.notEqual(shown?.jti, asked?.jti);
    assert.deepEqual(shown?.jwk, asked?.jwk);
  });

  for (const [alg, parameters] of [
    ['ES256', ES256],
    ['EdDSA', { name: 'Ed25519' }],
  ] as const) {
    test(`signs with a key that cannot be read: ${alg}`, async () => {
      const keys = await crypto.subtle.generateKey(parameters, false, ['sign', 'verify']);
      assert.ok('privateKey' in keys);
      const { service, read } = start({ dpop: keys });
      service.replies.push(bound(), json(200, { items: [] }));
      await read();
      for (const each of service.seen) assert.equal((await proven(each)).alg, alg);
    });
  }

  test('has another proof in each attempt, and one key for all of them', async () => {
    const { service, read } = start();
    service.replies.push(
      bound(),
      networkError('ECONNRESET'),
      problem('overloaded', 503, 'later'),
      json(200, { items: [] }),
    );
    await read();
    const proofs = await Promise.all(service.seen.map(proven));
    assert.equal(new Set(proofs.map(({ jti }) => jti)).size, 4);
    assert.equal(new Set(proofs.map(({ jwk }) => JSON.stringify(jwk))).size, 1);
    assert.equal(new Set(service.seen.slice(1).map(({ headers }) => headers.get('x-request-id'))).size, 1);
  });

  test('takes the nonce that each server wants, and the newest one', async () => {
    const { service, read } = start({ authUrl: 'https://auth.example.com' });
    const refused = { error: 'use_dpop_nonce', error_description: 'Use the nonce.' };
    service.replies.push(new TokenReply(json(400, refused, { 'dpop-nonce': 'a1' })), bound());
    service.replies.push(
      problem('token_invalid', 401, 'none', { headers: { 'dpop-nonce': 'r1' } }),
      json(200, { items: [] }, { 'dpop-nonce': 'r2' }),
      json(200, { items: [] }),
    );
    await read();
    await read();
    const nonces = service.seen.map(({ headers }) => decodeJwt(headers.get('dpop') ?? '').nonce);
    assert.deepEqual(nonces, [undefined, 'a1', undefined, 'r1', 'r2']);
  });

  test('is asked for again, and once, where the nonce is never right', async () => {
    const { service, read } = start();
    for (let i = 1; i <= 6; i++)
      service.replies.push(
        bound(),
        problem('token_invalid', 401, 'none', { headers: { 'dpop-nonce': `n${i}` } }),
      );
    await assert.rejects(read(), { code: 'token_invalid' });
    assert.ok(service.seen.length <= 5, `${service.seen.length} requests`);
  });

  test('is proved by the clock of the service, whatever the one here says', async () => {
    const { service, read } = start();
    service.runtime.wrongMs = -3_600_000;
    const date = new Date(service.runtime.wallMs() + 3_600_000).toUTCString();
    const refused = { error: 'invalid_dpop_proof', error_description: 'The iat must be within 60 seconds.' };
    service.replies.push(new TokenReply(json(400, refused, { date })), bound(), json(200, { items: [] }));
    await read();
    const [wrong, right, next] = service.seen.map(
      ({ headers }) => decodeJwt(headers.get('dpop') ?? '').iat ?? 0,
    );
    assert.ok(Math.abs((right ?? 0) - (wrong ?? 0) - 3_600) <= 2);
    assert.ok((next ?? 0) >= (right ?? 0));
  });

  test('is of no use with another key: a store has it under its own', async () => {
    const kept = new Map<string, StoredToken>();
    const tokenStore = {
      get: async (key: string) => kept.get(key) ?? null,
      set: async (key: string, token: StoredToken) => void kept.set(key, token),
    };
    const keys = await crypto.subtle.generateKey(ES256, false, ['sign', 'verify']);
    for (const dpop of [keys, keys, true] as const) {
      const { service, read } = start({ dpop, tokenStore });
      service.replies.push(bound(), json(200, { items: [] }));
      await read();
    }
    const jwk = await crypto.subtle.exportKey('jwk', keys.publicKey);
    const thumbprint = await calculateJwkThumbprint(jwk as never);
    assert.deepEqual(
      [...kept.keys()].map((key) => key.endsWith(` ${thumbprint}`)),
      [true, false],
    );
  });

  test('that the service has not bound is not used', async () => {
    const { service, read } = start();
    await assert.rejects(read(), (error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.equal(error.code, 'token_not_bound');
      return true;
    });
    assert.deepEqual(service.asked, []);
  });
});
