import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { buildClient } from '../../../scripts/pack-client.ts';
import { startTestService } from '../../service/test/support/service.ts';
import { openBrowser, openPage, type Page } from './chromium.ts';

const LIMIT_MS = 600_000;
const browser = await openBrowser();
const skip = typeof browser === 'string' && browser;
const folder = mkdtempSync(join(tmpdir(), 'firmquote-browser-'));
const service = skip === false ? await startTestService() : undefined;
after(async () => {
  if (typeof browser !== 'string') await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open() {
  if (typeof browser === 'string' || service === undefined) throw new Error('there is no browser');
  const page = await openPage(browser);
  const faults: string[] = [];
  const called = new Set<string>();
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('request', (request) => called.add(new URL(request.url()).origin));
  return { page, faults, called, service };
}

const testRequest = (page: Page, place: string) => page.locator('button', { hasText: `(post ${place})` });

/** Opens an operation by a link of the page, and sends what the page has filled in. */
async function send(page: Page, place: string, path: RegExp) {
  await page.locator(`a[href$="#tag/quotes/POST${place}"]`).first().click();
  await testRequest(page, place).click();
  const answer = page.waitForResponse((each) => path.test(each.url()));
  await page.getByRole('button', { name: /^Send/ }).first().click();
  const given = await answer;
  const text = await given.text();
  assert.equal(given.status(), 201, text);
  // Closed any sooner, it would stop reading.
  await page.locator('text=201 Created').first().waitFor();
  await page.keyboard.press('Escape');
  return JSON.parse(text);
}

test('the page that sends requests trades', { skip, timeout: LIMIT_MS }, async () => {
  const { page, faults, called, service } = await open();
  const { customer } = service.sandbox;
  const execute = '/v1/customer/quotes/{quoteId}/execute';
  // The service makes both pages when somebody first wants them, with megabytes to compress: no step of a browser waits for that.
  for (const path of ['try/', 'api/execute-quote'])
    assert.equal((await fetch(`${service.baseUrl}/docs/${path}`)).status, 200, path);
  await page.goto(`${service.baseUrl}/docs/try/`);
  await page.locator('[data-placeholder="12345"]').first().fill(customer.clientId);
  await page.getByPlaceholder('XYZ123').first().fill(customer.clientSecret);
  const token = page.waitForResponse((each) => each.url().endsWith('/oauth/token'));
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  assert.equal((await token).status(), 200);
  const quote = await send(page, '/v1/customer/quotes', /\/quotes$/);
  const transaction = await send(page, execute, /\/execute$/);
  assert.equal(transaction.quoteId, quote.quoteId);
  const known = await service.call('GET', `/v1/customer/transactions/${transaction.transactionId}`);
  assert.equal(known.body.buyAmount, quote.buyAmount);
  assert.deepEqual(faults, []);
  assert.deepEqual(
    [...called].filter((origin) => /^http/.test(origin)),
    [service.baseUrl],
  );

  // The pages of the reference lead to it.
  await page.goto(`${service.baseUrl}/docs/api/execute-quote`);
  await page.getByRole('link', { name: 'Try it' }).click();
  await testRequest(page, execute).waitFor();
});

test('the client trades in a page', { skip, timeout: LIMIT_MS }, async () => {
  const { page, faults, service } = await open();
  buildClient(folder);
  await page.route('**/client/**', async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/client/')
      await route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Client</title>' });
    else
      await route.fulfill({
        contentType: 'text/javascript',
        body: readFileSync(join(folder, pathname.slice('/client/'.length))),
      });
  });
  const { audience, customer } = service.sandbox;
  const options = {
    baseUrl: service.baseUrl,
    audience,
    clientId: customer.clientId,
    clientSecret: customer.clientSecret,
  };
  await page.goto(`${service.baseUrl}/client/`);
  const reported = await page.evaluate(`(async () => {
    const { Firmquote, NotFoundError } = await import('/client/dist/index.js');
    const { checkAmounts } = await import('/client/dist/money.js');
    const firmquote = new Firmquote(${JSON.stringify(options)});
    const quote = await firmquote.quotes.create({ sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '1000.00' });
    const transaction = await firmquote.quotes.execute(quote);
    let price;
    for await (const update of firmquote.prices.stream({ pairs: ['EURUSD'] })) {
      if (update.event !== 'price') continue;
      price = update.data.pair;
      break;
    }
    const error = await firmquote.quotes.get('quote_01jngx7z5d2m8r4v6t9k3b1c0a').catch((each) => each);
    checkAmounts(quote);
    return [transaction.sellAmount, price, error instanceof NotFoundError, firmquote.quotes.secondsLeft(quote) > 0].join();
  })()`);
  assert.equal(reported, '1000.00,EURUSD,true,true');
  assert.deepEqual(
    faults.filter((fault) => !/404/.test(fault)),
    [],
  );
});
