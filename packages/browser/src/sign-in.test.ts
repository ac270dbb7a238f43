import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startTestService } from '../../service/test/support/service.ts';
import { AXE, type Context, openBrowser, openContext, type Page } from './chromium.ts';

const LIMIT_MS = 600_000;
/** Where pictures of the pages go, for whoever wants to look at them. */
const PICTURES = process.env.FIRMQUOTE_TEST_PICTURES;
const browser = await openBrowser();
const skip = typeof browser === 'string' && browser;
const close: (() => unknown)[] = [];
after(async () => {
  if (typeof browser !== 'string') await browser.close();
  for (const each of close) each();
});

async function listening(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  close.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

/** A company's provider, with the pages that it brings along. Its client is known once the service has an address. */
async function startProvider() {
  // It brings no types; what is used of it is told here.
  const library: string = 'oidc-provider';
  const { Provider } = (await import(library)) as {
    Provider: new (issuer: string, options: object) => { callback(): RequestListener };
  };
  let handle: RequestListener = () => undefined;
  const issuer = await listening((request, response) => handle(request, response));
  const begin = (redirectUri: string) => {
    handle = new Provider(issuer, {
      clients: [
        {
          client_id: 'firmquote',
          client_secret: 'a-secret-of-the-service',
          redirect_uris: [redirectUri],
          grant_types: ['authorization_code'],
          response_types: ['code'],
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      findAccount: (_: unknown, id: string) => ({
        accountId: id,
        claims: () => ({
          sub: id,
          email: `${id}@example.com`,
          email_verified: true,
          name: 'Grace',
          groups: ['fx-dealers'],
        }),
      }),
      cookies: { keys: ['a key of the test'] },
    }).callback();
  };
  return { issuer, begin };
}

const provider = skip === false ? await startProvider() : undefined;
const service =
  provider &&
  (await startTestService({
    FIRMQUOTE_OIDC_ISSUER: provider.issuer,
    FIRMQUOTE_OIDC_CLIENT_ID: 'firmquote',
    FIRMQUOTE_OIDC_CLIENT_SECRET: 'a-secret-of-the-service',
    FIRMQUOTE_OIDC_NAME: 'Example Ltd',
    FIRMQUOTE_OIDC_ROLES: 'fx-dealers=dealer',
    FIRMQUOTE_PASSKEYS: 'on',
  }));
provider?.begin(`${service?.baseUrl}/auth/oidc/callback`);

interface Visit {
  readonly page: Page;
  readonly context: Context;
  /** What the console has of pages of the service, and what was called elsewhere. */
  readonly faults: string[];
  /** Passkeys work at a name. */
  readonly home: string;
}

async function visit(): Promise<Visit> {
  if (typeof browser === 'string' || service === undefined) throw new Error('there is no browser');
  const { context, page } = await openContext(browser);
  const home = service.baseUrl.replace('127.0.0.1', 'localhost');
  const own = [home, service.baseUrl];
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (own.some((each) => message.location().url.startsWith(each))) faults.push(message.text());
  });
  return { page, context, faults, home };
}

/** A device of the person who sits at the browser. */
async function device({ context, page }: Visit) {
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Rules of WCAG 2.2 AA that a program can check, in light and in dark. */
async function assertAccessible(page: Page, name: string): Promise<void> {
  await page.setViewportSize({ width: 900, height: 860 });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const violations = await page.evaluate(
      `${readFileSync(AXE, 'utf8')}; axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))`,
    );
    assert.deepEqual(violations, [], `${name}, ${colorScheme}`);
    if (PICTURES !== undefined) {
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}.png`), fullPage: true });
    }
  }
  await page.setViewportSize({ width: 320, height: 700 });
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  assert.ok(Number(overflow) <= 0, `${name} fits 320 pixels`);
  await page.setViewportSize({ width: 900, height: 860 });
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor();
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click();
const session = (page: Page) =>
  page.evaluate(`fetch('/auth/session').then((answer) => answer.json())`) as Promise<Record<string, string>>;

async function atProvider(page: Page, login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').first().click();
}

test('somebody signs in at the provider, shows again who it is, and signs out', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { page, context, faults } = await visit();
  const home = service?.baseUrl ?? '';
  await page.goto(`${home}/login`);
  await page.getByRole('link', { name: 'Continue with Example Ltd' }).click();
  await atProvider(page, 'grace');
  await page.locator('button[type=submit]').first().click();
  await heading(page, 'Signed in as Grace');
  const cookies = (await context.cookies()).filter(({ name }) => name.startsWith('__Host-'));
  assert.deepEqual(
    cookies.map(({ name, secure, httpOnly, sameSite, path, expires }) => [
      name,
      secure,
      httpOnly,
      sameSite,
      path,
      expires,
    ]),
    [['__Host-firmquote-session', true, true, 'Strict', '/', -1]],
  );
  assert.equal(await page.evaluate('document.cookie'), '', 'no script reads them');
  const before = await session(page);
  assert.deepEqual([before.method, before.email], ['provider', 'grace@example.com']);

  await page.goto(`${home}/login?fresh=true`);
  await page.getByRole('link', { name: 'Continue with Example Ltd' }).click();
  await atProvider(page, 'grace');
  await heading(page, 'Signed in as Grace');
  const again = await session(page);
  assert.equal(again.sessionId, before.sessionId);
  assert.notEqual(again.csrfToken, before.csrfToken);

  await press(page, 'Sign out');
  await heading(page, 'Sign in');
  assert.deepEqual(
    (await context.cookies()).filter(({ name }) => name.startsWith('__Host-')),
    [],
  );
  assert.deepEqual(faults, []);
});

test('somebody is invited, makes a passkey, signs in with it, and comes back with a recovery code', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const visited = await visit();
  const { page, faults, home } = visited;
  await device(visited);
  const called: string[] = [];
  page.on('request', (request) => called.push(request.url()));
  const person = { email: 'ada@example.com', name: 'Ada Example', roles: ['operations'] };
  const invited = await service?.operate('POST', '/v1/operator/persons', person);
  assert.equal(invited?.status, 201, invited?.text);
  const { invitationLink } = invited?.body ?? {};
  assert.ok(invitationLink.startsWith(`${home}/login/invitation#`));

  await page.goto(invitationLink);
  await page.getByRole('button', { name: 'Create a passkey' }).waitFor();
  assert.equal(await page.evaluate('location.hash'), '', 'the address keeps nothing of it');
  await assertAccessible(page, 'invitation');
  await page.getByLabel('Name of the passkey').fill('Laptop');
  await press(page, 'Create a passkey');
  await heading(page, 'Your recovery codes');
  const codes = (await page.locator('#codes li').allTextContents()) as string[];
  assert.equal(codes.length, 10);
  await assertAccessible(page, 'recovery-codes');
  await page.getByLabel('I have saved the codes').check();
  await press(page, 'Continue');
  await heading(page, 'Signed in as Ada Example');
  assert.equal((await session(page)).method, 'invitation');
  await assertAccessible(page, 'signed-in');
  assert.deepEqual(
    called.filter((url) => url.includes('fqi_') || !url.startsWith(home)),
    [],
    'the link is in no address, and nobody else is called',
  );

  await press(page, 'Sign out');
  await heading(page, 'Sign in');
  await assertAccessible(page, 'sign-in');
  await press(page, 'Sign in with a passkey');
  await heading(page, 'Signed in as Ada Example');
  const before = await session(page);
  assert.equal(before.method, 'passkey');

  await page.goto(`${home}/login?fresh=true&return_to=/login`);
  await heading(page, 'Sign in again');

  await press(page, 'Sign in with a passkey');
  await heading(page, 'Signed in as Ada Example');
  const again = await session(page);
  assert.equal(again.sessionId, before.sessionId);
  assert.notEqual(again.csrfToken, before.csrfToken);

  // With another device, of which nothing is known, and all others lost.
  const elsewhere = await visit();
  await device(elsewhere);
  await elsewhere.page.goto(`${home}/login`);
  await press(elsewhere.page, 'Sign in with a passkey');
  await elsewhere.page.locator('#problem').waitFor();
  await elsewhere.page.getByRole('link', { name: 'I have lost my passkeys' }).click();
  await heading(elsewhere.page, 'Sign in with a recovery code');
  await assertAccessible(elsewhere.page, 'recovery');
  await elsewhere.page.getByLabel('Recovery code').fill(codes[0] ?? '');
  await press(elsewhere.page, 'Create a passkey');
  await heading(elsewhere.page, 'Signed in as Ada Example');
  assert.match(String(await elsewhere.page.locator('main').textContent()), /9 recovery codes are left/);
  await page.reload();
  await heading(page, 'Sign in');
  await press(elsewhere.page, 'Create new recovery codes');
  await heading(elsewhere.page, 'Your recovery codes');
  assert.deepEqual(faults, []);
  assert.deepEqual(elsewhere.faults, []);
});

test('passkeys of this service sign for no other site', { skip, timeout: LIMIT_MS }, async () => {
  const visited = await visit();
  const { page, home } = visited;
  await device(visited);
  const person = { email: 'eve@example.com', roles: ['viewer'] };
  const invited = await service?.operate('POST', '/v1/operator/persons', person);
  await page.goto(invited?.body.invitationLink);
  await press(page, 'Create a passkey');
  await heading(page, 'Your recovery codes');

  // By its number the machine has no name that a passkey could be of.
  await page.goto(`${service?.baseUrl}/login`);
  await page.locator('#problem').waitFor();
  assert.match(String(await page.locator('#problem').textContent()), /^Passkeys work at http:\/\/localhost/);

  const asked = await fetch(`${home}/auth/passkey/ask`, {
    method: 'POST',
    headers: { origin: home, 'content-type': 'application/json' },
    body: '{}',
  });
  const { options } = (await asked.json()) as { options: { challenge: string; rpId: string } };
  const cookie = asked.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const foreign = await listening((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<title>Foreign</title>'),
  );
  await page.goto(foreign);
  const sign = (rpId: string) => `(async () => {
    const text = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    const challenge = Uint8Array.from(atob('${options.challenge}'.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
    const { id, response } = await navigator.credentials.get({ publicKey: { challenge, rpId: '${rpId}', userVerification: 'required' } });
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response: Object.fromEntries(
      ['authenticatorData', 'clientDataJSON', 'signature', 'userHandle'].map((name) => [name, text(response[name])])) };
  })().catch((error) => error.name)`;
  assert.equal(await page.evaluate(sign('firmquote.example')), 'SecurityError');
  // Another port of the same name gets a signature from the browser, and no session from the service.
  const answer = await page.evaluate(sign(options.rpId));
  assert.notEqual(typeof answer, 'string', String(answer));
  const sent = await service?.call('POST', '/auth/passkey', {
    token: null,
    headers: { origin: home, cookie },
    body: { answer },
  });
  assert.deepEqual([sent?.status, sent?.body.code], [403, 'sign_in_refused']);
  assert.equal(sent?.headers.get('set-cookie'), null);
});
