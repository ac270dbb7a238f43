import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dealtByCustomer, faultsOfAccess, LIMIT_MS, openFloor } from './test-support.ts';

/** The books, from a total down to the entry that made it. */

const { skip, service, signIn } = await openFloor();
await service?.operate('POST', '/v1/sandbox/bank', { autoDeposit: false });

test('finance goes from a total of the trial balance to who makes it up, to the entry, and to its trade', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { transactionId } = await dealtByCustomer(service, '1200.00');
  const found = { bankReference: 'LEDGER-1', amount: '17.00', currency: 'EUR', remitterName: 'Unknown' };
  await service?.operate('POST', '/v1/operator/deposits', found);
  const desk = await signIn('Olu Operations', { viewport: { width: 1280, height: 2000 } });
  const { page } = desk;
  await page.goto(desk.at('/console/ledger'));
  const euros = page.locator('section[aria-label="Accounts in EUR"]');
  await euros.waitFor();
  assert.deepEqual(await euros.locator('tbody tr').allInnerTexts(), [
    'Money at banks\t17.00\t',
    'Owed by customers\t1,200.00\t',
    'Deposits without an owner\t\t17.00',
    'Currency position\t\t1,200.00',
    'Total\t1,217.00\t1,217.00',
  ]);
  await page.locator('text=Debits equal credits').waitFor();
  assert.deepEqual(await faultsOfAccess(page), []);

  await euros.getByRole('link', { name: 'Owed by customers' }).click();
  const owners = page.locator('section[aria-label="Who has what on this account"] tbody tr');
  await owners.first().waitFor();
  assert.deepEqual(await owners.allInnerTexts(), ['Sandbox customer\t1,200.00 EUR\t\tEntries']);
  assert.deepEqual(await faultsOfAccess(page), []);

  await owners.getByRole('link', { name: 'Entries' }).click();
  const booked = page.locator('section[aria-label="What was booked"] tbody tr');
  await booked.locator(`text=${transactionId}`).waitFor();
  assert.match((await booked.allInnerTexts()).join(), /1,200\.00\t\t1,200\.00 debit$/);
  await page.locator('.facts', { hasText: 'Closing balance' }).locator('text=1,200.00 debit').waitFor();
  assert.deepEqual(await faultsOfAccess(page), []);

  await booked.getByRole('link', { name: 'Trade executed' }).click();
  const entry = page.locator('section[aria-labelledby="entry"]');
  await entry.locator('text=1,200.00 EUR').first().waitFor();
  assert.deepEqual(await faultsOfAccess(page), []);
  await entry.getByRole('link', { name: transactionId }).click();
  // Its entries lead back to the journal.
  await page
    .locator('section[aria-label="Ledger entries"]')
    .getByRole('link', { name: 'Trade executed' })
    .first()
    .click();
  await entry.locator('text=1,200.00 EUR').first().waitFor();
  assert.deepEqual(desk.faults, []);
  await page.context().close();
});

test('what was before an instant stays in the address, an id leads to its entry, and the books are checked when asked', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Olu Operations', { viewport: { width: 1280, height: 2000 } });
  const { page } = desk;
  await page.goto(desk.at('/console/ledger'));
  await page.getByLabel('Booked before, UTC').fill('2020-01-01');
  await page.keyboard.press('Enter');
  await page.locator('text=Nothing is booked').waitFor();
  assert.match(page.url(), /at=2020-01-01T00%3A00%3A00Z/);

  await page.goto(desk.at('/console/positions'));
  const result = page.locator('section[aria-labelledby="result"]');
  await result.locator('tbody tr', { hasText: 'EUR' }).waitFor();
  await page.getByLabel('Before, UTC').fill('2020-01-01');
  await page.keyboard.press('Enter');
  await result.locator('.facts', { hasText: '2020-01-01 00:00:00 UTC' }).waitFor();
  assert.equal(await result.locator('tbody tr').count(), 0, 'nothing was traded by then');

  const { items } =
    (await service?.operate('GET', '/v1/operator/ledger/entries?kind=deposit_received'))?.body ?? {};
  await page.goto(desk.at(`/console/i/${items[0].entryId}`));
  await page.locator('section[aria-labelledby="entry"]').locator('text=Deposits without an owner').waitFor();
  await page.getByRole('button', { name: 'Close the entry' }).click();
  await page.getByLabel('Entry').selectOption('trade_executed');
  const rows = page.locator('section[aria-label="Journal"] tbody tr');
  await rows.locator('text=Owed by customers').first().waitFor();
  assert.equal(await rows.count(), 1);

  await page.getByRole('button', { name: 'Proof' }).click();
  await page.getByRole('button', { name: 'Check the books' }).click();
  await page.locator('text=The books add up').waitFor();
  assert.deepEqual(await faultsOfAccess(page), []);
  await page.setViewportSize({ width: 320, height: 640 });
  for (const tab of [
    'balances',
    'account&account=suspense&currency=EUR&customerId=house',
    'journal',
    'proof',
  ]) {
    await page.goto(desk.at(`/console/ledger?tab=${tab}`));
    await page.locator('main :is(table, button.first)').first().waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, tab);
  }
  assert.deepEqual(desk.faults, []);
  await page.context().close();
});
