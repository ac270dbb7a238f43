import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createKeys } from '../src/keys/room.ts';
import { newUuid, typeId } from '../src/platform/ids.ts';
import { createLogger } from '../src/platform/logger.ts';
import { refused, succeed } from './support/acceptance.ts';
import { type Answer, startTestService, type TestService } from './support/service.ts';

/** `POST /oauth/token` and what its tokens are worth, through the whole service: docs/interface.md#access. */

const PROBE = '/v1/customer/transactions';
let service: TestService;
let request: Record<string, string>;

before(async () => {
  service = await startTestService();
  const { clientId, clientSecret } = service.sandbox.customer;
  const { audience } = service.sandbox;
  request = { client_id: clientId, client_secret: clientSecret, audience, grant_type: 'client_credentials' };
});

const ask = (body: unknown, headers: Record<string, string> = {}) =>
  service.call('POST', '/oauth/token', { token: null, body, headers });
const probe = (authorization: string) =>
  service.call('GET', PROBE, { token: null, headers: { Authorization: authorization } });

function assertOAuthError(answer: Answer, status: number, error: string): void {
  assert.deepEqual([answer.status, answer.body.error], [status, error], answer.text);
  assert.deepEqual(Object.keys(answer.body).sort(), ['error', 'error_description']);
  assert.match(answer.headers.get('Content-Type') ?? '', /^application\/json/);
  assert.equal(answer.headers.get('Cache-Control'), 'no-store');
  assert.ok(!answer.text.includes(request.client_secret ?? ''));
}

test('the answer is what the specification fixes', async () => {
  const answer = await succeed(200, ask(request));
  const { access_token: token, ...rest } = answer.body;
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 86_400 });
  assert.equal(answer.headers.get('Cache-Control'), 'no-store');
  assert.equal(answer.headers.get('Pragma'), 'no-cache');
  const { alg, typ, kid } = decodeProtectedHeader(token);
  assert.deepEqual([alg, typ], ['ES256', 'at+jwt']);
  const claims = decodeJwt(token);
  const { iss, sub, aud, exp = 0, iat = 0, jti, client_id, scope } = claims;
  assert.deepEqual([iss, sub, aud, client_id], [service.baseUrl, request.client_id, request.audience, sub]);
  assert.equal(exp - iat, 86_400);
  assert.match(String(jti), /^[0-9a-f-]{36}$/);
  assert.deepEqual(String(scope).split(' ').sort(), [
    'credentials:write',
    'quotes:read',
    'quotes:write',
    'trades:execute',
    'transactions:read',
    'webhooks:manage',
    'withdrawals:write',
  ]);
  const { keys } = (await service.call('GET', '/.well-known/jwks.json', { token: null })).body;
  assert.ok(keys.some((key: { kid: string }) => key.kid === kid));
  assert.ok(keys.every((key: object) => !('d' in key)));
  const metadata = await service.call('GET', '/.well-known/oauth-authorization-server', { token: null });
  assert.equal(metadata.body.token_endpoint, `${service.baseUrl}/oauth/token`);
  assert.equal((await probe(`Bearer ${token}`)).status, 200);
  assert.equal((await probe(`bearer ${token}`)).status, 200, 'the scheme has no case');
});

test('a form and HTTP Basic do as well', async () => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  await succeed(200, ask(`${new URLSearchParams(request)}`, form));
  const { client_id: id, client_secret: secret, ...rest } = request;
  const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  await succeed(200, ask(`${new URLSearchParams(rest)}`, { ...form, Authorization: basic }));
  const wrong = `Basic ${Buffer.from(`${id}:x`).toString('base64')}`;
  const answer = await ask(`${new URLSearchParams(rest)}`, { ...form, Authorization: wrong });
  assertOAuthError(answer, 401, 'invalid_client');
  assert.match(answer.headers.get('WWW-Authenticate') ?? '', /^Basic /);
});

test('what is wrong is told in the form of OAuth', async () => {
  const without = (name: string) =>
    Object.fromEntries(Object.entries(request).filter(([key]) => key !== name));
  const cases: readonly (readonly [unknown, number, string])[] = [
    [without('client_id'), 400, 'invalid_request'],
    [without('client_secret'), 400, 'invalid_request'],
    [without('audience'), 400, 'invalid_request'],
    [without('grant_type'), 400, 'invalid_request'],
    [{ ...request, client_secret: 'wrong' }, 401, 'invalid_client'],
    [{ ...request, client_id: typeId('cli', newUuid(0)) }, 401, 'invalid_client'],
    [{ ...request, client_id: 'x\u0000y' }, 401, 'invalid_client'],
    [{ ...request, client_secret: `${request.client_secret}\u0000` }, 401, 'invalid_client'],
    [{ ...request, grant_type: 'password' }, 400, 'unsupported_grant_type'],
    [{ ...request, audience: 'https://elsewhere.example' }, 400, 'invalid_target'],
    [{ ...request, scope: 'everything' }, 400, 'invalid_scope'],
    [{ ...request, scope: 'operator:*' }, 400, 'invalid_scope'],
    [{ ...request, client_secret: 5 }, 400, 'invalid_request'],
    [{ ...request, audience: ['a'] }, 400, 'invalid_request'],
    ['{"client_id":', 400, 'invalid_request'],
    ['[]', 400, 'invalid_request'],
    ['null', 400, 'invalid_request'],
    ['', 400, 'invalid_request'],
    [`{"client_id":"${'x'.repeat(20_000)}"}`, 413, 'invalid_request'],
  ];
  for (const [body, status, error] of cases) {
    const answer = await ask(body);
    assert.deepEqual(
      [answer.status, answer.body?.error],
      [status, error],
      JSON.stringify(body).slice(0, 200),
    );
    assertOAuthError(answer, status, error);
  }
  assertOAuthError(await ask('<x/>', { 'Content-Type': 'text/xml' }), 415, 'invalid_request');
  const get = await service.call('GET', '/oauth/token', { token: null });
  assertOAuthError(get, 405, 'invalid_request');
  assert.equal(get.headers.get('Allow'), 'POST');
  const scoped = await succeed(200, ask({ ...request, scope: 'quotes:read' }));
  assert.equal(decodeJwt(scoped.body.access_token).scope, 'quotes:read');
});

