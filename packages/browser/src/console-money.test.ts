import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  arrived,
  dealtByCustomer,
  drop,
  faultsOfAccess,
  LIMIT_MS,
  openFloor,
  told,
  withhold,
} from './test-support.ts';

/** Statements, payments, bank against ledger, positions and reports in the console. */

const { skip, service, signIn } = await openFloor();
const MIB = 1024 * 1024;

const files = async () => (await service?.operate('GET', '/v1/operator/statements'))?.body.items;

test('a dropped statement says what it did, and one of 200 MB is not sent', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Olu Operations');
  await desk.page.goto(desk.at('/console/statements'));
  // Whatever reads a part of a file is counted.
  await desk.page.evaluate(`{
    window.reads = 0;
    for (const way of ['stream', 'arrayBuffer', 'bytes', 'text', 'slice']) {
      const real = Blob.prototype[way];
      if (real !== undefined) Blob.prototype[way] = function (...given) { window.reads++; return real.apply(this, given); };
    }
  }`);
  await drop(desk, 'big.xml', `new Uint8Array(${200 * MIB})`);
  await desk.page.locator('text=/200 MiB.*Nothing was sent/').waitFor();
  assert.equal((await files()).length, 0);
  assert.equal(await desk.page.evaluate('window.reads'), 0);
  const statement = {
    account: 'DE89370400440532013000',
    currency: 'EUR',
    number: '1',
    opening: { amount: '0.00', date: '2026-03-04' },
    closing: { amount: '100.00', date: '2026-03-04' },
    entries: [
      {
        ...{ amount: '100.00', direction: 'credit', bookingDate: '2026-03-04', valueDate: '2026-03-04' },
        ...{ bankReference: 'C-1', counterpartyName: '<b>Acme</b>\u202e', remittanceText: 'INV 5' },
      },
    ],
  };
  const text = JSON.stringify(JSON.stringify({ statements: [statement] }));
  await drop(desk, 'day.json', text);
  await desk.page.locator('text=1 entry, 1 new.').first().waitFor();
  await desk.page.locator('section[aria-label="File"] table').first().waitFor();
  assert.deepEqual(await faultsOfAccess(desk.page), []);
  await drop(desk, 'day.json', text);
  await desk.page.locator('text=/This file was received before/').waitFor();
  assert.equal((await files()).length, 1);
  assert.deepEqual(desk.faults, []);
  await drop(desk, 'broken.json', '"{"');
  await desk.page.locator('.drop .callout.bad').first().waitFor();
  await desk.page.context().close();
});

test('what is opened beside a list leaves the list as it is filtered', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { page, at } = await signIn('Olu Operations');
  await page.goto(at('/console/statements?status=refused'));
  await page.locator('main').getByRole('link', { name: 'broken.json' }).click();
  await page.locator('section[aria-label="File"] .callout.bad').waitFor();
  const { searchParams } = new URL(page.url());
  assert.deepEqual([searchParams.get('status'), searchParams.has('file')], ['refused', true]);
  assert.equal(await page.locator('#filter-status').inputValue(), 'refused');
  await page.context().close();
});

/** A trade whose money is there, and which waits for a run to be paid. */
async function funded(): Promise<{ valueDate: string; currency: string }> {
  await service?.operate('POST', '/v1/sandbox/bank', { autoDeposit: false, settlement: 'runs' });
  const { transactionId, reference, settlement } = await dealtByCustomer(service, '1000.00');
  await arrived(service, '1000.00', { remittanceText: reference });
  const path = `/v1/operator/transactions/${transactionId}/settle`;
  const released = await service?.operate('POST', path, {});
  assert.equal(released?.status, 200, released?.text);
  return { valueDate: settlement.valueDate, currency: 'USD' };
}

test('a run has a maker, and another person sends it', { skip, timeout: LIMIT_MS }, async () => {
  const { valueDate, currency } = await funded();
  const maker = await signIn('Olu Operations');
  await maker.page.goto(maker.at(`/console/payments?currency=${currency}&valueDate=${valueDate}`));
  await maker.page.getByRole('button', { name: 'Make a run …' }).focus();
  // Held: the key goes on and on, also when the form has the focus.
  for (let times = 0; times < 5; times++) await maker.page.keyboard.down('Enter');
  await maker.page.keyboard.up('Enter');
  assert.equal(await maker.page.locator('dialog .outcome').textContent(), '', 'nothing is sent by that');
  await maker.page.getByLabel('Reason, for the approver').fill('payouts of the day');
  await maker.page.getByRole('button', { name: 'Make it' }).dblclick();
  await told(maker.page, 'The run is made.');
  await maker.page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await maker.page.locator('.facts dd:has-text(", you")').waitFor();
  assert.deepEqual(await faultsOfAccess(maker.page), []);
  const runs = (await service?.operate('GET', '/v1/operator/settlement-runs'))?.body.items;
  assert.equal(runs.length, 1, 'pressed twice, made once');

  const checker = await signIn('Ada Approver');
  await checker.page.goto(checker.at(`/console/payments?run=${runs[0].runId}`));
  await checker.page.locator('.facts dd:text-is("Nobody yet")').waitFor();
  await checker.page.getByRole('button', { name: 'Download pain.001' }).click();
  await checker.page.locator('.facts dt:text-is("Downloaded as pain.001")').waitFor();
  await checker.page.getByRole('button', { name: 'Mark as sent …' }).click();
  await checker.page.getByLabel('Reason').fill('the bank has it');
  await checker.page.getByRole('button', { name: 'It is at the bank' }).click();
  await told(checker.page, 'It is marked as sent.');
  const sent = (await service?.operate('GET', `/v1/operator/settlement-runs/${runs[0].runId}`))?.body;
  assert.deepEqual([sent.status, sent.endedBy !== sent.createdBy], ['sent', true]);
  assert.deepEqual([...maker.faults, ...checker.faults], []);
  await maker.page.context().close();
  await checker.page.context().close();
});

