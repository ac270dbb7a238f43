import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SESSION_COOKIE } from './cookies.ts';
import { startPeople } from './test-support.ts';
import { UsedSessions } from './used-sessions.ts';

const server = await startPeople();
const { realClock } = server;
const PROBE = '/v1/operator/probe';

test('a stream that is left open is no use of its session, and ends with it', async () => {
  const browser = server.browser();
  await browser.signInAs('dealer');
  const request = {
    method: 'GET',
    headers: { cookie: `${SESSION_COOKIE}=${browser.cookies.get(SESSION_COOKIE)}` },
  };
  const recheck = async () => server.sessions.authenticate(request, 'rechecked');
  for (let minute = 0; minute < 59; minute++) {
    realClock.advance(60_000);
    assert.equal((await recheck())?.actor.kind, 'person', `${minute}`);
  }
  assert.equal((await browser.get(PROBE)).status, 200, 'a request is one');
  for (let minute = 0; minute < 59; minute++) {
    realClock.advance(60_000);
    await recheck();
  }
  realClock.advance(60_000);
  await assert.rejects(recheck, { code: 'token_expired' });
  assert.equal((await browser.get(PROBE)).body.code, 'token_expired');
});

test('a session in use does not end, however short it may be idle', async () => {
  const brief = await startPeople({ rules: { idleMs: 60_000, lastsMs: 3_600_000, freshMs: 60_000 } });
  const browser = brief.browser();
  await browser.signInAs('dealer');
  for (let second = 0; second < 300; second += 10) {
    brief.realClock.advance(10_000);
    assert.equal((await browser.get(PROBE)).status, 200, `after ${second} s`);
  }
  brief.realClock.advance(60_000);
  assert.equal((await browser.get(PROBE)).body.code, 'token_expired');
});

test('of names of which nothing comes again not more than ten thousand are held', () => {
  const used = new UsedSessions();
  for (let i = 0; i <= 10_000; i++) used.add(`${i}`, i);
  assert.deepEqual(
    ['0', '1', '10000', '10000'].map((name) => used.take(name)),
    [undefined, 1, 10_000, undefined],
  );
});
