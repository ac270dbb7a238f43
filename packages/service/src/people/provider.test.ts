import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { CLIENT, hire, listening, startCompanyProvider } from '../../test/support/company-provider.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { uuidOf } from '../platform/ids.ts';
import { SESSION_COOKIE, SIGN_IN_COOKIE } from './cookies.ts';
import { ensurePerson } from './ensure-person.ts';
import {
  type BrowserAnswer,
  ORIGIN,
  type PeopleServer,
  startPeople,
  type TestBrowser,
} from './test-support.ts';

const PROBE = '/v1/operator/probe';
const FRESH = '/v1/operator/fresh';
const ROLES = new Map([
  ['fx-dealers', ['dealer']],
  ['fx-admins', ['administrator']],
]);

const issuer = await startCompanyProvider();
const settings = {
  ...CLIENT,
  issuer,
  name: 'Example Ltd',
  scopes: 'openid email profile',
  groupsClaim: 'groups',
  roles: ROLES,
};
const { pool } = await createTestDatabase();
const server = await startPeople({ provider: settings }, pool);

/** A browser that is known at the provider from its first sign-in on, as people's are. */
class Visitor {
  readonly browser: TestBrowser;
  readonly #cookies = new Map<string, string>();

  constructor(at: PeopleServer = server) {
    this.browser = at.browser();
  }

  /** Begins here. @returns the address at the provider */
  async begin(query = ''): Promise<string> {
    const answer = await this.browser.get(`/auth/oidc/start${query}`);
    assert.equal(answer.status, 302, answer.text);
    return String(answer.headers.location);
  }

  /** Does at the provider what people do. @returns where it sends the browser back to */
  async atProvider(address: string, login: string): Promise<string> {
    let url = address;
    for (let step = 0; step < 12; step++) {
      if (url.startsWith(ORIGIN)) return url.slice(ORIGIN.length);
      const page = await this.#fetch(url);
      const next = page.headers.get('location');
      if (next !== null) {
        url = new URL(next, url).href;
        continue;
      }
      const html = await page.text();
      const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1] ?? 'consent';
      const action = /action="([^"]+)"/.exec(html)?.[1] ?? url;
      const sent = await this.#fetch(
        new URL(action, url).href,
        new URLSearchParams({ prompt, login, password: 'x' }),
      );
      url = new URL(sent.headers.get('location') ?? '', url).href;
    }
    throw new Error(`the provider leads nowhere: ${url}`);
  }

  async #fetch(url: string, body?: URLSearchParams): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const init = { redirect: 'manual', headers: { cookie } } as const;
    const answer = await fetch(url, body === undefined ? init : { ...init, method: 'POST', body });
    for (const each of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (each.split(';', 1)[0] ?? '').split('=');
      this.#cookies.set(name, value);
    }
    return answer;
  }

  async signIn(login: string, query = ''): Promise<BrowserAnswer> {
    return this.browser.get(await this.atProvider(await this.begin(query), login));
  }

  async session() {
    return (await this.browser.get('/auth/session')).body;
  }
}

function assertRefused(answer: BrowserAnswer, visitor: Visitor, message?: string): void {
  assert.equal(answer.status, 403, message ?? answer.text);
  assert.match(String(answer.headers['content-type']), /^text\/html/);
  assert.ok(!visitor.browser.cookies.has(SESSION_COOKIE), message);
}

test('somebody in a group of the company signs in, with the roles of the group, and goes on where it began', async () => {
  hire('dana', ['fx-dealers', 'chess']);
  const visitor = new Visitor();
  const begun = await visitor.begin(`?return_to=${encodeURIComponent('/docs/?page=2')}`);
  const sent = new URL(begun).searchParams;
  assert.deepEqual(
    ['response_type', 'code_challenge_method', 'client_id'].map((name) => sent.get(name)),
    ['code', 'S256', CLIENT.clientId],
  );
  for (const name of ['state', 'nonce', 'code_challenge']) assert.match(sent.get(name) ?? '', /^[\w-]{43}$/);
  const callback = await visitor.atProvider(begun, 'dana');
  const answer = await visitor.browser.get(callback);
  assert.equal(answer.status, 200, answer.text);
  // From a page of this service, so that the browser shows the strict cookie.
  assert.match(answer.text, /http-equiv="refresh" content="0;url=\/docs\/\?page=2"/);
  assert.ok(!visitor.browser.cookies.has(SIGN_IN_COOKIE), 'the sign-in is over');
  const session = await visitor.session();
  assert.deepEqual(
    [session.email, session.name, session.roles, session.method],
    ['dana@example.com', 'The dana', ['dealer'], 'provider'],
  );
  assert.equal((await visitor.browser.get(PROBE)).status, 200);
  const { rows } = await pool.query('select count(*)::int as n from sign_in_attempts');
  assert.equal(rows[0].n, 0);
});

