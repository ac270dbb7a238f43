import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Desk,
  dealtByCustomer,
  faultsOfAccess,
  LIMIT_MS,
  arrived as moneyArrived,
  openFloor,
  told,
  withhold,
} from './test-support.ts';

/** The deposit desk of the console, and the two persons whom it takes. */

const { skip, service, signIn } = await openFloor();
// An evening of another day, whose trade date is the next one: the desk goes by business time.
await service?.operate('POST', '/v1/sandbox/clock', { now: '2026-03-04T22:30:00Z' });
// Money arrives when a test says so.
await service?.operate('POST', '/v1/sandbox/bank', { autoDeposit: false });
const traded = (amount: string) => dealtByCustomer(service, amount);
const arrived = (amount: string, patch: object = {}) => moneyArrived(service, amount, patch);

const transaction = async (id: string) =>
  (await service?.operate('GET', `/v1/operator/transactions/${id}`))?.body;

async function open({ page, at }: Desk, depositId: string): Promise<void> {
  await page.goto(at(`/console/deposits?deposit=${depositId}`));
  await page.locator('.desk .facts').waitFor();
}

async function choose({ page }: Desk, reference: string): Promise<void> {
  const box = page.locator(`.candidate:has-text("${reference}") input`);
  await box.waitFor();
  await box.check();
}

const matchButton = ({ page }: Desk) => page.locator('.desk .actions .button.first');

test('buttons come when what is above them has come, and move away from under nobody', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const depositId = await arrived('61.00');
  const desk = await signIn('Olu Operations');
  const { page } = desk;
  const letGo = await withhold(page, '**/v1/operator/exceptions?depositId*');
  await open(desk, depositId);
  await page.locator('.desk >> text=Search all open trades').waitFor();
  assert.equal(await page.locator('.desk .actions').count(), 0);
  letGo();
  await page.getByRole('button', { name: 'Return …' }).click();
  await page.getByLabel('Amount, EUR').waitFor();
  await page.context().close();
});

test('an amount with three decimals stands in a form as it is, and can be sent', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const depositId = await arrived('150.125', { currency: 'KWD', remitterAccount: 'DE89370400440532013000' });
  const desk = await signIn('Olu Operations');
  await open(desk, depositId);
  await desk.page.getByRole('button', { name: 'Return …' }).click();
  await desk.page.locator('dialog .hint:text-is("150.125 KWD")').waitFor();
  await desk.page.locator('dialog textarea').fill('not ours');
  await desk.page.getByRole('button', { name: 'Return it' }).click();
  await told(desk.page, 'It goes back with the next settlement run.');
  const { returnedAmount } =
    (await service?.operate('GET', `/v1/operator/deposits/${depositId}`))?.body ?? {};
  assert.equal(returnedAmount, '150.125');
  await desk.page.context().close();
});

test('what the bank says by telephone is recorded once, and matched', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { transactionId, reference } = await traded('940.00');
  const { page, faults, at } = await signIn('Olu Operations');
  await page.goto(at('/console/deposits'));
  const record = async (amount: string) => {
    await page.getByRole('button', { name: 'Record a deposit' }).click();
    const dialog = page.locator('dialog');
    await dialog.getByLabel('Currency').fill('eur');
    await dialog.getByLabel('Amount, such as 1000.00').fill(amount);
    await dialog.getByLabel("The bank's reference").fill('PHONE-1');
    await dialog.getByLabel('Who sent it').fill('Sandbox customer');
    await dialog.getByLabel('Text of the payment (optional)').fill(reference);
    await dialog.getByRole('button', { name: 'Record a deposit' }).dblclick();
    return dialog;
  };
  const close = (dialog: ReturnType<typeof page.locator>) => dialog.getByRole('button', { name: 'Close' });

  const first = await record('940.00');
  await told(page, 'It is recorded and matched.');
  assert.deepEqual(await faultsOfAccess(page), []);
  await close(first).click();
  // It is open beside the list, which has only what waits.
  await page.locator('.desk', { hasText: '940.00 EUR' }).waitFor();
  assert.equal((await transaction(transactionId)).status, 'funded');

  await close(
    await record('940.00').then(async (dialog) => {
      await told(page, 'It was recorded before. Nothing was added.');
      return dialog;
    }),
  ).click();
  const other = await record('941.00');
  await other.locator('[role=alert]', { hasText: 'PHONE-1' }).waitFor();
  const { items } =
    (await service?.operate('GET', '/v1/operator/deposits?bankReference=PHONE-1'))?.body ?? {};
  assert.deepEqual(
    items.map(({ amount }: { amount: string }) => amount),
    ['940.00'],
  );
  // The browser itself reports the refusal.
  assert.deepEqual(
    faults.filter((fault) => !/409/.test(fault)),
    [],
  );
  await page.context().close();
});

