import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startTestService } from '../../service/test/support/service.ts';
import { AXE, type Browser, type ConsolePage, openBrowser, openConsolePage } from './chromium.ts';

/** The console as a dealer has it: `docs/console.md`. */

const LIMIT_MS = 240_000;
const BUILT = join(import.meta.dirname, '../../console/dist/files.json');
const isBuilt = (() => {
  try {
    return readFileSync(BUILT, 'utf8').length > 0;
  } catch {
    return false;
  }
})();
const browser: Browser | string = isBuilt
  ? await openBrowser()
  : 'The console is not built: run node scripts/build-console.mjs';
const skip = typeof browser === 'string' && browser;
const service = skip === false ? await startTestService() : undefined;
after(async () => {
  if (typeof browser !== 'string') await browser.close();
});

interface Desk {
  readonly page: ConsolePage;
  readonly faults: string[];
  readonly hosts: Set<string>;
  readonly at: (path: string) => string;
}

/** A window of somebody who has signed in by one click. */
async function signIn(who: string, options: object = {}): Promise<Desk> {
  if (typeof browser === 'string' || service === undefined) throw new Error('there is no browser');
  const page = await openConsolePage(browser, options);
  const at = (path: string) => `${service.baseUrl}${path}`;
  await page.goto(at('/console/overview'));
  await page.getByRole('button', { name: new RegExp(who) }).click();
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  const faults: string[] = [];
  const hosts = new Set<string>();
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('request', (request) => hosts.add(new URL(request.url()).origin));
  return { page, faults, hosts, at };
}

const traded = async () =>
  (await service?.operate('GET', '/v1/operator/transactions?limit=100'))?.body.items as {
    transactionId: string;
  }[];

async function openTicket({ page, at }: Desk, amount: string): Promise<void> {
  await page.goto(at('/console/markets'));
  await page.locator('.tile[data-state="live"]').first().waitFor();
  await page.keyboard.press('n');
  await page.locator('#ticket-customer option').first().waitFor({ state: 'attached' });
  await page.locator('#ticket-amount').fill(amount);
}

const execute = ({ page }: Desk) => page.getByRole('button', { name: /^Execute/ });

async function faultsOfAccess(page: ConsolePage): Promise<string[]> {
  await page.evaluate(readFileSync(AXE, 'utf8'));
  const found = await page.evaluate(`axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`);
  return found as string[];
}

test('a dealer trades by the keyboard alone', { skip, timeout: LIMIT_MS }, async () => {
  const desk = await signIn('Dana Dealer');
  const { page, faults, hosts } = desk;
  const before = await traded();
  await openTicket(desk, '1.000.000,00');
  await page.locator('text=1,000,000.00').first().waitFor();
  await page.keyboard.press('Control+Enter');
  await execute(desk).waitFor();
  // The button has the focus.
  await page.keyboard.press('Enter');
  await page.locator('.drawer a[href*="/transactions/txn_"]').click();
  await page.getByRole('heading', { name: /^Transaction RF/ }).waitFor();
  await page.locator('text=How the price was made').waitFor();
  assert.equal((await traded()).length, before.length + 1);
  assert.deepEqual(faults, []);
  assert.deepEqual([...hosts], [service?.baseUrl]);
  await page.context().close();
});

test('a double click trades once', { skip, timeout: LIMIT_MS }, async () => {
  const desk = await signIn('Dana Dealer');
  const before = await traded();
  await openTicket(desk, '250k');
  await desk.page.keyboard.press('Control+Enter');
  await execute(desk).dblclick();
  await desk.page.locator('.drawer a[href*="/transactions/txn_"]').waitFor();
  assert.equal((await traded()).length, before.length + 1);
  await desk.page.context().close();
});

test('a quote that expires while it is looked at cannot be executed', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  const before = await traded();
  await openTicket(desk, '1k');
  await page.clock.install();
  await page.keyboard.press('Control+Enter');
  await execute(desk).waitFor();
  await page.clock.fastForward(31_000);
  await page.locator('text=The quote has expired').waitFor();
  assert.equal(await execute(desk).count(), 0);
  // What was filled in is still there.
  assert.equal(await page.locator('#ticket-amount').inputValue(), '1k');
  assert.equal((await traded()).length, before.length);
  await page.context().close();
});

test('an answer that is lost is asked for, and nothing is sent twice', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  const before = await traded();
  const keys = new Set<string | undefined>();
  let isCut = true;
  await page.route('**/execute', async (route) => {
    keys.add(route.request().headers()['idempotency-key']);
    // It arrives, and its answer does not.
    await route.fetch();
    await route.abort('connectionreset');
  });
  await page.route('**/v1/operator/quotes/quote_*', async (route) =>
    isCut ? route.abort() : route.continue(),
  );
  await openTicket(desk, '2k');
  await page.keyboard.press('Control+Enter');
  await execute(desk).click();
  await page.locator('text=We do not know yet').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Close' }).first().isDisabled());
  isCut = false;
  await page.locator('.drawer a[href*="/transactions/txn_"]').waitFor();
  assert.equal(keys.size, 1);
  assert.equal((await traded()).length, before.length + 1);
  await page.context().close();
});

for (const theme of ['light', 'dark']) {
  test(`every page is whole and open to everybody, ${theme}`, { skip, timeout: LIMIT_MS }, async () => {
    const { page, faults, hosts, at } = await signIn('Ada Approver', { colorScheme: theme });
    const shown: readonly (readonly [path: string, what: string])[] = [
      ['/console/overview', '#attention'],
      ['/console/markets', '.tile[data-state="live"]'],
      ['/console/markets?ticket=new', '.drawer #ticket-amount'],
      ['/console/quotes', 'table a, .callout'],
      ['/console/transactions', 'table a, .callout'],
      ['/console/exceptions', 'table, .callout'],
      ['/console/approvals', 'table, .callout'],
      ['/console/nothing', 'text=There is no such page'],
    ];
    for (const [path, what] of shown) {
      await page.goto(at(path));
      await page.locator(what).first().waitFor();
      assert.deepEqual(await faultsOfAccess(page), [], `${path} ${theme}`);
    }
    await page.setViewportSize({ width: 320, height: 640 });
    for (const [path, what] of shown) {
      await page.goto(at(path));
      await page.locator(what).first().waitFor();
      const width = await page.evaluate('document.documentElement.scrollWidth');
      assert.equal(width, 320, path);
    }
    assert.deepEqual(faults, []);
    assert.deepEqual([...hosts], [service?.baseUrl]);
    await page.context().close();
  });
}