test('an answer is good once, in the browser that asked, and for what it asked', async () => {
  hire('olu', ['fx-dealers']);
  const visitor = new Visitor();
  const callback = await visitor.atProvider(await visitor.begin(), 'olu');
  const thief = new Visitor();
  assertRefused(await thief.browser.get(callback), thief, 'in a browser that began nothing');
  await thief.begin();
  assertRefused(await thief.browser.get(callback), thief, 'in a browser that began another sign-in');
  const other = callback.replace(/state=[^&]+/, 'state=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA');
  assertRefused(await visitor.browser.get(other), visitor, 'with another state');
  const without = callback.replace(/state=[^&]+&?/, '');
  assertRefused(await visitor.browser.get(without), visitor, 'without a state');
  const copy = new Map(visitor.browser.cookies);
  assert.equal((await visitor.browser.get(callback)).status, 200);
  const again = new Visitor();
  for (const [name, value] of copy) again.browser.cookies.set(name, value);
  assertRefused(await again.browser.get(callback), again, 'a second time, even with the same cookies');
});

test('a code with the state of another sign-in, an old answer and an error of the provider are refused', async () => {
  await server.refusals();
  hire('kim', ['fx-dealers']);
  const visitor = new Visitor();
  const first = await visitor.atProvider(await visitor.begin(), 'kim');
  const second = await visitor.begin();
  const state = new URL(second).searchParams.get('state') ?? '';
  const mixed = first.replace(/state=[^&]+/, `state=${state}`);
  assertRefused(await visitor.browser.get(mixed), visitor, 'the code was given for another challenge');
  const late = new Visitor();
  const callback = await late.atProvider(await late.begin(), 'kim');
  server.realClock.advance(600_001);
  assertRefused(await late.browser.get(callback), late, 'ten minutes later');
  server.realClock.followRealTime();
  const denied = new Visitor();
  const asked = new URL(await denied.begin()).searchParams.get('state') ?? '';
  const error = `/auth/oidc/callback?error=access_denied&state=${asked}&iss=${encodeURIComponent(issuer)}`;
  assertRefused(await denied.browser.get(error), denied);
  const rows = await server.refusals();
  assert.deepEqual(
    new Set(rows.map(({ operation, outcome }) => `${operation} ${outcome}`)),
    new Set([REFUSED]),
  );
  assert.equal(
    rows.reduce((sum, { count }) => sum + count, 0),
    3,
  );
});

const REFUSED = 'auth:oidc/callback sign_in_refused';

test('whoever has left all groups is refused, and its sessions end wherever they are', async () => {
  hire('leo', ['fx-dealers']);
  const visitor = new Visitor();
  await visitor.signIn('leo');
  assert.equal((await visitor.browser.get(PROBE)).status, 200);
  hire('leo', ['chess']);
  const elsewhere = new Visitor();
  const refused = await elsewhere.signIn('leo');
  assertRefused(refused, elsewhere);
  assert.match(refused.text, /None of the account/);
  assert.equal((await visitor.browser.get(PROBE)).body.code, 'token_expired');
  hire('leo', ['fx-admins']);
  await visitor.signIn('leo');
  assert.deepEqual((await visitor.session()).roles, ['administrator'], 'roles follow the groups');
  hire('mia', ['chess']);
  const stranger = new Visitor();
  await server.refusals();
  assertRefused(await stranger.signIn('mia'), stranger);
  const [row] = await server.refusals();
  assert.equal(`${row?.operation} ${row?.outcome}`, REFUSED);
  const { rows } = await pool.query(`select 1 from persons where email = 'mia@example.com'`);
  assert.equal(rows.length, 0, 'nobody is made known by trying');
});