describe('tokens that are worth nothing', () => {
  let claims: Record<string, unknown>;
  let token: string;
  let keys: Awaited<ReturnType<ReturnType<typeof createKeys>['tokens']['signer']>>;

  before(async () => {
    token = service.customerToken;
    claims = decodeJwt(token);
    const options = {
      pool: service.pool,
      realClock: { now: () => Date.now() },
      logger: createLogger('silent'),
      encryption: {},
      rotationDays: { tokens: 90, evidence: 365 },
    };
    keys = await createKeys(options).tokens.signer();
  });

  const sign = (
    changes: Record<string, unknown>,
    header: Record<string, unknown> = {},
    key = keys.privateKey,
  ) =>
    new SignJWT({ ...claims, ...changes })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: keys.kid, ...header })
      .sign(key);
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  test('one signed like ours is good, so that the others fail for their own reason', async () => {
    assert.equal((await probe(`Bearer ${await sign({})}`)).status, 200);
  });

  test('none at all', async () => {
    for (const authorization of [undefined, 'Basic abc', 'Bearer', 'Bearer ', token]) {
      const headers = authorization === undefined ? {} : { Authorization: authorization };
      const answer = await service.call('GET', PROBE, { token: null, headers });
      await refused('token_missing', answer);
      assert.match(answer.headers.get('WWW-Authenticate') ?? '', /^Bearer realm=/);
    }
    const query = await service.call('GET', `${PROBE}?access_token=${token}`, { token: null });
    await refused('token_missing', query);
  });

  test('expired', async () => {
    const now = Math.floor(Date.now() / 1_000);
    for (const changes of [
      { iat: now - 86_401, exp: now - 1 },
      { iat: 0, exp: 86_400 },
    ]) {
      const answer = await probe(`Bearer ${await sign(changes)}`);
      await refused('token_expired', answer);
      assert.match(answer.headers.get('WWW-Authenticate') ?? '', /invalid_token/);
    }
  });

  test('foreign, unsigned, tampered with, or of another kind', async () => {
    const { privateKey: foreign } = await generateKeyPair('ES256', { extractable: true });
    const [head = '', body = '', signature = ''] = token.split('.');
    const { keys: published } = (await service.call('GET', '/.well-known/jwks.json', { token: null })).body;
    const publicText = JSON.stringify(published[0]);
    const hmacHead = encode({ alg: 'HS256', typ: 'at+jwt', kid: keys.kid });
    const hmac = createHmac('sha256', publicText).update(`${hmacHead}.${body}`).digest('base64url');
    const wrong = {
      'of another signer': await sign({}, {}, foreign),
      'of another key': await sign({}, { kid: 'other' }, foreign),
      'with its own key inside': await sign({}, { jwk: await exportJWK(foreign) }, foreign),
      'without kid': await sign({}, { kid: undefined }),
      'alg none': `${encode({ alg: 'none', typ: 'at+jwt' })}.${body}.`,
      'alg none with a signature': `${encode({ alg: 'none', typ: 'at+jwt', kid: keys.kid })}.${body}.${signature}`,
      'signed with the public key as a secret': `${hmacHead}.${body}.${hmac}`,
      unsigned: `${head}.${body}.`,
      'another body': `${head}.${encode({ ...claims, scope: 'operator:*' })}.${signature}`,
      'an identity token': await sign({}, { typ: 'JWT' }),
      'of another issuer': await sign({ iss: 'https://elsewhere.example' }),
      'for another audience': await sign({ aud: 'https://elsewhere.example' }),
      'of a client that is none': await sign({ client_id: typeId('cli', newUuid(0)) }),
      'of a client that cannot be': await sign({ client_id: "x'; drop table customers" }),
      'without expiry': await sign({ exp: undefined }),
      'with an expiry that is none': await sign({ exp: 'tomorrow' }),
      'with scopes that are none': await sign({ scope: 5 }),
      'without an id': await sign({ jti: undefined }),
      'not a token': 'x.y.z',
      'very long': 'x'.repeat(8_000),
    };
    for (const [name, text] of Object.entries(wrong)) {
      const answer = await probe(`Bearer ${text}`);
      assert.equal(answer.status, 401, name);
      await refused('token_invalid', answer);
      assert.match(answer.headers.get('WWW-Authenticate') ?? '', /invalid_token/, name);
    }
  });

  test('every address of customers and operators needs one', async () => {
    const paths = (await service.call('GET', '/openapi.json', { token: null })).body.paths;
    let guarded = 0;
    for (const [path, methods] of Object.entries<object>(paths)) {
      if (!/^\/v1\/(customer|operator|sandbox)\//.test(path)) continue;
      for (const method of Object.keys(methods)) {
        const address = path.replaceAll(/\{[^}]+\}/g, 'x');
        await refused('token_missing', service.call(method.toUpperCase(), address, { token: null }));
        guarded++;
      }
    }
    assert.ok(guarded > 40, `${guarded}`);
  });
});
