import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { ownerOf } from '../../test/support/database.ts';
import { Problem } from '../problems/problem.ts';
import {
  call,
  customerClient,
  type OAuthAnswer,
  operatorClient,
  operatorToken,
  probe,
  startServer,
  startWithDatabase,
  tokenFor,
} from './test-support.ts';

const server = await startWithDatabase({ trustProxy: ['127.0.0.1'] });
const { clients } = server.authorization;
const signingKeys = server.keys.tokens;
const client = await customerClient(server);
const token = await tokenFor(server, client);
const claims = decodeJwt(token);

function assertUnauthorized(answer: OAuthAnswer, code: string, message?: string): void {
  assert.deepEqual([answer.status, answer.body.code], [401, code], message);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/);
  const challenge = answer.headers.get('www-authenticate') ?? '';
  assert.match(challenge, /^Bearer realm="firmquote"/);
  // RFC 6750 §3.1: no error code for a request that carried no token.
  assert.equal(challenge.includes('error="invalid_token"'), code !== 'token_missing');
}

test('a token says who calls', async () => {
  const answer = await probe(server, token);
  assert.equal(answer.status, 200);
  assert.equal(answer.body.clientId, client.id);
  assert.equal(answer.body.customerId, client.customer.id);
  assert.deepEqual(answer.body.scopes, String(claims.scope).split(' '));
});

test('a known token is answered without waiting', async () => {
  await probe(server, token);
  const caller = server.authorization.authenticator.authenticate(
    `Bearer ${token}`,
    '127.0.0.1',
    'customer',
    'rechecked',
  );
  assert.ok(!(caller instanceof Promise));
  assert.deepEqual(caller.actor, { kind: 'client', id: client.id });
});

test('no token, another scheme and an empty one are token_missing', async () => {
  assertUnauthorized(await probe(server), 'token_missing');
  for (const authorization of ['Basic YTpi', 'Bearer', 'bearer  ', `Bearer${token}`, token]) {
    assertUnauthorized(await probe(server, undefined, { authorization }), 'token_missing', authorization);
  }
  const lower = await probe(server, undefined, { authorization: `bearer ${token}` });
  assert.equal(lower.status, 200, 'schemes are case-insensitive');
});

test('garbage is token_invalid', async () => {
  const [header, payload, signature] = token.split('.');
  const texts = [
    'x',
    'a.b.c',
    '..',
    `${header}.${payload}.`,
    `${header}.${payload}`,
    `${header}.${payload}.${signature?.slice(0, -4)}AAAA`,
    `${token} ${token}`,
    `${token},x`,
    'x'.repeat(5000),
  ];
  for (const text of texts) assertUnauthorized(await probe(server, text), 'token_invalid', text);
});

test('unsigned tokens, alg none and the public key as an HMAC secret are token_invalid', async () => {
  const [, payload] = token.split('.');
  for (const alg of ['none', 'None', 'nOnE']) {
    const header = Buffer.from(JSON.stringify({ alg, typ: 'at+jwt' })).toString('base64url');
    assertUnauthorized(await probe(server, `${header}.${payload}.`), 'token_invalid', alg);
  }
  assertUnauthorized(await probe(server, new UnsecuredJWT(claims).encode()), 'token_invalid');
  const [jwk] = (await signingKeys.jwks()).keys;
  const header = { alg: 'HS256', typ: 'at+jwt', kid: String(jwk?.kid) };
  const secret = new TextEncoder().encode(JSON.stringify(jwk));
  const forged = await new SignJWT(claims).setProtectedHeader(header).sign(secret);
  assertUnauthorized(await probe(server, forged), 'token_invalid');
});

test('foreign keys, also under a known kid or brought along in the header, are token_invalid', async () => {
  const foreign = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(foreign.publicKey);
  const { kid } = await signingKeys.signer();
  const headers = [
    { kid },
    { kid: 'unheard-of' },
    {},
    { jwk },
    { kid, jwk },
    { jku: 'https://x.example/jwks' },
  ];
  for (const extra of headers) {
    const forged = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', ...extra })
      .sign(foreign.privateKey);
    assertUnauthorized(await probe(server, forged), 'token_invalid', JSON.stringify(extra));
  }
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const rs256 = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid })
    .sign(rsa.privateKey);
  assertUnauthorized(await probe(server, rs256), 'token_invalid');
});

