import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Deviation, TestAuthenticator } from '../../test/support/authenticator.ts';
import { assertRefused, peopleAt, post, refusedSignIn } from '../../test/support/passkey-people.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { uuidOf } from '../platform/ids.ts';
import { SESSION_COOKIE, SIGN_IN_COOKIE } from './cookies.ts';
import { INVITATION_PATH } from './invite-person.ts';
import { type BrowserAnswer, startPeople, type TestBrowser } from './test-support.ts';

const server = await startPeople();
const { pool, realClock } = server;
const { linkFor, askToMake, joined, ask, signIn } = peopleAt(server);
const PROBE = '/v1/operator/probe';
const FRESH = '/v1/operator/fresh';

const ada = await joined('ada@example.com');

function change(browser: TestBrowser, path: string, body: object = {}): Promise<BrowserAnswer> {
  return browser.change('POST', path, body);
}

test('a passkey signs in, where nobody has said who it is, and again for what takes a fresh sign-in', async () => {
  const { browser, answer } = await signIn(ada.device);
  assert.deepEqual([answer.status, answer.body], [200, { continueAt: '/docs' }]);
  assert.equal((await browser.change('POST', FRESH)).status, 200);
  const before = browser.cookies.get(SESSION_COOKIE);
  const { sessionId } = (await browser.get('/auth/session')).body;
  realClock.advance(900_000);
  assertRefused(await browser.change('POST', FRESH), 403, 'fresh_sign_in_required');
  assertRefused(await browser.change('POST', '/auth/recovery-codes'), 403, 'fresh_sign_in_required');
  const options = (await post(browser, '/auth/passkey/ask', { fresh: true })).body.options;
  assert.deepEqual(
    options.allowCredentials.map(({ id }: { id: string }) => id),
    [ada.device.id],
  );
  const again = await post(browser, '/auth/passkey', { answer: ada.device.sign(options) });
  assert.equal(again.status, 200);
  assert.notEqual(browser.cookies.get(SESSION_COOKIE), before);
  assert.equal((await browser.get('/auth/session')).body.sessionId, sessionId, 'it is the same session');
  assert.equal((await browser.change('POST', FRESH)).status, 200);
  const { rows } = await pool.query(
    'select kind, operation, person_id from audit_log where kind = $1 order by number desc limit 1',
    ['sign_in'],
  );
  assert.deepEqual(rows, [
    { kind: 'sign_in', operation: 'auth:passkey', person_id: uuidOf('per', ada.personId) },
  ]);
});

test('what was signed for another origin, service, browser, purpose or challenge is refused', async () => {
  const deviations: Record<string, Deviation> = {
    'another origin': { origin: 'https://evil.example' },
    'the origin without TLS': { origin: 'http://desk.example' },
    'a subdomain': { origin: 'https://a.desk.example' },
    'another service': { rpId: 'evil.example' },
    'nobody verified': { isVerified: false },
    'another challenge': { challenge: Buffer.alloc(32).toString('base64url') },
    'a page in a frame of another site': { crossOrigin: true },
    'another ceremony': { type: 'webauthn.create' },
    'another person': { userHandle: Buffer.from(randomUUID()).toString('base64url') },
  };
  for (const [what, deviation] of Object.entries(deviations)) {
    const { browser, answer } = await signIn(ada.device, deviation);
    refusedSignIn(answer, what);
    assert.equal(browser.cookies.has(SESSION_COOKIE), false, what);
  }
  assert.equal((await signIn(ada.device)).answer.status, 200, 'the control');

  const made = new TestAuthenticator();
  for (const deviation of [
    { origin: 'https://evil.example' },
    { rpId: 'evil.example' },
    { isVerified: false },
    { type: 'webauthn.get' },
  ]) {
    const browser = server.browser();
    const answer = made.make(await askToMake(browser, await linkFor('make@example.com')), deviation);
    refusedSignIn(await post(browser, '/auth/invitation', { answer }), JSON.stringify(deviation));
  }
});

