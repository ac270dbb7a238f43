import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { type CamtEntry, type CamtOptions, camt } from '../../bank-formats/src/test-support.ts';
import { ownerOf } from '../../service/test/support/database.ts';
import { until } from '../../service/test/support/process.ts';
import { startTestService, type TestService } from '../../service/test/support/service.ts';
import {
  AXE,
  type Browser,
  type ConsolePage,
  type ConsolePlace,
  openBrowser,
  openConsolePage,
} from './chromium.ts';
import { type Focused, focused } from './keyboard.ts';
import { type Network, openNetwork } from './network.ts';

/** What the tests of the console share: one browser and one service for each file, and people who have signed in. */

/** Of one test: for what never comes. The longest takes a minute, and four where others keep the cores busy. */
export const LIMIT_MS = 600_000;
const BUILT = join(import.meta.dirname, '../../console/dist/files.json');

export interface Desk {
  readonly page: ConsolePage;
  readonly faults: string[];
  readonly hosts: Set<string>;
  readonly at: (path: string) => string;
}

export interface Floor {
  /** Why there are no tests, or false. */
  readonly skip: string | false;
  readonly service: TestService | undefined;
  readonly network: Network;
  /** A window of somebody who has signed in by one click. */
  signIn(who: string, options?: object): Promise<Desk>;
  /** Transactions that there are. */
  traded(): Promise<{ readonly transactionId: string; readonly quoteId: string }[]>;
}

export async function openFloor(settings: Readonly<Record<string, string>> = {}): Promise<Floor> {
  const browser: Browser | string = isBuilt()
    ? await openBrowser()
    : 'The console is not built: run node scripts/build-console.mjs';
  const skip = typeof browser === 'string' && browser;
  const network = await openNetwork();
  const service =
    skip === false ? await startTestService({ FIRMQUOTE_BASE_URL: network.url, ...settings }) : undefined;
  if (service !== undefined) network.leadsTo(service.application.localUrl);
  after(async () => {
    if (typeof browser !== 'string') await browser.close();
    network.close();
  });
  const at = (path: string) => `${network.url}${path}`;
  return {
    skip,
    service,
    network,
    signIn: async (who, options = {}) => {
      if (typeof browser === 'string') throw new Error('there is no browser');
      const page = await openConsolePage(browser, options);
      await page.goto(at('/console/overview'));
      await page.getByRole('button', { name: new RegExp(who) }).click();
      await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
      const faults: string[] = [];
      const hosts = new Set<string>();
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
      page.on('request', (request) => hosts.add(new URL(request.url()).origin));
      return { page, faults, hosts, at };
    },
    traded: async () => (await service?.operate('GET', '/v1/operator/transactions?limit=100'))?.body.items,
  };
}

/** Waits until the console says what became of a command, in its own place: the page may say it as well, and in words that begin alike. */
export async function told(page: ConsolePage, text: string): Promise<void> {
  await page.locator('.outcome', { hasText: text }).waitFor();
}

function isBuilt(): boolean {
  try {
    return readFileSync(BUILT, 'utf8').length > 0;
  } catch {
    return false;
  }
}

/**
 * What the page reads there stays out until the answer is called: it learns nothing by itself of what happens meanwhile, however
 * slow whoever presses its buttons is.
 */
export async function withhold(page: ConsolePage, pattern: string): Promise<() => void> {
  const { promise: isOver, resolve: letGo } = Promise.withResolvers<void>();
  await page.route(pattern, async (route) => {
    await isOver;
    // Of a page that is gone by now nothing is asked any more.
    await route.continue().catch(() => undefined);
  });
  return letGo;
}

/** Longer than any test: a price that runs out meanwhile says something of the machine alone. */
export const FIRM_S = 300;

/** @param firmFor seconds, or nothing for as long as is usual */
export async function openTicket(
  { page, at }: Desk,
  amount: string,
  firmFor: number | '' = FIRM_S,
): Promise<void> {
  await page.goto(at('/console/markets'));
  await page.locator('.tile[data-state="live"]').first().waitFor();
  await page.keyboard.press('n');
  await page.locator('#ticket-customer option').first().waitFor({ state: 'attached' });
  const customer = page.locator('#ticket-customer');
  if ((await customer.inputValue()) === '')
    await customer.selectOption(
      (await customer.locator('option:not([value=""])').first().getAttribute('value')) ?? '',
    );
  await page.locator('#ticket-validity').selectOption(String(firmFor));
  await page.locator('#ticket-amount').fill(amount);
}

