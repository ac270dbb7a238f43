import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ownerOf } from '../../test/support/database.ts';
import { parseTypeId } from '../platform/ids.ts';
import { createLogger } from '../platform/logger.ts';
import { hashSecret } from './secrets.ts';
import { assertRefused, customerClient, jsonRequest, postJson, startWithDatabase } from './test-support.ts';

const server = await startWithDatabase();
const client = await customerClient(server);

describe('who gets a token', () => {
  test('a suspended client gets no token; one of a suspended customer does, which may still read', async () => {
    const own = await customerClient(server);
    await server.authorization.clients.suspend(own.reference);
    assertRefused(await postJson(server, jsonRequest(server, own)), 401, 'invalid_client');
    await server.authorization.clients.resume(own.reference);
    assert.equal((await postJson(server, jsonRequest(server, own))).status, 200);
    await server.pool.query("update customers set status = 'suspended' where id = $1", [own.customer.id]);
    assert.equal((await postJson(server, jsonRequest(server, own))).status, 200);
  });

  test('two secrets live side by side; an expired or revoked one is none', async () => {
    const own = await customerClient(server);
    const { clients } = server.authorization;
    const expiresAt = server.realClock.now() + 60_000;
    const second = await clients.addSecret(own.reference, expiresAt);
    const withSecret = (secret: string) =>
      postJson(server, jsonRequest(server, own, { client_secret: secret }));
    assert.equal((await withSecret(own.clientSecret)).status, 200);
    assert.equal((await withSecret(second.clientSecret)).status, 200);
    await assert.rejects(clients.addSecret(own.reference), { code: 'limit_exceeded' });
    await clients.revokeSecret(own.reference, parseTypeId('key', own.secretId) ?? '');
    assertRefused(await withSecret(own.clientSecret), 401, 'invalid_client');
    server.realClock.advance(60_000);
    assertRefused(await withSecret(second.clientSecret), 401, 'invalid_client');
    const third = await clients.addSecret(own.reference);
    assert.equal((await withSecret(third.clientSecret)).status, 200);
    await clients.addSecret(own.reference);
    await assert.rejects(clients.addSecret(own.reference), { code: 'limit_exceeded' });
    server.realClock.followRealTime();
  });

  test('the database holds no secret, only its SHA-256', async () => {
    const { rows } = await server.pool.query<{ row: string }>(
      'select row_to_json(s)::text as row from client_secrets s where client_id = $1',
      [client.id],
    );
    assert.ok(rows.some(({ row }) => row.includes(hashSecret(client.clientSecret).toString('hex'))));
    assert.ok(!rows.some(({ row }) => row.includes(client.clientSecret)));
  });

  test('the allow-list is kept at the token endpoint too', async () => {
    const own = await customerClient(server, { ipAllowList: ['203.0.113.0/24'] });
    assertRefused(await postJson(server, jsonRequest(server, own)), 401, 'invalid_client');
    await server.authorization.clients.setIpAllowList(own.reference, ['127.0.0.0/8']);
    assert.equal((await postJson(server, jsonRequest(server, own))).status, 200);
  });
});

test('a fault of the service is an OAuth error too, and tells nothing of it', async () => {
  const broken = await startWithDatabase();
  const own = await customerClient(broken);
  await ownerOf(broken.pool).query('alter table oauth_clients rename to away');
  const answer = await postJson(broken, jsonRequest(broken, own));
  assertRefused(answer, 500, 'server_error');
  assert.ok(!JSON.stringify(answer.body).includes('oauth_clients'));
});

const PLENTY = { perMinute: 1000 };
const MANY = { perClient: PLENTY, perAddress: PLENTY, failuresPerAddress: PLENTY };

describe('rate limits of the token endpoint', () => {
  test('by client once it has authenticated: nobody else can use up its rate', async () => {
    const limited = await startWithDatabase({
      tokenRate: { ...MANY, perClient: { perMinute: 2 } },
    });
    const own = await customerClient(limited);
    const request = jsonRequest(limited, own);
    for (let i = 0; i < 5; i++) await postJson(limited, { ...request, client_secret: 'wrong' });
    assert.equal((await postJson(limited, request)).status, 200);
    assert.equal((await postJson(limited, request)).status, 200);
    const third = await postJson(limited, request);
    assertRefused(third, 429, 'temporarily_unavailable');
    assert.match(third.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    const other = await customerClient(limited);
    assert.equal((await postJson(limited, jsonRequest(limited, other))).status, 200);
  });

  test('by address, whatever is sent', async () => {
    const limited = await startWithDatabase({
      tokenRate: { ...MANY, perAddress: { perMinute: 3 } },
    });
    const own = await customerClient(limited);
    for (let i = 0; i < 3; i++) assertRefused(await postJson(limited, '{'), 400, 'invalid_request');
    const refused = await postJson(limited, jsonRequest(limited, own));
    assertRefused(refused, 429, 'temporarily_unavailable');
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  });

  test('failures by address, apart from tokens that are given', async () => {
    const lines: string[] = [];
    const outcomes: string[] = [];
    const limited = await startWithDatabase({
      tokenRate: { ...MANY, failuresPerAddress: { perMinute: 3 } },
      trustProxy: ['127.0.0.1'],
      logger: createLogger('info', { write: (line) => lines.push(line) }),
      onTokenAnswer: (outcome) => outcomes.push(outcome),
    });
    const own = await customerClient(limited);
    const request = jsonRequest(limited, own);
    const from = (address: string, body: unknown) => postJson(limited, body, { 'X-Forwarded-For': address });
    const here = '203.0.113.7';
    assertRefused(await from(here, { ...request, client_secret: 'wrong-secret' }), 401, 'invalid_client');
    assertRefused(
      await from(here, { ...request, client_id: 'a-secret-in-the-wrong-place' }),
      401,
      'invalid_client',
    );
    assertRefused(await from(here, '{'), 400, 'invalid_request');
    const slowed = await from(here, { ...request, client_secret: 'wrong-secret' });
    assertRefused(slowed, 429, 'temporarily_unavailable');
    assert.match(slowed.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.equal((await from(here, request)).status, 200, 'who has its secret right gets its token');
    assertRefused(await from('203.0.113.8', { ...request, client_secret: 'x' }), 401, 'invalid_client');
    const reported = lines.map((line) => JSON.parse(line)).filter(({ address }) => address !== undefined);
    assert.deepEqual(
      reported.map(({ level, clientId, address }) => [level, clientId, address]),
      [
        ['warn', own.clientId, here],
        ['warn', undefined, here],
        ['warn', own.clientId, '203.0.113.8'],
      ],
    );
    assert.doesNotMatch(lines.join(''), /wrong-secret|wrong-place/);
    const { invalid_client, invalid_request, issued } = Object.groupBy(outcomes, (outcome) => outcome);
    assert.deepEqual([invalid_client?.length, invalid_request?.length, issued?.length], [4, 1, 1]);
  });
});