test('what a balance was topped up with is matched to a trade only when a person says that it is another payment', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { transactionId, reference } = await traded('770.00');
  const [{ customerId }] = (await service?.operate('GET', '/v1/operator/customers'))?.body.items ?? [];
  const topUp = { currency: 'EUR', amount: '770.00', bankReference: 'SEEN-1' };
  const balance = `/v1/operator/customers/${customerId}/balances`;
  await service?.operate('POST', `${balance}/top-ups`, topUp, { 'Firmquote-Reason': 'told by phone' });
  const depositId = await arrived('770.00', { bankReference: 'SEEN-1', remittanceText: reference });
  const desk = await signIn('Olu Operations');
  await open(desk, depositId);
  await choose(desk, reference);
  await desk.page.getByLabel('Reason, kept with the deposit').fill('two payments under one reference');
  await matchButton(desk).click();
  await desk.page.locator('.desk [role=alert]', { hasText: 'topped up by hand' }).waitFor();
  assert.deepEqual(await faultsOfAccess(desk.page), []);
  assert.equal((await transaction(transactionId)).status, 'awaiting_funds');
  await desk.page.getByRole('button', { name: 'It is another payment: match it' }).dblclick();
  await told(desk.page, 'It is matched.');
  assert.equal((await transaction(transactionId)).status, 'funded');
  await desk.page.context().close();
});

