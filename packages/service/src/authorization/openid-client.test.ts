import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CryptoKey, createRemoteJWKSet, exportJWK, generateKeyPair, jwtVerify } from 'jose';
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  clientCredentialsGrant,
  discovery,
  PrivateKeyJwt,
} from 'openid-client';
import { customerClient, probe, startWithDatabase } from './test-support.ts';

/** An OAuth client that knows nothing of this service but its issuer. */

const server = await startWithDatabase();
const client = await customerClient(server);

async function grant(method: ClientAuth, parameters: Record<string, string> = {}): Promise<string> {
  const configuration = await discovery(new URL(server.url), client.clientId, undefined, method, {
    algorithm: 'oauth2',
    execute: [allowInsecureRequests],
  });
  const tokens = await clientCredentialsGrant(configuration, parameters);
  assert.equal(tokens.expires_in, 86_400);
  return tokens.access_token;
}

async function assertVerified(token: string): Promise<void> {
  const keys = createRemoteJWKSet(new URL(`${server.url}/.well-known/jwks.json`));
  const { payload } = await jwtVerify(token, keys, {
    issuer: server.url,
    audience: server.url,
    typ: 'at+jwt',
    algorithms: ['ES256'],
    subject: client.clientId,
  });
  assert.equal(payload.client_id, client.clientId);
  assert.equal((await probe(server, token)).status, 200);
}

test('client_secret_post', async () => {
  await assertVerified(await grant(ClientSecretPost(client.clientSecret), { audience: server.url }));
});

test('client_secret_basic, with the resource of RFC 8707', async () => {
  await assertVerified(await grant(ClientSecretBasic(client.clientSecret), { resource: server.url }));
});

test('private_key_jwt with each kind of key', async () => {
  for (const alg of ['ES256', 'EdDSA', 'RS256']) {
    const pair = await generateKeyPair(alg, { extractable: true });
    const jwk = await exportJWK(pair.publicKey);
    await server.authorization.clients.setKeys(client.reference, [{ ...jwk, kid: `${alg} key` }]);
    const key = { key: pair.privateKey as CryptoKey, kid: `${alg} key` };
    await assertVerified(await grant(PrivateKeyJwt(key), { scope: 'quotes:read', audience: server.url }));
  }
});

test('a wrong secret and a wrong scope are errors that the client understands', async () => {
  await assert.rejects(grant(ClientSecretPost('wrong'), { audience: server.url }), {
    error: 'invalid_client',
    status: 401,
  });
  await assert.rejects(
    grant(ClientSecretPost(client.clientSecret), { scope: 'operator:*', audience: server.url }),
    {
      error: 'invalid_scope',
      status: 400,
    },
  );
});

test('metadata and JWKS say what is so, may be cached, and hold no private key', async () => {
  const response = await fetch(`${server.url}/.well-known/oauth-authorization-server`);
  assert.match(response.headers.get('cache-control') ?? '', /^public, max-age=\d+$/);
  const metadata = (await response.json()) as Record<string, unknown>;
  assert.equal(metadata.issuer, server.url);
  assert.equal(metadata.token_endpoint, `${server.url}/oauth/token`);
  assert.deepEqual(metadata.grant_types_supported, ['client_credentials']);
  assert.deepEqual(metadata.response_types_supported, []);
  assert.deepEqual(metadata.token_endpoint_auth_methods_supported, [
    'client_secret_basic',
    'client_secret_post',
    'private_key_jwt',
  ]);
  assert.deepEqual(metadata.token_endpoint_auth_signing_alg_values_supported, [
    'ES256',
    'EdDSA',
    'Ed25519',
    'RS256',
  ]);
  const jwks = await fetch(String(metadata.jwks_uri));
  assert.match(jwks.headers.get('cache-control') ?? '', /^public, max-age=\d+$/);
  const { keys } = (await jwks.json()) as { keys: Record<string, string>[] };
  for (const [alg, members] of [
    ['ES256', ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']],
    ['EdDSA', ['alg', 'crv', 'kid', 'kty', 'use', 'x']],
  ] as const) {
    const ofKind = keys.filter((key) => key.alg === alg);
    assert.equal(ofKind.length, 2, `${alg}: the one in use and the next`);
    for (const key of ofKind) assert.deepEqual(Object.keys(key).sort(), members);
  }
  assert.equal(keys.length, 4);
});

test('an issuer with a path is discovered where RFC 8414 has it', async () => {
  const other: Awaited<ReturnType<typeof startWithDatabase>> = await startWithDatabase({
    issuer: () => `${other.url}/auth`,
  });
  const response = await fetch(`${other.url}/.well-known/oauth-authorization-server/auth`);
  assert.equal(((await response.json()) as { issuer: string }).issuer, `${other.url}/auth`);
  const elsewhere = await fetch(`${other.url}/.well-known/oauth-authorization-server/other`);
  assert.equal(elsewhere.status, 404);
});
