import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import {
  customerClient,
  type OAuthAnswer,
  postForm,
  postJson,
  startServer,
  startWithDatabase,
} from './test-support.ts';
import { JWT_BEARER } from './token-request.ts';

const server = await startWithDatabase();
const client = await customerClient(server);
const pairs = {
  ES256: await generateKeyPair('ES256', { extractable: true }),
  EdDSA: await generateKeyPair('EdDSA', { extractable: true }),
  RS256: await generateKeyPair('RS256', { extractable: true }),
};
const publicKeys = await Promise.all(Object.values(pairs).map((pair) => exportJWK(pair.publicKey)));
await server.authorization.clients.setKeys(
  client.reference,
  publicKeys.map((key) => ({ ...key })),
);

let serial = 0;
interface Parts {
  readonly alg?: string;
  readonly key?: CryptoKey | Uint8Array;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly without?: string;
}

function assertion({ alg = 'ES256', key = pairs.ES256.privateKey, claims = {}, without }: Parts = {}) {
  const now = Math.floor(server.realClock.now() / 1000);
  serial += 1;
  const all: Record<string, unknown> = {
    iss: client.clientId,
    sub: client.clientId,
    aud: server.url,
    iat: now,
    exp: now + 60,
    jti: `assertion-${serial}`,
    ...claims,
  };
  if (without) delete all[without];
  return new SignJWT(all).setProtectedHeader({ alg }).sign(key);
}

function send(client_assertion: string, extra: Readonly<Record<string, string>> = {}): Promise<OAuthAnswer> {
  return postForm(server, {
    grant_type: 'client_credentials',
    audience: server.url,
    client_assertion_type: JWT_BEARER,
    client_assertion,
    ...extra,
  });
}

async function assertRefused(parts: Parts, message?: string): Promise<void> {
  const answer = await send(await assertion(parts));
  assert.deepEqual([answer.status, answer.body.error], [401, 'invalid_client'], message);
  assert.equal(answer.headers.get('www-authenticate'), null);
}

test('ES256, EdDSA (under both of its names) and RS256 are taken', async () => {
  for (const [alg, key] of [
    ['ES256', pairs.ES256.privateKey],
    ['EdDSA', pairs.EdDSA.privateKey],
    ['Ed25519', pairs.EdDSA.privateKey],
    ['RS256', pairs.RS256.privateKey],
  ] as const) {
    const answer = await send(await assertion({ alg, key }));
    assert.equal(answer.status, 200, `${alg}: ${JSON.stringify(answer.body)}`);
  }
});

test('JSON takes an assertion in place of id and secret', async () => {
  const request = {
    grant_type: 'client_credentials',
    audience: server.url,
    client_assertion_type: JWT_BEARER,
  };
  const answer = await postJson(server, { ...request, client_assertion: await assertion() });
  assert.equal(answer.status, 200);
  const other = { ...request, client_assertion: await assertion(), client_id: 'cli_other' };
  assert.equal((await postJson(server, other)).body.error, 'invalid_client');
});

test('the audience is the issuer or the token endpoint, and nobody else', async () => {
  const endpoint = `${server.url}/oauth/token`;
  for (const aud of [server.url, endpoint, [server.url], [server.url, endpoint]]) {
    assert.equal((await send(await assertion({ claims: { aud } }))).status, 200);
  }
  for (const aud of [
    'https://other.example',
    `${server.url}/`,
    [server.url, 'https://other.example'],
    [],
    '',
  ]) {
    await assertRefused({ claims: { aud } });
  }
  await assertRefused({ without: 'aud' });
});

test('exp is required, in the future and at most five minutes ahead', async () => {
  const now = Math.floor(server.realClock.now() / 1000);
  assert.equal((await send(await assertion({ claims: { exp: now + 298 } }))).status, 200);
  await assertRefused({ claims: { exp: now + 320 } });
  await assertRefused({ claims: { exp: now - 30 } });
  await assertRefused({ without: 'exp' });
  await assertRefused({ claims: { nbf: now + 120 } });
});

test('iss and sub are the client; jti is there', async () => {
  await assertRefused({ claims: { iss: 'somebody' } });
  await assertRefused({ without: 'iss' });
  await assertRefused({ without: 'sub' });
  await assertRefused({ claims: { sub: 'cli_01h455vb4pex5vsknk084sn02q' } });
  await assertRefused({ without: 'jti' });
  await assertRefused({ claims: { jti: '' } });
  await assertRefused({ claims: { jti: 7 } });
  await assertRefused({ claims: { jti: 'x'.repeat(257) } });
});

