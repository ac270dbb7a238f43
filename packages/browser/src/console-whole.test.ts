import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fourEyes } from '../../service/test/support/four-eyes.ts';
import type { ConsolePage } from './chromium.ts';
import { arrived, dealtByCustomer, LIMIT_MS, openFloor } from './test-support.ts';

/** What is shown is all that there is, or says that it is not, and says of when. */

const { skip, service, signIn } = await openFloor();

/** Lists come so many at a time, as if there were many more. */
async function inPagesOf(page: ConsolePage, count: number, pattern: string): Promise<void> {
  await page.route(pattern, (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('limit', String(count));
    return route.continue({ url: url.href });
  });
}

test('the entries of a transaction are there to the last, and their times say their zone', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  // Nothing comes besides.
  await service?.operate('POST', '/v1/sandbox/bank', { autoDeposit: false, settlement: 'runs' });
  const { transactionId, reference } = await dealtByCustomer(service, '1000.00');
  await arrived(service, '1000.00', { remittanceText: reference });
  const { page, at } = await signIn('Ada Approver');
  await inPagesOf(page, 1, '**/operator/ledger/entries?*');
  await page.goto(at(`/console/transactions/${transactionId}`));
  const rows = page.locator('section[aria-label="Ledger entries"] tbody tr');
  await rows.first().waitFor();
  const trade = await service?.operate('GET', `/v1/operator/transactions/${transactionId}`);
  const of = `customerId=${trade?.body.customerId}&transactionId=${transactionId}`;
  const read = await service?.operate('GET', `/v1/operator/ledger/entries?${of}`);
  const entries: readonly { readonly at: string; readonly postings: readonly unknown[] }[] = read?.body.items;
  assert.ok(entries.length > 1, read?.text);
  for (let shown = 1; shown < entries.length; shown++)
    await page.getByRole('button', { name: 'Show more' }).click();
  await page.locator('.more [role=status]', { hasText: 'that is all' }).waitFor();
  assert.equal(await rows.count(), entries.flatMap(({ postings }) => postings).length);
  const time = rows.first().locator('time');
  const [first = { at: '' }] = entries;
  const text = first.at.replace('T', ' ').replace('Z', '');
  assert.equal(await time.textContent(), `${text.slice(0, 19)} UTC`);
  assert.equal(await time.getAttribute('title'), `${text} UTC`);
  await page.context().close();
});

test('a customer beyond the first hundred is found by name wherever one is chosen', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  for (const name of ['Older customer', 'Newer customer'])
    assert.equal((await service?.operate('POST', '/v1/operator/customers', { name }))?.status, 201);
  const { page, at } = await signIn('Dana Dealer');
  await inPagesOf(page, 1, '**/operator/customers?*');
  for (const [path, select, field] of [
    ['/transactions', '#filter-customerId', 'Find customer'],
    ['/markets', '#filter-customer', 'Find customer'],
    ['/markets?ticket=new', '#ticket-customer', 'Find customer'],
    ['/spreads?do=rule', 'dialog select', 'Find customer'],
  ] as const) {
    await page.goto(at(`/console${path}`));
    const place = page.locator(
      path.includes('ticket') ? '.drawer' : path.includes('do=') ? 'dialog' : 'main',
    );
    await page
      .locator(select)
      .first()
      .locator('option:has-text("Newer customer")')
      .waitFor({ state: 'attached' });
    await place.getByLabel(field).fill('older');
    const option = page.locator(select).first().locator('option:has-text("Older customer")');
    await option.waitFor({ state: 'attached' });
    const id = (await option.getAttribute('value')) ?? '';
    await page.locator(select).first().selectOption(id);
    // It stays chosen, by its name, when something else is looked for.
    await place.getByLabel(field).fill('newer');
    await page
      .locator(select)
      .first()
      .locator('option:has-text("Newer customer")')
      .waitFor({ state: 'attached' });
    assert.equal(await page.locator(select).first().inputValue(), id, path);
  }
  await page.context().close();
});

// The last one: from here on the policy asks for two.
test('a proposal that waits behind many newer ones needs attention as they do', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  assert.ok(service !== undefined);
  const eyes = await fourEyes(service);
  await eyes.setPolicy({ person: 'always' });
  for (const email of ['one@example.com', 'two@example.com', 'three@example.com'])
    await eyes.proposed('POST', '/v1/operator/persons', { email, roles: ['viewer'] });
  const { page, at } = await signIn('Ada Approver');
  await inPagesOf(page, 1, '**/operator/approvals?*');
  await page.goto(at('/console/overview'));
  await page.locator('.attention a', { hasText: '3Proposals waiting for you' }).waitFor();
  await page.context().close();
});