/** Signed with the service's own key, and still not one of its access tokens. */
async function ownSigned(change: Readonly<Record<string, unknown>>, typ: string | undefined = 'at+jwt') {
  const { kid, privateKey } = await signingKeys.signer();
  const all: Record<string, unknown> = { ...claims, ...change };
  for (const [name, value] of Object.entries(all)) if (value === undefined) delete all[name];
  const header = { alg: 'ES256', kid, ...(typ === '' ? {} : { typ }) };
  return new SignJWT(all).setProtectedHeader(header).sign(privateKey);
}

test('another type, issuer or audience and missing claims are token_invalid', async () => {
  assert.equal((await probe(server, await ownSigned({}))).status, 200, 'the control');
  for (const typ of ['JWT', 'jwt', 'logout+jwt', '']) {
    assertUnauthorized(await probe(server, await ownSigned({}, typ)), 'token_invalid', typ);
  }
  const changes = [
    { iss: 'https://other.example' },
    { iss: undefined },
    { aud: 'https://other.example' },
    { aud: `${server.url}/operator` },
    { aud: undefined },
    { exp: undefined },
    { sub: undefined },
    { iat: undefined },
    { jti: undefined },
    { scope: undefined },
    { scope: ['quotes:read'] },
    { client_id: 'cli_other' },
    { client_id: undefined },
    { client_id: 'cli_01h455vb4pex5vsknk084sn02q' },
    { nbf: Math.floor(Date.now() / 1000) + 600 },
  ];
  for (const change of changes) {
    assertUnauthorized(await probe(server, await ownSigned(change)), 'token_invalid', JSON.stringify(change));
  }
});

test('an expired token is token_expired, whether it was known or not', async () => {
  const own = await customerClient(server);
  const mine = await tokenFor(server, own);
  assert.equal((await probe(server, mine)).status, 200);
  server.realClock.advance(86_399_000 - 2_000);
  assert.equal((await probe(server, mine)).status, 200, 'in its last seconds');
  server.realClock.advance(3_000);
  assertUnauthorized(await probe(server, mine), 'token_expired', 'known');
  assertUnauthorized(await probe(server, await ownSigned({})), 'token_expired', 'not known');
  server.realClock.followRealTime();
});

test('each kind of token is for its own routes', async () => {
  const operator = await operatorClient(server);
  const all = await operatorToken(server, operator);
  assert.equal((await call(server, '/v1/operator/probe', all)).status, 200, 'operator:* satisfies any');
  const narrow = await tokenFor(server, operator, {
    audience: `${server.url}/operator`,
    scope: 'operator:limits',
  });
  const refused = await call(server, '/v1/operator/probe', narrow);
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.requiredScope],
    [403, 'insufficient_scope', 'operator:spreads'],
  );
  assertUnauthorized(await call(server, '/v1/operator/probe', token), 'token_invalid');
  assertUnauthorized(await probe(server, all), 'token_invalid');
});

test('with one audience for both, scopes keep the two worlds apart', async () => {
  const shared: Awaited<ReturnType<typeof startWithDatabase>> = await startWithDatabase({
    operatorAudience: () => shared.url,
  });
  const customer = await tokenFor(shared, await customerClient(shared));
  const operator = await tokenFor(shared, await operatorClient(shared));
  assert.equal((await call(shared, '/v1/operator/probe', operator)).status, 200);
  assert.equal((await call(shared, '/v1/operator/probe', customer)).body.code, 'insufficient_scope');
  assert.equal((await probe(shared, operator)).body.code, 'insufficient_scope');
});

test('suspending bites at once here and within five seconds on another instance', async () => {
  const own = await customerClient(server);
  const mine = await tokenFor(server, own);
  const second = await startServer(server.pool, { issuer: () => server.url, audience: () => server.url });
  assert.equal((await probe(server, mine)).status, 200);
  assert.equal((await probe(second, mine)).status, 200);
  await clients.suspend(own.reference);
  assertUnauthorized(await probe(server, mine), 'token_invalid');
  second.realClock.advance(5_000);
  assertUnauthorized(await probe(second, mine), 'token_invalid');
  await clients.resume(own.reference);
  assert.equal((await probe(server, mine)).status, 200);
  await clients.revoke(own.reference);
  assertUnauthorized(await probe(server, mine), 'token_invalid');
});