test('a challenge is good once, for five minutes, in the browser that it was given to, and for what it was given for', async () => {
  const browser = server.browser();
  const answer = ada.device.sign(await ask(browser));
  const cookie = browser.cookies.get(SIGN_IN_COOKIE) ?? '';
  assert.equal((await post(browser, '/auth/passkey', { answer })).status, 200);
  browser.cookies.set(SIGN_IN_COOKIE, cookie);
  refusedSignIn(await post(browser, '/auth/passkey', { answer }), 'replayed');

  const late = server.browser();
  const old = ada.device.sign(await ask(late));
  realClock.advance(5 * 60_000);
  refusedSignIn(await post(late, '/auth/passkey', { answer: old }), 'late');

  // Somebody gets the answer of somebody else, and has begun a sign-in too.
  const victim = server.browser();
  const theirs = ada.device.sign(await ask(victim));
  const thief = server.browser();
  await ask(thief);
  refusedSignIn(await post(thief, '/auth/passkey', { answer: theirs }), 'another browser');
  thief.cookies.delete(SIGN_IN_COOKIE);
  refusedSignIn(await post(thief, '/auth/passkey', { answer: theirs }), 'without a cookie');
  assert.equal((await post(victim, '/auth/passkey', { answer: theirs })).status, 200, 'it was not used up');

  const mixed = server.browser();
  const options = await askToMake(mixed, await linkFor('mixed@example.com'));
  refusedSignIn(await post(mixed, '/auth/passkey', { answer: ada.device.sign(options) }), 'another purpose');
  for (const answer of [undefined, null, 1, 'x', {}, { response: { clientDataJSON: 'x' } }, { response: 1 }])
    refusedSignIn(await post(mixed, '/auth/passkey', { answer }), JSON.stringify(answer));
});

test('a signature that counts less than the one before is refused, written down, and told to operators', async () => {
  const { device, browser, personId } = await joined('copied@example.com');
  for (let at = 0; at < 3; at++) assert.equal((await signIn(device)).answer.status, 200);
  device.count = 1;
  const copy = await signIn(device);
  assertRefused(copy.answer, 403, 'passkey_copied');
  assert.equal(copy.browser.cookies.has(SESSION_COOKIE), false);
  const id = uuidOf('per', personId);
  const { rows } = await pool.query(
    `select kind, operation, outcome from audit_log where outcome = 'passkey_copied' and subjects @> $1`,
    [[id]],
  );
  assert.deepEqual(rows, [{ kind: 'refusal', operation: 'auth:passkey', outcome: 'passkey_copied' }]);
  const reported = await pool.query(
    `select data ->> 'personId' as id, data ->> 'reason' as reason from operator_events
     where type = 'sign_in.unusual' and resource = $1 and data ->> 'reason' <> 'invitation'`,
    [`person ${id}`],
  );
  assert.deepEqual(reported.rows, [{ id, reason: 'copied_passkey' }]);
  device.count = 10;
  assert.equal((await signIn(device)).answer.status, 200, 'the real one goes on');
  device.counts = false;
  device.count = 0;
  assertRefused((await signIn(device)).answer, 403, 'passkey_copied', 'it has counted before');
  assert.equal((await browser.get(PROBE)).status, 200);

  const phone = (await joined('phone@example.com')).device;
  phone.counts = false;
  assert.equal((await signIn(phone)).answer.status, 200, 'those that do not count stay at zero');
  assert.equal((await signIn(phone)).answer.status, 200);
});

test('a passkey of another person is no way in, and cannot be added twice', async () => {
  const mallory = await joined('mallory@example.com', ['dealer']);
  // With the right signature, but as somebody else.
  const asAda = Buffer.from(uuidOf('per', ada.personId).replaceAll('-', ''), 'hex').toString('base64url');
  refusedSignIn((await signIn(mallory.device, { userHandle: asAda })).answer);
  const { browser } = mallory;
  const asked = await change(browser, '/auth/passkeys/ask');
  const stolen = Object.assign(new TestAuthenticator(), { id: ada.device.id });
  const answer = stolen.make(asked.body.options);
  refusedSignIn(await change(browser, '/auth/passkeys', { answer }), 'the id of somebody else');
  assert.equal((await signIn(ada.device)).answer.status, 200);

  // What one was asked for is no passkey of another.
  const forMallory = (await change(browser, '/auth/passkeys/ask')).body.options;
  const adas = (await signIn(ada.device)).browser;
  await change(adas, '/auth/passkeys/ask');
  adas.cookies.set(SIGN_IN_COOKIE, browser.cookies.get(SIGN_IN_COOKIE) ?? '');
  const made = new TestAuthenticator().make(forMallory);
  refusedSignIn(await change(adas, '/auth/passkeys', { answer: made }));
});

