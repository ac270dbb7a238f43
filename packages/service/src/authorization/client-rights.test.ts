import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt, exportJWK, generateKeyPair } from 'jose';
import { isoInstant } from '../platform/clock.ts';
import { uuidOf } from '../platform/ids.ts';
import { addSecret, replaceSecrets } from './client-secrets.ts';
import {
  call,
  customerClient,
  jsonRequest,
  type OAuthAnswer,
  operatorClient,
  operatorToken,
  postJson,
  startServer,
  startWithDatabase,
  tokenFor,
} from './test-support.ts';

/** What clients may do, how long, and with which secrets: for operators at `/v1/operator`, for customers with their own. */

const CLIENTS = '/v1/operator/clients';
const OWN = '/v1/customer/credentials';
const HOUR_MS = 3_600_000;
const server = await startWithDatabase({ trustProxy: ['127.0.0.1'], isSandbox: true });
const desk = await operatorToken(server, await operatorClient(server));
/** The room as the command has it. */
const room = { ...server, onChange: () => undefined, onRolesChange: () => undefined };

type Made = { readonly clientId: string; readonly clientSecret: string; readonly secretId: string };

async function operator(body: Record<string, unknown>): Promise<Made & { token: string }> {
  const answer = await call(server, CLIENTS, desk, { method: 'POST', body: { name: 'x', ...body } });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const made = answer.body as unknown as Made;
  return { ...made, token: await operatorToken(server, made) };
}

const patch = (path: string, body: unknown, token = desk) =>
  call(server, path, token, { method: 'PATCH', body });
const probes = (token: string) => call(server, '/v1/operator/probe', token);
const outcome = ({ status, body }: OAuthAnswer) => [status, body.code];
const inHours = (hours: number) => isoInstant(server.realClock.now() + hours * HOUR_MS);
const asks = async (made: { clientId: string }, clientSecret: string) =>
  (
    await postJson(
      server,
      jsonRequest(server, { ...made, clientSecret }, { audience: `${server.url}/operator` }),
    )
  ).status;

/** A client of a new customer that manages the others. */
async function managed(scopes = ['credentials:write', 'quotes:read']) {
  const first = await customerClient(server);
  const owner = { kind: 'customer', customerId: first.customer.id } as const;
  const manager = await server.authorization.clients.create({ owner, name: 'manager', scopes });
  const token = await tokenFor(server, manager);
  return {
    first,
    manager,
    token,
    call: (method: string, path = '', body?: unknown, headers = {}) =>
      call(server, `${OWN}${path}`, token, { method, body, headers }),
  };
}

test('what is taken from a client is missing from its tokens at once, and what is added is in new ones', async () => {
  const made = await operator({ scopes: ['operator:spreads', 'operator:limits'] });
  const one = `${CLIENTS}/${made.clientId}`;
  assert.equal((await probes(made.token)).status, 200);
  const changed = await patch(one, { scopes: ['operator:limits', 'operator:ledger'], name: 'limits' });
  assert.deepEqual(
    [changed.body.name, changed.body.scopes],
    ['limits', ['operator:limits', 'operator:ledger']],
  );
  assert.equal((await probes(made.token)).status, 403);
  assert.equal(decodeJwt(await operatorToken(server, made)).scope, 'operator:limits operator:ledger');
  await patch(one, { scopes: [], roles: ['dealer'] });
  assert.equal((await probes(await operatorToken(server, made))).status, 200);
  for (const body of [{}, { scopes: [], roles: [] }, { scopes: ['quotes:read'] }, { roles: ['nobody'] }]) {
    assert.deepEqual(outcome(await patch(one, body)), [400, 'validation_failed'], JSON.stringify(body));
  }
});

test('a client that gives itself or others scopes that it lacks is refused', async () => {
  const made = await operator({ scopes: ['operator:clients', 'operator:reports'] });
  const refused = [403, 'insufficient_scope'];
  const own = `${CLIENTS}/${made.clientId}`;
  assert.deepEqual(
    outcome(await patch(own, { scopes: ['operator:clients', 'operator:payouts'] }, made.token)),
    refused,
  );
  assert.deepEqual(outcome(await patch(own, { roles: ['administrator'] }, made.token)), refused);
  const { call: own_, first } = await managed();
  assert.deepEqual(outcome(await own_('POST', '', { name: 'x', scopes: ['trades:execute'] })), refused);
  // Taking hold of a client is as good as having its rights.
  assert.deepEqual(outcome(await own_('POST', `/${first.clientId}/secrets`)), refused);
});

