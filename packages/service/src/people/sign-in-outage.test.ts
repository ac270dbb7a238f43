import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { TestAuthenticator } from '../../test/support/authenticator.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { peopleAt, post, refusedSignIn } from '../../test/support/passkey-people.ts';
import { until } from '../../test/support/process.ts';
import { startProxy } from '../../test/support/proxy.ts';
import { createPool } from '../database/pool.ts';
import { SIGN_IN_COOKIE } from './cookies.ts';
import { startPeople } from './test-support.ts';

/** Whoever cannot sign in because the database is away has not been refused, and is not told so. */

/** A provider of whom nothing is asked but where it is, until it fails in its own words. */
let isGone = false;
const provider = createServer((request, response) => {
  if (isGone) {
    request.socket.destroy();
    return;
  }
  const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const endpoints = { authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` };
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ issuer, ...endpoints, jwks_uri: `${issuer}/jwks` }));
}).listen(0, '127.0.0.1');
await once(provider, 'listening');
after(() => void provider.close());
const settings = {
  ...{ clientId: 'firmquote', clientSecret: () => 'a secret of the service', name: 'Example Ltd' },
  issuer: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
  ...{ scopes: 'openid', groupsClaim: 'groups', roles: undefined },
};

const database = await createTestDatabase();

test('while the database is away, a sign-in is answered with 503, and the log has no refusal', async (t) => {
  const proxy = await startProxy(t, database.url);
  const pool = createPool({ connection: proxy.url, max: 2, onError: () => undefined });
  t.after(() => pool.end());
  const server = await startPeople({ provider: settings }, pool);
  const { joined, ask, signIn, linkFor, askToMake } = peopleAt(server);
  const ada = await joined('ada@example.com');
  const browser = server.browser();
  const answer = ada.device.sign(await ask(browser));
  const newcomer = server.browser();
  const made = new TestAuthenticator().make(await askToMake(newcomer, await linkFor('bob@example.com')));
  const asked = server.browser();
  const begun = await asked.get('/auth/oidc/start');
  assert.equal(begun.status, 302, begun.text);
  const state = new URL(String(begun.headers.location)).searchParams.get('state');
  assert.ok(asked.cookies.has(SIGN_IN_COOKIE));

  proxy.cut();
  await until('the pool has noticed', () => pool.totalCount === 0);
  const away = {
    passkey: await post(browser, '/auth/passkey', { answer }),
    invitation: await post(newcomer, '/auth/invitation', { answer: made }),
    start: await server.browser().get('/auth/oidc/start'),
    callback: await asked.get(`/auth/oidc/callback?code=x&state=${state}`),
  };
  proxy.mend();
  for (const [what, { status, body, headers, text }] of Object.entries(away)) {
    assert.deepEqual(
      [status, body?.code, headers['retry-after']],
      [503, 'maintenance', '2'],
      `${what}: ${text}`,
    );
  }
  assert.deepEqual(await server.refusals(), []);
  assert.equal((await signIn(ada.device)).answer.status, 200);
});

test('what an answer says in words of the database, and a provider that hangs up, are no outage of it', async () => {
  const server = await startPeople({ provider: settings }, database.pool);
  const { joined, signIn } = peopleAt(server);
  const cora = await joined('cora@example.com');
  const { answer } = await signIn(cora.device, { origin: 'https://connection-timeout.example' });
  refusedSignIn(answer);
  const browser = server.browser();
  const begun = await browser.get('/auth/oidc/start');
  const state = new URL(String(begun.headers.location)).searchParams.get('state');
  isGone = true;
  const back = await browser.get(`/auth/oidc/callback?code=x&state=${state}&iss=${settings.issuer}`);
  isGone = false;
  assert.equal(back.status, 403);
  assert.match(back.text, /The sign-in failed\. Try again\./);
  assert.deepEqual(
    (await server.refusals()).map(({ operation, outcome }) => [operation, outcome]),
    [
      ['auth:passkey', 'sign_in_refused'],
      ['auth:oidc/callback', 'sign_in_refused'],
    ],
  );
});
