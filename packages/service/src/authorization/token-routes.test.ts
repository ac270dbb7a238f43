import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { isoInstant } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';
import { defaultScopes } from './scopes.ts';
import { hashSecret } from './secrets.ts';
import {
  assertRefused,
  customerClient,
  jsonRequest,
  operatorClient,
  postForm,
  postJson,
  startWithDatabase,
} from './test-support.ts';

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

const server = await startWithDatabase();
const client = await customerClient(server);

describe('POST /oauth/token', () => {
  const request = (extra: Record<string, unknown> = {}) => jsonRequest(server, client, extra);
  const without = (name: string) =>
    Object.fromEntries(Object.entries(request()).filter(([key]) => key !== name));

  test('the four JSON fields give a bearer token for 86400 seconds', async () => {
    const answer = await postJson(server, request());
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(answer.body), ['access_token', 'token_type', 'expires_in']);
    assert.equal(answer.body.token_type, 'Bearer');
    assert.equal(answer.body.expires_in, 86_400);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const token = String(answer.body.access_token);
    const header = decodeProtectedHeader(token);
    assert.deepEqual([header.alg, header.typ], ['ES256', 'at+jwt']);
    const claims = decodeJwt(token);
    assert.deepEqual(Object.keys(claims).sort(), [
      'aud',
      'client_id',
      'exp',
      'iat',
      'iss',
      'jti',
      'scope',
      'sub',
    ]);
    assert.equal(claims.iss, server.url);
    assert.equal(claims.aud, server.url);
    assert.equal(claims.sub, client.clientId);
    assert.equal(claims.client_id, client.clientId);
    assert.equal((claims.exp ?? 0) - (claims.iat ?? 0), 86_400);
    assert.equal(claims.scope, defaultScopes('customer').join(' '));
  });

  test('each missing JSON field is named', async () => {
    for (const name of ['client_id', 'client_secret', 'audience', 'grant_type']) {
      const answer = await postJson(server, without(name));
      assertRefused(answer, 400, 'invalid_request');
      assert.match(String(answer.body.error_description), new RegExp(name));
      assertRefused(await postJson(server, request({ [name]: '' })), 400, 'invalid_request');
    }
  });

  test('arrays, numbers, null and members given twice are refused', async () => {
    for (const value of [['a'], 1, true, null, {}]) {
      for (const name of ['client_id', 'client_secret', 'audience', 'grant_type', 'scope']) {
        assertRefused(await postJson(server, request({ [name]: value })), 400, 'invalid_request');
      }
    }
    const twice = JSON.stringify(request()).replace('{', '{"audience":"https://other.example",');
    assertRefused(await postJson(server, twice), 400, 'invalid_request');
    const hidden = JSON.stringify(request()).replace('{', '{"gr\\u0061nt_type":["x"],');
    assertRefused(await postJson(server, hidden), 400, 'invalid_request');
  });

  test('malformed JSON, other media types, large bodies and other methods get OAuth errors', async () => {
    for (const body of ['{', '', '[]', '"x"', 'null', '{"a":"b"', 'client_id=x']) {
      assertRefused(await postJson(server, body), 400, 'invalid_request');
    }
    assertRefused(
      await postJson(server, request(), { 'content-type': 'text/plain' }),
      415,
      'invalid_request',
    );
    assertRefused(await postJson(server, request(), { 'content-type': 'nonsense' }), 415, 'invalid_request');
    assertRefused(await postJson(server, request({ pad: 'x'.repeat(20_000) })), 413, 'invalid_request');
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const response = await fetch(`${server.url}/oauth/token`, { method });
      assert.equal(response.status, 405);
      assert.equal(response.headers.get('allow'), 'POST');
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.equal(((await response.json()) as { error: string }).error, 'invalid_request');
    }
    const post = await fetch(`${server.url}/oauth/token`, { method: 'POST' });
    assert.equal(post.status, 400);
    assert.equal(((await post.json()) as { error: string }).error, 'invalid_request');
  });

  test('ten megabytes are refused without being read to the end', async () => {
    const port = Number.parseInt(new URL(server.url).port, 10);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', reject);
      socket.on('data', (data) => {
        socket.destroy();
        resolve(data.toString());
      });
      socket.write(
        'POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10485760\r\n\r\n{"a":',
      );
    });
    assert.match(answer, /^HTTP\/1\.1 413 /);
    assert.match(answer, /"error":"invalid_request"/);
  });

  test('grant type, scope and audience have their own errors', async () => {
    assertRefused(await postJson(server, request({ grant_type: 'password' })), 400, 'unsupported_grant_type');
    assertRefused(
      await postJson(server, request({ grant_type: 'refresh_token' })),
      400,
      'unsupported_grant_type',
    );
    for (const scope of [
      'quotes:all',
      'operator:*',
      'operator:customers',
      'quotes:read  quotes:write',
      ' ',
    ]) {
      assertRefused(await postJson(server, request({ scope })), 400, 'invalid_scope');
    }
    for (const audience of ['https://other.example', `${server.url}/`, `${server.url}/operator`, 'x']) {
      assertRefused(await postJson(server, request({ audience })), 400, 'invalid_target');
    }
  });

  test('a scope that was asked for is the one in the token, once', async () => {
    const answer = await postJson(server, request({ scope: 'trades:execute quotes:read trades:execute' }));
    assert.equal(decodeJwt(String(answer.body.access_token)).scope, 'trades:execute quotes:read');
  });

  test('operators have their scopes and audience, and no customer scope', async () => {
    const operator = await operatorClient(server);
    const audience = `${server.url}/operator`;
    const all = await postJson(server, jsonRequest(server, operator, { audience }));
    assert.equal(decodeJwt(String(all.body.access_token)).scope, 'operator:*');
    const narrow = await postJson(
      server,
      jsonRequest(server, operator, { audience, scope: 'operator:spreads' }),
    );
    assert.equal(decodeJwt(String(narrow.body.access_token)).scope, 'operator:spreads');
    for (const scope of ['quotes:read', 'operator:unheard-of']) {
      assertRefused(
        await postJson(server, jsonRequest(server, operator, { audience, scope })),
        400,
        'invalid_scope',
      );
    }
    assertRefused(await postJson(server, jsonRequest(server, operator)), 400, 'invalid_target');
  });

  test('wrong secrets and unknown clients look the same, without a challenge', async () => {
    const unknown = 'cli_01h455vb4pex5vsknk084sn02q';
    const answers = [
      await postJson(server, request({ client_secret: 'wrong' })),
      await postJson(server, request({ client_secret: `${client.clientSecret}x` })),
      await postJson(server, request({ client_secret: hashSecret(client.clientSecret).toString('hex') })),
      await postJson(server, request({ client_id: unknown })),
      await postJson(server, request({ client_id: "' or 1=1 --" })),
      await postJson(server, request({ client_id: client.id })),
    ];
    for (const answer of answers) {
      assertRefused(answer, 401, 'invalid_client');
      assert.deepEqual(answer.body, answers[0]?.body);
      assert.equal(answer.headers.get('www-authenticate'), null);
    }
  });

  test('forms work as RFC 6749 has them, and name the audience one way or the other', async () => {
    const form = {
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: client.clientSecret,
    };
    const url = server.url;
    for (const whom of [
      { audience: url },
      { resource: url },
      { audience: url, resource: url, unheard_of: '1' },
    ]) {
      const plain = await postForm(server, { ...form, ...whom });
      assert.equal(plain.status, 200);
      assert.equal(decodeJwt(String(plain.body.access_token)).aud, url);
    }
    const nobody = await postForm(server, form);
    assertRefused(nobody, 400, 'invalid_request');
    assert.equal(nobody.body.error_description, 'Required but missing: audience.');
    assertRefused(await postForm(server, { ...form, audience: url, resource: 'x' }), 400, 'invalid_request');
    assertRefused(await postForm(server, { ...form, audience: 'https://x.example' }), 400, 'invalid_target');
    const text = new URLSearchParams({ ...form, audience: url }).toString();
    for (const again of ['grant_type=client_credentials', 'client_id=x', 'unheard_of=1&unheard_of=1']) {
      assertRefused(await postForm(server, `${text}&${again}`), 400, 'invalid_request');
    }
    assertRefused(
      await postForm(server, { grant_type: 'client_credentials', client_id: client.clientId }),
      401,
      'invalid_client',
    );
    assertRefused(await postForm(server, { ...form, audience: url, grant_type: '' }), 400, 'invalid_request');
  });

  test('parameters in the address are refused', async () => {
    const response = await fetch(`${server.url}/oauth/token?client_secret=x`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request()),
    });
    assert.equal(response.status, 400);
    assert.equal(((await response.json()) as { error: string }).error, 'invalid_request');
  });

  test('Basic works with forms and with JSON, and a failure carries the challenge', async () => {
    const { clientId, clientSecret } = client;
    const form = { grant_type: 'client_credentials', audience: server.url };
    const json = { audience: server.url, grant_type: 'client_credentials' };
    assert.equal((await postForm(server, form, basic(clientId, clientSecret))).status, 200);
    assert.equal((await postJson(server, json, basic(clientId, clientSecret))).status, 200);
    assert.equal(
      (await postForm(server, { ...form, client_id: clientId }, basic(clientId, clientSecret))).status,
      200,
    );
    const headers = [
      basic(clientId, 'wrong'),
      basic('nobody', clientSecret),
      { authorization: 'Basic !!!' },
      { authorization: `Basic ${Buffer.from('no colon').toString('base64')}` },
      basic(clientId, '%zz'),
      { authorization: 'Bearer abc' },
    ];
    for (const header of headers) {
      const answer = await postForm(server, form, header);
      assertRefused(answer, 401, 'invalid_client');
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic realm=/);
    }
  });

  test('a secret with a colon and percent signs survives Basic', async () => {
    const secret = 'a:b%3A c+d:é/=';
    await server.pool.query(
      'insert into client_secrets (id, client_id, secret_hash, place, created_at) values ($1, $2, $3, 2, $4)',
      [newUuid(Date.now()), client.id, hashSecret(secret), isoInstant(Date.now())],
    );
    const form = { grant_type: 'client_credentials', audience: server.url };
    const encoded = basic(client.clientId, encodeURIComponent(secret).replaceAll('%20', '+'));
    assert.equal((await postForm(server, form, encoded)).status, 200);
    const cut = basic(client.clientId, 'a');
    assertRefused(await postForm(server, form, cut), 401, 'invalid_client');
  });

  test('two authentication methods at once are refused', async () => {
    const assertion = {
      client_assertion: 'a.b.c',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    };
    const { clientId, clientSecret } = client;
    assertRefused(await postJson(server, request(), basic(clientId, clientSecret)), 400, 'invalid_request');
    assertRefused(await postJson(server, request(assertion)), 400, 'invalid_request');
    const form = { grant_type: 'client_credentials', ...assertion };
    assertRefused(await postForm(server, form, basic(clientId, clientSecret)), 400, 'invalid_request');
    const other = { grant_type: 'client_credentials', client_id: 'another' };
    assertRefused(await postForm(server, other, basic(clientId, clientSecret)), 400, 'invalid_request');
  });
});