test('a client ends with its tokens when it was to end', async () => {
  const made = await operator({ scopes: ['operator:spreads'], expiresAt: inHours(2) });
  const { exp = 0, iat = 0 } = decodeJwt(made.token);
  assert.ok(exp - iat <= 7_200, 'a token does not outlive its client');
  const short = await operator({ scopes: ['operator:spreads'] });
  await patch(`${CLIENTS}/${short.clientId}`, { expiresAt: inHours(2) });
  assert.equal((await probes(short.token)).status, 200);
  const past = await patch(`${CLIENTS}/${short.clientId}`, { expiresAt: '2020-01-01T00:00:00Z' });
  assert.deepEqual(outcome(past), [400, 'validation_failed']);
  server.realClock.advance(2 * HOUR_MS + 1_000);
  assert.deepEqual(outcome(await probes(short.token)), [401, 'token_invalid']);
  assert.deepEqual(outcome(await probes(made.token)), [401, 'token_expired']);
  assert.equal(await asks(made, made.clientSecret), 401);
  server.realClock.followRealTime();
});

test('what a client makes ends with it, and it cannot put its own end off', async () => {
  const made = await operator({ scopes: ['operator:clients'], expiresAt: inHours(2) });
  const make = (expiresAt?: string) =>
    call(server, CLIENTS, made.token, {
      method: 'POST',
      body: { name: 'x', scopes: ['operator:clients'], expiresAt },
    });
  assert.deepEqual(outcome(await make()), [400, 'validation_failed']);
  assert.deepEqual(outcome(await make(inHours(3))), [400, 'validation_failed']);
  assert.equal((await make(inHours(1))).status, 201);
  for (const expiresAt of [null, inHours(9)]) {
    const answer = await patch(`${CLIENTS}/${made.clientId}`, { expiresAt }, made.token);
    assert.deepEqual(outcome(answer), [409, 'own_client']);
  }
});

test('a client that ends takes hold of none that does not, or ends later, and widens none', async () => {
  const ending = await operator({ scopes: ['operator:clients', 'operator:reports'], expiresAt: inHours(2) });
  const key = await exportJWK((await generateKeyPair('ES256')).publicKey);
  const holds = [
    ['POST', '/secrets', { expiresAt: inHours(1) }],
    ['POST', '/secrets', undefined],
    ['PUT', '/keys', { keys: [key] }],
    ['PUT', '/ip-allow-list', { ipAllowList: [] }],
    ['PATCH', '', { scopes: ['operator:reports', 'operator:clients'] }],
    ['POST', '/resume', undefined],
  ] as const;
  for (const expiresAt of [undefined, inHours(3)]) {
    const other = await operator({ scopes: ['operator:reports'], expiresAt });
    const asks = (method: string, path: string, body?: unknown) =>
      call(server, `${CLIENTS}/${other.clientId}${path}`, ending.token, { method, body });
    for (const [method, path, body] of holds) {
      const answer = await asks(method, path, body);
      assert.deepEqual(outcome(answer), [400, 'validation_failed'], path);
      const [error] = answer.body.errors as Record<string, string>[];
      assert.deepEqual([error?.pointer, error?.code], ['/path/clientId', 'too_late']);
    }
    assert.equal((await asks('PUT', '/keys', { keys: [] })).status, 200);
    assert.equal((await asks('POST', '/suspend')).status, 200, 'what stops one is for everybody');
    assert.equal((await asks('PATCH', '', { expiresAt: inHours(1) })).status, 200);
    assert.equal((await asks('POST', '/secrets')).status, 201, 'now it ends before');
  }
  const own = `${CLIENTS}/${ending.clientId}/secrets`;
  assert.equal((await call(server, own, ending.token, { method: 'POST' })).status, 201);
});

