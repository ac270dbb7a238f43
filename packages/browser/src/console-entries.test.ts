import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CamtEntry, type CamtOptions, txDtls } from '../../bank-formats/src/test-support.ts';
import type { ConsolePlace } from './chromium.ts';
import {
  arrived,
  type Desk,
  dealtByCustomer,
  faultsOfAccess,
  LIMIT_MS,
  openFloor,
  reportedTo,
  told,
} from './test-support.ts';

/** What a bank has reported and no machine could decide: people read it, and decide, where the exception is. */

const { skip, service, signIn } = await openFloor();
await service?.operate('POST', '/v1/sandbox/bank', { autoDeposit: false, settlement: 'runs' });

const reported = (entries: readonly CamtEntry[], options: CamtOptions) =>
  reportedTo(service, entries, options);
const read = async (path: string) => (await service?.operate('GET', `/v1/operator/${path}`))?.body;

/** Fills in the form of a command and sends it, twice as quickly as anybody can. */
async function decide(
  { page }: Desk,
  command: string,
  reason: string,
  more?: (dialog: ConsolePlace) => Promise<unknown>,
) {
  const name = new RegExp(`^${command}$`);
  await page.getByRole('button', { name }).click();
  const dialog = page.locator('dialog');
  await more?.(dialog);
  await dialog.getByLabel('Reason, kept with it').fill(reason);
  await dialog.getByRole('button', { name }).dblclick();
}

test('a debit that nobody knows is read and booked where the exception is', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const fee = {
    amount: '7.50',
    direction: 'DBIT',
    reference: 'FEE-7',
    details: [txDtls('account fee \u202e')],
  } as const;
  const [entry] = await reported([fee], { message: '054' });
  const statement = await reported([fee], { opening: '0.00', closing: '-7.50' });
  assert.equal(statement.length, 1);
  const { exceptionId } = await read(`statement-entries/${entry.entryId}`);
  const desk = await signIn('Olu Operations');
  await desk.page.goto(desk.at(`/console/exceptions/${exceptionId}`));
  const card = desk.page.locator('section[aria-label="What the bank reported"]');
  await card.locator('text=7.50 EUR').waitFor();
  await card.locator('text=/account fee/').waitFor();
  await desk.page.setViewportSize({ width: 1280, height: 2000 });
  assert.deepEqual(await faultsOfAccess(desk.page), []);
  await decide(desk, 'Book it', 'monthly fee', (dialog) =>
    dialog.locator('select').selectOption('bank_charges'),
  );
  // The form stays to say it, whatever the page reads meanwhile.
  await told(desk.page, 'It is booked.');
  const booked = await read(`statement-entries/${entry.entryId}`);
  assert.deepEqual(
    [booked.bookedAs, booked.paymentState, booked.exceptionId],
    ['bank_charges', 'by_hand', null],
  );
  await desk.page.locator('.page-head .chip:has-text("Resolved")').waitFor();
  await told(desk.page, 'It is booked.');
  await desk.page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  assert.equal(await desk.page.getByRole('button', { name: /^Book it$/ }).count(), 0);
  await desk.page.setViewportSize({ width: 320, height: 640 });
  assert.equal(await desk.page.evaluate('document.documentElement.scrollWidth'), 320);
  assert.deepEqual(desk.faults, []);
  await desk.page.context().close();
});

test('a payment that may be a repeat stands beside the one that it may repeat', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const first = { amount: '18.00', reference: '000001', details: [txDtls('FROM A')] };
  const [monday] = await reported([first], { message: '054' });
  const [tuesday] = await reported([{ ...first, details: [txDtls('FROM B')], booked: '2026-03-05' }], {
    ...{ message: '054', date: '2026-03-05', created: '2026-03-05T11:00:00Z' },
  });
  assert.equal(tuesday.maybeSameAs, monday.entryId);
  const desk = await signIn('Olu Operations');
  await desk.page.goto(desk.at(`/console/exceptions/${tuesday.exceptionId}`));
  await desk.page.locator('section[aria-label="What the bank reported"] >> text=FROM B').waitFor();
  await desk.page.locator('section[aria-label="What it may repeat"] >> text=FROM A').waitFor();
  await desk.page.getByRole('button', { name: 'It is another payment' }).waitFor();
  await decide(desk, 'It is a repeat', 'told twice');
  await told(desk.page, 'It is known as a repeat.');
  const same = await read(`statement-entries/${tuesday.entryId}`);
  assert.deepEqual([same.sameAs, same.sameReason], [monday.entryId, 'operator']);
  assert.deepEqual(desk.faults, []);
  await desk.page.context().close();
});

test('the payout that a bank made under no name of ours is matched to its trade', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { transactionId, reference, settlement } = await dealtByCustomer(service, '250.00');
  const { buyAmount } = await read(`transactions/${transactionId}`);
  await arrived(service, '250.00', { remittanceText: reference });
  const settled = await service?.operate('POST', `/v1/operator/transactions/${transactionId}/settle`, {});
  assert.equal(settled?.status, 200, settled?.text);
  const order = { currency: 'USD', valueDate: settlement.valueDate };
  const run = await service?.operate('POST', '/v1/operator/settlement-runs', order);
  assert.ok(run !== undefined && run.status < 300, run?.text);
  const debit = {
    amount: buyAmount,
    direction: 'DBIT',
    reference: 'OUT-1',
    details: [txDtls('paid')],
  } as const;
  await reported([debit], { currency: 'USD', message: '054' });
  const [entry] = await reported([debit], { currency: 'USD', opening: '0.00', closing: `-${buyAmount}` });
  const { exceptionId } = await read(`statement-entries/${entry.sameAs ?? entry.entryId}`);
  const desk = await signIn('Olu Operations');
  await desk.page.goto(desk.at(`/console/exceptions/${exceptionId}`));
  await decide(desk, 'Match to a payment', 'the bank dropped our reference', (dialog) =>
    dialog.getByLabel('Trade or deposit').fill(transactionId),
  );
  await told(desk.page, 'It is matched.');
  assert.equal((await read(`transactions/${transactionId}`)).status, 'settled');
  assert.deepEqual(desk.faults, []);
  await desk.page.context().close();
});
