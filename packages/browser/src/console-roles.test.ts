import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dealtByCustomer, LIMIT_MS, openFloor } from './test-support.ts';

/** Banks make roles of their own: whoever has a narrow one is offered what it permits, and meets no refusal on the way. */

const { skip, service, signIn } = await openFloor();

async function done(method: string, path: string, body?: object): Promise<void> {
  const answer = await service?.operate(method, path, body);
  assert.ok(answer !== undefined && answer.status < 300, answer?.text);
}

async function giveDana(roles: readonly string[]): Promise<void> {
  const { items } = (await service?.operate('GET', '/v1/operator/persons'))?.body ?? {};
  const { personId } = items.find(({ name }: { name: string }) => name === 'Dana Dealer');
  await done('PUT', `/v1/operator/persons/${personId}/roles`, { roles });
}

/** Signs in with a role of just these rights, and walks through all pages that are offered, and all their parts. */
async function walk(scopes: readonly string[]) {
  await done('PUT', '/v1/operator/roles/narrow', { description: 'For a day', scopes });
  await giveDana(['narrow']);
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  const offered: string[] = [];
  for (let at = 0; at < (await page.locator('nav.nav a').count()); at++) {
    const link = page.locator(`:nth-match(nav.nav a, ${at + 1})`);
    const name = (await link.textContent()) ?? '';
    await link.click();
    await page.locator(`h1:text-is("${name}")`).waitFor();
    const parts: string[] = [];
    for (let part = 0; part < (await page.locator('nav.tabs button').count()); part++) {
      const button = page.locator(`:nth-match(nav.tabs button, ${part + 1})`);
      await button.click();
      await page.locator(`:nth-match(nav.tabs button, ${part + 1})[aria-current]`).waitFor();
      parts.push((await button.textContent()) ?? '');
    }
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    assert.equal(await page.locator('text=You may not').count(), 0, `${scopes}: ${name}`);
    offered.push(parts.length === 0 ? name : `${name}: ${parts.join(', ')}`);
  }
  return { ...desk, offered };
}

const NARROW: readonly (readonly [scopes: readonly string[], offered: readonly string[]])[] = [
  [['operator:payouts'], ['Overview', 'Payments', 'People: Me']],
  [['operator:market'], ['Overview', 'Price health', 'People: Me']],
  [['operator:statements'], ['Overview', 'Statements: Files, Accounts, CSV mappings', 'People: Me']],
  [['operator:keys'], ['Overview', 'People: Me', 'Audit: Keys']],
  [['operator:clients:read'], ['Overview', 'People: Me, Roles, Programs']],
];

test('a role of one right leads to no refusal', { skip, timeout: LIMIT_MS }, async () => {
  for (const [scopes, expected] of NARROW) {
    const { page, faults, offered } = await walk(scopes);
    assert.deepEqual(offered, expected);
    assert.deepEqual(faults, [], `${scopes}: nothing is asked for that is refused`);
    await page.context().close();
  }
  await giveDana(['dealer']);
});

test('who sees transactions alone is offered no file and no page that takes more', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { transactionId } = await dealtByCustomer(service, '1300.00');
  const { page, at, faults, offered } = await walk(['operator:transactions']);
  assert.deepEqual(offered, ['Overview', 'Transactions', 'People: Me']);
  await page.goto(at(`/console/transactions/${transactionId}`));
  await page.locator('text=How the price was made').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Confirmation as PDF' }).count(), 0);
  assert.equal(await page.locator('main a[href*="/quotes/"]').count(), 0);
  assert.deepEqual(faults, []);
  await page.context().close();
  await giveDana(['dealer']);
});

test('a file that is not to be had is told of on the page, and not saved', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { transactionId } = await dealtByCustomer(service, '1400.00');
  const { page, at } = await signIn('Dana Dealer');
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('format=pdf')) asked.push(request.url());
  });
  const other = `txn_${'0'.repeat(26)}`;
  await page.route('**/confirmation', (route) =>
    route.continue({ url: route.request().url().replace(transactionId, other) }),
  );
  await page.goto(at(`/console/transactions/${transactionId}`));
  await page.getByRole('link', { name: 'Confirmation as PDF' }).click();
  await page.locator('[role=alert]', { hasText: 'Not found' }).waitFor();
  assert.deepEqual(asked, []);
  await page.context().close();
});

test('the overview leads to price health', { skip, timeout: LIMIT_MS }, async () => {
  const { page, faults } = await signIn('Dana Dealer');
  await page.locator('section[aria-labelledby="sources"] .facts').waitFor();
  await page.getByRole('link', { name: 'Price health' }).click();
  await page.locator('.verdict').waitFor();
  assert.deepEqual(faults, []);
  await page.context().close();
});
