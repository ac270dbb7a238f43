import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMIT_MS, openFloor, withhold } from './test-support.ts';

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
