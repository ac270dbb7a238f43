import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  discovery,
  tokenIntrospection,
  tokenRevocation,
} from 'openid-client';
import {
  assertRefused,
  customerClient,
  operatorClient,
  operatorToken,
  postForm,
  postJson,
  probe,
  startServer,
  startWithDatabase,
  tokenFor,
} from './test-support.ts';

/** Revocation (RFC 7009) and introspection (RFC 7662), by a client that knows nothing of this service but its issuer. */

const server = await startWithDatabase();
const gateway = await operatorClient(server, ['operator:introspection']);

type Client = { readonly clientId: string; readonly clientSecret: string };

function discovered({ clientId, clientSecret }: Client, method = ClientSecretPost) {
  return discovery(new URL(server.url), clientId, undefined, method(clientSecret), {
    algorithm: 'oauth2',
    execute: [allowInsecureRequests],
  });
}

const asGateway = await discovered(gateway, ClientSecretBasic);
const introspected = (token: string) => tokenIntrospection(asGateway, token);

test('a client revokes its token, which stops at once; another one of it goes on', async () => {
  const client = await customerClient(server);
  const [stolen, other] = [await tokenFor(server, client), await tokenFor(server, client)];
  assert.equal((await probe(server, stolen)).status, 200);
  const second = await startServer(server.pool, { issuer: () => server.url, audience: () => server.url });
  assert.equal((await probe(second, stolen)).status, 200);
  await tokenRevocation(await discovered(client), stolen);
  assert.equal((await probe(server, stolen)).body.code, 'token_invalid');
  assert.equal((await probe(server, other)).status, 200);
  second.realClock.advance(5_000);
  assert.equal((await probe(second, stolen)).body.code, 'token_invalid');
  await tokenRevocation(await discovered(client), stolen);
});

test('what is no token, or has ended, is as good as revoked', async () => {
  const client = await customerClient(server);
  const configuration = await discovered(client);
  const token = await tokenFor(server, client);
  for (const text of ['x', 'a.b.c', `${token}x`, 'y'.repeat(9_000)])
    await tokenRevocation(configuration, text);
  assert.equal((await probe(server, token)).status, 200);
  server.realClock.advance(86_401_000);
  await tokenRevocation(configuration, token);
  server.realClock.followRealTime();
});

test('nobody revokes the token of somebody else, or without saying who it is', async () => {
  const [mine, theirs] = [await customerClient(server), await customerClient(server)];
  const token = await tokenFor(server, theirs);
  await assert.rejects(tokenRevocation(await discovered(mine), token), { error: 'unauthorized_client' });
  await assert.rejects(tokenRevocation(await discovered({ ...theirs, clientSecret: 'wrong' }), token), {
    error: 'invalid_client',
    status: 401,
  });
  const path = 'revoke';
  assertRefused(await postForm(server, { token }, {}, path), 401, 'invalid_client');
  assertRefused(await postJson(server, { token }, {}, path), 400, 'invalid_request');
  const { clientId: client_id, clientSecret: client_secret } = theirs;
  assertRefused(await postJson(server, { client_id, client_secret }, {}, path), 400, 'invalid_request');
  assert.equal((await probe(server, token)).status, 200);
});

test('a gateway is told what a good token may do in this moment', async () => {
  const client = await customerClient(server);
  const token = await tokenFor(server, client, { scope: 'quotes:read trades:execute' });
  const answer = await introspected(token);
  const { exp = 0, iat = 0, jti, ...rest } = answer;
  assert.deepEqual(rest, {
    active: true,
    scope: 'quotes:read trades:execute',
    client_id: client.clientId,
    token_type: 'Bearer',
    sub: client.clientId,
    aud: server.url,
    iss: server.url,
  });
  assert.equal(exp - iat, 86_400);
  assert.ok(jti);
  await server.authorization.clients.update(client.reference, { scopes: ['quotes:read'] });
  assert.equal((await introspected(token)).scope, 'quotes:read');
});

test('of anything that is not good, a gateway is told that alone', async () => {
  const inactive = async (token: string) => assert.deepEqual(await introspected(token), { active: false });
  const client = await customerClient(server);
  const { clients } = server.authorization;
  const token = await tokenFor(server, client);
  await inactive('x');
  await inactive(`${token.slice(0, -4)}AAAA`);
  await clients.suspend(client.reference);
  await inactive(token);
  await clients.resume(client.reference);
  assert.equal((await introspected(token)).active, true);
  await clients.update(client.reference, { expiresAt: server.realClock.now() + 60_000 });
  server.realClock.advance(60_000);
  await inactive(token);
  server.realClock.followRealTime();
  await clients.update(client.reference, { expiresAt: null });
  await clients.revokeTokens(client.reference);
  await inactive(token);
  const last = await tokenFor(server, client);
  await clients.revoke(client.reference);
  await inactive(last);
});

test('tokens are shown to nobody but operators’ clients with the scope', async () => {
  const customer = await customerClient(server);
  const token = await tokenFor(server, customer);
  await assert.rejects(tokenIntrospection(await discovered(customer), token), {
    error: 'unauthorized_client',
  });
  const narrow = await operatorClient(server, ['operator:clients']);
  await assert.rejects(tokenIntrospection(await discovered(narrow), token), { error: 'unauthorized_client' });
  const all = await operatorClient(server);
  const own = await operatorToken(server, all);
  assert.equal((await tokenIntrospection(await discovered(all), own)).scope, 'operator:*');
});
