import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportJWK, generateKeyPair } from 'jose';
import { CLIENTS_PER_CUSTOMER_MAX } from './create-client.ts';
import {
  call,
  insertCustomer,
  jsonRequest,
  operatorClient,
  operatorToken,
  postJson,
  probe,
  startWithDatabase,
  tokenFor,
} from './test-support.ts';

const server = await startWithDatabase();
const token = await operatorToken(server, await operatorClient(server));

const operator = (method: string, path: string, body?: unknown) =>
  call(server, `/v1/operator/customers/${path}`, token, { method, body });

interface Created {
  clientId: string;
  clientSecret: string;
  secretId: string;
}

async function newCredential(body: Record<string, unknown> = { name: 'trading system' }) {
  const customer = await insertCustomer(server.pool);
  const answer = await operator('POST', `${customer.customerId}/credentials`, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const created = answer.body as unknown as Created;
  return { customer, answer, created, path: `${customer.customerId}/credentials/${created.clientId}` };
}

const asks = async (client: Created, secret = client.clientSecret) =>
  (await postJson(server, jsonRequest(server, { ...client, clientSecret: secret }))).status;

test('a credential is made, works, and shows its secret once', async () => {
  const { customer, answer, created } = await newCredential();
  assert.match(created.clientId, /^cli_[0-9a-z]{26}$/);
  assert.match(created.secretId, /^key_[0-9a-z]{26}$/);
  assert.match(created.clientSecret, /^fqs_live_[0-9A-Za-z]{49}$/);
  const path = `/v1/operator/customers/${customer.customerId}/credentials`;
  assert.equal(answer.headers.get('location'), `${path}/${created.clientId}`);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.equal(await asks(created), 200);
  const list = await operator('GET', `${customer.customerId}/credentials`);
  assert.ok(!JSON.stringify(list.body).includes(created.clientSecret));
  const [credential] = list.body.credentials as Record<string, unknown>[];
  assert.deepEqual(Object.keys(credential ?? {}), [
    'clientId',
    'name',
    'status',
    'scopes',
    'audiences',
    'ipAllowList',
    'secrets',
    'keys',
    'expiresAt',
    'dpopBoundTokens',
    'lastUsedAt',
    'createdAt',
    'updatedAt',
  ]);
  assert.deepEqual(credential?.audiences, [server.url]);
});

test('a credential is changed by its keys and secrets too', async () => {
  const { customer, created, path } = await newCredential();
  const { publicKey } = await generateKeyPair('ES256');
  const key = { kid: 'k', ...(await exportJWK(publicKey)) };
  for (const [method, rest, body, status] of [
    ['PUT', '/keys', { keys: [key] }, 200],
    ['POST', '/secrets', {}, 201],
    ['DELETE', `/secrets/${created.secretId}`, undefined, 204],
  ] as const) {
    const before = '2026-01-05T09:00:00.000Z';
    await server.pool.query('update oauth_clients set updated_at = $2 where customer_id = $1', [
      customer.id,
      before,
    ]);
    assert.equal((await operator(method, `${path}${rest}`, body)).status, status, rest);
    const { credentials } = (await operator('GET', `${customer.customerId}/credentials`)).body as {
      credentials: { updatedAt: string }[];
    };
    assert.ok((credentials[0]?.updatedAt ?? '') > before, rest);
  }
});

test('scopes can be narrowed but never reach the operator', async () => {
  const { created } = await newCredential({ name: 'reader', scopes: ['quotes:read'] });
  const reader = await tokenFor(server, created);
  assert.deepEqual((await probe(server, reader)).body.scopes, ['quotes:read']);
  const customer = await insertCustomer(server.pool);
  const refused = await operator('POST', `${customer.customerId}/credentials`, {
    name: 'x',
    scopes: ['quotes:read', 'operator:*'],
  });
  assert.deepEqual([refused.status, refused.body.code], [400, 'validation_failed']);
  const { clients } = server.authorization;
  const owner = { kind: 'customer', customerId: customer.id } as const;
  await assert.rejects(clients.create({ owner, name: 'x', scopes: ['operator:*'] }), {
    code: 'validation_failed',
  });
  await assert.rejects(clients.create({ owner: { kind: 'operator' }, name: 'x', scopes: ['quotes:read'] }), {
    code: 'validation_failed',
  });
});

test('secrets are replaced without an outage', async () => {
  const { created, path } = await newCredential();
  const second = await operator('POST', `${path}/secrets`);
  assert.equal(second.status, 201);
  assert.equal(second.headers.get('cache-control'), 'no-store');
  assert.equal(await asks(created, String(second.body.clientSecret)), 200);
  const third = await operator('POST', `${path}/secrets`, {});
  assert.deepEqual([third.status, third.body.code, third.body.limit], [422, 'limit_exceeded', 2]);
  assert.equal((await operator('DELETE', `${path}/secrets/${created.secretId}`)).status, 204);
  assert.equal(await asks(created), 401);
  assert.equal(await asks(created, String(second.body.clientSecret)), 200);
  const gone = await operator('DELETE', `${path}/secrets/${created.secretId}`);
  assert.deepEqual([gone.status, gone.body.code], [404, 'client_not_found']);
  const past = await operator('POST', `${path}/secrets`, { expiresAt: '2020-01-01T00:00:00Z' });
  assert.deepEqual([past.status, past.body.code], [400, 'validation_failed']);
});

test('ten additions at once leave two secrets', async () => {
  const { path } = await newCredential();
  const answers = await Promise.all(Array.from({ length: 10 }, () => operator('POST', `${path}/secrets`)));
  assert.equal(answers.filter((answer) => answer.status === 201).length, 1);
  assert.equal(answers.filter((answer) => answer.body.code === 'limit_exceeded').length, 9);
});

test('keys: public ones only, every fault named', async () => {
  const { path } = await newCredential();
  const ec = await generateKeyPair('ES256', { extractable: true });
  const rsa = await generateKeyPair('RS256', { extractable: true, modulusLength: 2048 });
  const keys = [await exportJWK(ec.publicKey), { ...(await exportJWK(rsa.publicKey)), kid: 'rsa' }];
  const set = await operator('PUT', `${path}/keys`, { keys });
  assert.equal(set.status, 200, JSON.stringify(set.body));
  const shown = set.body.keys as { kid: string; alg: string }[];
  assert.deepEqual(shown.map((key) => key.alg).sort(), ['ES256', 'RS256']);
  const es512 = await generateKeyPair('ES512', { extractable: true });
  const publicEc = await exportJWK(ec.publicKey);
  const wrong = await operator('PUT', `${path}/keys`, {
    keys: [
      await exportJWK(ec.privateKey),
      { kty: 'oct', k: 'AAAA' },
      await exportJWK(es512.publicKey),
      { ...publicEc, alg: 'RS256' },
      { ...publicEc, x: 'AAAA' },
    ],
  });
  assert.equal(wrong.body.code, 'validation_failed');
  const faults = wrong.body.errors as { pointer: string; code: string }[];
  assert.deepEqual(
    faults.map((fault) => fault.pointer),
    ['/keys/0/d', '/keys/1/k', '/keys/2/kty', '/keys/3/alg', '/keys/4'],
  );
  const twice = await operator('PUT', `${path}/keys`, { keys: [publicEc, publicEc] });
  assert.equal(twice.body.code, 'validation_failed');
  const short = Buffer.alloc(128, 0xff).toString('base64url');
  const weak = await operator('PUT', `${path}/keys`, { keys: [{ kty: 'RSA', n: short, e: 'AQAB' }] });
  assert.equal(weak.body.code, 'validation_failed');
  const { n } = await exportJWK(rsa.publicKey);
  // 1, 3, 65536 and 2^32 + 1: with the first, anybody can sign.
  for (const e of ['AQ', 'Aw', 'AQAA', 'AQAAAAE']) {
    const answer = await operator('PUT', `${path}/keys`, { keys: [{ kty: 'RSA', n, e }] });
    const [fault] = answer.body.errors as { pointer: string }[];
    assert.ok(fault?.pointer === '/keys/0/e' || fault?.pointer === '/keys/0', `${e} ${fault?.pointer}`);
  }
  const none = await operator('PUT', `${path}/keys`, { keys: [] });
  assert.deepEqual(none.body.keys, []);
});

test('the allow-list takes addresses and ranges and says which entry is wrong', async () => {
  const { created, path } = await newCredential({ name: 'x', ipAllowList: ['127.0.0.1'] });
  assert.equal(await asks(created), 200);
  const set = await operator('PUT', `${path}/ip-allow-list`, {
    ipAllowList: ['203.0.113.0/24', '2001:db8::1'],
  });
  assert.deepEqual(set.body.ipAllowList, ['203.0.113.0/24', '2001:db8::1']);
  assert.equal(await asks(created), 401);
  const entries = ['203.0.113.0/33', '2001:db8::/129', '1.2.3', 'example.com', '1.2.3.4/', '1.2.3.4/-1'];
  const wrong = await operator('PUT', `${path}/ip-allow-list`, { ipAllowList: ['1.2.3.4', ...entries] });
  const faults = wrong.body.errors as { pointer: string }[];
  assert.deepEqual(
    faults.map((fault) => fault.pointer),
    entries.map((_, at) => `/ipAllowList/${at + 1}`),
  );
});

test('suspend, resume, withdraw tokens, revoke', async () => {
  const { customer, created, path } = await newCredential();
  const mine = await tokenFor(server, created);
  assert.equal((await probe(server, mine)).status, 200);
  for (let i = 0; i < 2; i++) {
    const suspended = await operator('POST', `${path}/suspend`);
    assert.deepEqual([suspended.status, suspended.body.status], [200, 'suspended']);
  }
  assert.equal((await probe(server, mine)).status, 401);
  assert.equal(await asks(created), 401);
  assert.equal((await operator('POST', `${path}/resume`)).body.status, 'active');
  assert.equal((await probe(server, mine)).status, 200);
  assert.equal((await operator('POST', `${path}/revoke-tokens`)).status, 204);
  assert.equal((await probe(server, mine)).body.code, 'token_invalid');
  assert.equal(await asks(created), 200);
  assert.equal((await operator('DELETE', path)).status, 204);
  assert.equal(await asks(created), 401);
  assert.equal((await operator('POST', `${path}/resume`)).body.code, 'client_not_found');
  const list = await operator('GET', `${customer.customerId}/credentials`);
  assert.deepEqual(list.body.credentials, []);
});

test("unknown ids and another customer's are 404", async () => {
  const { created, path } = await newCredential();
  const other = await insertCustomer(server.pool);
  const unknown = 'cus_01h455vb4pex5vsknk084sn02q';
  for (const id of [unknown, 'cus_x', other.id]) {
    assert.equal((await operator('GET', `${id}/credentials`)).body.code, 'customer_not_found');
    assert.equal(
      (await operator('POST', `${id}/credentials`, { name: 'x' })).body.code,
      'customer_not_found',
    );
  }
  const paths = [
    `${other.customerId}/credentials/${created.clientId}`,
    `${other.customerId}/credentials/cli_x`,
    `${path.slice(0, -1)}~`,
  ];
  for (const wrong of paths) {
    for (const [method, rest, body] of [
      ['POST', '/suspend', undefined],
      ['POST', '/resume', undefined],
      ['POST', '/secrets', undefined],
      ['DELETE', `/secrets/${created.secretId}`, undefined],
      ['DELETE', '', undefined],
      ['PUT', '/keys', { keys: [] }],
      ['PUT', '/ip-allow-list', { ipAllowList: [] }],
      ['POST', '/revoke-tokens', undefined],
    ] as const) {
      const answer = await operator(method, `${wrong}${rest}`, body);
      assert.deepEqual([answer.status, answer.body.code], [404, 'client_not_found'], `${method} ${rest}`);
    }
  }
  assert.equal(await asks(created), 200, 'nothing happened to it');
});

test('unknown fields and wrong types are refused', async () => {
  const { customer, path } = await newCredential();
  for (const [method, target, body] of [
    ['POST', `${customer.customerId}/credentials`, { name: 'x', extra: 1 }],
    ['POST', `${customer.customerId}/credentials`, { name: '' }],
    ['POST', `${customer.customerId}/credentials`, { name: 'x', scopes: [] }],
    ['POST', `${path}/secrets`, { extra: 1 }],
    ['POST', `${path}/secrets`, { expiresAt: 1 }],
    ['PUT', `${path}/keys`, { keys: {} }],
    ['PUT', `${path}/ip-allow-list`, { ipAllowList: '127.0.0.1' }],
    ['POST', `${path}/revoke-tokens`, { jti: 'x' }],
  ] as const) {
    const answer = await operator(method, target, body);
    assert.deepEqual([answer.status, answer.body.code], [400, 'validation_failed'], JSON.stringify(body));
  }
});

test('the scope operator:credentials is needed', async () => {
  const narrow = await operatorToken(server, await operatorClient(server, ['operator:spreads']));
  const { customer } = await newCredential();
  const path = `/v1/operator/customers/${customer.customerId}/credentials`;
  const answer = await call(server, path, narrow);
  assert.deepEqual([answer.status, answer.body.requiredScope], [403, 'operator:credentials']);
  const fitting = await operatorToken(server, await operatorClient(server, ['operator:credentials']));
  assert.equal((await call(server, path, fitting)).status, 200);
  const reader = await operatorToken(server, await operatorClient(server, ['operator:customers:read']));
  assert.equal((await call(server, path, reader)).status, 200);
  const write = await call(server, path, reader, { method: 'POST', body: { name: 'x' } });
  assert.deepEqual([write.status, write.body.requiredScope], [403, 'operator:credentials']);
});

test('a customer has so many clients and no more', async () => {
  const customer = await insertCustomer(server.pool);
  const owner = { kind: 'customer', customerId: customer.id } as const;
  for (let i = 0; i < CLIENTS_PER_CUSTOMER_MAX; i++) {
    await server.authorization.clients.create({ owner, name: `client ${i}` });
  }
  const refused = await operator('POST', `${customer.customerId}/credentials`, { name: 'one more' });
  assert.deepEqual([refused.status, refused.body.code], [422, 'limit_exceeded']);
});

test('the schema refuses what the code would never write', async () => {
  const { created } = await newCredential();
  const refuse = (sql: string) => assert.rejects(server.pool.query(sql), { code: /^23/ });
  await refuse("update oauth_clients set scopes = array['operator:*'] where kind = 'customer'");
  await refuse("update oauth_clients set scopes = array['quotes:read'] where kind = 'operator'");
  await refuse("update oauth_clients set customer_id = null where kind = 'customer'");
  await refuse(
    'insert into client_secrets select gen_random_uuid(), client_id, secret_hash, place, created_at from client_secrets',
  );
  assert.equal(await asks(created), 200);
});