test('whoever has signed it is told what is wrong with it, a clock that is minutes off above all', async () => {
  const now = Math.floor(server.realClock.now() / 1000);
  // With which of several keys it was signed is found by trying: what the others say of it does not count.
  const { publicKey } = await generateKeyPair('ES256');
  const others = [...publicKeys, await exportJWK(publicKey)];
  await server.authorization.clients.setKeys(
    client.reference,
    others.map((key) => ({ ...key })),
  );
  for (const [parts, reason] of [
    [{ claims: { exp: now - 480 } }, /expired.*clock/],
    [{ claims: { nbf: now + 600 } }, /nbf.*clock/],
    [{ claims: { exp: now + 700 } }, /exp must be at most 300 seconds ahead/],
    [{ claims: { aud: 'https://other.example' } }, /aud must name this server only/],
    [{ claims: { iss: 'somebody' } }, /iss must be the client/],
    [{ without: 'exp' }, /exp must be/],
    [{ without: 'jti' }, /jti must be/],
  ] as const) {
    const { body } = await send(await assertion(parts));
    assert.match(`${body.error_description}`, reason);
  }
  const foreign = await generateKeyPair('ES256');
  const { body } = await send(await assertion({ key: foreign.privateKey, claims: { exp: now - 480 } }));
  assert.equal(body.error_description, 'Client authentication failed.');
});

test('foreign keys, other algorithms, none and garbage are refused', async () => {
  const foreign = await generateKeyPair('ES256');
  await assertRefused({ key: foreign.privateKey });
  const es384 = await generateKeyPair('ES384');
  await assertRefused({ alg: 'ES384', key: es384.privateKey });
  await assertRefused({ alg: 'PS256', key: (await generateKeyPair('PS256')).privateKey });
  // The public key's text as an HMAC secret: the oldest trick against libraries that trust the header.
  const secret = new TextEncoder().encode(JSON.stringify(publicKeys[0]));
  await assertRefused({ alg: 'HS256', key: secret });
  const [, payload] = (await assertion()).split('.');
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  for (const text of [`${none}.${payload}.`, 'a.b.c', 'x', '..']) {
    const answer = await send(text);
    assert.deepEqual([answer.status, answer.body.error], [401, 'invalid_client'], text);
  }
});

test('the assertion type is required and checked', async () => {
  const audience = server.url;
  const request = { grant_type: 'client_credentials', audience, client_assertion: await assertion() };
  assert.equal((await postForm(server, request)).body.error, 'invalid_request');
  const wrong = {
    ...request,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer',
  };
  assert.equal((await postForm(server, wrong)).body.error, 'invalid_request');
  const alone = { grant_type: 'client_credentials', audience, client_assertion_type: JWT_BEARER };
  assert.equal((await postForm(server, alone)).body.error, 'invalid_request');
});

test('a jti counts once, also when instances are asked at the same time', async () => {
  const second = await startServer(server.pool, { issuer: () => server.url, audience: () => server.url });
  const once = await assertion();
  const request = {
    grant_type: 'client_credentials',
    audience: server.url,
    client_assertion_type: JWT_BEARER,
    client_assertion: once,
  };
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) => postForm(i % 2 === 0 ? server : second, request)),
  );
  assert.equal(answers.filter((answer) => answer.status === 200).length, 1);
  assert.equal(answers.filter((answer) => answer.body.error === 'invalid_client').length, 11);
  assert.equal((await postForm(second, request)).status, 401);
});

test('a used jti is remembered until its assertion has expired, then forgotten', async () => {
  const once = await assertion();
  assert.equal((await send(once)).status, 200);
  await server.authorization.sweep.run();
  assert.equal((await send(once)).status, 401);
  server.realClock.advance(700_000);
  assert.ok((await server.authorization.sweep.run()) > 0);
  const { rows } = await server.pool.query('select 1 from used_assertions');
  assert.equal(rows.length, 0);
  assert.equal((await send(once)).status, 401, 'expired by now');
  server.realClock.followRealTime();
});

test('a suspended client and one whose keys were taken away are refused', async () => {
  await server.authorization.clients.suspend(client.reference);
  await assertRefused({});
  await server.authorization.clients.resume(client.reference);
  assert.equal((await send(await assertion())).status, 200);
  await server.authorization.clients.setKeys(client.reference, []);
  await assertRefused({});
});
