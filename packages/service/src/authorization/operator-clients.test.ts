import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATOR_CLIENTS_MAX } from './create-client.ts';
import { OPERATOR_SCOPES } from './scopes.ts';
import {
  call,
  jsonRequest,
  operatorClient,
  operatorToken,
  postJson,
  startWithDatabase,
  type TestServer,
} from './test-support.ts';

const CLIENTS = '/v1/operator/clients';
const server = await startWithDatabase();

/** An operator's client with these scopes, and calls with its token. */
async function operator(scopes: readonly string[] = ['operator:*'], at: TestServer = server) {
  const client = await operatorClient(at, scopes);
  const token = await operatorToken(at, client);
  return {
    client,
    call: (method: string, path = '', body?: unknown) =>
      call(at, `${CLIENTS}${path}`, token, { method, body }),
  };
}

const asks = async (client: { clientId: string; clientSecret: string }) =>
  (await postJson(server, jsonRequest(server, client, { audience: `${server.url}/operator` }))).status;

test('an operator client is made, listed without its secret, suspended, resumed and ended', async () => {
  const desk = await operator();
  const made = await desk.call('POST', '', { name: 'Back office', scopes: ['operator:statements'] });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const created = made.body as unknown as { clientId: string; clientSecret: string; secretId: string };
  assert.equal(made.headers.get('location'), `${CLIENTS}/${created.clientId}`);
  assert.equal(made.headers.get('cache-control'), 'no-store');
  assert.deepEqual(made.body.audiences, [`${server.url}/operator`]);
  const { body } = await desk.call('GET');
  assert.ok(!JSON.stringify(body).includes(created.clientSecret));
  const listed = (body.clients as Record<string, unknown>[]).find(
    ({ clientId }) => clientId === created.clientId,
  );
  assert.deepEqual([listed?.name, listed?.scopes], ['Back office', ['operator:statements']]);
  assert.equal(await asks(created), 200);
  assert.equal((await desk.call('POST', `/${created.clientId}/suspend`)).body.status, 'suspended');
  assert.equal(await asks(created), 401);
  assert.equal((await desk.call('POST', `/${created.clientId}/resume`)).body.status, 'active');
  const second = await desk.call('POST', `/${created.clientId}/secrets`);
  assert.equal((await desk.call('DELETE', `/${created.clientId}/secrets/${created.secretId}`)).status, 204);
  assert.equal(await asks(created), 401);
  assert.equal(await asks({ ...created, clientSecret: String(second.body.clientSecret) }), 200);
  assert.equal((await desk.call('POST', `/${created.clientId}/revoke-tokens`)).status, 204);
  assert.equal((await desk.call('DELETE', `/${created.clientId}`)).status, 204);
  assert.equal((await desk.call('POST', `/${created.clientId}/resume`)).body.code, 'client_not_found');
});

test('a client may have each scope that operators have', async () => {
  const desk = await operator();
  for (const scope of OPERATOR_SCOPES) {
    const made = await desk.call('POST', '', { name: scope, scopes: [scope] });
    assert.deepEqual([made.status, made.body.scopes], [201, [scope]], scope);
  }
});

test('a client cannot suspend or end itself', async () => {
  const desk = await operator();
  for (const [method, path] of [
    ['POST', `/${desk.client.clientId}/suspend`],
    ['DELETE', `/${desk.client.clientId}`],
  ] as const) {
    const answer = await desk.call(method, path);
    assert.deepEqual([answer.status, answer.body.code], [409, 'own_client']);
  }
  assert.equal(await asks(desk.client), 200);
});

test('nobody gives or takes hold of rights that it does not have', async () => {
  const all = await operator();
  const narrow = await operator(['operator:clients', 'operator:reports']);
  const wider = await narrow.call('POST', '', { name: 'x', scopes: ['operator:reports', 'operator:ledger'] });
  assert.deepEqual(
    [wider.status, wider.body.code, wider.body.requiredScope],
    [403, 'insufficient_scope', 'operator:ledger'],
  );
  const byDefault = await narrow.call('POST', '', { name: 'x' });
  assert.deepEqual([byDefault.status, byDefault.body.requiredScope], [403, 'operator:*']);
  for (const [method, path, body] of [
    ['POST', '/secrets', undefined],
    ['PUT', '/keys', { keys: [] }],
    ['PUT', '/ip-allow-list', { ipAllowList: [] }],
    ['POST', '/suspend', undefined],
    ['DELETE', '', undefined],
  ] as const) {
    const answer = await narrow.call(method, `/${all.client.clientId}${path}`, body);
    assert.deepEqual([answer.status, answer.body.requiredScope], [403, 'operator:*'], path);
  }
  const own = await narrow.call('POST', '', { name: 'reports', scopes: ['operator:reports'] });
  assert.equal(own.status, 201);
  assert.equal((await narrow.call('POST', `/${own.body.clientId}/suspend`)).status, 200);
});

test('the scope operator:clients is needed, and clients of customers are not found here', async () => {
  const other = await operator(['operator:customers']);
  assert.deepEqual((await other.call('GET')).body.requiredScope, 'operator:clients');
  const desk = await operator();
  const unknown = await desk.call('POST', '/cli_01h455vb4pex5vsknk084sn02q/suspend');
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'client_not_found']);
});

test('there are so many operator clients and no more, also when they are made at once', async () => {
  const own = await startWithDatabase();
  const desk = await operator(['operator:*'], own);
  for (let i = 0; i < OPERATOR_CLIENTS_MAX - 3; i++) await operatorClient(own);
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, i) => desk.call('POST', '', { name: `client ${i}` })),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 2);
  assert.equal(answers.filter(({ body }) => body.code === 'limit_exceeded').length, 4);
});
