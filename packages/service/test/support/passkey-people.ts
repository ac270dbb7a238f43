import assert from 'node:assert/strict';
import { inviteFirst } from '../../src/people/invite-person.ts';
import {
  type BrowserAnswer,
  ORIGIN,
  type PeopleServer,
  type TestBrowser,
} from '../../src/people/test-support.ts';
import { type Deviation, type PasskeyOptions, TestAuthenticator } from './authenticator.ts';

/** Persons with passkeys, for the tests around them. */

export const DAY_MS = 24 * 3_600_000;

export function assertRefused(answer: BrowserAnswer, status: number, code: string, message?: string): void {
  assert.deepEqual([answer.status, answer.body?.code], [status, code], message ?? answer.text);
}

export function refusedSignIn(answer: BrowserAnswer, message?: string): void {
  assertRefused(answer, 403, 'sign_in_refused', message);
}

/** As the script of a page does. */
export function post(
  browser: TestBrowser,
  path: string,
  body: object = {},
  headers = {},
): Promise<BrowserAnswer> {
  const type = { 'content-type': 'application/json' };
  return browser.send('POST', path, { ...type, ...headers }, JSON.stringify(body));
}

export interface Member {
  readonly browser: TestBrowser;
  readonly device: TestAuthenticator;
  readonly recoveryCodes: readonly string[];
  readonly personId: string;
}

/** What people do at a server. */
export function peopleAt(server: PeopleServer) {
  const { pool, realClock } = server;
  const room = {
    pool,
    realClock,
    isSandbox: false,
    passkeys: () => ({ rpId: 'desk.example', origins: [ORIGIN] }),
    invitationMs: 3 * DAY_MS,
  };

  /** @returns what stands behind the `#` of the link */
  async function linkFor(email: string, roles: readonly string[] = ['administrator']): Promise<string> {
    const { link } = await inviteFirst(room, { email, roles });
    assert.match(link ?? '', /^https:\/\/desk\.example\/login\/invitation#fqi_live_[0-9A-Za-z]{49}$/);
    return (link ?? '').split('#')[1] ?? '';
  }

  async function askToMake(browser: TestBrowser, invitation: string): Promise<PasskeyOptions> {
    const { status, body, text } = await post(browser, '/auth/invitation/ask', { invitation });
    assert.equal(status, 200, text);
    return body.options;
  }

  /** Somebody who has taken up an invitation. */
  async function joined(email: string, roles?: readonly string[]): Promise<Member> {
    const browser = server.browser();
    const device = new TestAuthenticator();
    const invitation = await linkFor(email, roles);
    const answer = device.make(await askToMake(browser, invitation));
    const done = await post(browser, '/auth/invitation', { answer, passkeyName: 'Key' });
    assert.equal(done.status, 200, done.text);
    const { personId } = (await browser.get('/auth/session')).body;
    return { browser, device, recoveryCodes: done.body.recoveryCodes, personId };
  }

  async function ask(browser: TestBrowser): Promise<PasskeyOptions> {
    return (await post(browser, '/auth/passkey/ask')).body.options;
  }

  async function signIn(device: TestAuthenticator, deviation?: Deviation, browser = server.browser()) {
    const answer = device.sign(await ask(browser), deviation);
    return { browser, answer: await post(browser, '/auth/passkey', { answer, returnTo: '/docs' }) };
  }

  return { room, linkFor, askToMake, joined, ask, signIn };
}