test('a run that grew since its sum was shown is made once the new sum has been shown', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { valueDate, currency } = await funded();
  const runs = async () => (await service?.operate('GET', '/v1/operator/settlement-runs'))?.body.items;
  const before = (await runs()).length;
  const { page, at } = await signIn('Olu Operations');
  await page.goto(at(`/console/payments?currency=${currency}&valueDate=${valueDate}`));
  await page.getByRole('button', { name: 'Make a run …' }).click();
  await page
    .locator('dialog', { hasText: /^Make a settlement runOne payment.*, on 20\d\d-\d\d-\d\d\./ })
    .waitFor();
  // Another payout is released, of which the page has read nothing yet.
  const letGo = await withhold(page, '**/settlement-runs/preview?*');
  await funded();
  await page.getByRole('button', { name: 'Make it' }).click();
  await page.locator('dialog .callout.warn', { hasText: 'Your command was not carried out' }).waitFor();
  assert.equal((await runs()).length, before, 'nobody has seen what it would pay');
  letGo();
  await page.locator('dialog ins', { hasText: /^2 payments/ }).waitFor();
  await page.getByRole('button', { name: 'Make it' }).click();
  await told(page, 'The run is made.');
  const [made] = await runs();
  assert.deepEqual([(await runs()).length, made.paymentCount], [before + 1, 2]);
  await page.context().close();
});

test('a run whose date has passed says so, and is cancelled', { skip, timeout: LIMIT_MS }, async () => {
  const [run] =
    (await service?.operate('GET', '/v1/operator/settlement-runs?status=created'))?.body.items ?? [];
  await service?.operate('POST', '/v1/sandbox/clock', { now: run.sendBefore });
  const { page, at } = await signIn('Ada Approver');
  await page.goto(at('/console'));
  await page.locator('.attention').getByRole('link', { name: 'too late to send' }).click();
  await page.locator('main tbody', { hasText: 'too late' }).waitFor();
  await page.getByRole('link', { name: run.messageId }).click();
  await page.locator('.callout.warn', { hasText: `no longer be paid on ${run.executionDate}` }).waitFor();
  assert.deepEqual(await faultsOfAccess(page), []);
  await page.getByRole('button', { name: 'Download pain.001' }).click();
  await page.locator('.callout.bad', { hasText: 'Cancel the run and create a new one.' }).waitFor();
  await page.getByRole('button', { name: 'Cancel the run …' }).click();
  await page.getByLabel('Reason').fill('the cut-off has passed');
  await page.getByRole('button', { name: 'Cancel it' }).click();
  await told(page, 'It is cancelled');
  await service?.operate('POST', '/v1/sandbox/clock', { real: true });
  await page.context().close();
});

test('a report is asked for, made, and has its checksum', { skip, timeout: LIMIT_MS }, async () => {
  const { page, faults, at } = await signIn('Olu Operations');
  await page.goto(at('/console/reports'));
  await page.getByRole('button', { name: 'Request a report' }).click();
  await page.getByLabel('From, UTC').fill('2026-01-01');
  await page.getByRole('button', { name: 'Request it' }).dblclick();
  await told(page, 'It is being made');
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('link', { name: 'Download' }).waitFor();
  const reports = (await service?.operate('GET', '/v1/operator/reports'))?.body.items;
  assert.deepEqual(
    reports.map(({ status }: { status: string }) => status),
    ['completed'],
  );
  assert.deepEqual(faults, []);
  await page.context().close();
});

for (const theme of ['light', 'dark']) {
  test(`the pages of money are whole and open to everybody, ${theme}`, {
    skip,
    timeout: LIMIT_MS,
  }, async () => {
    const { page, faults, at } = await signIn('Ada Approver', { colorScheme: theme });
    const shown: readonly (readonly [path: string, what: string])[] = [
      ['/console/statements', '.drop'],
      ['/console/payments?currency=EUR&valueDate=2026-12-01', '#due ~ .facts'],
      ['/console/bank', 'section[aria-labelledby="items"] :is(.more, .callout)'],
      ['/console/positions', '#result ~ .facts'],
      ['/console/reports', 'table, .callout'],
    ];
    for (const [path, what] of shown) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(at(path));
      await page.locator(what).first().waitFor();
      assert.deepEqual(await faultsOfAccess(page), [], `${path} ${theme}`);
      await page.setViewportSize({ width: 320, height: 640 });
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, path);
    }
    assert.deepEqual(faults, []);
    await page.context().close();
  });
}
