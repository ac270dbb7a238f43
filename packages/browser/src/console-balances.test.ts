import assert from 'node:assert/strict';
import { test } from 'node:test';
import { txDtls } from '../../bank-formats/src/test-support.ts';
import { faultsOfAccess, LIMIT_MS, openFloor, reportedTo, told } from './test-support.ts';

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

test('what a customer owes is paid from the balance, and the rest written off', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const [{ customerId }] = (await read('customers')).items;
  const fee = { amount: '30.00', currency: 'EUR', direction: 'DBIT', reference: 'OWED-1' } as const;
  const [{ entryId }] = await reportedTo(service, [{ ...fee, details: [txDtls('charged for them')] }], {
    opening: '100.00',
    closing: '70.00',
  });
  const booked = { as: 'customer_debt', customerId, reason: 'charged for them' };
  await service?.operate('POST', `/v1/operator/statement-entries/${entryId}/book`, booked);
  const topUp = { currency: 'EUR', amount: '20.00', bankReference: 'HAND-2' };
  await service?.operate('POST', `/v1/operator/customers/${customerId}/balances/top-ups`, topUp, {
    'Firmquote-Reason': 'the feed is down',
  });
  const debts = async () => (await read(`customers/${customerId}/balances`)).debts;
  assert.deepEqual(await debts(), [{ currency: 'EUR', amount: '30.00' }]);

  const desk = await signIn('Olu Operations');
  const { page } = desk;
  await page.goto(desk.at(`/console/customers/${customerId}?tab=balances`));
  const dialog = page.locator('dialog');
  const end = async (label: string, amount: string, said: string) => {
    const name = new RegExp(`^${label}$`);
    await page.getByRole('button', { name }).click();
    await dialog.getByLabel('Currency').fill('EUR');
    await dialog.getByLabel('Amount, such as 1000.00').fill(amount);
    await dialog.getByLabel('Reason, kept with it').fill('as agreed');
    await dialog.getByRole('button', { name }).dblclick();
    await told(page, said);
    await dialog.getByRole('button', { name: /^Close$/ }).click();
  };
  await page.locator('dl', { hasText: 'Owed, apart from open trades' }).waitFor();
  await page.setViewportSize({ width: 1280, height: 2000 });
  assert.deepEqual(await faultsOfAccess(page), []);
  await end('Pay debt', '18.00', 'The balance has paid it.');
  assert.deepEqual(await debts(), [{ currency: 'EUR', amount: '12.00' }]);
  await end('Write off debt', '12.00', 'It is written off.');
  assert.deepEqual(await debts(), []);
  await page.getByRole('button', { name: /^Pay debt$/ }).waitFor({ state: 'detached' });
  assert.deepEqual(desk.faults, []);
  await page.context().close();
});

test('a top-up by hand is reversed, and the customer owes what is spent', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const [{ customerId }] = (await read('customers')).items;
  const balances = `/v1/operator/customers/${customerId}/balances`;
  const topUp = { currency: 'EUR', amount: '50.00', bankReference: 'HAND-3' };
  await service?.operate('POST', `${balances}/top-ups`, topUp, { 'Firmquote-Reason': 'told by phone' });
  const held = (await read(`customers/${customerId}/balances`)).items.find(
    ({ currency }: { currency: string }) => currency === 'EUR',
  );
  const most = { currency: 'EUR', amount: held.available, reason: 'asked by letter' };
  await service?.operate('POST', `${balances}/withdrawals`, most, { 'Idempotency-Key': 'all of it' });

  const desk = await signIn('Olu Operations');
  const { page } = desk;
  await page.goto(desk.at(`/console/customers/${customerId}?tab=balances`));
  const row = page.locator('tr', { hasText: 'HAND-3' });
  await row.getByRole('button', { name: 'Reverse' }).click();
  const dialog = page.locator('dialog');
  assert.deepEqual(await faultsOfAccess(page), []);
  await dialog.getByLabel('Reason, kept with it').fill('never came');
  const send = () => dialog.getByRole('button', { name: /^Reverse$/ }).dblclick();
  await send();
  await page.locator('dialog', { hasText: 'Only 0.00 EUR of the balance can be taken.' }).waitFor();
  await dialog.getByLabel('If the balance no longer covers it').selectOption('owed');
  await send();
  await told(page, 'It is reversed. The customer is told.');
  await dialog.getByRole('button', { name: /^Close$/ }).click();
  await page.locator('tr', { hasText: 'never came' }).waitFor();
  await row.getByRole('button', { name: 'Reverse' }).waitFor({ state: 'detached' });
  assert.deepEqual((await read(`customers/${customerId}/balances`)).debts, [
    { currency: 'EUR', amount: '50.00' },
  ]);
  // The browser itself tells of the refusal.
  assert.deepEqual(
    desk.faults.filter((fault) => !fault.includes('422')),
    [],
  );
  await page.context().close();
});