test('whoever signs in again with other groups goes on at once, in a session of its own', async () => {
  hire('ned', ['fx-dealers']);
  const visitor = new Visitor();
  await visitor.signIn('ned');
  const before = await visitor.session();
  hire('ned', ['fx-admins']);
  const answer = await visitor.signIn('ned', '?fresh=true');
  assert.equal(answer.status, 200, answer.text);
  const now = await visitor.session();
  assert.deepEqual(now.roles, ['administrator']);
  assert.notEqual(now.sessionId, before.sessionId, 'the one with the earlier roles has ended');
});

test('whose session ends while the provider asks is signed in nevertheless', async () => {
  hire('ola', ['fx-dealers']);
  const visitor = new Visitor();
  await visitor.signIn('ola');
  const { sessionId } = await visitor.session();
  const begun = await visitor.begin('?fresh=true');
  await visitor.browser.change('DELETE', '/auth/session');
  assert.equal((await visitor.browser.get(await visitor.atProvider(begun, 'ola'))).status, 200);
  assert.notEqual((await visitor.session()).sessionId, sessionId);
});

test('nobody becomes somebody else by an address, verified or not', async () => {
  hire('ada', ['fx-admins']);
  await new Visitor().signIn('ada');
  hire('eve', ['fx-dealers'], { email: 'Ada@Example.com' });
  const eve = new Visitor();
  assertRefused(await eve.signIn('eve'), eve, 'the address is linked with another account');
  await ensurePerson(pool, { email: 'new@example.com', roles: ['administrator'] }, 0);
  // Some providers write what is true or false as a text.
  for (const verified of [false, 'false', 'no']) {
    hire('mallory', ['fx-dealers'], { email: 'new@example.com', email_verified: verified });
    const mallory = new Visitor();
    assertRefused(await mallory.signIn('mallory'), mallory, 'the provider does not vouch for the address');
  }
  hire('new', ['fx-dealers'], { email_verified: 'true' });
  const visitor = new Visitor();
  await visitor.signIn('new');
  assert.equal((await visitor.session()).email, 'new@example.com');
});

test('who somebody is at the provider is on the audit trail, in the commit in which it becomes known', async () => {
  const known = await ensurePerson(pool, { email: 'pat@example.com', roles: ['dealer'] }, 0);
  hire('pat', ['fx-dealers']);
  await new Visitor().signIn('pat');
  const { rows } = await pool.query(
    `select operation, c -> 'after' ->> 'subject' as subject, subjects @> array[$1] as is_found
     from audit_log, jsonb_array_elements(changes::jsonb) c
     where c ->> 'table' = 'person_identities' and c -> 'after' ->> 'person_id' = $1`,
    [known.id],
  );
  assert.deepEqual(rows, [{ operation: 'auth:groups', subject: 'pat', is_found: true }]);
});

test('whoever is suspended here is refused, whatever the provider says', async () => {
  hire('sam', ['fx-dealers']);
  const visitor = new Visitor();
  await visitor.signIn('sam');
  await pool.query(`update persons set status = 'suspended' where email = 'sam@example.com'`);
  const again = new Visitor();
  assertRefused(await again.signIn('sam'), again);
});

/** Ends the person with this address, as operators do. */
async function ended(email: string): Promise<string> {
  const { rows } = await pool.query(
    `update persons set status = 'ended' where email = $1 and status <> 'ended' returning id`,
    [email],
  );
  await pool.query('update sessions set ended_at = now() where person_id = $1', [rows[0]?.id]);
  return rows[0]?.id;
}

test('somebody who was ended signs in again once an operator has made them known anew, and not by a group', async () => {
  hire('ray', ['fx-dealers']);
  await new Visitor().signIn('ray');
  const before = await ended('ray@example.com');
  hire('ray', ['fx-admins']);
  const early = new Visitor();
  assertRefused(await early.signIn('ray'), early, 'a group brings nobody back');
  const count = `select count(*)::int as n from persons where email = 'ray@example.com'`;
  assert.deepEqual((await pool.query(count)).rows, [{ n: 1 }]);
  const { rows: left } = await pool.query('select roles from persons where id = $1', [before]);
  assert.deepEqual(left, [{ roles: ['dealer'] }], 'what an ended person had stays on record');
  const anew = await ensurePerson(pool, { email: 'ray@example.com', roles: ['viewer'] }, Date.now());
  const visitor = new Visitor();
  assert.equal((await visitor.signIn('ray')).status, 200);
  const session = await visitor.session();
  assert.deepEqual([uuidOf('per', session.personId), session.roles], [anew.id, ['administrator']]);
  const { rows } = await pool.query('select person_id from person_identities where subject = $1', ['ray']);
  assert.deepEqual(rows, [{ person_id: anew.id }]);
  assert.equal((await new Visitor().signIn('ray')).status, 200, 'by the subject from then on');
  await ended('ray@example.com');
  const late = new Visitor();
  assertRefused(await late.signIn('ray'), late);
});

