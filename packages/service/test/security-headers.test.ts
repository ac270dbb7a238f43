import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { startApplication } from '../src/application.ts';
import { loadConfig } from '../src/config.ts';
import { createLogger } from '../src/platform/logger.ts';
import { type Customer, createCustomer, startExampleService } from './support/acceptance.ts';
import { createTestDatabase } from './support/database.ts';
import { temporaryFolder } from './support/process.ts';
import { exchange } from './support/raw-http.ts';
import type { Answer, TestService } from './support/service.ts';

/** What browsers and caches may make of any answer. */

const SAFE = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};
const DATA_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** What anybody may read, and keep. */
const PUBLIC = new Set([
  '/openapi.json',
  '/openapi-customer.json',
  '/docs/',
  '/docs/errors/quote-expired.md',
  '/docs/try/',
  '/docs/try/js/scalar.js',
  '/docs/try/openapi.json',
  '/llms.txt',
  '/.well-known/jwks.json',
  '/.well-known/oauth-authorization-server',
]);
let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

const fetched = (path: string, init: RequestInit = {}) =>
  fetch(`${service.baseUrl}${path}`, { redirect: 'manual', ...init });

function assertSafe(headers: Headers, what: string): void {
  for (const [name, value] of Object.entries(SAFE)) assert.equal(headers.get(name), value, `${what} ${name}`);
  assert.match(headers.get('Content-Security-Policy') ?? '', /frame-ancestors 'none'$/, what);
}

test('every answer of every address has them, and what is private is stored by nobody', async () => {
  const { paths } = (await (await fetched('/openapi.json')).json()) as { paths: Answer['body'] };
  const ids = /\{\w+\}/g;
  const asked = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path.replaceAll(ids, 'x')] as const),
  );
  for (const path of PUBLIC) asked.push(['GET', path]);
  asked.push(
    ['GET', '/'],
    ['GET', '/docs'],
    ['GET', '/docs/try'],
    ['GET', '/docs/nothing'],
    ['GET', '/console/assets/nothing.js'],
    ['GET', '/nothing'],
    ['DELETE', '/healthz'],
    ['GET', '/problems/quote-expired'],
    ['GET', '/%zz'],
  );
  assert.ok(asked.length > 150);
  const check = async (method: string, path: string, token: string | undefined) => {
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const answer = await fetched(path, { method, headers });
    await answer.body?.cancel();
    assertSafe(answer.headers, `${method} ${path}`);
    const caching = answer.headers.get('Cache-Control') ?? '';
    if (PUBLIC.has(path) && answer.status === 200) assert.match(caching, /^public, /, path);
    else if (path.includes('/reference/') && answer.status === 200) assert.match(caching, /^private, /, path);
    else assert.equal(caching, 'no-store', `${method} ${path}`);
  };
  await Promise.all(asked.map(([method, path]) => check(method, path, undefined)));
  // What is read of one's own; a stream goes on.
  const read = asked.filter(([method, path]) => method === 'GET' && !path.includes('/prices/stream'));
  const tokenFor = (path: string) => (path.startsWith('/v1/customer') ? acme.token : service.operatorToken);
  await Promise.all(read.map(([method, path]) => check(method, path, tokenFor(path))));
});

test('so has what never became a request, and a stream', async () => {
  const broken = await exchange(service.baseUrl, 'NO HTTP\r\n\r\n');
  assert.equal(broken.status, 400);
  assertSafe(broken.headers, 'no request');
  assert.equal(broken.headers.get('Cache-Control'), 'no-store');
  const stop = new AbortController();
  const stream = await fetched('/v1/customer/prices/stream?pairs=EURUSD', {
    headers: { Authorization: `Bearer ${acme.token}` },
    signal: stop.signal,
  });
  assert.equal(stream.status, 200);
  assertSafe(stream.headers, 'stream');
  assert.equal(stream.headers.get('Cache-Control'), 'no-store');
  stop.abort();
});

test('data load nothing, and pages only what is theirs', async () => {
  const data = await fetched('/healthz');
  assert.equal(data.headers.get('Content-Security-Policy'), DATA_POLICY);
  for (const [path, called, styles] of [
    ['/docs/', "'self'", "'self'"],
    ['/docs/try/', `'self' ${service.baseUrl}`, "'self' 'unsafe-inline'"],
  ] as const) {
    const policy = (await fetched(path)).headers.get('Content-Security-Policy') ?? '';
    const scripts = /script-src ([^;]*);/.exec(policy)?.[1]?.split(' ') ?? [];
    assert.equal(scripts[0], "'self'");
    assert.ok(
      scripts.length > 1 && scripts.slice(1).every((source) => source.startsWith("'sha256-")),
      policy,
    );
    assert.ok(policy.includes(`; connect-src ${called};`), policy);
    assert.ok(policy.includes(`; style-src ${styles};`), policy);
  }
});

test('with an https address browsers use nothing else, whatever the connection is to the proxy', async (t) => {
  assert.equal((await fetched('/healthz')).headers.get('Strict-Transport-Security'), null);
  const { url } = await createTestDatabase();
  const config = loadConfig({
    FIRMQUOTE_PORT: '0',
    FIRMQUOTE_DATA_DIR: temporaryFolder(t),
    FIRMQUOTE_BASE_URL: 'https://fx.example.com',
    DATABASE_URL: url,
  });
  const application = await startApplication(config, createLogger('silent'));
  t.after(() => application.stop());
  for (const path of ['/healthz', '/docs/', '/nothing', '/%zz']) {
    const { headers } = await fetch(`${application.localUrl}${path}`);
    assert.equal(headers.get('Strict-Transport-Security'), 'max-age=31536000', path);
  }
});
