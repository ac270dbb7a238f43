import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fourEyes } from '../../service/test/support/four-eyes.ts';
import { drop, LIMIT_MS, looksWell, openFloor, told } from './test-support.ts';

/** How a bank's CSV files are read: said in a form, and a file that is read by it. */

const { skip, service, signIn } = await openFloor();
const eyes = service === undefined ? undefined : await fourEyes(service);

const PATH = '/v1/operator/statement-mappings';
const CSV = 'Buchung;Betrag;Ref;Name;Zweck\n04.03.2026;1.234,50;B-1;Acme Ltd;INV 5\n';

test('a mapping is added, corrected and deleted, and a file that was refused is read by it', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await eyes?.setPolicy({ statement_import: 'never' });
  const desk = await signIn('Olu Operations');
  const { page, at, faults } = desk;
  const { items } = (await service?.operate('GET', '/v1/operator/collection-accounts'))?.body ?? {};
  const { iban } = items.find(({ currency }: { currency: string }) => currency === 'EUR');
  await page.goto(at('/console/statements'));
  await page.getByRole('button', { name: 'CSV mappings' }).click();
  await page.locator('text=No mappings yet').waitFor();
  await page.getByRole('button', { name: 'Add a mapping' }).click();
  const dialog = page.locator('dialog');
  for (const [label, text] of Object.entries({
    ...{ 'Names of its files (optional)': 'umsatz-*.csv', 'Account of the house (optional)': iban },
    ...{ 'Column: Booking date': 'Buchung', 'Column: Amount (optional)': 'Betrag' },
    ...{ 'Column: Reference of the bank (optional)': 'Ref', 'Column: Other party (optional)': 'Name' },
    'Columns: Text (optional)': 'Zweck',
  }))
    await dialog.getByLabel(label, { exact: true }).fill(text);
  await dialog.getByLabel('Decimal mark').selectOption(',');
  await dialog.getByLabel('Thousands are separated by').selectOption('.');
  await dialog.getByLabel('Name', { exact: true }).fill('house');
  await dialog.getByRole('button', { name: 'Add a mapping' }).click();
  await dialog.locator('[role=alert]', { hasText: 'must be given here or as a column, not both' }).waitFor();
  await dialog.getByLabel('Currency (optional)', { exact: true }).fill('eur');
  await dialog.getByRole('button', { name: 'Add a mapping' }).dblclick();
  await told(page, 'The mapping is set.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  const mapping = (await service?.operate('GET', `${PATH}/house`))?.body;
  assert.deepEqual([mapping.version, mapping.mapping.currency], [1, 'EUR'], 'pressed twice, done once');
  // The browser itself reports the refusal.
  faults.splice(0, faults.length, ...faults.filter((fault) => !/422|400/.test(fault)));
  await looksWell(desk);

  await page.getByRole('button', { name: 'Change' }).click();
  await dialog.getByLabel('Dates').selectOption('YYYY-MM-DD');
  await dialog.getByRole('button', { name: 'Change' }).click();
  await told(page, 'The mapping is set.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  const send = async () => {
    await page.getByRole('button', { name: 'Files' }).click();
    await page.getByLabel('CSV mapping').selectOption('house');
    await drop(desk, 'other.csv', JSON.stringify(CSV));
  };
  await send();
  await page.locator('.drop .callout.bad', { hasText: 'date' }).waitFor();
  await page.goto(at('/console/statements?tab=mappings'));
  await page.getByRole('button', { name: 'Change' }).click();
  await dialog.getByLabel('Dates').selectOption('DD.MM.YYYY');
  await dialog.getByRole('button', { name: 'Change' }).click();
  await told(page, 'The mapping is set.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await send();
  await page.locator('.outcome', { hasText: '1 entry, 1 new.' }).waitFor();
  await page.locator('section[aria-label="File"] td', { hasText: '1,234.50 EUR' }).waitFor();

  await page.goto(at('/console/statements?tab=mappings'));
  await page.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await told(page, 'The mapping is deleted.');
  assert.deepEqual((await service?.operate('GET', PATH))?.body.items, []);
  await page.context().close();
});

test('a mapping is tried on a file before it is kept, and a file is looked at before it is imported', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await eyes?.setPolicy({ statement_import: 'never' });
  const desk = await signIn('Olu Operations');
  const { page, at } = desk;
  await page.goto(at('/console/statements?tab=mappings'));
  await page.getByRole('button', { name: 'Add a mapping' }).click();
  const dialog = page.locator('dialog');
  for (const [label, text] of Object.entries({
    ...{ 'Account of the house (optional)': 'DE1', 'Column: Booking date': 'Buchung' },
    ...{ 'Column: Amount (optional)': 'Betrag', 'Columns: Text (optional)': 'Zweck' },
  }))
    await dialog.getByLabel(label, { exact: true }).fill(text);
  await dialog.getByLabel('Currency (optional)', { exact: true }).fill('eur');
  const choose = async (label: string, name: string, content: string) => {
    const file = { name, mimeType: 'text/csv', buffer: Buffer.from(content) };
    await page.getByLabel(label).setInputFiles(file);
  };
  // The decimal mark is another one.
  await choose('File to try the mapping on', 'tried.csv', CSV);
  const preview = page.locator('section[aria-label="Preview"]');
  await preview.locator('.callout.bad', { hasText: 'Line 2: "1.234,50" is not an amount' }).waitFor();
  await dialog.getByLabel('Decimal mark').selectOption(',');
  await dialog.getByLabel('Thousands are separated by').selectOption('.');
  await dialog.getByRole('button', { name: 'Read it again' }).click();
  await preview.locator('[role=status]', { hasText: '1 statement, 1 entry. EUR: 1,234.50 in' }).waitFor();
  await preview.locator('td', { hasText: 'INV 5' }).waitFor();
  await preview.locator('td', { hasText: "DE1, not the house's" }).waitFor();
  await looksWell(desk);
  assert.deepEqual((await service?.operate('GET', PATH))?.body.items, [], 'it is not kept');
  await dialog.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'Files' }).click();
  const kept = async () => (await service?.operate('GET', '/v1/operator/statements'))?.body.items;
  const before = await kept();
  const json = JSON.stringify({
    statements: [
      {
        ...{ account: 'DE1', currency: 'EUR', number: '1' },
        entries: [
          { amount: '7.00', direction: 'credit', bookingDate: '2026-03-04', bankReference: 'LOOKED' },
        ],
      },
    ],
  });
  await choose('File to look at', 'looked.json', json);
  await preview.locator('td', { hasText: 'LOOKED' }).waitFor();
  assert.deepEqual(await kept(), before, 'it is not imported');
  await looksWell(desk);
  await page.getByRole('button', { name: /^Import it$/ }).dblclick();
  await page.locator('.outcome', { hasText: '1 entry, 1 new.' }).waitFor();
  assert.equal(await preview.count(), 0);
  assert.equal((await kept()).length, before.length + 1, 'pressed twice, done once');
  await page.context().close();
});
