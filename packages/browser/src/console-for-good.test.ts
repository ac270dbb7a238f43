import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fourEyes } from '../../service/test/support/four-eyes.ts';
import { LIMIT_MS, looksWell, openFloor, told } from './test-support.ts';

/** Where a customer lives, and what is ended for good: a person, a link that invites one, a bank's file, and a key of the service. */

const { skip, service, signIn } = await openFloor();
const eyes = service === undefined ? undefined : await fourEyes(service);

const read = async (path: string) => (await service?.operate('GET', `/v1/operator/${path}`))?.body;

test('the postal address of a customer is set, corrected and removed', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Olu Operations');
  const { page, at } = desk;
  const { customerId } = (await read('customers?search=Sandbox customer')).items[0];
  const path = `customers/${customerId}/postal-address`;
  await page.goto(at(`/console/customers/${customerId}?tab=accounts&status=retired`));
  const card = page.locator('section[aria-labelledby="address"]');
  await card.getByRole('button', { name: 'Set the address' }).click();
  const dialog = page.locator('dialog');
  await dialog.getByLabel('Street (optional)').fill('Hauptstraße <b>');
  await dialog.getByLabel('Town').fill('Berlin');
  await dialog.getByLabel('Country').fill('d');
  assert.ok(await dialog.getByRole('button', { name: 'Set the address' }).isDisabled());
  await dialog.getByLabel('Country').fill('de');
  await dialog.getByRole('button', { name: 'Set the address' }).dblclick();
  await told(page, 'The address is set.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await card.locator('address', { hasText: 'Hauptstraße <b>' }).waitFor();
  assert.deepEqual((await read(path)).postalAddress, {
    ...{ streetName: 'Hauptstraße <b>', townName: 'Berlin', country: 'DE' },
  });
  await looksWell(desk);
  await card.getByRole('button', { name: 'Remove the address' }).click();
  await dialog.getByRole('button', { name: 'Remove the address' }).click();
  await told(page, 'The address is removed.');
  assert.equal((await read(path)).postalAddress, null);
  await page.context().close();
});

test('a person is removed for good once somebody has typed who it is', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Ada Approver');
  const { page, at } = desk;
  await page.goto(at('/console/people?tab=persons'));
  const row = page.locator('tbody tr', { hasText: 'Dana Dealer' });
  const { items } = await read('persons');
  const { personId, email } = items.find(({ name }: { name: string }) => name === 'Dana Dealer');
  await row.getByRole('button', { name: 'Remove' }).click();
  const dialog = page.locator('dialog');
  const remove = dialog.getByRole('button', { name: 'Remove' });
  await dialog.getByLabel('E-mail of the person').fill('somebody.else@example.com');
  assert.ok(await remove.isDisabled());
  await dialog.getByLabel('E-mail of the person').fill(email);
  await remove.dblclick();
  await told(page, 'The person is removed.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await row.locator('.chip', { hasText: 'Ended' }).waitFor();
  assert.equal(await row.getByRole('button', { name: 'Roles' }).count(), 0);
  assert.equal((await read(`persons/${personId}`)).status, 'ended');
  await looksWell(desk);
  await page.context().close();
});

test('the link that invites a person is withdrawn, and the person is sent another one', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const invited = { email: 'new@example.com', name: 'Nia New', roles: ['dealer'] };
  const key = { 'Idempotency-Key': crypto.randomUUID(), 'Firmquote-Reason': 'joins on Monday' };
  await eyes?.setPolicy({ person: 'never' });
  const made = await service?.operate('POST', '/v1/operator/persons', invited, key);
  assert.equal(made?.status, 201, made?.text);
  const desk = await signIn('Ada Approver');
  const { page, at } = desk;
  await page.goto(at('/console/people?tab=persons&status=invited'));
  const row = page.locator('tbody tr', { hasText: 'Nia New' });
  await row.locator('text=until').waitFor();
  await row.getByRole('button', { name: 'Withdraw the link' }).click();
  const dialog = page.locator('dialog');
  await dialog.getByRole('button', { name: 'Withdraw the link' }).dblclick();
  await told(page, 'The link no longer works.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  assert.equal((await read(`persons/${made?.body.personId}`)).invitationEndsAt, null);
  assert.equal(await row.getByRole('button', { name: 'Withdraw the link' }).count(), 0);
  await row.getByRole('button', { name: 'New link' }).waitFor();
  await looksWell(desk);
  await page.context().close();
});

test('a file that was refused is deleted, and its card with it once that was said', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const file = await service?.operate('POST', '/v1/operator/statements?name=spoilt.xml', 'no statement', {
    'Content-Type': 'application/octet-stream',
  });
  const { fileId } = file?.body ?? {};
  const desk = await signIn('Olu Operations');
  const { page, at } = desk;
  await page.goto(at(`/console/statements?file=${fileId}`));
  const card = page.locator('section[aria-label="File"]');
  await card.getByRole('button', { name: 'Delete the file' }).click();
  const dialog = page.locator('dialog');
  await dialog.getByRole('button', { name: 'Delete the file' }).dblclick();
  await told(page, 'The file is deleted.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await card.waitFor({ state: 'detached' });
  await page.locator('text=No statements imported yet').waitFor();
  assert.ok(!page.url().includes(fileId), page.url());
  assert.equal((await service?.operate('GET', `/v1/operator/statements/${fileId}`))?.status, 404);
  await looksWell(desk);
  await page.context().close();
});

test('a key that is in other hands is revoked, with a reason', { skip, timeout: LIMIT_MS }, async () => {
  await eyes?.setPolicy({ service_key: 'never' });
  const desk = await signIn('Ada Approver');
  const { page, at } = desk;
  const keyOf = async (state: string) =>
    (await read('keys')).keys.find(
      (key: { purpose: string; state: string }) => key.purpose === 'evidence' && key.state === state,
    )?.kid;
  const kid = await keyOf('active');
  await page.goto(at('/console/audit?tab=keys'));
  const row = page.locator('tbody tr', { hasText: kid });
  await row.getByRole('button', { name: 'Revoke' }).click();
  const dialog = page.locator('dialog');
  await dialog.getByLabel('Reason, kept with it').fill('seen on a paste site');
  assert.ok(await dialog.getByRole('button', { name: 'Revoke' }).isDisabled());
  await dialog.getByLabel(`Last four characters of ${kid}`).fill(kid.slice(-4));
  await dialog.getByRole('button', { name: 'Revoke' }).dblclick();
  await told(page, 'The key is revoked.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await row.locator('.chip', { hasText: 'Revoked' }).waitFor();
  assert.equal(await keyOf('revoked'), kid);
  assert.notEqual(await keyOf('active'), undefined, 'the next one signs');
  await looksWell(desk);
  await page.context().close();
});