test('a person adds, names and removes passkeys, and keeps a way in', async () => {
  const { browser, device } = await joined('many@example.com', ['dealer']);
  const second = new TestAuthenticator();
  const options = (await change(browser, '/auth/passkeys/ask')).body.options;
  const added = await change(browser, '/auth/passkeys', {
    answer: second.make(options),
    passkeyName: 'Second',
  });
  assert.equal(added.status, 204, added.text);
  const { passkeys } = (await browser.get('/auth/passkeys')).body;
  assert.deepEqual(
    passkeys.map(({ name, lastUsedAt }: { name: string; lastUsedAt: string | null }) => [name, lastUsedAt]),
    [
      ['Key', null],
      ['Second', null],
    ],
  );
  const [first, other] = passkeys.map(
    ({ passkeyId }: { passkeyId: string }) => `/auth/passkeys/${passkeyId}`,
  );
  const renamed = await browser.change('PATCH', other, { name: 'Blue key' });
  assert.equal(renamed.body.name, 'Blue key');
  const elsewhere = (await signIn(second)).browser;
  assert.match((await browser.get('/auth/passkeys')).body.passkeys[1].lastUsedAt, /Z$/);
  const stranger = (await signIn(ada.device)).browser;
  for (const method of ['PATCH', 'DELETE'])
    assertRefused(
      await stranger.change(method, other, method === 'PATCH' ? { name: 'x' } : undefined),
      404,
      'passkey_not_found',
    );
  assert.equal((await browser.change('DELETE', other)).status, 204);
  assertRefused(await elsewhere.get(PROBE), 401, 'token_expired', 'other sessions end');
  refusedSignIn((await signIn(second)).answer);
  assert.equal((await browser.get(PROBE)).status, 200, 'this one goes on');
  const page = (await browser.get('/login')).text;
  assert.match(page, /data-remove="pky_/);

  const { rows } = await pool.query(`select id from persons where email = 'many@example.com'`);
  await pool.query('delete from recovery_codes where person_id = $1', [rows[0]?.id]);
  assertRefused(await browser.change('DELETE', first), 409, 'last_passkey');
  assert.equal((await signIn(device)).answer.status, 200, 'it is there still');
  assert.equal((await browser.change('POST', '/auth/recovery-codes')).status, 201);
  assert.equal((await browser.change('DELETE', first)).status, 204);
});

test('a person has twenty passkeys at most, whenever they were asked for', async () => {
  const { browser, device, personId } = await joined('keys@example.com', ['dealer']);
  const person = uuidOf('per', personId);
  await pool.query(
    `insert into passkeys (id, person_id, credential_id, public_key, sign_count, transports, name, created_at)
     select gen_random_uuid(), person_id, uuid_send(gen_random_uuid()), public_key, 0, '{}', 'Key', created_at
     from passkeys, generate_series(1, 18) where person_id = $1`,
    [person],
  );
  const again = (await signIn(device)).browser;
  const asked = [];
  for (const each of [browser, again])
    asked.push([each, (await change(each, '/auth/passkeys/ask')).body.options] as const);
  const answers = [];
  for (const [each, options] of asked)
    answers.push(await change(each, '/auth/passkeys', { answer: new TestAuthenticator().make(options) }));
  const [added, refused] = answers as [BrowserAnswer, BrowserAnswer];
  assert.equal(added.status, 204, added.text);
  assertRefused(refused, 422, 'limit_exceeded');
  assert.deepEqual([refused.body.limit, refused.body.used], [20, 20]);
  assertRefused(await change(browser, '/auth/passkeys/ask'), 422, 'limit_exceeded');
  assert.equal((await browser.get('/auth/passkeys')).body.passkeys.length, 20);
});

const ROWS = {
  persons: 'select from persons where id = $1 for update',
  sessions: 'select from sessions where person_id = $1 for update',
} as const;

/** Does two things to a person, in this order, while these rows of it are held. */
async function oneAfterTheOther<A, B>(
  held: keyof typeof ROWS,
  id: string,
  first: () => Promise<A>,
  second: () => Promise<B>,
) {
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query(ROWS[held], [uuidOf('per', id)]);
  const one = first();
  await untilLocked(pool);
  const other = second();
  await untilLocked(pool, 2);
  await holder.query('commit');
  holder.release();
  return [await one, await other] as const;
}

test('a passkey that is removed, or that an invitation replaces, while it signs in lets nobody in', async () => {
  const { browser, device, personId } = await joined('raced@example.com', ['dealer']);
  const second = new TestAuthenticator();
  const options = (await change(browser, '/auth/passkeys/ask')).body.options;
  await change(browser, '/auth/passkeys', { answer: second.make(options) });
  const { passkeyId } = (await browser.get('/auth/passkeys')).body.passkeys[1];
  const [removed, late] = await oneAfterTheOther(
    'persons',
    personId,
    () => browser.change('DELETE', `/auth/passkeys/${passkeyId}`),
    () => signIn(second),
  );
  assert.equal(removed.status, 204, removed.text);
  refusedSignIn(late.answer, 'removed');
  assert.equal(late.browser.cookies.has(SESSION_COOKIE), false);

  const visitor = server.browser();
  const answer = new TestAuthenticator().make(
    await askToMake(visitor, await linkFor('raced@example.com', ['dealer'])),
  );
  const [taken, stolen] = await oneAfterTheOther(
    'persons',
    personId,
    () => post(visitor, '/auth/invitation', { answer }),
    () => signIn(device),
  );
  assert.equal(taken.status, 200, taken.text);
  refusedSignIn(stolen.answer, 'replaced');
  const { rows } = await pool.query(
    'select count(*)::int as live from sessions where ended_at is null and person_id = $1',
    [uuidOf('per', personId)],
  );
  assert.deepEqual(rows, [{ live: 1 }]);
});

test('a passkey that is being removed while it signs in is no copy', async () => {
  const { browser, personId } = await joined('no-copy@example.com', ['dealer']);
  const second = new TestAuthenticator();
  const options = (await change(browser, '/auth/passkeys/ask')).body.options;
  await change(browser, '/auth/passkeys', { answer: second.make(options) });
  const { passkeyId } = (await browser.get('/auth/passkeys')).body.passkeys[1];
  await signIn(second);
  // Its removal waits for the session that it ends, and is committed after the signature was looked at.
  const [removed, late] = await oneAfterTheOther(
    'sessions',
    personId,
    () => browser.change('DELETE', `/auth/passkeys/${passkeyId}`),
    () => signIn(second),
  );
  assert.equal(removed.status, 204, removed.text);
  refusedSignIn(late.answer);
  const { rowCount } = await pool.query(
    `select from operator_events where resource = $1 and data ->> 'reason' = 'copied_passkey'`,
    [`person ${uuidOf('per', personId)}`],
  );
  assert.equal(rowCount, 0);
});

test('another site makes no browser do any of it, and a fixated session or sign-in is worth nothing', async () => {
  const invitation = await linkFor('csrf@example.com');
  const body = { invitation, code: ada.recoveryCodes[0], answer: {} };
  for (const path of [
    ...['/auth/passkey/ask', '/auth/passkey', '/auth/invitation/ask', '/auth/invitation'],
    ...['/auth/recovery/ask', '/auth/recovery', '/auth/passkeys/ask', '/auth/passkeys'],
  ]) {
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ]) {
      const answer = await post(ada.browser, path, body, headers);
      assertRefused(answer, 403, 'cross_site_request', `${path} ${JSON.stringify(headers)}`);
      assert.equal(answer.headers['set-cookie'], undefined);
    }
  }
  const signedIn = (await signIn(ada.device)).browser;
  for (const path of ['/auth/passkeys/ask', '/auth/passkeys'])
    assertRefused(await post(signedIn, path), 403, 'cross_site_request', 'without the token of the page');
  for (const [method, path] of [
    ['DELETE', '/auth/session'],
    ['DELETE', '/auth/passkeys/pky_x'],
    ['POST', '/auth/recovery-codes'],
  ] as const)
    assertRefused(await signedIn.send(method, path), 403, 'cross_site_request', path);
  assertRefused(await post(server.browser(), '/auth/passkeys/ask'), 401, 'token_missing');

  // A session that somebody has put into the browser before.
  const mallory = await joined('fixer@example.com', ['dealer']);
  const victim = server.browser();
  victim.cookies.set(SESSION_COOKIE, mallory.browser.cookies.get(SESSION_COOKIE) ?? '');
  await signIn(ada.device, {}, victim);
  assertRefused(await mallory.browser.get(PROBE), 401, 'token_expired');
  assert.equal((await victim.get('/auth/session')).body.personId, ada.personId);
});