test('who was ended becomes nobody who is somebody at the provider already, or whose address is not theirs', async () => {
  hire('old', ['fx-dealers']);
  await new Visitor().signIn('old');
  await ended('old@example.com');
  // Somebody else has come by a group, with the address that the one who was ended has now.
  hire('heir', ['fx-admins']);
  await new Visitor().signIn('heir');
  hire('old', ['fx-dealers'], { email: 'heir@example.com' });
  const thief = new Visitor();
  assertRefused(await thief.signIn('old'), thief, 'the address is linked with another account');
  await ensurePerson(pool, { email: 'old@example.com', roles: ['administrator'] }, Date.now());
  hire('old', ['fx-dealers'], { email_verified: false });
  const unsure = new Visitor();
  assertRefused(await unsure.signIn('old'), unsure, 'the provider does not vouch for the address');
  hire('old', ['chess']);
  const outsider = new Visitor();
  assertRefused(await outsider.signIn('old'), outsider, 'groups decide as ever');
});

test('where groups decide nothing, those who are known here sign in, with the roles that they have here', async () => {
  const own = await startPeople({ provider: { ...settings, roles: undefined } }, pool);
  hire('uma', ['fx-admins']);
  const stranger = new Visitor(own);
  assertRefused(await stranger.signIn('uma'), stranger);
  await ensurePerson(pool, { email: 'uma@example.com', roles: ['dealer'] }, 0);
  const uma = new Visitor(own);
  assert.equal((await uma.signIn('uma')).status, 200);
  assert.deepEqual((await uma.session()).roles, ['dealer']);
});

test('a fresh sign-in makes the provider ask again, and keeps the session under another secret', async () => {
  hire('fay', ['fx-admins']);
  const visitor = new Visitor();
  await visitor.signIn('fay');
  const before = await visitor.session();
  const secret = visitor.browser.cookies.get(SESSION_COOKIE);
  server.realClock.advance(900_001);
  assert.equal((await visitor.browser.change('POST', FRESH)).body.code, 'fresh_sign_in_required');
  // What the provider knows still is not enough.
  await visitor.signIn('fay');
  assert.equal((await visitor.browser.change('POST', FRESH)).body.code, 'fresh_sign_in_required');
  server.realClock.followRealTime();
  const begun = await visitor.begin('?fresh=true');
  assert.deepEqual(
    ['prompt', 'max_age'].map((name) => new URL(begun).searchParams.get(name)),
    ['login', '0'],
  );
  assert.equal((await visitor.browser.get(await visitor.atProvider(begun, 'fay'))).status, 200);
  assert.equal((await visitor.browser.change('POST', FRESH)).status, 200);
  assert.equal((await visitor.session()).sessionId, before.sessionId);
  assert.notEqual(visitor.browser.cookies.get(SESSION_COOKIE), secret);
  const { rows } = await pool.query(
    `select count(*)::int as n from sessions s join persons p on p.id = s.person_id
     where p.email = 'fay@example.com' and s.ended_at is null`,
  );
  assert.equal(rows[0]?.n, 1, 'none is left behind');
  // Somebody else at the same browser ends what there was.
  hire('gil', ['fx-dealers']);
  const other = new Visitor();
  other.browser.cookies.set(SESSION_COOKIE, visitor.browser.cookies.get(SESSION_COOKIE) ?? '');
  await other.signIn('gil');
  assert.equal((await visitor.browser.get(PROBE)).body.code, 'token_expired');
});

