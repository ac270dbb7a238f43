import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { createQuote, getIndicativePrice } from '@firmquote/api/operations/quotes';
import { systemClock } from '../platform/clock.ts';
import { createLogger } from '../platform/logger.ts';
import { Problem } from '../problems/problem.ts';
import { RateLimiter } from './rate-limits.ts';
import { createServer } from './server.ts';

let lines: string[] = [];
const app = createServer({
  authenticator: { authenticate: () => assert.fail('nobody calls') },
  customers: { access: () => assert.fail('nobody calls') },
  limiter: new RateLimiter(),
  perAddress: { perMinute: 1_000_000 },
  clock: systemClock,
  logger: createLogger('debug', { write: (line: string) => lines.push(line) }),
  accessLog: 'all',
  trustProxy: [],
  baseUrl: () => 'http://localhost',
});
let thrown: Error;
app.get('/fails', async () => {
  throw thrown;
});
const throws = async () => {
  throw thrown;
};
// Anybody may ask here: what is looked at is the answer.
for (const { access: _, ...operation } of [getIndicativePrice, createQuote]) {
  app.post(`/${operation.id}`, { config: { operation } }, throws);
}
after(() => app.close());
beforeEach(() => {
  lines = [];
});

/** What is answered, and what is logged besides the line of the request. */
async function answerTo(error: Error) {
  thrown = error;
  const answer = await app.inject({ url: '/fails', headers: { 'x-request-id': 'mine' } });
  const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg !== 'request');
  return { status: answer.statusCode, code: answer.json().code, logged };
}

test('a fault of the service is an error with its stack', async () => {
  const { status, code, logged } = await answerTo(new Error('a mistake of ours'));
  assert.deepEqual([status, code], [500, 'internal_error']);
  assert.equal(logged.length, 1);
  assert.equal(logged[0].level, 'error');
  assert.equal(logged[0].requestId, 'mine');
  assert.match(logged[0].err.stack, /errors\.test\.ts/);
});

test('what hinders the database is a warning without a stack', async () => {
  const timeout = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
  const busy = await answerTo(timeout);
  assert.deepEqual([busy.status, busy.code], [503, 'overloaded']);
  assert.deepEqual(
    busy.logged.map(({ level, err, hindrance, code, requestId }) => [level, err, hindrance, code, requestId]),
    [['warn', undefined, 'busy', 'overloaded', 'mine']],
  );
  lines = [];
  const away = await answerTo(new Error('Query read timeout'));
  assert.deepEqual([away.status, away.code, away.logged[0].level], [503, 'maintenance', 'warn']);
});

test('only what changes something has an outcome that can be unknown, whatever its method', async () => {
  thrown = new Error('Query read timeout');
  const codeOf = async ({ id }: { id: string }) =>
    (await app.inject({ method: 'POST', url: `/${id}` })).json().code;
  assert.deepEqual(
    [await codeOf(getIndicativePrice), await codeOf(createQuote)],
    ['maintenance', 'outcome_unknown'],
  );
});

test('what is refused for the moment on purpose is in the line of the request alone', async () => {
  const { status, logged } = await answerTo(new Problem('price_unavailable', 'No price for now.'));
  assert.equal(status, 503);
  assert.deepEqual(logged, []);
});