/** What the sandbox's customer has traded for dollars, in euros. */
export async function dealtByCustomer(
  service: TestService | undefined,
  amount: string,
  patch: object = {},
): Promise<{ transactionId: string; reference: string; settlement: { valueDate: string } }> {
  assert.ok(service !== undefined);
  const key = () => ({ 'Idempotency-Key': crypto.randomUUID() });
  const terms = { sellCurrency: 'EUR', buyCurrency: 'USD', fixedSide: 'sell', amount, ...patch };
  const quote = await service.call('POST', '/v1/customer/quotes', { body: terms, headers: key() });
  const path = `/v1/customer/quotes/${quote.body.quoteId}/execute`;
  const made = await service.call('POST', path, { headers: key() });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

let bookings = 0;

/** Money that a bank has told of, in euros. @returns the deposit's id */
export async function arrived(
  service: TestService | undefined,
  amount: string,
  patch: object = {},
): Promise<string> {
  assert.ok(service !== undefined);
  const made = await service.operate('POST', '/v1/operator/deposits', {
    bankReference: `DESK${++bookings}`,
    amount,
    currency: 'EUR',
    remitterName: 'Sandbox customer',
    ...patch,
  });
  assert.equal(made.status, 201, made.text);
  return made.body.depositId;
}

/** Everybody's sign-in becomes an hour old, as the service itself tells this page. */
export async function agedSignIn({ page }: Desk, service: TestService | undefined): Promise<void> {
  assert.ok(service !== undefined);
  await ownerOf(service.pool).query(
    "update sessions set authenticated_at = authenticated_at - interval '1 hour'",
  );
  const freshUntil =
    "fetch('/auth/session').then((answer) => answer.json()).then(({ freshUntil }) => Date.parse(freshUntil))";
  // What an instance holds of a session is seconds old.
  await until('an old sign-in', async () => Number(await page.evaluate(freshUntil)) < Date.now());
}

/** Waits until the focus is on what is called so. */
export async function arrives(page: ConsolePage, name: RegExp): Promise<void> {
  let at: Focused | undefined;
  try {
    await until('the focus', async () => {
      at = await focused(page);
      return at.tag !== 'nothing' && name.test(at.name);
    });
  } catch {
    assert.fail(`the focus is on ${at?.tag} "${at?.name}", not on ${name}`);
  }
}

export const execute = ({ page }: Desk) => page.getByRole('button', { name: /^Execute/ });

/**
 * Runs in the page. A target counts as it is where it can be scrolled to: at the edge of the window the footer may cover a part of any,
 * and which one that is depends on the height of everything above it.
 */
const AXE_FAULTS = `(async () => {
  const top = document.scrollingElement.scrollTop;
  const isSmall = async ({ target }) => {
    const element = document.querySelector(target.join(' '));
    element.scrollIntoView({ block: 'center', behavior: 'instant' });
    const again = await axe.run(element, { runOnly: { type: 'rule', values: ['target-size'] } });
    return again.violations.length > 0;
  };
  const faults = [];
  const { violations } = await axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  });
  for (const { id, nodes } of violations) {
    const left = [];
    for (const node of nodes) if (id !== 'target-size' || (await isSmall(node))) left.push(node.html.slice(0, 160));
    if (left.length > 0) faults.push(id + ': ' + left.join(' | '));
  }
  document.scrollingElement.scrollTo({ top, behavior: 'instant' });
  return faults;
})()`;

export async function faultsOfAccess(page: ConsolePage): Promise<string[]> {
  await page.evaluate(readFileSync(AXE, 'utf8'));
  // What still fades in has other colours.
  await page.evaluate(
    `Promise.all(document.getAnimations().filter((each) => each.effect.getComputedTiming().iterations !== Infinity).map((each) => each.finished.catch(() => undefined))).then(() => undefined)`,
  );
  const found = await page.evaluate(AXE_FAULTS);
  return found as string[];
}

/** The one proposal that waits, by the other person. */
export async function approve({ page, at }: Desk, kind: string): Promise<void> {
  await page.goto(at('/console/approvals?status=pending'));
  await page.getByRole('button', { name: kind }).click();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.locator('text=Nothing fits these filters').waitFor();
}

/** Nothing has gone wrong on it, axe finds nothing, and a phone scrolls it one way only. */
export async function looksWell({ page, faults }: Desk): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 2000 });
  assert.deepEqual(await faultsOfAccess(page), []);
  await page.setViewportSize({ width: 320, height: 640 });
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
  await page.setViewportSize({ width: 1280, height: 900 });
  assert.deepEqual(faults, []);
}

/** Drops a file, made in the page of a text or of so many bytes. */
export async function drop({ page }: Desk, name: string, content: string): Promise<void> {
  await page.locator('.drop').first().waitFor();
  await page.evaluate(`{
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([${content}], ${JSON.stringify(name)}));
    document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
  }`);
}

/** What the ticket says of its pair. */
export const noteOf = ({ page }: Desk, text: RegExp): ConsolePlace =>
  page.locator('.drawer [role=status]').locator(`text=${text}`);

/** On the page of price health, with a reason. */
export async function switchSource(
  { page }: Desk,
  source: string,
  label: 'Switch off' | 'Switch on',
): Promise<void> {
  await page.locator(`tr:has-text("${source}")`).getByRole('button', { name: label }).click();
  await page.locator('dialog textarea').fill('as we saw');
  await page.locator('dialog').getByRole('button', { name: label }).click();
  await page.locator('dialog .outcome .chip').waitFor();
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
}

export async function openHealth(signIn: Floor['signIn']): Promise<Desk> {
  const desk = await signIn('Dana Dealer');
  await desk.page.goto(desk.at('/console/health'));
  await desk.page.locator('.verdict').waitFor();
  return desk;
}

/** A bank's message on an account of the house. @returns its entries, as operators see them */
export async function reportedTo(
  service: TestService | undefined,
  entries: readonly CamtEntry[],
  options: CamtOptions,
) {
  const { currency = 'EUR' } = options;
  const { items } = (await service?.operate('GET', '/v1/operator/collection-accounts'))?.body ?? {};
  const [own] = items.filter((each: { currency: string }) => each.currency === currency);
  const file = camt(entries, { ...options, currency, account: own.iban ?? own.accountNumber });
  const sent = await service?.operate('POST', '/v1/operator/statements', file, {
    'Content-Type': 'application/octet-stream',
  });
  assert.equal(sent?.status, 201, sent?.text);
  const path = `/v1/operator/statements/${sent.body.fileId}/entries`;
  return (await service?.operate('GET', path))?.body.items;
}