test('a secret is rotated with an overlap: after it the old one is none', async () => {
  const made = await operator({ scopes: ['operator:spreads'] });
  const path = `${CLIENTS}/${made.clientId}/secrets`;
  const second = await call(server, path, desk, { method: 'POST', body: { othersExpireAt: inHours(1) } });
  assert.equal(second.status, 201);
  assert.match(String(second.body.clientSecret), /^fqs_test_[0-9A-Za-z]{49}$/);
  assert.equal(await asks(made, made.clientSecret), 200);
  assert.equal(await asks(made, String(second.body.clientSecret)), 200);
  server.realClock.advance(HOUR_MS + 1_000);
  assert.equal(await asks(made, made.clientSecret), 401);
  assert.equal(await asks(made, String(second.body.clientSecret)), 200);
  assert.equal((await call(server, path, desk, { method: 'POST' })).status, 201, 'there is room again');
  server.realClock.followRealTime();
});

test('a secret that was seen is replaced at once, also where an earlier one has run out', async () => {
  const made = await operator({ scopes: ['operator:spreads'] });
  const reference = { id: uuidOf('cli', made.clientId), customerId: undefined };
  await addSecret(room, reference, undefined, server.realClock.now() + HOUR_MS);
  server.realClock.advance(HOUR_MS + 1_000);
  const replaced = await replaceSecrets(room, reference);
  assert.equal(await asks(made, made.clientSecret), 401);
  assert.equal(await asks(made, replaced.clientSecret), 200);
  const { rows } = await server.pool.query(
    'select revoked_at = expires_at as "ranOut" from client_secrets where client_id = $1 and expires_at is not null',
    [reference.id],
  );
  assert.deepEqual(rows, [{ ranOut: true }], 'one that has run out ended then, and not now');
  server.realClock.followRealTime();
});

test('when a client was used last is kept to the minute', async () => {
  const fresh = await startServer(server.pool, {
    issuer: () => server.url,
    operatorAudience: () => `${server.url}/operator`,
  });
  const made = await operator({ scopes: ['operator:spreads'] });
  const lastUsed = async () => {
    const { body } = await call(server, CLIENTS, desk);
    const clients = body.clients as { clientId: string; lastUsedAt: string | null }[];
    return clients.find(({ clientId }) => clientId === made.clientId)?.lastUsedAt ?? null;
  };
  /** Written in the background. */
  const after = async (before: string | null) => {
    for (let at = 0; at < 1_000; at++) {
      const found = await lastUsed();
      if (found !== before) return String(found);
    }
    throw new Error('the use was not kept');
  };
  const first = await after(null);
  fresh.realClock.advance(61_000);
  await call(fresh, '/v1/operator/probe', made.token);
  const second = await after(first);
  assert.ok(Date.parse(second) - Date.parse(first) >= 60_000, `${first} ${second}`);
  fresh.realClock.advance(30_000);
  await call(fresh, '/v1/operator/probe', made.token);
  assert.equal(await lastUsed(), second);
});

test('customers manage their own clients, and nobody else’s', async () => {
  const { call: own, first, manager } = await managed();
  const made = await own('POST', '', { name: 'screen', scopes: ['quotes:read'] });
  assert.equal(made.status, 201);
  const screen = made.body as unknown as Made;
  assert.equal(made.headers.get('location'), `${OWN}/${screen.clientId}`);
  const { body } = await own('GET');
  const listed = body.credentials as { clientId: string }[];
  assert.deepEqual(
    listed.map(({ clientId }) => clientId),
    [first.clientId, manager.clientId, screen.clientId],
  );
  assert.equal((await own('POST', `/${screen.clientId}/suspend`)).body.status, 'suspended');
  assert.equal((await own('POST', `/${screen.clientId}/resume`)).body.status, 'active');
  const second = await own('POST', `/${screen.clientId}/secrets`);
  assert.equal(second.status, 201);
  assert.equal((await own('DELETE', `/${screen.clientId}/secrets/${screen.secretId}`)).status, 204);
  const allowed = await own('PUT', `/${screen.clientId}/ip-allow-list`, { ipAllowList: ['203.0.113.0/24'] });
  assert.deepEqual(allowed.body.ipAllowList, ['203.0.113.0/24']);
  const key = await exportJWK((await generateKeyPair('ES256')).publicKey);
  const keyed = await own('PUT', `/${screen.clientId}/keys`, { keys: [key] });
  assert.equal((keyed.body.keys as unknown[]).length, 1);
  assert.equal((await own('POST', `/${screen.clientId}/revoke-tokens`)).status, 204);
  assert.equal((await own('DELETE', `/${screen.clientId}`)).status, 204);
  const foreign = await customerClient(server);
  for (const clientId of [foreign.clientId, screen.clientId]) {
    assert.deepEqual(outcome(await own('POST', `/${clientId}/suspend`)), [404, 'client_not_found']);
  }
  const narrow = await tokenFor(server, first);
  const refused = await call(server, OWN, narrow);
  assert.deepEqual([refused.status, refused.body.requiredScope], [403, 'credentials:write']);
});

