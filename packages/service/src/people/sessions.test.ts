import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { BUILT_IN_ROLES } from '@firmquote/api/roles';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { deleteRole, setRole } from '../authorization/roles.ts';
import { actorId, typeId, uuidOf } from '../platform/ids.ts';
import { SESSION_COOKIE, SIGN_IN_COOKIE, setCookie } from './cookies.ts';
import { ensurePerson } from './ensure-person.ts';
import { type BrowserAnswer, ORIGIN, startPeople, type TestBrowser } from './test-support.ts';

const server = await startPeople();
const { pool, realClock } = server;
const PROBE = '/v1/operator/probe';

async function signedIn(who: Parameters<TestBrowser['signInAs']>[0] = 'dealer'): Promise<TestBrowser> {
  const browser = server.browser();
  assert.equal((await browser.signInAs(who)).status, 303);
  return browser;
}

function assertRefused(answer: BrowserAnswer, status: number, code: string, message?: string): void {
  assert.deepEqual([answer.status, answer.body?.code], [status, code], message ?? answer.text);
}

const cookieOf = (browser: TestBrowser) => browser.cookies.get(SESSION_COOKIE) ?? '';

test('a session says who calls, and its browser holds what nobody else can know', async () => {
  const browser = server.browser();
  const answer = await browser.signInAs('dealer', '/docs/?a=1');
  assert.deepEqual([answer.status, answer.headers.location], [303, '/docs/?a=1']);
  assert.deepEqual(answer.headers['set-cookie'], [
    `__Host-firmquote-session=${cookieOf(browser)}; Path=/; Secure; HttpOnly; SameSite=Strict`,
  ]);
  assert.match(cookieOf(browser), /^[\w-]{43}$/);
  const { status, body } = await browser.get(PROBE);
  const { rows } = await pool.query('select * from sessions');
  const [row] = rows;
  assert.equal(status, 200);
  assert.deepEqual(body, {
    actor: { kind: 'person', id: row.person_id },
    personId: row.person_id,
    tokenId: row.id,
    authenticatedAt: row.authenticated_at,
    // In a sandbox everybody may move the simulated world.
    scopes: [...BUILT_IN_ROLES.dealer.scopes, 'operator:sandbox', 'operator:self'],
  });
  assert.deepEqual(row.secret_hash, hash('sha256', cookieOf(browser), 'buffer'));
  assert.ok(!JSON.stringify(rows).includes(cookieOf(browser)), 'it is kept nowhere');
  const person = await pool.query('select status from persons where id = $1', [row.person_id]);
  assert.equal(person.rows[0].status, 'active', 'whoever signs in has taken up the invitation');
});

test('forged, mangled, doubled and foreign cookies are no session', async () => {
  const browser = await signedIn();
  const own = cookieOf(browser);
  const forged = [
    'x',
    '',
    own.slice(1),
    `${own}A`,
    `${own.slice(0, -1)}${own.endsWith('A') ? 'B' : 'A'}`,
    'A'.repeat(43),
    `"${own}"`,
    `${own}; ${SESSION_COOKIE}=${own}`,
    hash('sha256', own, 'base64url'),
    typeId('ses', '0195f000-0000-7000-8000-00000000000a'),
    'x'.repeat(4000),
  ];
  for (const value of forged) {
    const cookie = `${SESSION_COOKIE}=${value}`;
    assertRefused(await server.request('GET', PROBE, { cookie }), 401, 'token_invalid', value);
  }
  // Cookies of other names are none of ours.
  const others = await server.request('GET', PROBE, { cookie: `session=${own}; ${SIGN_IN_COOKIE}=${own}` });
  assertRefused(others, 401, 'token_missing');
  assert.equal((await server.request('GET', PROBE, { cookie: `a=b; ${SESSION_COOKIE}=${own}` })).status, 200);
});

test('a token and a session together are refused, whichever is good', async () => {
  const browser = await signedIn();
  assertRefused(await browser.send('GET', PROBE, { authorization: 'Bearer x' }), 401, 'token_invalid');
});

