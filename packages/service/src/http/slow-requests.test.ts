import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { exchange } from '../../test/support/raw-http.ts';
import { silentLogger } from '../../test/support/sandbox.ts';
import { systemClock } from '../platform/clock.ts';
import { RateLimiter } from './rate-limits.ts';
import { createServer, REQUEST_TIMEOUT_MS } from './server.ts';

/** A request has 30 seconds to arrive. Here it has a fifth of one. */

const unused = () => {
  throw new Error('not asked here');
};

function serverWith(timeout: { requestTimeoutMs?: number }): FastifyInstance {
  return createServer({
    authenticator: { authenticate: unused },
    customers: { access: unused },
    limiter: new RateLimiter(),
    perAddress: { perMinute: 1_000_000 },
    clock: systemClock,
    logger: silentLogger,
    accessLog: 'off',
    trustProxy: [],
    baseUrl: () => 'http://localhost',
    ...timeout,
  });
}

let server: FastifyInstance;
let baseUrl: string;
before(async () => {
  server = serverWith({ requestTimeoutMs: 200 });
  server.post('/late', async () => 'in time');
  baseUrl = await server.listen({ port: 0, host: '127.0.0.1' });
});
after(() => server.close());

const HEAD = 'POST /late HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n';

for (const [what, bytes] of [
  ['a head', HEAD],
  ['a body', `${HEAD}\r\n{"a":`],
] as const) {
  test(`${what} that does not end is 408, a problem with a date`, async () => {
    const begun = performance.now();
    const answer = await exchange(baseUrl, bytes);
    assert.ok(performance.now() - begun < 10_000);
    assert.equal(answer.status, 408);
    assert.equal(answer.body.code, 'request_timeout');
    assert.equal(answer.headers.get('X-Request-Id'), answer.body.requestId);
    const age = Date.now() - Date.parse(answer.headers.get('Date') ?? '');
    assert.ok(age >= 0 && age < 10_000, `${age} ms`);
  });
}

test('by default it is half a minute, and looked at every second', async () => {
  assert.equal(REQUEST_TIMEOUT_MS, 30_000);
  const usual = serverWith({});
  assert.equal(usual.server.requestTimeout, REQUEST_TIMEOUT_MS);
  assert.equal(usual.server.headersTimeout, REQUEST_TIMEOUT_MS);
  await usual.close();
});
