import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  arrived,
  type Desk,
  dealtByCustomer,
  faultsOfAccess,
  LIMIT_MS,
  openFloor,
  told,
} from './test-support.ts';

/** What people do about a trade on its page: hold it, postpone it, end it, and say what became of its payments. */

const { skip, service, signIn } = await openFloor();
await service?.operate('POST', '/v1/sandbox/bank', { autoDeposit: false, settlement: 'runs' });

const read = async (id: string) => (await service?.operate('GET', `/v1/operator/transactions/${id}`))?.body;

async function open(desk: Desk, transactionId: string): Promise<void> {
  await desk.page.goto(desk.at(`/console/transactions/${transactionId}`));
  await desk.page.locator('h2:text-is("What can be done")').waitFor();
}

const button = ({ page }: Desk, name: RegExp) => page.locator('.card .actions').getByRole('button', { name });

/** Sends the form that is open, pressed twice, and closes it. */
async function send({ page }: Desk, name: RegExp, said: string): Promise<void> {
  await page.locator('dialog').getByRole('button', { name }).dblclick();
  await told(page, said);
  await page
    .locator('dialog')
    .getByRole('button', { name: /^Close$/ })
    .click();
}

test('a trade is held, released and postponed on its page', { skip, timeout: LIMIT_MS }, async () => {
  const { transactionId } = await dealtByCustomer(service, '510.00');
  const desk = await signIn('Olu Operations');
  await open(desk, transactionId);
  await button(desk, /^Hold the payout$/).click();
  await desk.page.locator('dialog').getByLabel('Reason, kept with it').fill('name is like one on a list');
  await send(desk, /^Hold the payout$/, 'It is held.');
  assert.deepEqual(
    (await read(transactionId)).holds.map(({ kind }: { kind: string }) => kind),
    ['screening'],
  );
  await button(desk, /^Release the hold: Screening$/).click();
  await desk.page.locator('dialog textarea').fill('another person');
  await send(desk, /^Release the hold: Screening$/, 'It is released.');
  assert.deepEqual((await read(transactionId)).holds, []);
  const { valueDate } = (await read(transactionId)).settlement;
  await button(desk, /^Roll the value date$/).click();
  const later = new Date(Date.parse(valueDate) + 7 * 86_400_000).toISOString().slice(0, 10);
  await desk.page.locator('dialog input').fill(later);
  await send(desk, /^Roll the value date$/, 'The value date is rolled.');
  assert.equal((await read(transactionId)).settlement.valueDate, later);

  await desk.page.setViewportSize({ width: 1280, height: 2400 });
  assert.deepEqual(await faultsOfAccess(desk.page), []);
  await desk.page.setViewportSize({ width: 320, height: 640 });
  assert.equal(await desk.page.evaluate('document.documentElement.scrollWidth'), 320);
  assert.deepEqual(desk.faults, []);
  await desk.page.context().close();
});

test('what closing a trade out would book stands in its form, and then it is booked', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { transactionId } = await dealtByCustomer(service, '520.00');
  const desk = await signIn('Olu Operations');
  await open(desk, transactionId);
  await button(desk, /^Close out$/).click();
  const dialog = desk.page.locator('dialog');
  await dialog.locator('dt:text-is("Rate now")').waitFor();
  await dialog.locator('dd:text-is("Nothing")').waitFor();
  await send(desk, /^Close out$/, 'The trade is cancelled.');
  const { status, statusReason, timeline } = await read(transactionId);
  assert.deepEqual([status, statusReason], ['cancelled', 'closed_out']);
  assert.equal(timeline.filter(({ code }: { code: string }) => code === 'unwound').length, 1);
  await desk.page.locator('text=Nothing is left to do.').waitFor();
  assert.deepEqual(desk.faults, []);
  await desk.page.context().close();
});

test('a payout that has failed is reported, and made again', { skip, timeout: LIMIT_MS }, async () => {
  const { transactionId, reference } = await dealtByCustomer(service, '530.00');
  await arrived(service, '540.00', { remittanceText: reference });
  const desk = await signIn('Olu Operations');
  await open(desk, transactionId);
  await button(desk, /^Refund the excess$/).click();
  await send(desk, /^Refund the excess$/, 'It goes back in the next run.');
  await button(desk, /^Pay out now$/).click();
  await send(desk, /^Pay out now$/, 'It goes out in the next run.');
  await button(desk, /^The payout failed$/).click();
  await desk.page.locator('dialog textarea').first().fill('account closed');
  await send(desk, /^The payout failed$/, 'The payout counts as failed.');
  assert.equal((await read(transactionId)).status, 'settlement_failed');
  await button(desk, /^Pay out again$/).click();
  await send(desk, /^Pay out again$/, 'It goes out in the next run.');
  const { status, refund } = await read(transactionId);
  assert.deepEqual([status, refund.status, refund.amount], ['settling', 'pending', '10.00']);
  assert.deepEqual(desk.faults, []);
  await desk.page.context().close();
});