test('a session that somebody else has set in the browser is worth nothing after the sign-in', async () => {
  const attacker = await signedIn();
  const victim = server.browser();
  victim.cookies.set(SESSION_COOKIE, cookieOf(attacker));
  await victim.signInAs('operations');
  assert.notEqual(cookieOf(victim), cookieOf(attacker));
  assertRefused(await attacker.get(PROBE), 401, 'token_expired');
  assert.equal((await victim.get(PROBE)).status, 200);
  // A made-up one is not taken over either.
  const other = server.browser();
  other.cookies.set(SESSION_COOKIE, 'B'.repeat(43));
  await other.signInAs('dealer');
  assert.notEqual(cookieOf(other), 'B'.repeat(43));
});

test('a session ends when it is not used, and at its end however much it is used', async () => {
  const start = realClock.now();
  const idle = await signedIn();
  realClock.advance(3_599_000);
  assert.equal((await idle.get(PROBE)).status, 200, 'in its last second');
  realClock.advance(3_599_000);
  assert.equal((await idle.get(PROBE)).status, 200, 'it was used meanwhile');
  realClock.advance(3_600_000);
  assertRefused(await idle.get(PROBE), 401, 'token_expired');
  const busy = await signedIn();
  for (let hour = 0; hour < 7; hour++) {
    realClock.advance(3_500_000);
    assert.equal((await busy.get(PROBE)).status, 200, `${hour}`);
  }
  realClock.advance(8 * 3_600_000 - 7 * 3_500_000);
  assertRefused(await busy.get(PROBE), 401, 'token_expired');
  assert.ok(realClock.now() > start);
});

