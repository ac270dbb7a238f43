import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { OPERATIONS } from '@firmquote/api';
import { createLogger } from '../platform/logger.ts';
import { Admission } from './admission.ts';
import { OverloadGuard } from './overload.ts';

async function guarded(admission: Admission) {
  let letGo: () => void = () => undefined;
  const lines: Record<string, unknown>[] = [];
  const counted: string[] = [];
  const guard = new OverloadGuard({
    baseUrl: () => 'https://fx.example.com',
    headers: () => ({ 'cache-control': 'no-store' }),
    requestId: () => 'r"1',
    logger: createLogger('info', { write: (line: string) => lines.push(JSON.parse(line)) }),
    isLogged: true,
    onRefused: (method, route) => counted.push(`${method} ${route}`),
    admission,
  });
  const served: string[] = [];
  const server = createServer(
    guard.before((request, response) => {
      served.push(`${request.method} ${request.url}`);
      if (request.headers.prefer === undefined) response.end('{}');
      else letGo = () => response.end('{}');
    }),
  ).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, served, lines, counted, letGo: () => letGo(), close: () => server.close() };
}

test('past what can be done customers are told when to come back, and nobody else is', async (t) => {
  const admission = new Admission();
  const { url, served, close } = await guarded(admission);
  t.after(close);
  for (let i = 0; i < 300; i++) admission.begin('execution');
  const post = (path: string) => fetch(`${url}${path}`, { method: 'POST', body: '{"amount":1}' });
  const refused = await post('/v1/customer/quotes?a=b');
  assert.equal(refused.status, 503);
  assert.deepEqual(
    ['Content-Type', 'Retry-After', 'X-Request-Id', 'cache-control'].map((name) => refused.headers.get(name)),
    ['application/problem+json; charset=utf-8', '1', 'r"1', 'no-store'],
  );
  const body = (await refused.json()) as Record<string, unknown>;
  assert.deepEqual(
    [body.code, body.retry, body.status, body.instance, body.requestId, body.type],
    ['overloaded', 'later', 503, '/v1/customer/quotes', 'r"1', 'https://fx.example.com/problems/overloaded'],
  );
  assert.equal((await post('/v1/customer/quotes/indicative')).status, 503);
  for (const path of [
    '/v1/customer/quotes/quote_1/execute',
    '/v1/customer/quotes/quote_1/cancel?x',
    '/readyz',
  ])
    assert.equal((await post(path)).status, 200, path);
  assert.equal((await fetch(`${url}/v1/operator/customers`)).status, 200);
  assert.equal(served.length, 4, 'what is refused reaches nobody');
});

/** An admission that writes down what is begun and ended. */
function watched() {
  const admission = new Admission();
  const counts: string[] = [];
  const begin = admission.begin.bind(admission);
  const end = admission.end.bind(admission);
  admission.begin = (kind) => {
    counts.push(`+${kind}`);
    begin(kind);
  };
  admission.end = (kind, isDone) => {
    counts.push(`-${kind} ${isDone}`);
    end(kind, isDone);
  };
  return { admission, counts };
}

test('what is answered gives its place back, and held polls take none', async (t) => {
  const { admission, counts } = watched();
  const { url, served, letGo, close } = await guarded(admission);
  t.after(close);
  await (await fetch(`${url}/v1/customer/quotes`, { method: 'POST' })).text();
  const held = fetch(`${url}/v1/customer/transactions/x`, { headers: { Prefer: 'wait=30' } });
  while (served.length < 2) await sleep(5);
  await (await fetch(`${url}/v1/customer/transactions/y`)).text();
  letGo();
  assert.equal((await held).status, 200);
  assert.deepEqual(counts, ['+quote', '-quote true', '+other', '-other true']);
});

