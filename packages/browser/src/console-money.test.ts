import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Desk, faultsOfAccess, LIMIT_MS, openFloor } from './test-support.ts';

/** Statements, payments, bank against ledger, positions and reports in the console. */

const { skip, service, signIn } = await openFloor();
const MIB = 1024 * 1024;

/** Drops a file, made in the page of a text or of so many bytes. */
async function drop({ page }: Desk, name: string, content: string): Promise<void> {
  await page.locator('.drop').first().waitFor();
  await page.evaluate(`{
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([${content}], ${JSON.stringify(name)}));
    document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
  }`);
}

const files = async () => (await service?.operate('GET', '/v1/operator/statements'))?.body.items;

test('a dropped statement says what it did, and one of 200 MB is not sent', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Olu Operations');
  await desk.page.goto(desk.at('/console/statements'));
  await drop(desk, 'big.xml', `new Uint8Array(${200 * MIB})`);
  await desk.page.locator('text=/200 MiB.*Nothing was sent/').waitFor();
  assert.equal((await files()).length, 0);
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
  await desk.page.locator('text=1 entries, 1 of them new.').first().waitFor();
  await desk.page.locator('section[aria-label="File"] table').first().waitFor();
  assert.deepEqual(await faultsOfAccess(desk.page), []);
  await drop(desk, 'day.json', text);
  await desk.page.locator('text=/These bytes were known already/').waitFor();
  assert.equal((await files()).length, 1);
  assert.deepEqual(desk.faults, []);
  await drop(desk, 'broken.json', '"{"');
  await desk.page.locator('.drop .callout.bad').first().waitFor();
  await desk.page.context().close();
});

test('a report is asked for, made, and has its checksum', { skip, timeout: LIMIT_MS }, async () => {
  const { page, faults, at } = await signIn('Olu Operations');
  await page.goto(at('/console/reports'));
  await page.getByRole('button', { name: 'Ask for a report' }).click();
  await page.getByLabel('From, UTC').fill('2026-01-01');
  await page.getByRole('button', { name: 'Ask for it' }).dblclick();
  await page.locator('text=It is being made').waitFor();
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
      ['/console/bank', 'text=Both sides have the same'],
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