test('a change needs an origin of the service and what only its pages know', async () => {
  const browser = await signedIn();
  const { csrfToken } = (await browser.get('/auth/session')).body;
  const post = (headers: Record<string, string>) =>
    server.request('POST', PROBE, { cookie: `${SESSION_COOKIE}=${cookieOf(browser)}`, ...headers });
  const good = { origin: ORIGIN, 'sec-fetch-site': 'same-origin', 'x-csrf-token': csrfToken };
  assert.equal((await post(good)).status, 200, 'the control');
  assert.equal((await post({ origin: ORIGIN, 'x-csrf-token': csrfToken })).status, 200, 'an older browser');
  const other = await signedIn();
  const foreign = (await other.get('/auth/session')).body.csrfToken;
  assert.notEqual(foreign, csrfToken);
  const hostile: Record<string, string>[] = [
    {},
    { 'x-csrf-token': csrfToken },
    { origin: ORIGIN },
    { ...good, 'x-csrf-token': '' },
    { ...good, 'x-csrf-token': foreign },
    { ...good, 'x-csrf-token': `${csrfToken}A` },
    { ...good, 'x-csrf-token': cookieOf(browser) },
    { ...good, origin: 'https://evil.example' },
    { ...good, origin: 'null' },
    { ...good, origin: `${ORIGIN}.evil.example` },
    { ...good, origin: ORIGIN.replace('https', 'http') },
    { ...good, 'sec-fetch-site': 'cross-site' },
    { ...good, 'sec-fetch-site': 'same-site' },
    { ...good, 'sec-fetch-site': 'none' },
  ];
  for (const headers of hostile) {
    assertRefused(await post(headers), 403, 'cross_site_request', JSON.stringify(headers));
  }
  // A form of another site sends the cookie where a browser does not keep to SameSite; it reaches nothing.
  const form = await post({
    'content-type': 'application/x-www-form-urlencoded',
    origin: 'https://evil.example',
  });
  assertRefused(form, 403, 'cross_site_request');
  const login = await server.request(
    'POST',
    '/auth/sandbox',
    { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' },
    'email=dealer%40sandbox.example',
  );
  assertRefused(login, 403, 'cross_site_request', 'nobody is signed in by another site');
  assert.equal(login.headers['set-cookie'], undefined);
});

test('what moves money takes a fresh sign-in of the same person, which makes another secret', async () => {
  const browser = await signedIn();
  assert.equal((await browser.change('POST', '/v1/operator/fresh')).status, 200);
  const before = cookieOf(browser);
  const { csrfToken, freshUntil, sessionId } = (await browser.get('/auth/session')).body;
  realClock.advance(900_000);
  assert.ok(Date.parse(freshUntil) <= realClock.now());
  const refused = await browser.change('POST', '/v1/operator/fresh');
  assertRefused(refused, 403, 'fresh_sign_in_required');
  assert.equal(refused.body.maxAgeSeconds, 900);
  assert.equal((await browser.change('POST', PROBE)).status, 200, 'the rest goes on');
  await browser.signInAs('dealer');
  assert.notEqual(cookieOf(browser), before);
  assert.equal((await browser.change('POST', '/v1/operator/fresh')).status, 200);
  const after = (await browser.get('/auth/session')).body;
  assert.equal(after.sessionId, sessionId, 'it is the same session');
  assert.notEqual(after.csrfToken, csrfToken);
  const stolen = await server.request('GET', PROBE, { cookie: `${SESSION_COOKIE}=${before}` });
  assertRefused(stolen, 401, 'token_invalid', 'what was held before is nothing');
});

test('a stolen session that its owner ends is refused at once here, and within five seconds elsewhere', async () => {
  const owner = await signedIn('operations');
  const elsewhere = await startPeople({}, pool);
  const thief = server.browser();
  thief.cookies.set(SESSION_COOKIE, cookieOf(owner));
  const far = elsewhere.browser();
  far.cookies.set(SESSION_COOKIE, cookieOf(owner));
  assert.equal((await thief.get(PROBE)).status, 200);
  elsewhere.realClock.advance(realClock.now() - elsewhere.realClock.now());
  assert.equal((await far.get(PROBE)).status, 200);
  const second = await signedIn('operations');
  const { sessions } = (await second.get('/auth/sessions')).body;
  assert.deepEqual(sessions.map(({ isThisOne }: { isThisOne: boolean }) => isThisOne).filter(Boolean), [
    true,
  ]);
  const mine = (await owner.get('/auth/session')).body.sessionId;
  assert.equal((await second.change('DELETE', `/auth/sessions/${mine}`)).status, 204);
  assertRefused(await thief.get(PROBE), 401, 'token_expired');
  elsewhere.realClock.advance(5_000);
  assertRefused(await far.get(PROBE), 401, 'token_expired');
  assertRefused(await second.change('DELETE', `/auth/sessions/${mine}`), 404, 'session_not_found');
});

test('nobody ends the session of somebody else as an own one', async () => {
  const owner = await signedIn('operations');
  const other = await signedIn('dealer');
  const { sessionId } = (await owner.get('/auth/session')).body;
  assertRefused(await other.change('DELETE', `/auth/sessions/${sessionId}`), 404, 'session_not_found');
  assertRefused(
    await other.change('DELETE', `/v1/operator/sessions/${sessionId}`),
    403,
    'insufficient_scope',
  );
  assertRefused(await other.get('/v1/operator/sessions'), 403, 'insufficient_scope');
  assert.equal((await owner.get(PROBE)).status, 200);
});

test('an administrator sees and ends sessions, suspends persons and sets roles; their sessions end at once', async () => {
  const administrator = await signedIn('approver');
  const dealer = await signedIn('dealer');
  const { personId, sessionId } = (await dealer.get('/auth/session')).body;
  const list = await administrator.get(`/v1/operator/sessions?personId=${personId}`);
  assert.equal(list.body.items[0].sessionId, sessionId);
  assert.equal((await administrator.change('DELETE', `/v1/operator/sessions/${sessionId}`)).status, 204);
  assertRefused(await dealer.get(PROBE), 401, 'token_expired');

  await dealer.signInAs('dealer');
  const person = `/v1/operator/persons/${personId}`;
  const roles = await administrator.change('PUT', `${person}/roles`, { roles: ['viewer', 'dealer'] });
  assert.deepEqual([roles.status, roles.body.roles], [200, ['viewer', 'dealer']]);
  assertRefused(await dealer.get(PROBE), 401, 'token_expired', 'with other roles it begins anew');

  await dealer.signInAs('dealer');
  assert.equal((await administrator.change('POST', `${person}/suspend`)).body.status, 'suspended');
  assertRefused(await dealer.get(PROBE), 401, 'token_expired');
  assertRefused(await dealer.signInAs('dealer'), 403, 'sign_in_refused');
  assertRefused(await administrator.change('POST', `${person}/suspend`), 409, 'invalid_state_transition');
  assert.equal((await administrator.change('POST', `${person}/resume`)).body.status, 'active');
  assert.equal((await dealer.signInAs('dealer')).status, 303);
  assert.equal((await administrator.get(person)).body.status, 'active');
  const persons = await administrator.get('/v1/operator/persons?status=active,invited&limit=2');
  assert.equal(persons.body.items.length, 2);
  assertRefused(await administrator.get('/v1/operator/persons/per_x'), 404, 'person_not_found');

  const { personId: own } = (await administrator.get('/auth/session')).body;
  for (const [method, path] of [
    ['PUT', '/roles'],
    ['POST', '/suspend'],
    ['DELETE', ''],
  ] as const) {
    const body = method === 'PUT' ? { roles: [] } : undefined;
    const refused = await administrator.change(method, `/v1/operator/persons/${own}${path}`, body);
    assertRefused(refused, 409, 'own_client', method);
  }
});

test('nobody gives roles that may do more than it may itself, or that there are not, nor takes them away', async () => {
  await pool.query(
    `insert into roles (name, description, scopes, version, created_at, updated_at)
     values ('keeper', 'Keeps persons', '{operator:people,operator:reports}', 1, now(), now())`,
  );
  await pool.query(`update persons set roles = '{keeper}' where email = 'operations@sandbox.example'`);
  const added = await ensurePerson(pool, { email: 'New@Example.com' }, realClock.now());
  const keeper = await signedIn('operations');
  const rolesOf = (id: string, roles: readonly string[]) =>
    keeper.change('PUT', `/v1/operator/persons/${actorId(id)}/roles`, { roles });
  const refused = await rolesOf(added.id, ['administrator']);
  assertRefused(refused, 403, 'insufficient_scope');
  assert.equal(refused.body.requiredScope, 'operator:*');
  assertRefused(await rolesOf(added.id, ['keeper', 'nothing']), 400, 'validation_failed');
  assert.deepEqual((await rolesOf(added.id, ['keeper'])).body.roles, ['keeper']);
  const dealer = await signedIn('dealer');
  const { personId } = (await dealer.get('/auth/session')).body;
  const taken = await keeper.change('POST', `/v1/operator/persons/${personId}/suspend`);
  assertRefused(taken, 403, 'insufficient_scope');
  assert.equal((await dealer.get(PROBE)).status, 200);
});

test('a role that is deleted while it is given to a person is nobody’s afterwards', async () => {
  const context = { pool, realClock, onChange: () => undefined, onRolesChange: () => undefined };
  await setRole(context, { name: 'fleeting', description: 'x', scopes: ['operator:reports'] });
  const { personId } = (await (await signedIn('dealer')).get('/auth/session')).body;
  const approver = await signedIn('approver');
  const held = await pool.connect();
  // A change ends the person's sessions after it has judged the roles.
  await held.query('begin');
  await held.query('select from sessions where person_id = $1 for update', [uuidOf('per', personId)]);
  const given = approver.change('PUT', `/v1/operator/persons/${personId}/roles`, {
    roles: ['dealer', 'fleeting'],
  });
  await untilLocked(pool);
  const gone = deleteRole(context, 'fleeting');
  await Promise.race([gone, untilLocked(pool, 2)]);
  await held.query('commit');
  held.release();
  await gone;
  assert.deepEqual((await given).body.roles, ['dealer', 'fleeting']);
  const { body } = await approver.get(`/v1/operator/persons/${personId}`);
  assert.deepEqual(body.roles, ['dealer']);
});

test('who has a role that there is not can be stopped, and keeps it or loses it', async () => {
  const mistyped = { email: 'mistyped@example.com', roles: ['viewer', 'no-such-role'] };
  const { id } = await ensurePerson(pool, mistyped, realClock.now());
  const approver = await signedIn('approver');
  const person = `/v1/operator/persons/${actorId(id)}`;
  const set = (roles: readonly string[]) => approver.change('PUT', `${person}/roles`, { roles });
  assert.equal((await approver.change('POST', `${person}/suspend`)).body.status, 'suspended');
  assert.equal((await approver.change('POST', `${person}/resume`)).body.status, 'invited');
  const other = await set(['no-such-role', 'neither-this']);
  assertRefused(other, 400, 'validation_failed');
  assert.deepEqual(
    other.body.errors.map(({ pointer }: { pointer: string }) => pointer),
    ['/roles/1'],
  );
  assert.deepEqual((await set(['no-such-role', 'dealer'])).body.roles, ['no-such-role', 'dealer']);
  assert.deepEqual((await set(['dealer'])).body.roles, ['dealer']);
  assertRefused(await set(['dealer', 'no-such-role']), 400, 'validation_failed');
  await pool.query('update persons set roles = $2 where id = $1', [id, mistyped.roles]);
  assert.equal((await approver.change('DELETE', person)).status, 204);
});

test('signing out ends the session, and only a page of the service does it', async () => {
  const browser = await signedIn();
  const copy = server.browser();
  copy.cookies.set(SESSION_COOKIE, cookieOf(browser));
  assertRefused(await browser.form('/auth/sign-out', {}), 403, 'cross_site_request');
  const { csrfToken } = (await browser.get('/auth/session')).body;
  const hostile = await browser.form(
    '/auth/sign-out',
    { csrf_token: csrfToken },
    { origin: 'https://evil.example' },
  );
  assertRefused(hostile, 403, 'cross_site_request');
  const out = await browser.form('/auth/sign-out', { csrf_token: csrfToken });
  assert.deepEqual([out.status, out.headers.location], [303, '/login']);
  assert.equal(browser.cookies.size, 0);
  assertRefused(await copy.get(PROBE), 401, 'token_expired');
  assertRefused(await browser.get('/auth/session'), 401, 'token_missing');
});

test('sign-ins and sign-outs are on the audit trail, in the commit of the session', async () => {
  const browser = await signedIn();
  const { personId, sessionId, csrfToken } = (await browser.get('/auth/session')).body;
  await browser.signInAs('dealer');
  const fresh = (await browser.get('/auth/session')).body.csrfToken;
  assert.notEqual(fresh, csrfToken);
  assert.equal((await browser.form('/auth/sign-out', { csrf_token: fresh })).status, 303);
  const { rows } = await pool.query(
    'select kind, operation, actor, person_id, address, resource from audit_log order by number desc limit 3',
  );
  const who = { actor: 'person', person_id: uuidOf('per', personId), address: '127.0.0.1' };
  const signIn = { kind: 'sign_in', operation: 'auth:sandbox', ...who, resource: '/auth/sandbox' };
  assert.deepEqual(rows, [
    { kind: 'change', operation: 'auth:sign-out', ...who, resource: '/auth/sign-out' },
    signIn,
    signIn,
  ]);
  assert.match(sessionId, /^ses_/);
});

test('forged, fixated and stolen sessions, requests of other sites and refused sign-ins are on the audit trail', async () => {
  const browser = await signedIn('approver');
  const { personId } = (await browser.get('/auth/session')).body;
  await server.refusals();
  const own = [uuidOf('per', personId)];
  const forged = { cookie: `${SESSION_COOKIE}=${'A'.repeat(43)}` };
  for (let i = 0; i < 3; i++)
    assertRefused(await server.request('POST', PROBE, forged), 401, 'token_invalid');
  assert.deepEqual(await server.refusals(), [
    { operation: 'change', outcome: 'token_invalid', subjects: [], count: 3 },
  ]);
  const cookie = `${SESSION_COOKIE}=${cookieOf(browser)}`;
  assertRefused(
    await server.request('POST', PROBE, { cookie, origin: 'https://evil.example' }),
    ...([403, 'cross_site_request'] as const),
  );
  assertRefused(await browser.form('/auth/sign-out', {}), 403, 'cross_site_request');
  assert.deepEqual(await server.refusals(), [
    { operation: 'change', outcome: 'cross_site_request', subjects: own, count: 1 },
    { operation: 'auth:sign-out', outcome: 'cross_site_request', subjects: own, count: 1 },
  ]);
  realClock.advance(900_000);
  assertRefused(await browser.change('POST', '/v1/operator/fresh'), 403, 'fresh_sign_in_required');
  const victim = server.browser();
  victim.cookies.set(SESSION_COOKIE, cookieOf(browser));
  await victim.signInAs('operations');
  assertRefused(await browser.get(PROBE), 401, 'token_expired');
  assertRefused(
    await server.browser().form('/auth/sandbox', { email: 'x@example.com' }),
    403,
    'sign_in_refused',
  );
  assert.deepEqual(await server.refusals(), [
    { operation: 'move', outcome: 'fresh_sign_in_required', subjects: [], count: 1 },
    { operation: 'probe', outcome: 'token_expired', subjects: own, count: 1 },
    { operation: 'auth:sandbox', outcome: 'sign_in_refused', subjects: [], count: 1 },
  ]);
});

test('a sign-in leads to a path of this service and never to another site', async () => {
  const hostile = [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\\\evil.example',
    '/\t/evil.example',
    '/%0d%0aLocation:%20https://evil.example\r\nX: y',
    'javascript:alert(1)',
    'evil.example',
    '/a\\..\\..\\evil',
    // Another site only once the steps are taken.
    '/.//evil.example/',
    '/..//evil.example/',
    '/a/..//evil.example/',
    '/%2e//evil.example/',
    '/a/%2E%2e///evil.example/',
    `/${'a'.repeat(600)}`,
    '',
  ];
  for (const path of hostile) {
    const answer = await server.browser().signInAs('dealer', path);
    const { location } = answer.headers;
    assert.equal(answer.status, 303);
    assert.equal(new URL(String(location), ORIGIN).origin, ORIGIN, path);
    if (!path.startsWith('/%')) assert.equal(location, '/login', path);
  }
  assert.equal(
    (await server.browser().signInAs('dealer', '/v1/x?y=%2F%2Fz')).headers.location,
    '/v1/x?y=%2F%2Fz',
  );
});

test('the page for signing in runs nothing, stands in no frame and escapes what it shows', async () => {
  const browser = server.browser();
  const page = await browser.get(`/login?return_to=${encodeURIComponent('/"><script>alert(1)</script>')}`);
  assert.equal(page.status, 200);
  assert.match(String(page.headers['content-type']), /^text\/html/);
  const policy = String(page.headers['content-security-policy']);
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'self';/);
  assert.match(policy, /form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/);
  assert.doesNotMatch(page.text, /<script>/);
  assert.match(page.text, /<html lang="en">/);
  assert.match(page.text, /value="approver@sandbox\.example"/);
  await browser.signInAs('dealer');
  const known = await browser.get('/login');
  assert.match(known.text, /Signed in as Dana Dealer/);
  assert.match((await browser.get('/login?fresh=true')).text, /needs a fresh sign-in/);
});

