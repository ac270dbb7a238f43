import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestAuthenticator } from '../../test/support/authenticator.ts';
import { assertRefused, DAY_MS, peopleAt, post, refusedSignIn } from '../../test/support/passkey-people.ts';
import { systemClock } from '../platform/clock.ts';
import { actorId, uuidOf } from '../platform/ids.ts';
import { SESSION_COOKIE } from './cookies.ts';
import { ensurePerson } from './ensure-person.ts';
import { INVITATION_PATH, inviteFirst } from './invite-person.ts';
import { hashOfRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';
import { type BrowserAnswer, ORIGIN, startPeople } from './test-support.ts';

const server = await startPeople();
const { pool, realClock } = server;
const { room, linkFor, askToMake, joined, signIn } = peopleAt(server);
const PROBE = '/v1/operator/probe';

const ada = await joined('ada@example.com');

function refusedOf(answer: BrowserAnswer): void {
  assertRefused(answer, 403, 'invitation_invalid');
}

test('an invitation makes a passkey, a session and ten recovery codes, and is used up by it', async () => {
  const invitation = await linkFor('eve@example.com', ['viewer']);
  const browser = server.browser();
  const asked = await post(browser, '/auth/invitation/ask', { invitation });
  assert.deepEqual([asked.body.email, asked.body.options.rp.id], ['eve@example.com', 'desk.example']);
  const { residentKey, userVerification } = asked.body.options.authenticatorSelection;
  assert.deepEqual([residentKey, userVerification], ['required', 'required']);
  const device = new TestAuthenticator();
  const answer = device.make(asked.body.options);
  const done = await post(browser, '/auth/invitation', { answer, passkeyName: ' My key\n' });
  assert.equal(done.status, 200, done.text);
  assert.equal(done.body.recoveryCodes.length, 10);
  for (const code of done.body.recoveryCodes) assert.match(code, /^fqr_test_(?:[0-9A-Z]{5}-){5}[0-9A-Z]{5}$/);
  assert.equal((await browser.get(PROBE)).status, 200);
  const session = (await browser.get('/auth/session')).body;
  assert.deepEqual([session.method, session.roles], ['invitation', ['viewer']]);
  const { passkeys, recoveryCodesLeft } = (await browser.get('/auth/passkeys')).body;
  assert.deepEqual([passkeys.length, passkeys[0].name, recoveryCodesLeft], [1, 'My key', 10]);

  refusedOf(await post(server.browser(), '/auth/invitation/ask', { invitation }));
  refusedOf(await post(server.browser(), '/auth/invitation/ask', { invitation: 'fqi_live_x' }));
  const rows = await pool.query(
    `select to_jsonb(i) as all from person_invitations i
     union all select to_jsonb(c) from recovery_codes c union all select to_jsonb(p) from passkeys p
     union all select to_jsonb(a) from audit_log a`,
  );
  const kept = JSON.stringify(rows.rows);
  for (const secret of [invitation, ...done.body.recoveryCodes]) assert.ok(!kept.includes(secret), secret);
});

test('an invitation that two browsers have opened lets one in', async () => {
  const invitation = await linkFor('race@example.com');
  const visitors = [server.browser(), server.browser()];
  const made: object[] = [];
  for (const browser of visitors)
    made.push(new TestAuthenticator().make(await askToMake(browser, invitation)));
  const answers = await Promise.all(
    visitors.map((browser, at) => post(browser, '/auth/invitation', { answer: made[at] })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403]);
  const { rows } = await pool.query(
    `select count(*)::int as n from passkeys k join persons p on p.id = k.person_id where p.email = 'race@example.com'`,
  );
  assert.equal(rows[0]?.n, 1);
});

test('an invitation that is over, withdrawn, renewed, or of somebody who is suspended or ended, lets nobody in', async () => {
  const old = await linkFor('old@example.com');
  realClock.advance(3 * DAY_MS);
  refusedOf(await post(server.browser(), '/auth/invitation/ask', { invitation: old }));

  const first = await linkFor('twice@example.com');
  const second = await linkFor('twice@example.com');
  refusedOf(await post(server.browser(), '/auth/invitation/ask', { invitation: first }));
  const browser = server.browser();
  const answer = new TestAuthenticator().make(await askToMake(browser, second));
  const { rows } = await pool.query(`select id from persons where email = 'twice@example.com'`);
  const person = `/v1/operator/persons/${actorId(rows[0]?.id)}`;
  const administrator = (await signIn(ada.device)).browser;
  const withdrawn = await administrator.change('DELETE', `${person}/invitation`);
  assert.equal(withdrawn.status, 204, withdrawn.text);
  refusedOf(await post(browser, '/auth/invitation', { answer }));
  refusedOf(await administrator.change('DELETE', `${person}/invitation`));

  for (const [method, path, status] of [
    ['POST', '/suspend', 200],
    ['DELETE', '', 204],
  ] as const) {
    const who = `${status}@example.com`;
    const third = await linkFor(who);
    const visitor = server.browser();
    const made = new TestAuthenticator().make(await askToMake(visitor, third));
    const found = await pool.query('select id from persons where email = $1', [who]);
    const at = `/v1/operator/persons/${actorId(found.rows[0]?.id)}${path}`;
    const changed = await administrator.change(method, at);
    assert.equal(changed.status, status, changed.text);
    const late = await post(visitor, '/auth/invitation', { answer: made });
    assert.equal(late.status, 403, late.text);
    refusedOf(await post(server.browser(), '/auth/invitation/ask', { invitation: third }));
    assert.equal(visitor.cookies.has(SESSION_COOKIE), false);
  }
});

test('a link that was given for less lets nobody in once the person may do more, and one for more stays', async () => {
  const administrator = (await signIn(ada.device)).browser;
  const invited = async (email: string, role: string) => {
    const made = await administrator.change('POST', '/v1/operator/persons', { email, roles: [role] });
    assert.equal(made.status, 201, made.text);
    return {
      path: `/v1/operator/persons/${made.body.personId}`,
      link: made.body.invitationLink.split('#')[1],
    };
  };
  const raised = await invited('raised@example.com', 'viewer');
  const visitor = server.browser();
  const answer = new TestAuthenticator().make(await askToMake(visitor, raised.link));
  const more = await administrator.change('PUT', `${raised.path}/roles`, { roles: ['administrator'] });
  assert.deepEqual([more.status, more.body.invitationEndsAt], [200, null], more.text);
  refusedOf(await post(visitor, '/auth/invitation', { answer }));
  refusedOf(await post(server.browser(), '/auth/invitation/ask', { invitation: raised.link }));

  const lowered = await invited('lowered@example.com', 'administrator');
  const less = await administrator.change('PUT', `${lowered.path}/roles`, { roles: ['viewer'] });
  assert.equal(less.status, 200, less.text);
  const later = server.browser();
  const made = new TestAuthenticator().make(await askToMake(later, lowered.link));
  assert.equal((await post(later, '/auth/invitation', { answer: made })).status, 200);
});

test('a suspended person does not sign in, and what an ended one had is gone', async () => {
  const { device, personId, recoveryCodes } = await joined('leaver@example.com', ['dealer']);
  const administrator = (await signIn(ada.device)).browser;
  const person = `/v1/operator/persons/${personId}`;
  assert.equal((await administrator.change('POST', `${person}/suspend`)).status, 200);
  refusedSignIn((await signIn(device)).answer);
  refusedSignIn(await post(server.browser(), '/auth/recovery/ask', { code: recoveryCodes[0] }));
  assertRefused(await administrator.change('POST', `${person}/invitation`), 409, 'invalid_state_transition');
  assert.equal((await administrator.change('POST', `${person}/resume`)).status, 200);
  assert.equal((await signIn(device)).answer.status, 200);
  assert.equal((await administrator.change('DELETE', person)).status, 204);
  refusedSignIn((await signIn(device)).answer);
  refusedSignIn(await post(server.browser(), '/auth/recovery/ask', { code: recoveryCodes[0] }));
  const { rows } = await pool.query('select id from passkeys where person_id = $1', [
    uuidOf('per', personId),
  ]);
  assert.deepEqual(rows, []);
  assertRefused(await administrator.change('POST', `${person}/invitation`), 404, 'person_not_found');
});

test('who was suspended before the first sign-in is invited again, and not said to have signed in', async () => {
  const invitation = await linkFor('not-yet@example.com', ['dealer']);
  const { rows } = await pool.query<{ id: string }>(
    `select id from persons where email = 'not-yet@example.com'`,
  );
  const person = `/v1/operator/persons/${actorId(rows[0]?.id ?? '')}`;
  const administrator = (await signIn(ada.device)).browser;
  assert.equal((await administrator.change('POST', `${person}/suspend`)).body.status, 'suspended');
  assert.equal((await administrator.change('POST', `${person}/resume`)).body.status, 'invited');
  const visitor = server.browser();
  const answer = new TestAuthenticator().make(await askToMake(visitor, invitation));
  assert.equal((await post(visitor, '/auth/invitation', { answer })).status, 200);
  for (const [command, status] of [
    ['suspend', 'suspended'],
    ['resume', 'active'],
  ])
    assert.equal((await administrator.change('POST', `${person}/${command}`)).body.status, status);
});

test('a recovery code makes a new passkey, once; other sessions end and operators are told', async () => {
  const { browser, device, recoveryCodes, personId } = await joined('lost@example.com');
  const [code = '', other = ''] = recoveryCodes;
  const visitor = server.browser();
  // As people type it.
  const typed = code.replace('fqr_test_', '').toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o');
  const { options } = (await post(visitor, '/auth/recovery/ask', { code: typed })).body;
  assert.deepEqual(
    options.excludeCredentials.map(({ id }: { id: string }) => id),
    [device.id],
  );
  assert.equal((await browser.get(PROBE)).status, 200, 'asking changes nothing');
  const fresh = new TestAuthenticator();
  const done = await post(visitor, '/auth/recovery', { answer: fresh.make(options), passkeyName: 'New' });
  assert.deepEqual([done.status, done.body], [200, { continueAt: '/login' }]);
  assertRefused(await browser.get(PROBE), 401, 'token_expired');
  assert.equal((await visitor.get('/auth/session')).body.method, 'recovery_code');
  const listed = (await visitor.get('/auth/passkeys')).body;
  assert.deepEqual([listed.passkeys.length, listed.recoveryCodesLeft], [2, 9]);
  assert.equal((await signIn(fresh)).answer.status, 200);
  const reported = await pool.query(
    `select data ->> 'reason' as reason from operator_events where resource = $1 order by id`,
    [`person ${uuidOf('per', personId)}`],
  );
  assert.deepEqual(
    reported.rows.map(({ reason }) => reason),
    ['invitation', 'recovery_code'],
  );

  refusedSignIn(await post(server.browser(), '/auth/recovery/ask', { code }), 'used');
  const wrong = `${other.slice(0, -1)}${other.endsWith('A') ? 'B' : 'A'}`;
  for (const each of [wrong, '', 'x', 'fqr_test_', undefined, 1])
    refusedSignIn(await post(server.browser(), '/auth/recovery/ask', { code: each }), String(each));
  const unknown = newRecoveryCodes(true).codes[0];
  refusedSignIn(await post(server.browser(), '/auth/recovery/ask', { code: unknown }), 'unknown');

  // Two browsers with one code.
  const both = [server.browser(), server.browser()];
  const made: object[] = [];
  for (const each of both) {
    const asked = (await post(each, '/auth/recovery/ask', { code: other })).body.options;
    made.push(new TestAuthenticator().make(asked));
  }
  const answers = await Promise.all(
    both.map((each, at) => post(each, '/auth/recovery', { answer: made[at] })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403]);
  // What was asked for with a code is worth nothing once there are other codes.
  const slow = server.browser();
  const asked = (await post(slow, '/auth/recovery/ask', { code: recoveryCodes[2] })).body.options;
  const owner = (await signIn(fresh)).browser;
  const renewed = await owner.change('POST', '/auth/recovery-codes');
  assert.equal(renewed.status, 201, renewed.text);
  assert.equal(renewed.body.recoveryCodes.length, 10);
  refusedSignIn(await post(slow, '/auth/recovery', { answer: new TestAuthenticator().make(asked) }));
});

test('a code is told from one with a typing error, and is its own in whatever way it is typed', () => {
  const { codes, hashes } = newRecoveryCodes(false);
  const [code = ''] = codes;
  assert.match(code, /^fqr_live_/);
  assert.equal(new Set(codes).size, 10);
  const [hash] = hashes;
  for (const typed of [code, code.slice(9), ` ${code.slice(9).toLowerCase().replaceAll('-', '')} `])
    assert.deepEqual(hashOfRecoveryCode(typed), hash);
  const at = code.length - 10;
  const swapped =
    code.slice(0, at) + (code[at] === '-' ? '-' : code[at] === '7' ? '8' : '7') + code.slice(at + 1);
  if (swapped !== code) assert.equal(hashOfRecoveryCode(swapped), undefined);
  assert.equal(hashOfRecoveryCode(code.slice(0, -1)), undefined);
});

test('an operator invites somebody with rights that it has, and another one invites who has lost everything', async () => {
  const administrator = (await signIn(ada.device)).browser;
  const given = { email: 'New.One@Example.com', name: 'New One', roles: ['dealer'] };
  const made = await administrator.change('POST', '/v1/operator/persons', given);
  assert.equal(made.status, 201, made.text);
  const { personId, invitationLink, invitationEndsAt, email } = made.body;
  assert.equal(made.headers.location, `/v1/operator/persons/${personId}`);
  assert.equal(email, 'new.one@example.com');
  assert.ok(Math.abs(Date.parse(invitationEndsAt) - realClock.now() - 3 * DAY_MS) < 60_000);
  assert.ok(invitationLink.startsWith(`${ORIGIN}${INVITATION_PATH}#fqi_`));
  const list = (await administrator.get(`/v1/operator/persons/${personId}`)).body;
  assert.deepEqual([list.invitationEndsAt, list.invitationLink], [invitationEndsAt, undefined]);
  assertRefused(await administrator.change('POST', '/v1/operator/persons', given), 409, 'already_exists');

  const browser = server.browser();
  const device = new TestAuthenticator();
  const answer = device.make(await askToMake(browser, invitationLink.split('#')[1]));
  const taken = await post(browser, '/auth/invitation', { answer });
  assert.equal(taken.status, 200);
  assert.equal((await administrator.get(`/v1/operator/persons/${personId}`)).body.invitationEndsAt, null);
  assertRefused(await browser.change('POST', '/v1/operator/persons', given), 403, 'insufficient_scope');

  const again = await administrator.change('POST', `/v1/operator/persons/${personId}/invitation`);
  assert.equal(again.status, 201, again.text);
  assert.equal((await signIn(device)).answer.status, 200, 'what there is works until the link is used');
  const later = new TestAuthenticator();
  const back = server.browser();
  const options = await askToMake(back, again.body.invitationLink.split('#')[1]);
  assert.equal((await post(back, '/auth/invitation', { answer: later.make(options) })).status, 200);
  refusedSignIn((await signIn(device)).answer, 'what was lost lets nobody in');
  assertRefused(await browser.get(PROBE), 401, 'token_expired');
  const [old] = taken.body.recoveryCodes;
  refusedSignIn(await post(server.browser(), '/auth/recovery/ask', { code: old }));
  assert.equal((await signIn(later)).answer.status, 200);

  const own = `/v1/operator/persons/${ada.personId}/invitation`;
  assertRefused(await administrator.change('POST', own), 409, 'own_client');
  // Who keeps persons, and may do nothing else, takes over nobody who may do more.
  await pool.query(
    `insert into roles (name, description, scopes, version, created_at, updated_at)
     values ('keeper', 'Keeps persons', '{operator:people}', 1, now(), now())`,
  );
  const keeper = (await joined('keeper@example.com', ['keeper'])).browser;
  assertRefused(await keeper.change('POST', own), 403, 'insufficient_scope');
  const wide = { ...given, email: 'wide@example.com', roles: ['administrator'] };
  assertRefused(await keeper.change('POST', '/v1/operator/persons', wide), 403, 'insufficient_scope');
});

test('where passkeys are switched off there are none, and an invitation is only known', async () => {
  const without = await startPeople({ passkeys: undefined }, pool);
  without.realClock.advance(realClock.now() - without.realClock.now());
  const browser = without.browser();
  for (const path of [INVITATION_PATH, '/login/recovery', '/auth/passkeys.js'])
    assertRefused(await browser.get(path), 404, 'route_not_found', path);
  assertRefused(await post(browser, '/auth/passkey/ask'), 404, 'route_not_found');
  assert.doesNotMatch((await browser.get('/login')).text, /passkey/i);
  await browser.signInAs('approver');
  const given = { email: 'provided@example.com', roles: ['viewer'] };
  const made = await browser.change('POST', '/v1/operator/persons', given);
  assert.deepEqual([made.body.invitationLink, made.body.invitationEndsAt], [null, null]);
  const keyed = { ...given, email: 'keyed@example.com' };
  const invite = () =>
    browser.change('POST', '/v1/operator/persons', keyed, { 'idempotency-key': 'invite them' });
  const first = await invite();
  assert.deepEqual(await invite().then(({ status, body }) => [status, body]), [201, first.body]);
  const again = await browser.change('POST', `/v1/operator/persons/${made.body.personId}/invitation`);
  assertRefused(again, 409, 'invalid_state_transition');
});

test('known persons are invited by the command line too, and keep who they are', async () => {
  const known = await ensurePerson(pool, { email: 'answers@example.com' }, systemClock.now());
  const { person } = await inviteFirst(room, { email: 'answers@example.com', roles: ['viewer'] });
  assert.deepEqual([person.id, person.roles], [known.id, ['viewer']]);
});

test('the command line gives nobody a link that lets nobody in: who is suspended is resumed first', async () => {
  const { id } = await ensurePerson(pool, { email: 'stopped@example.com' }, systemClock.now());
  await pool.query(`update persons set status = 'suspended' where id = $1`, [id]);
  await assert.rejects(inviteFirst(room, { email: 'stopped@example.com', roles: ['administrator'] }), {
    code: 'invalid_state_transition',
  });
  const { rows } = await pool.query('select roles from persons where id = $1', [id]);
  assert.deepEqual(rows, [{ roles: [] }], 'nothing has changed');
});

test('who is suspended while the command line invites them stays so', async () => {
  const { id } = await ensurePerson(pool, { email: 'racing@example.com' }, systemClock.now());
  const other = await pool.connect();
  try {
    await other.query('begin');
    await other.query(`update persons set status = 'suspended' where id = $1`, [id]);
    const inviting = inviteFirst(room, { email: 'racing@example.com', roles: ['administrator'] });
    const settled = inviting.then(
      () => 'invited',
      (error: { code?: string }) => error.code,
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    await other.query('commit');
    assert.equal(await settled, 'invalid_state_transition');
  } finally {
    other.release();
  }
  const { rows } = await pool.query('select status from persons where id = $1', [id]);
  assert.deepEqual(rows, [{ status: 'suspended' }]);
});