/** A provider that signs what it is told, and says of itself what a good one does. */
async function hostileProvider() {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const foreign = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  let token = '';
  const { url } = await listening((request, response) => {
    const path = new URL(request.url ?? '', 'http://x').pathname;
    const answers: Record<string, object> = {
      '/.well-known/openid-configuration': {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      },
      '/jwks': { keys: [jwk] },
      '/token': { access_token: 'x', token_type: 'Bearer', id_token: token },
    };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(answers[path] ?? {}));
  });
  return {
    url,
    signer: (claims: Readonly<Record<string, unknown>>, key = privateKey, kid = 'one') =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(key),
    foreignKey: foreign.privateKey,
    says: (next: string) => {
      token = next;
    },
  };
}

test('an id_token of another issuer, audience, nonce, key or time, or without a signature, lets nobody in', async () => {
  const provider = await hostileProvider();
  const own = await startPeople({ provider: { ...settings, issuer: provider.url } }, pool);
  const now = Math.floor(Date.now() / 1000);
  const good = (nonce: string) => ({
    iss: provider.url,
    aud: CLIENT.clientId,
    sub: 'somebody',
    nonce,
    iat: now,
    exp: now + 300,
    auth_time: now,
    email: 'somebody@example.com',
    groups: ['fx-dealers'],
  });
  const tried = async (make: (nonce: string) => Promise<string> | string, query = '') => {
    const visitor = new Visitor(own);
    const sent = new URL(await visitor.begin(query)).searchParams;
    provider.says(await make(sent.get('nonce') ?? ''));
    const answer = await visitor.browser.get(`/auth/oidc/callback?code=c&state=${sent.get('state')}`);
    return { answer, visitor };
  };
  const control = await tried((nonce) => provider.signer(good(nonce)));
  assert.equal(control.answer.status, 200, control.answer.text);
  const forged: Record<string, (nonce: string) => Promise<string> | string> = {
    'another issuer': (nonce) => provider.signer({ ...good(nonce), iss: 'https://evil.example' }),
    'another audience': (nonce) => provider.signer({ ...good(nonce), aud: 'another-client' }),
    'several audiences, given to another': (nonce) =>
      provider.signer({ ...good(nonce), aud: [CLIENT.clientId, 'x'], azp: 'x' }),
    'another nonce': (nonce) => provider.signer(good(`${nonce}x`)),
    'no nonce': (nonce) => provider.signer({ ...good(nonce), nonce: undefined }),
    'no subject': (nonce) => provider.signer({ ...good(nonce), sub: undefined }),
    expired: (nonce) => provider.signer({ ...good(nonce), iat: now - 7200, exp: now - 3600 }),
    'a foreign key': (nonce) => provider.signer(good(nonce), provider.foreignKey),
    'an unknown key': (nonce) => provider.signer(good(nonce), provider.foreignKey, 'two'),
    'no signature': (nonce) => new UnsecuredJWT(good(nonce)).encode(),
    'a signature that is another text': async (nonce) =>
      `${(await provider.signer(good(nonce))).slice(0, -8)}AAAAAAAA`,
    'the secret as the key': (nonce) =>
      new SignJWT(good(nonce))
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode(CLIENT.clientSecret())),
    nothing: () => '',
  };
  for (const [what, make] of Object.entries(forged)) {
    const { answer, visitor } = await tried(make);
    assertRefused(answer, visitor, what);
  }
  const stale = await tried(
    (nonce) => provider.signer({ ...good(nonce), auth_time: now - 3600 }),
    '?fresh=true',
  );
  assertRefused(stale.answer, stale.visitor, 'a fresh sign-in that is old');
  const silent = await tried(
    (nonce) => provider.signer({ ...good(nonce), auth_time: undefined }),
    '?fresh=true',
  );
  assertRefused(silent.answer, silent.visitor, 'a fresh sign-in of which nobody says when it was');
});

test('a provider that does not answer is told so, and tried again at the next sign-in', async () => {
  const { server: gone, url } = await listening(() => undefined);
  gone.close();
  const own = await startPeople({ provider: { ...settings, issuer: url } }, pool);
  const answer = await own.browser().get('/auth/oidc/start');
  assert.equal(answer.status, 503);
  assert.match(answer.text, /does not answer/);
});

test('the page for signing in leads to the provider', async () => {
  const { text } = await server.browser().get('/login?return_to=/docs/');
  assert.match(text, /href="\/auth\/oidc\/start\?return_to=%2Fdocs%2F">Continue with Example Ltd</);
});
