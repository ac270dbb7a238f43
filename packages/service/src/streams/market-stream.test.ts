import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { streamMarketPrices } from '@firmquote/api/operations/operator-quotes';
import { type FastifyRequest, fastify } from 'fastify';
import type { Caller } from '../http/context.ts';
import { marketStreamRoute } from './market-stream.ts';
import { deskWithPrice } from './test-support.ts';

const CALLER: Caller = {
  actor: { kind: 'client', id: '0195f000-0000-7000-8000-00000000000b' },
  personId: undefined,
  tokenId: 'token',
  customerId: undefined,
  scopes: new Set(['operator:*']),
};

test('a caller that has left while it was looked up takes no place of a stream', async (t) => {
  const desk = deskWithPrice();
  const app = fastify();
  t.after(() => app.close());
  const asked = Promise.withResolvers<FastifyRequest>();
  const known = Promise.withResolvers<void>();
  const letIn = Promise.withResolvers<void>();
  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', async (request) => {
    asked.resolve(request);
    await known.promise;
    request.caller = CALLER;
  });
  app.addHook('preHandler', async () => letIn.resolve());
  marketStreamRoute(app, { ...desk.room, authenticator: { authenticate: () => CALLER } });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const leaving = new AbortController();
  const answer = fetch(`${url}${streamMarketPrices.path}?pairs=EURUSD`, { signal: leaving.signal });
  const { raw } = await asked.promise;
  const closed = once(raw.socket, 'close');
  leaving.abort();
  await assert.rejects(answer);
  await closed;
  known.resolve();
  await letIn.promise;
  for (let turns = 0; turns < 5; turns++) await turn();
  assert.deepEqual(desk.hub.counts.open, { sse: 0, websocket: 0 });
  assert.ok(!desk.isRunning());
});

test('a stream that goes on looks at its session again, and does not use it', async (t) => {
  const desk = deskWithPrice();
  const app = fastify();
  t.after(() => app.close());
  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', async (request) => {
    request.caller = CALLER;
  });
  const asked: unknown[] = [];
  const sessions = {
    authenticate: (_: unknown, how?: string) => {
      asked.push(how);
      return CALLER;
    },
    requireFresh: () => undefined,
  };
  marketStreamRoute(app, {
    ...desk.room,
    sessions,
    authenticator: { authenticate: () => assert.fail('by token') },
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const leaving = new AbortController();
  await fetch(`${url}${streamMarketPrices.path}?pairs=EURUSD`, {
    headers: { cookie: 'of a session' },
    signal: leaving.signal,
  });
  desk.pass(2_000);
  leaving.abort();
  assert.ok(asked.length > 0);
  assert.deepEqual(new Set(asked), new Set(['rechecked']));
});