test('revoking the tokens of a client leaves it the ones made afterwards', async () => {
  const own = await customerClient(server);
  const early = await tokenFor(server, own);
  const single = await tokenFor(server, own);
  assert.equal((await probe(server, early)).status, 200);
  await clients.revokeTokens(own.reference, String(decodeJwt(single).jti));
  assertUnauthorized(await probe(server, single), 'token_invalid');
  assert.equal((await probe(server, early)).status, 200);
  await clients.revokeTokens(own.reference);
  assertUnauthorized(await probe(server, early), 'token_invalid');
  server.realClock.advance(1);
  assert.equal((await probe(server, await tokenFor(server, own))).status, 200);
  server.realClock.followRealTime();
});

test('the allow-list is kept on every call, in IPv4, IPv6 and mapped form', async () => {
  const own = await customerClient(server);
  const mine = await tokenFor(server, own);
  await clients.setIpAllowList(own.reference, ['203.0.113.0/24', '2001:db8::/32']);
  const from = (address: string) => probe(server, mine, { 'x-forwarded-for': address });
  for (const address of ['203.0.113.7', '::ffff:203.0.113.7', '2001:db8::1']) {
    assert.equal((await from(address)).status, 200, address);
  }
  for (const address of ['203.0.114.1', '::ffff:203.0.114.1', '2001:db9::1']) {
    const answer = await from(address);
    assert.deepEqual([answer.status, answer.body.code], [403, 'ip_not_allowed'], address);
  }
});

test('without the database, known tokens work for five seconds and then get 503, not 401', async () => {
  const own = await startWithDatabase();
  const mine = await tokenFor(own, await customerClient(own));
  assert.equal((await probe(own, mine)).status, 200);
  await ownerOf(own.pool).query('alter table oauth_clients rename to away');
  own.realClock.advance(4_000);
  assert.equal((await probe(own, mine)).status, 200);
  own.realClock.advance(1_000);
  const refused = await probe(own, mine);
  assert.deepEqual([refused.status, refused.body.code], [503, 'maintenance']);
  assert.equal(refused.headers.get('retry-after'), '2');
  await ownerOf(own.pool).query('alter table away rename to oauth_clients');
  assert.equal((await probe(own, mine)).status, 200);
});

test('problems are thrown, not answered, by the synchronous path', () => {
  assert.throws(
    () => server.authorization.authenticator.authenticate(undefined, '127.0.0.1', 'customer', 'rechecked'),
    (error: unknown) => error instanceof Problem && error.code === 'token_missing',
  );
});

test('who guesses at tokens is slowed down by address, and nobody else', async () => {
  const guarded = await startServer(server.pool, { perAddress: { perMinute: 3 }, trustProxy: ['127.0.0.1'] });
  const good = await tokenFor(guarded, await customerClient(guarded));
  const from = (address: string, token?: string) => probe(guarded, token, { 'X-Forwarded-For': address });
  const codes: unknown[] = [];
  for (let i = 0; i < 5; i++) codes.push((await from('203.0.113.7', 'guess')).body.code);
  assert.deepEqual(codes, [
    'token_invalid',
    'token_invalid',
    'token_invalid',
    'rate_limited',
    'rate_limited',
  ]);
  const refused = await from('203.0.113.7');
  assert.deepEqual([refused.status, refused.headers.get('ratelimit')?.slice(0, 12)], [429, '"refused";r=']);
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal((await from('203.0.113.7', good)).status, 200, 'a token that is good is not refused');
  assert.equal((await from('203.0.113.8', 'guess')).status, 401, 'nor another address');
  // Addresses of one network are one guesser's.
  for (let i = 1; i <= 3; i++) assert.equal((await from(`2001:db8:1:2::${i}`, 'guess')).status, 401);
  assert.equal((await from('2001:db8:1:2:ffff::9', 'guess')).status, 429);
  assert.equal((await from('2001:db8:1:3::1', 'guess')).status, 401);
});
