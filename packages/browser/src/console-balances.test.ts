import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOfAccess, LIMIT_MS, openFloor, told } from './test-support.ts';

/** What a customer holds with the house: topped up by hand, withdrawn, and what became of that. */

const { skip, service, signIn } = await openFloor();
await service?.operate('POST', '/v1/sandbox/bank', { autoDeposit: false, settlement: 'runs' });

const read = async (path: string) => (await service?.operate('GET', `/v1/operator/${path}`))?.body;

test('a balance is topped up, withdrawn from, and has it back when the bank refuses', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const [{ customerId }] = (await read('customers')).items;
  const available = async () => {
    const { items } = await read(`customers/${customerId}/balances`);
    return items.find(({ currency }: { currency: string }) => currency === 'EUR')?.available;
  };
  const desk = await signIn('Olu Operations');
  const { page } = desk;
  await page.goto(desk.at(`/console/customers/${customerId}?tab=balances`));
  const dialog = page.locator('dialog');
  const send = async (name: RegExp, said: string) => {
    await dialog.getByRole('button', { name }).dblclick();
    await told(page, said);
    await dialog.getByRole('button', { name: /^Close$/ }).click();
  };

  await page.getByRole('button', { name: /^Top up$/ }).click();
  await dialog.getByLabel('Currency').fill('eur');
  await dialog.getByLabel('Amount, such as 1000.00').fill('900.00');
  await dialog.getByLabel("The bank's reference").fill('HAND-1');
  await dialog.locator('textarea').fill('the feed is down');
  await send(/^Top up$/, 'It is on the balance.');
  assert.equal(await available(), '900.00', 'pressed twice, topped up once');

  await page.getByRole('button', { name: /^Withdraw$/ }).click();
  await dialog.getByLabel('Currency').fill('EUR');
  await dialog.getByLabel('Amount, such as 1000.00').fill('400.00');
  await dialog.getByLabel('Reason, kept with it').fill('asked by telephone');
  await send(/^Withdraw$/, 'It goes out in the next run.');
  assert.equal(await available(), '500.00');
  const row = page.locator('tr', { hasText: 'asked by telephone' });
  await row.locator('text=400.00 EUR').waitFor();
  await page.setViewportSize({ width: 1280, height: 2000 });
  assert.deepEqual(await faultsOfAccess(page), []);

  await row.getByRole('button', { name: /^Failed$/ }).click();
  await dialog.locator('textarea').first().fill('account closed');
  await send(/^Failed$/, 'Its money is back on the balance.');
  assert.equal(await available(), '900.00');
  await page.locator('tr', { hasText: 'account closed' }).waitFor();
  await page.setViewportSize({ width: 320, height: 640 });
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
  assert.deepEqual(desk.faults, []);
  await page.context().close();
});
