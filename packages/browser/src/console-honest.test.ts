import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dealtByCustomer, LIMIT_MS, openFloor, openTicket, withhold } from './test-support.ts';

/** What stands on a page is so: whose price it is, what a list is filtered by, what state a source is in. */

const { skip, service, signIn } = await openFloor();

test("a customer's price is never shown as another one's, nor once it cannot be read", {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  assert.ok(service !== undefined);
  await service.operate('POST', '/v1/operator/customers', { name: 'Acme Imports' });
  const { items } = (await service.operate('GET', '/v1/operator/customers')).body;
  const idOf = (name: RegExp): string =>
    items.find((each: { name: string }) => name.test(each.name))?.customerId;
  const [first, second] = [idOf(/^Sandbox customer$/), idOf(/^Acme Imports$/)];
  const { page, at } = await signIn('Dana Dealer');
  await page.goto(at(`/console/markets?customer=${first}`));
  const tile = page.locator('.tile[data-pair="EURUSD"]');
  const price = (form: RegExp) => tile.locator('.theirs b', { hasText: form });
  await price(/\d \/ \d/).waitFor();
  const letGo = await withhold(page, `**/${second}/prices*`);
  await page.locator('#filter-customer').selectOption(second);
  await tile.locator('.theirs .name', { hasText: 'Acme Imports' }).waitFor();
  assert.equal(await tile.locator('.theirs b').textContent(), '– / –');
  letGo();
  await price(/\d \/ \d/).waitFor();
  await page.route(`**/${second}/prices*`, (route) =>
    route.fulfill({ status: 422, contentType: 'application/problem+json', body: '{"code":"none"}' }),
  );
  await price(/^– \/ –$/).waitFor();
  await page.context().close();
});

test('what is written in a filter and cannot be meant is said to be that, and filters nothing', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { page, at } = await signIn('Olu Operations');
  for (const [path, name, wrong, wants, right, meant] of [
    ['/deposits', 'currency', 'euro', 'such as EUR', 'eur', 'currency=EUR'],
    ['/quotes', 'pair', 'EUR', 'such as EUR/USD', 'eur/usd', 'pair=EURUSD'],
    ['/payments', 'valueDate', '2.3.2026', 'such as 2026-03-02', '2026-03-02', 'valueDate=2026-03-02'],
    [
      '/audit',
      'from',
      'yesterday',
      'such as 2026-03-02',
      '2026-03-02T08:30Z',
      'from=2026-03-02T08%3A30%3A00Z',
    ],
  ] as const) {
    await page.goto(at(`/console${path}`));
    const field = page.locator(`#filter-${name}`);
    await field.fill(wrong);
    await page.keyboard.press('Enter');
    await page.locator('.field .wrong', { hasText: wants }).waitFor();
    await page.locator('.field input[aria-invalid="true"]').waitFor();
    assert.equal(new URL(page.url()).search, '', path);
    await field.fill(right);
    await page.keyboard.press('Enter');
    await page.locator('.field .wrong').waitFor({ state: 'detached' });
    assert.ok(new URL(page.url()).search.includes(meant), `${path}: ${page.url()}`);
    assert.equal(await page.locator('main [role="alert"]').count(), 0, path);
  }
  await page.context().close();
});

test('a source that gives no prices has no tick, and one that rests is not called silent', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  assert.ok(service !== undefined);
  const { page, at } = await signIn('Dana Dealer');
  const health = (await service.operate('GET', '/v1/operator/market/health')).body;
  const [source] = health.sources.filter((each: { source: string }) => each.source === 'simulated');
  const told = (state: string) => ({ ...health, sources: [{ ...source, state }] });
  let state = 'failed';
  await page.route('**/v1/operator/market/health', (route) =>
    route.fulfill({ status: 200, contentType: 'application/json', body: JSON.stringify(told(state)) }),
  );
  await page.goto(at('/console/overview'));
  await page.locator('section[aria-labelledby="sources"] .chip.bad', { hasText: 'Failed' }).waitFor();
  state = 'idle';
  await page.goto(at('/console/health'));
  await page.locator('tr:has-text("simulated") .chip.idle', { hasText: 'Idle' }).waitFor();
  await page.locator('.facts div:has-text("silent or absent") dd', { hasText: /^0$/ }).waitFor();
  await page.context().close();
});

test('trades are found by their currency alone, and it is said of which days', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { reference } = await dealtByCustomer(service, '410.00');
  const { page, at, faults } = await signIn('Dana Dealer');
  await page.goto(at('/console/transactions'));
  await page.locator('#filter-currency').fill('eur');
  await page.keyboard.press('Enter');
  await page.locator('main .hint', { hasText: /Only trades from \d{4}-\d\d-\d\d to/ }).waitFor();
  await page.locator('main tbody a', { hasText: reference }).waitFor();
  await page.locator('#filter-tradeDateFrom').fill('2026-01-01');
  await page.locator('#filter-tradeDateTo').fill('2026-01-31');
  await page.keyboard.press('Enter');
  await page.locator('text=Nothing fits these filters').waitFor();
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('another date that is not named yet is no spot', { skip, timeout: LIMIT_MS }, async () => {
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && /\/quotes$/.test(request.url())) asked.push(request.url());
  });
  await openTicket(desk, '1200');
  await page.locator('#ticket-value').selectOption('date');
  await page.locator('#ticket-amount').click();
  await page.keyboard.press('Control+Enter');
  await page.locator('.drawer .wrong', { hasText: 'Enter the value date.' }).waitFor();
  assert.equal(await page.evaluate('document.activeElement.id'), 'ticket-date');
  assert.deepEqual(asked, []);
  await page.reload();
  await page.locator('#ticket-date').waitFor();
  await page.context().close();
});