test('what the operator has suspended its customer does not resume', async () => {
  const { first, call: own } = await managed();
  const { clientId } = (await own('POST', '', { name: 'screen', scopes: ['quotes:read'] }))
    .body as unknown as Made;
  const operators = `/v1/operator/customers/${first.customer.customerId}/credentials/${clientId}`;
  const operate = (verb: string) => call(server, `${operators}/${verb}`, desk, { method: 'POST' });
  const asks = async (verb: string) => {
    const { status, body } = await own('POST', `/${clientId}/${verb}`);
    return [status, body.status === 409 ? body.code : body.status];
  };
  assert.deepEqual(await asks('suspend'), [200, 'suspended']);
  assert.deepEqual(await asks('resume'), [200, 'active'], 'its own suspension');
  assert.equal((await operate('suspend')).status, 200);
  assert.deepEqual(await asks('resume'), [409, 'invalid_state_transition']);
  assert.deepEqual(await asks('suspend'), [200, 'suspended'], 'which changes nothing');
  assert.deepEqual(await asks('resume'), [409, 'invalid_state_transition']);
  assert.equal((await operate('resume')).body.status, 'active');
  assert.deepEqual(await asks('suspend'), [200, 'suspended']);
  assert.deepEqual(await asks('resume'), [200, 'active']);
});

test('who may come from some addresses only makes no client that comes from others, and gets hold of none', async () => {
  const { call: own, first, manager } = await managed();
  const owner = { kind: 'customer', customerId: first.customer.id } as const;
  const other = await server.authorization.clients.create({ owner, name: 'other', scopes: ['quotes:read'] });
  const list = ['127.0.0.1', '10.0.0.0/8'];
  assert.equal((await own('PUT', `/${manager.clientId}/ip-allow-list`, { ipAllowList: list })).status, 200);
  const make = (ipAllowList?: string[]) =>
    own('POST', '', { name: 'screen', scopes: ['quotes:read'], ...(ipAllowList && { ipAllowList }) });
  for (const wider of [undefined, [], ['0.0.0.0/0'], ['10.0.0.0/7'], ['10.1.2.3', '203.0.113.7']]) {
    assert.deepEqual(outcome(await make(wider)), [403, 'ip_not_allowed'], String(wider));
  }
  const made = await make(['10.1.2.3', '10.0.0.0/8']);
  assert.equal(made.status, 201);
  const wide: [string, string, unknown][] = [
    ['POST', `/${other.clientId}/secrets`, undefined],
    ['PUT', `/${other.clientId}/ip-allow-list`, { ipAllowList: list }],
    ['PATCH', `/${other.clientId}`, { name: 'mine' }],
    ['PUT', `/${(made.body as unknown as Made).clientId}/ip-allow-list`, { ipAllowList: [] }],
    ['PUT', `/${manager.clientId}/ip-allow-list`, { ipAllowList: [] }],
  ];
  for (const [method, path, body] of wide) {
    assert.deepEqual(outcome(await own(method, path, body)), [403, 'ip_not_allowed'], path);
  }
  // What stops one is for everybody.
  assert.equal((await own('POST', `/${other.clientId}/suspend`)).status, 200);
});

test('a client that manages others does not lock itself out', async () => {
  const { call: own, manager } = await managed();
  const self = `/${manager.clientId}`;
  const from = { 'x-forwarded-for': '203.0.113.9' };
  for (const [method, path, body] of [
    ['POST', '/suspend', undefined],
    ['DELETE', '', undefined],
    ['PATCH', '', { scopes: ['quotes:read'] }],
    ['PATCH', '', { expiresAt: inHours(1) }],
    ['PUT', '/ip-allow-list', { ipAllowList: ['198.51.100.0/24'] }],
    ['DELETE', `/secrets/${manager.secretId}`, undefined],
  ] as const) {
    assert.deepEqual(outcome(await own(method, self + path, body, from)), [409, 'own_client'], method + path);
  }
  const fitting = { ipAllowList: ['203.0.113.0/24'] };
  assert.equal((await own('PUT', `${self}/ip-allow-list`, fitting, from)).status, 200);
});
