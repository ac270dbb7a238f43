import assert from 'node:assert/strict';
import { generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import { type CryptoKey, calculateJwkThumbprint, decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import {
  allowInsecureRequests,
  ClientSecretPost,
  clientCredentialsGrant,
  discovery,
  fetchProtectedResource,
  getDPoPHandle,
  randomDPoPKeyPair,
  tokenIntrospection,
} from 'openid-client';
import {
  assertRefused,
  call,
  customerClient,
  jsonRequest,
  operatorClient,
  postJson,
  probe,
  startServer,
  startWithDatabase,
  tokenFor,
} from './test-support.ts';

/** Tokens that are bound to a key (DPoP, RFC 9449). */

const server = await startWithDatabase();
const { clients } = server.authorization;
const PROBE = '/v1/customer/probe';
const keys = await generateKeyPair('ES256', { extractable: true });
const jwk = await exportJWK(keys.publicKey);

async function boundClient() {
  const client = await customerClient(server);
  await clients.update(client.reference, { dpopBoundTokens: true });
  return client;
}

function discovered({ clientId, clientSecret }: { clientId: string; clientSecret: string }) {
  return discovery(new URL(server.url), clientId, undefined, ClientSecretPost(clientSecret), {
    algorithm: 'oauth2',
    execute: [allowInsecureRequests],
  });
}

let proofs = 0;
interface ProofChange {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: CryptoKey | KeyObject;
}

/** A proof for a GET of the probe with the token, but for what is said otherwise. */
function proofOf(
  token: string | undefined,
  { claims = {}, header = {}, key = keys.privateKey }: ProofChange = {},
) {
  const iat = Math.floor(server.realClock.now() / 1000);
  const ath = token === undefined ? {} : { ath: hash('sha256', token, 'base64url') };
  const payload = { jti: `proof-${++proofs}`, iat, htm: 'GET', htu: server.url + PROBE, ...ath, ...claims };
  return new SignJWT(payload).setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk, ...header }).sign(key);
}

async function boundToken(client: { clientId: string; clientSecret: string }): Promise<string> {
  const dpop = await proofOf(undefined, { claims: { htm: 'POST', htu: `${server.url}/oauth/token` } });
  const { status, body } = await postJson(server, jsonRequest(server, client), { dpop });
  assert.deepEqual([status, body.token_type], [200, 'DPoP'], JSON.stringify(body));
  return String(body.access_token);
}

const shown = (token: string, dpop?: string, at = server) =>
  call(at, PROBE, undefined, {
    headers: { authorization: `DPoP ${token}`, ...(dpop !== undefined && { dpop }) },
  });