test('the sign-in of a sandbox lets nobody in elsewhere, by its route or without it', async () => {
  const production = await startPeople({ isSandbox: false }, pool);
  const browser = production.browser();
  assertRefused(await browser.signInAs('approver'), 404, 'route_not_found');
  assert.doesNotMatch((await browser.get('/login')).text, /sandbox/);
  // Nor is anybody let in but those who are ready, in a sandbox.
  await pool.query(`insert into persons (id, email, name, status, roles, created_at, updated_at)
    values ('0195f000-0000-8000-8000-0000000000aa', 'real@example.com', 'Real', 'active', '{administrator}', now(), now())`);
  const real = await server.browser().form('/auth/sandbox', { email: 'real@example.com' });
  assertRefused(real, 403, 'sign_in_refused');
});

test('who has signed in is told by how much business time is moved, whatever the rights', async () => {
  let offsetMs = 0;
  const moved = await startPeople({ clockOffsetMs: () => offsetMs }, pool);
  const browser = moved.browser();
  await browser.signInAs('dealer');
  assert.equal((await browser.get('/auth/session')).body.clockOffsetMs, 0);
  offsetMs = -86_400_000;
  assert.equal((await browser.get('/auth/session')).body.clockOffsetMs, -86_400_000);
});

test('attempts to sign in are counted by address', async () => {
  const counted = await startPeople({ attempts: { perMinute: 30 } }, pool);
  const answers: number[] = [];
  for (let i = 0; i < 31; i++) {
    const answer = await counted.browser().form('/auth/sandbox', { email: `nobody${i}@sandbox.example` });
    answers.push(answer.status);
  }
  assert.deepEqual([answers[29], answers[30]], [403, 429]);
});

test('cookies are bound to this host, to secure connections and to pages of this site', () => {
  for (const name of [SESSION_COOKIE, SIGN_IN_COOKIE]) assert.match(name, /^__Host-/);
  assert.equal(setCookie('a', 'b', 'Lax'), 'a=b; Path=/; Secure; HttpOnly; SameSite=Lax');
});
