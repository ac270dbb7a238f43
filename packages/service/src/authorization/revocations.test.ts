import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { isoInstant } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';
import { REVOKED_TOKENS_MAX } from './client-access.ts';
import {
  call,
  customerClient,
  operatorClient,
  operatorToken,
  postJson,
  probe,
  startWithDatabase,
  tokenFor,
} from './test-support.ts';

/** What is kept of revoked tokens: read with every state of a client, and so no more than there can be of use. */

const LIFE_MS = 86_400_000;
const server = await startWithDatabase();
const { pool, realClock } = server;
const { clients } = server.authorization;
const desk = await operatorToken(server, await operatorClient(server));

type Client = Awaited<ReturnType<typeof customerClient>>;

async function kept({ id }: Client): Promise<{ jti: string | null; expires_at: number }[]> {
  const { rows } = await pool.query(
    'select jti, expires_at from revoked_tokens where client_id = $1 order by jti',
    [id],
  );
  return rows;
}

const revoke = ({ customer, clientId }: Client, body: object) =>
  call(server, `/v1/operator/customers/${customer.customerId}/credentials/${clientId}/revoke-tokens`, desk, {
    method: 'POST',
    body,
  });

/** As many as there may be, made now. */
async function fill({ id }: Client): Promise<string[]> {
  const now = realClock.now();
  const all = Array.from({ length: REVOKED_TOKENS_MAX }, () => newUuid(now));
  await pool.query(
    'insert into revoked_tokens (client_id, jti, revoked_at, expires_at) select $1, unnest($2::uuid[]), $3, $4',
    [id, all, isoInstant(now), isoInstant(now + LIFE_MS)],
  );
  return all;
}

test('the id of a token that has expired, or is none of this service, is not kept', async () => {
  const client = await customerClient(server);
  const now = realClock.now();
  for (const jti of [newUuid(now - LIFE_MS), newUuid(now + LIFE_MS), randomUUID()])
    assert.equal((await revoke(client, { jti })).status, 204, jti);
  assert.deepEqual(await kept(client), []);
});

test('an id in another form is refused', async () => {
  const client = await customerClient(server);
  for (const jti of [`urn:uuid:${newUuid(realClock.now())}`, 'x']) {
    const { status, body } = await revoke(client, { jti });
    assert.deepEqual([status, body.code], [400, 'validation_failed'], jti);
  }
});

test('a revocation is kept for as long as its token lives, and then swept', async () => {
  const client = await customerClient(server);
  const token = await tokenFor(server, client);
  const { jti = '', exp = 0 } = decodeJwt(token);
  realClock.advance(LIFE_MS / 2);
  assert.equal((await revoke(client, { jti: jti.toUpperCase() })).status, 204);
  assert.equal((await probe(server, token)).body.code, 'token_invalid');
  const [row] = await kept(client);
  assert.equal(row?.jti, jti);
  assert.ok(Math.abs((row?.expires_at ?? 0) - exp * 1000) <= 1_000, 'until its token expires');
  realClock.advance(LIFE_MS / 2 + 120_000);
  await server.authorization.sweep.run();
  assert.deepEqual(await kept(client), []);
  realClock.followRealTime();
});

test('so many tokens of a client are revoked one by one and no more; all together they always are', async () => {
  const client = await customerClient(server);
  const token = await tokenFor(server, client);
  const [known] = await fill(client);
  const { jti } = decodeJwt(token);
  const refused = await revoke(client, { jti });
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.limitType, refused.body.limit, refused.body.used],
    [422, 'limit_exceeded', 'revoked_tokens', REVOKED_TOKENS_MAX, REVOKED_TOKENS_MAX],
  );
  assert.equal((await revoke(client, { jti: known })).status, 204, 'one that is revoked stays so');
  const { clientId: client_id, clientSecret: client_secret } = client;
  const own = await postJson(server, { client_id, client_secret, token }, {}, 'revoke');
  assert.deepEqual([own.status, own.body.error], [429, 'temporarily_unavailable']);
  assert.ok(Number(own.headers.get('retry-after')) > 0);
  assert.equal((await probe(server, token)).status, 200);
  // Those that have expired hold no place, swept or not.
  realClock.advance(LIFE_MS);
  const later = await tokenFor(server, client);
  await clients.revokeTokens(client.reference, decodeJwt(later).jti);
  assert.equal((await probe(server, later)).body.code, 'token_invalid');
  realClock.followRealTime();
});

test('where all tokens are revoked, nothing is kept of single ones', async () => {
  const client = await customerClient(server);
  await fill(client);
  const token = await tokenFor(server, client);
  realClock.advance(1);
  assert.equal((await revoke(client, {})).status, 204);
  assert.deepEqual(
    (await kept(client)).map(({ jti }) => jti),
    [null],
  );
  assert.equal((await probe(server, token)).body.code, 'token_invalid');
  await clients.revokeTokens(client.reference, newUuid(realClock.now()));
  assert.equal((await kept(client)).length, 2);
  realClock.followRealTime();
});