async function assertNoProof(answer: ReturnType<typeof shown>, detail: RegExp): Promise<void> {
  const { status, body, headers } = await answer;
  assert.deepEqual([status, body.code], [401, 'token_invalid']);
  assert.match(String(body.detail), detail);
  assert.match(headers.get('www-authenticate') ?? '', /^DPoP .*error="invalid_dpop_proof", algs="ES256 /);
}

test('a client that knows nothing of this service but its issuer gets and shows a bound token', async () => {
  const client = await boundClient();
  const configuration = await discovered(client);
  for (const alg of ['ES256', 'Ed25519', 'RS256']) {
    const DPoP = getDPoPHandle(configuration, await randomDPoPKeyPair(alg));
    const granted = await clientCredentialsGrant(configuration, { audience: server.url }, { DPoP });
    assert.equal(granted.token_type, 'dpop');
    for (const url of [server.url + PROBE, `${server.url + PROBE}?limit=1`]) {
      const [token, at] = [granted.access_token, new URL(url)];
      const answer = await fetchProtectedResource(configuration, token, at, 'GET', null, undefined, { DPoP });
      assert.equal(answer.status, 200, alg);
    }
  }
});

test('a bound token names the key, and is introspected with it', async () => {
  const token = await boundToken(await boundClient());
  const jkt = await calculateJwkThumbprint(jwk);
  assert.deepEqual(decodeJwt(token).cnf, { jkt });
  const gateway = await operatorClient(server, ['operator:introspection']);
  const configuration = await discovered(gateway);
  const { active, token_type, cnf } = await tokenIntrospection(configuration, token);
  assert.deepEqual([active, token_type, cnf], [true, 'DPoP', { jkt }]);
});

test('a stolen token is worth nothing without its key', async () => {
  const token = await boundToken(await boundClient());
  assert.equal((await shown(token, await proofOf(token))).status, 200);
  await assertNoProof(shown(token), /Send one DPoP proof/);
  assert.equal((await probe(server, token)).body.code, 'token_invalid', 'as a bearer token');
  const thief = await generateKeyPair('ES256', { extractable: true });
  const theirs = { key: thief.privateKey, header: { jwk: await exportJWK(thief.publicKey) } };
  await assertNoProof(shown(token, await proofOf(token, theirs)), /another key/);
  await assertNoProof(shown(token, await proofOf(token, { key: thief.privateKey })), /not valid/);
});

test('a proof is for one request, here and on every other instance', async () => {
  const token = await boundToken(await boundClient());
  const second = await startServer(server.pool, {
    issuer: () => server.url,
    audience: () => server.url,
  });
  const proof = await proofOf(token);
  assert.equal((await shown(token, proof)).status, 200);
  await assertNoProof(shown(token, proof), /used before/);
  await assertNoProof(shown(token, proof, second), /used before/);
  const raced = await proofOf(token);
  const answers = await Promise.all(Array.from({ length: 5 }, () => shown(token, raced)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401, 401]);
});

test('proofs for another method, address, token or time are refused', async () => {
  const client = await boundClient();
  const token = await boundToken(client);
  const now = Math.floor(server.realClock.now() / 1000);
  for (const [claims, detail] of [
    [{ htm: 'POST' }, /another method/],
    [{ htm: undefined }, /another method/],
    [{ htu: `${server.url}/v1/customer/quotes` }, /another address\.$/],
    [
      { htu: `https://other.example${PROBE}` },
      /another address: its htu must begin with http:\/\/[^/]+:\d+\.$/,
    ],
    [{ htu: 'x' }, /another address: its htu must begin with /],
    [{ ath: hash('sha256', await boundToken(client), 'base64url') }, /another token/],
    [{ ath: undefined }, /another token/],
    [{ iat: now - 120 }, /iat/],
    [{ iat: now + 120 }, /iat/],
    [{ iat: undefined }, /iat/],
    [{ jti: '' }, /jti/],
    [{ jti: 'x'.repeat(300) }, /jti/],
  ] as const) {
    await assertNoProof(shown(token, await proofOf(token, { claims })), detail);
  }
  const privateJwk = await exportJWK(keys.privateKey);
  for (const header of [
    { typ: 'JWT' },
    { jwk: undefined },
    { jwk: privateJwk },
    { jwk: { kty: 'oct', k: 'AA' } },
  ]) {
    await assertNoProof(shown(token, await proofOf(token, { header })), /not valid/);
  }
  for (const text of ['x', 'a.b.c', `${await proofOf(token)}, ${await proofOf(token)}`]) {
    await assertNoProof(shown(token, text), /proof/);
  }
});

test('a proof by a key that is weak, or that takes long to check, is refused before it is checked', async () => {
  const client = await boundClient();
  const cheap = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 });
  const jwkOf = (key: KeyObject) => ({ ...key.export({ format: 'jwk' }) });
  const asking = { htm: 'POST', htu: `${server.url}/oauth/token` };
  const weak = await proofOf(undefined, {
    claims: asking,
    header: { alg: 'RS256', jwk: jwkOf(cheap.publicKey) },
    key: cheap.privateKey,
  });
  const refused = await postJson(server, jsonRequest(server, client), { dpop: weak });
  assertRefused(refused, 400, 'invalid_dpop_proof');
  assert.match(String(refused.body.error_description), /exponent .* must be odd, from 65537 to 2\^32 - 1/);

  const token = await boundToken(client);
  const [header, payload, signature] = (await proofOf(token)).split('.');
  assert.ok(header !== undefined && payload !== undefined && signature !== undefined);
  const { n } = jwkOf(cheap.publicKey);
  const bits = (count: number) => Buffer.alloc(count / 8, 0xff).toString('base64url');
  for (const [jwk, detail] of [
    [{ n, e: bits(2048) }, /exponent .* must be odd/],
    [{ n: bits(3072), e: bits(3072) }, /exponent .* must be odd/],
    [{ n: bits(1024), e: 'AQAB' }, /modulus .* must have 2048 to 8192 bits/],
    [{ n: bits(8200), e: 'AQAB' }, /modulus .* must have 2048 to 8192 bits/],
  ] as const) {
    const made = { typ: 'dpop+jwt', alg: 'RS256', jwk: { kty: 'RSA', ...jwk } };
    const proof = [Buffer.from(JSON.stringify(made)).toString('base64url'), payload, signature].join('.');
    await assertNoProof(shown(token, proof), detail);
  }
});

test('a client whose tokens are bound gets none without a proof, and loses those that are not bound', async () => {
  const client = await customerClient(server);
  const bearer = await tokenFor(server, client);
  assert.equal((await probe(server, bearer)).status, 200);
  await clients.update(client.reference, { dpopBoundTokens: true });
  assert.equal((await probe(server, bearer)).body.code, 'token_invalid');
  assertRefused(await postJson(server, jsonRequest(server, client)), 400, 'invalid_dpop_proof');
  const elsewhere = await proofOf(undefined);
  assertRefused(
    await postJson(server, jsonRequest(server, client), { dpop: elsewhere }),
    400,
    'invalid_dpop_proof',
  );
  await boundToken(client);
});

test('any client may bind its tokens; one that is not bound is not shown as one', async () => {
  const client = await customerClient(server);
  const token = await boundToken(client);
  assert.equal((await shown(token, await proofOf(token))).status, 200);
  const bearer = await tokenFor(server, client);
  const answer = await shown(bearer, await proofOf(bearer));
  assert.deepEqual([answer.status, answer.body.code], [401, 'token_invalid']);
});