test('a payment in short is matched by two persons', { skip, timeout: LIMIT_MS }, async () => {
  const { transactionId, reference } = await traded('300000.00');
  const depositId = await arrived('299990.00');
  const maker = await signIn('Olu Operations');
  await open(maker, depositId);
  await choose(maker, reference);
  await maker.page.locator('.diff-bar b:text-is("Nothing is left")').waitFor();
  await maker.page.locator('text=The house bears the missing 10.00 EUR').click();
  await maker.page.getByLabel('Reason, kept with the deposit').fill('charges of a bank on the way');
  await matchButton(maker).dblclick();
  await told(maker.page, 'It waits for a second person');
  assert.equal((await transaction(transactionId)).status, 'awaiting_funds');
  const pending = await service?.operate('GET', '/v1/operator/approvals?status=pending');
  assert.equal(pending?.body.items.length, 1, 'pressed twice, proposed once');

  const checker = await signIn('Ada Approver');
  await checker.page.goto(checker.at('/console/approvals?status=pending'));
  await checker.page.getByRole('button', { name: 'Deposit match' }).click();
  const changes = (row: string) => checker.page.locator(`[aria-label="What changes"] tr${row}`).first();
  await changes(':has-text("Allocations 1 › Allocated amount"):has-text("299,990.00 EUR")').waitFor();
  await changes(':has-text("Status"):has-text("Matched")').waitFor();
  // The customer was there before: it is named, and nothing in the table is as a program writes it.
  await changes(':has-text("Customer") a[href*="/customers/cus_"]').waitFor();
  const shown = await checker.page.locator('[aria-label="What changes"]').textContent();
  assert.doesNotMatch(shown ?? '', /[{}[\]"]/);
  await checker.page.getByRole('button', { name: 'Approve' }).click();
  await checker.page.locator('text=Nothing fits these filters').waitFor();
  assert.equal((await transaction(transactionId)).status, 'funded');
  // Both are named on the trade, to those who may see it.
  await maker.page.goto(maker.at(`/console/transactions/${transactionId}`));
  const step = maker.page.locator('.timeline li:has-text("Deposit matched")');
  await step.locator('text=Olu Operations').waitFor();
  await step.locator('text=Ada Approver').waitFor();
  assert.deepEqual([...maker.faults, ...checker.faults], []);
  await checker.page.context().close();
  await maker.page.context().close();
});

test('an exception says what can be done, keeps who is at work on it, and leads to the money', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const depositId = await arrived('123.45', { remittanceText: 'no trade of ours' });
  const { page, faults, at } = await signIn('Olu Operations');
  await page.goto(at('/console/exceptions?type=unmatched'));
  await page.locator(`tr:has-text("${depositId}") a`).first().click();
  await page.locator('h2:text-is("What can be done")').waitFor();
  await page.locator('text=/Match · Return · Ignore/').waitFor();
  assert.deepEqual(await faultsOfAccess(page), []);
  await page.getByRole('button', { name: 'Assign' }).click();
  await page.getByLabel('Person or team (optional)').fill('Desk of the morning');
  await page.locator('dialog').getByRole('button', { name: 'Assign' }).dblclick();
  await told(page, 'It is assigned.');
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await page.locator('.timeline li').first().waitFor();
  const { items } =
    (await service?.operate('GET', `/v1/operator/exceptions?depositId=${depositId}`))?.body ?? {};
  assert.deepEqual(
    [items[0].assignee, items[0].version],
    ['Desk of the morning', 2],
    'pressed twice, done once',
  );
  await page.getByRole('link', { name: 'Open the deposit' }).click();
  await page.locator('text=no trade of ours').first().waitFor();
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('of two people on one deposit the second one is told who was quicker', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { reference } = await traded('500.00');
  const depositId = await arrived('400.00');
  const [first, second] = [await signIn('Olu Operations'), await signIn('Ada Approver')];
  for (const desk of [first, second]) {
    await open(desk, `${depositId}&trade=${reference}`);
    await choose(desk, reference);
    await desk.page.getByLabel('Reason, kept with the deposit').fill('by phone');
  }
  // The page of the second reads it every few seconds, and would tell by itself: then there is nothing to press.
  const letGo = await withhold(second.page, `**/v1/operator/deposits/${depositId}`);
  await first.page.locator('.desk .actions .button.first:enabled').waitFor();
  await first.page.keyboard.press('Tab');
  await first.page.keyboard.press('m');
  await told(first.page, 'It is matched.');
  await matchButton(second).click();
  letGo();
  await second.page.locator('text=/Changed by/').first().waitFor();
  await second.page.getByRole('button', { name: 'Continue' }).click();
  const deposit = (await service?.operate('GET', `/v1/operator/deposits/${depositId}`))?.body;
  assert.equal(deposit.allocations.length, 1);
  // What was done can be undone, once the page has read it again.
  await first.page.getByRole('button', { name: /^Undo the match/ }).waitFor();
  await first.page.keyboard.press('u');
  await first.page.getByLabel('Reason, kept with the deposit').fill('wrong trade');
  await first.page.getByRole('button', { name: 'Undo it' }).click();
  await told(first.page, 'The match is undone.');
  await first.page.context().close();
  await second.page.context().close();
});

test('a deposit is split, and a part of another one goes back', { skip, timeout: LIMIT_MS }, async () => {
  const [one, two] = [await traded('710.00'), await traded('820.00')];
  const depositId = await arrived('1540.00', { remitterAccount: 'DE89370400440532013000' });
  const desk = await signIn('Olu Operations');
  await desk.page.goto(desk.at(`/console/deposits?deposit=${depositId}&trade=*`));

  await choose(desk, one.reference);
  await desk.page.locator('.diff-bar b:text-is("830.00 EUR stays open")').waitFor();
  await choose(desk, two.reference);
  await desk.page.getByLabel('Reason, kept with the deposit').fill('both in one');
  await desk.page.locator('.diff-bar b:text-is("10.00 EUR stays open")').waitFor();
  await matchButton(desk).click();
  await told(desk.page, 'It is matched.');
  await desk.page.getByRole('button', { name: 'Return …' }).click();
  await desk.page.locator('dialog textarea').fill('paid too much');
  await desk.page.getByRole('button', { name: 'Return it' }).click();
  await told(desk.page, 'It goes back with the next settlement run.');
  const deposit = (await service?.operate('GET', `/v1/operator/deposits/${depositId}`))?.body;
  assert.deepEqual([deposit.allocatedAmount, deposit.returnedAmount], ['1530.00', '10.00']);
  await desk.page.context().close();
});

for (const theme of ['light', 'dark']) {
  test(`the desk is open to everybody, whatever a payer is called, ${theme}`, {
    skip,
    timeout: LIMIT_MS,
  }, async () => {
    await traded('77.00');
    const depositId = await arrived('77.00', { remitterName: '<img src=x onerror=alert(1)>\u202eevil' });
    const { page, faults, at } = await signIn('Olu Operations', { colorScheme: theme });
    await page.goto(at(`/console/deposits?deposit=${depositId}`));
    await page.locator('.candidate').first().waitFor();
    await page.locator('.candidate input').first().check();
    // All of it is in the window: what lies half beneath its lower edge counts as too small.
    await page.setViewportSize({ width: 1280, height: 2000 });
    assert.deepEqual(await faultsOfAccess(page), []);
    assert.equal(await page.locator('main img').count(), 0);
    await page.setViewportSize({ width: 320, height: 640 });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
    assert.deepEqual(faults, []);
    await page.context().close();
  });
}