test('every operation whose answer may be held takes no place for a poll', async (t) => {
  const { admission, counts } = watched();
  const { url, served, letGo, close } = await guarded(admission);
  t.after(close);
  const held = OPERATIONS.filter(({ waits, path }) => waits === true && path.startsWith('/v1/customer/'));
  assert.ok(held.length > 1);
  for (const { path } of held) {
    const before = served.length;
    const address = `${url}${path.replaceAll(/\{\w+\}/g, 'x')}?limit=5`;
    const answer = fetch(address, { headers: { Prefer: 'wait=30' } });
    while (served.length === before) await sleep(5);
    letGo();
    await (await answer).text();
  }
  assert.deepEqual(counts, []);
});

test('a stream takes no place while it is open, whatever its reader says that it takes', async (t) => {
  const { admission, counts } = watched();
  const { url, close } = await guarded(admission);
  t.after(close);
  // As curl and most libraries send it, and as it should be.
  for (const accept of ['*/*', 'text/event-stream'])
    await (await fetch(`${url}/v1/customer/prices/stream?pairs=EURUSD`, { headers: { accept } })).text();
  assert.deepEqual(counts, []);
});

test('what cannot be held takes its place, whatever it prefers or accepts', async (t) => {
  const { admission, counts } = watched();
  const { url, letGo, served, close } = await guarded(admission);
  t.after(close);
  const both = { accept: 'application/json, text/event-stream' };
  await (await fetch(`${url}/v1/customer/quotes/quote_1/execute`, { method: 'POST', headers: both })).text();
  await (await fetch(`${url}/v1/customer/limits`, { headers: both })).text();
  const prefer = { prefer: 'signature' };
  for (const [method, path] of [
    ['POST', ''],
    ['GET', '/quote_1'],
  ] as const) {
    const before = served.length;
    const answer = fetch(`${url}/v1/customer/quotes${path}`, { method, headers: prefer });
    while (served.length === before) await sleep(5);
    letGo();
    await (await answer).text();
  }
  // Whoever says so everywhere would never be counted.
  const wait = { prefer: 'wait=1' };
  for (const path of ['limits', 'transactions', 'quotes/quote_1', 'events/x', 'transactions/txn_1/x']) {
    const before = served.length;
    const answer = fetch(`${url}/v1/customer/${path}`, { headers: wait });
    while (served.length === before) await sleep(5);
    letGo();
    await (await answer).text();
  }
  await (await fetch(`${url}/v1/customer/withdrawals`, { method: 'POST', headers: both })).text();
  assert.deepEqual(
    counts.filter((each) => each.startsWith('+')),
    ['+execution', '+other', '+quote', '+other', ...Array.from({ length: 6 }, () => '+other')],
  );
});

test('each refusal is counted by its route, and one line a second stands for those since the last', async (t) => {
  const admission = new Admission();
  const { url, lines, counted, close } = await guarded(admission);
  t.after(close);
  for (let i = 0; i < 1_100; i++) admission.begin('execution');
  const paths = ['', '/quote_1/execute', '/quote_1/cancel?x', '/indicative'];
  const began = performance.now();
  for (const path of paths) {
    const answer = await fetch(`${url}/v1/customer/quotes${path}`, { method: 'POST' });
    assert.equal(((await answer.json()) as { code: string }).code, 'overloaded');
  }
  assert.deepEqual(counted, [
    'POST /v1/customer/quotes',
    'POST /v1/customer/quotes/:quoteId/execute',
    'POST /v1/customer/quotes/:quoteId/cancel',
    'POST none',
  ]);
  const ofRequests = () => lines.filter(({ msg }) => msg === 'request');
  const refused = () => ofRequests().reduce((sum, each) => sum + Number(each.refused), 0);
  // As many lines as seconds have begun, however slow this is.
  assert.ok(ofRequests().length <= 1 + (performance.now() - began) / 1_000);
  const { time: _time, service: _service, ...first } = ofRequests()[0] ?? {};
  assert.deepEqual(first, {
    ...{ level: 'info', msg: 'request', requestId: 'r"1', method: 'POST', path: '/v1/customer/quotes' },
    ...{ route: '/v1/customer/quotes', status: 503, code: 'overloaded', refused: 1 },
  });
  await sleep(1_100 - (performance.now() - began));
  await (await fetch(`${url}/v1/customer/limits`)).text();
  assert.equal(refused(), 5, 'the next line has all that came before it');
});
