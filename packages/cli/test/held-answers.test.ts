import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Home } from './support/command.ts';

const home = new Home();

test('an answer that is to be held is waited for as long as it may be held', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const asked = Promise.withResolvers<AbortSignal>();
  const answer = Promise.withResolvers<Response>();
  t.mock.method(globalThis, 'fetch', (_: unknown, { signal }: RequestInit) => {
    if (signal) asked.resolve(signal);
    return answer.promise;
  });
  const ended = home.run(['call', 'listEvents', '--after', 'evt_1', '--prefer', 'wait=30'], {
    env: { FIRMQUOTE_BASE_URL: 'http://127.0.0.1:9', FIRMQUOTE_TOKEN: 'token' },
  });
  const signal = await asked.promise;
  t.mock.timers.tick(30_500);
  await new Promise(setImmediate);
  assert.ok(!signal.aborted, 'it was given up while the service held it');
  const body = '{"items":[],"lastEventId":"evt_1","hasMore":false,"missed":0}';
  answer.resolve(new Response(body, { headers: { 'content-type': 'application/json' } }));
  const { code, stderr } = await ended;
  assert.equal(code, 0, stderr);
});

test('a wait that was too short is told the flag that makes it longer', async (t) => {
  const transaction = { transactionId: 'txn_1', status: 'awaiting_funds', statusReason: null };
  t.mock.method(globalThis, 'fetch', async () => Response.json(transaction, { headers: { etag: '"v1"' } }));
  const { code, stderr } = await home.run(
    ['transactions', 'wait', 'txn_1', '--at-most', '1s', '-o', 'json'],
    {
      env: { FIRMQUOTE_BASE_URL: 'http://127.0.0.1:9', FIRMQUOTE_TOKEN: 'token' },
    },
  );
  assert.equal(code, 8, stderr);
  const { next } = JSON.parse(stderr.slice(stderr.indexOf('{')));
  assert.match(next, /--at-most/);
  assert.doesNotMatch(next, /--timeout/);
});