test('one signs out as a console does, and programs have no use for what is of persons', async () => {
  const { browser } = await signIn(ada.device);
  const copy = server.browser();
  copy.cookies.set(SESSION_COOKIE, browser.cookies.get(SESSION_COOKIE) ?? '');
  assert.equal((await browser.change('DELETE', '/auth/session')).status, 204);
  assert.equal(browser.cookies.has(SESSION_COOKIE), false);
  assertRefused(await copy.get('/auth/session'), 401, 'token_expired');
});

test('pages run one file of the service alone, and hold nothing that is secret', async () => {
  const browser = server.browser();
  for (const path of ['/login', INVITATION_PATH, '/login/recovery']) {
    const page = await browser.get(path);
    assert.equal(page.status, 200);
    assert.match(String(page.headers['content-security-policy']), /script-src 'self'; connect-src 'self'/);
    assert.equal(page.headers['cache-control'], 'no-store');
    assert.equal(page.headers['referrer-policy'], 'same-origin', 'forms carry their origin');
    assert.match(page.text, /<script src="\/auth\/passkeys\.js" defer><\/script>/);
    assert.doesNotMatch(page.text, /https?:\/\/(?!desk\.example)/);
  }
  const script = await browser.get('/auth/passkeys.js');
  assert.match(String(script.headers['content-type']), /^text\/javascript/);
  assert.doesNotMatch(script.text, /https?:\/\//);
});
