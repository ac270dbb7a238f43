import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConsolePage } from './chromium.ts';
import {
  arrived,
  type Desk,
  execute,
  LIMIT_MS,
  openFloor,
  openTicket,
  told,
  withhold,
} from './test-support.ts';

/** Several tabs of one browser: what is signed in to in one of them holds in the others as well. */

const { skip, service, signIn, traded } = await openFloor();

/** Somebody signs in in a second tab, while the first one does not learn of it by itself. */
async function signsInElsewhere({ page, at }: Desk, who: RegExp): Promise<{ letGo: () => void }> {
  const letGo = await withhold(page, '**/auth/session');
  const other = await page.context().newPage();
  await other.goto(at('/login?fresh=true&return_to=/console/overview'));
  await other.getByRole('button', { name: who }).click();
  await other.getByRole('heading', { name: 'Needs attention' }).waitFor();
  await other.goto('about:blank');
  return { letGo };
}

/** Keys of what the page sends to change something, and what the service answered. */
function answersTo(page: ConsolePage, part: RegExp) {
  const [keys, statuses]: [(string | undefined)[], number[]] = [[], []];
  page.on('response', (answer) => {
    const request = answer.request();
    if (request.method() === 'GET' || !part.test(answer.url())) return;
    keys.push(request.headers()['idempotency-key']);
    statuses.push(answer.status());
  });
  return { keys, statuses };
}

const refused = (page: ConsolePage) => page.waitForResponse((answer) => answer.status() === 403);

async function noteIn({ page, at }: Desk, depositId: string, text: string): Promise<void> {
  await page.goto(at(`/console/deposits?deposit=${depositId}`));
  await page.getByRole('button', { name: 'Note …' }).click();
  await page.locator('dialog textarea').fill(text);
}

test('a fresh sign-in in another tab costs this one nothing: what is sent is sent once more, with its key', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const depositId = await arrived(service, '71.00');
  const desk = await signIn('Olu Operations');
  const { page } = desk;
  await noteIn(desk, depositId, 'called the bank');
  const { keys, statuses } = answersTo(page, new RegExp(depositId));
  const { letGo } = await signsInElsewhere(desk, /Olu Operations/);
  const isRefused = refused(page).then(letGo);
  await page.locator('dialog').getByRole('button', { name: 'Add' }).click();
  await isRefused;
  await told(page, 'It is added.');
  assert.deepEqual([statuses.length, statuses[0], new Set(keys).size], [2, 403, 1]);
  assert.ok(keys[0] !== undefined);
  const deposit = (await service?.operate('GET', `/v1/operator/deposits/${depositId}`))?.body;
  assert.equal(deposit.version, 2, 'done once');
  await page.context().close();
});

test('a price that is firm is traded after a fresh sign-in in another tab', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  const before = await traded();
  await openTicket(desk, '26k');
  await page.keyboard.press('Control+Enter');
  await execute(desk).waitFor();
  const { letGo } = await signsInElsewhere(desk, /Dana Dealer/);
  const isRefused = refused(page).then(letGo);
  await execute(desk).click();
  await isRefused;
  await page.locator('.drawer a[href*="/transactions/txn_"]').waitFor();
  assert.equal((await traded()).length, before.length + 1);
  await page.context().close();
});

test('what one person typed is not sent as another one, who has signed in in another tab', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const depositId = await arrived(service, '72.00');
  const desk = await signIn('Olu Operations');
  const { page } = desk;
  await noteIn(desk, depositId, 'called the bank');
  const { statuses } = answersTo(page, new RegExp(depositId));
  const { letGo } = await signsInElsewhere(desk, /Ada Approver/);
  const isRefused = refused(page).then(letGo);
  await page.locator('dialog').getByRole('button', { name: 'Add' }).click();
  await isRefused;
  await page.locator('dialog h2:text-is("Somebody else is signed in")').waitFor();
  // Whatever is pressed: this page is of somebody who is signed in no more.
  await page.keyboard.press('Escape');
  await page.locator('dialog h2:text-is("Somebody else is signed in")').waitFor();
  assert.deepEqual(statuses, [403]);
  const deposit = (await service?.operate('GET', `/v1/operator/deposits/${depositId}`))?.body;
  assert.equal(deposit.version, 1);
  await page.getByRole('link', { name: 'Load the page again' }).click();
  await page.locator('.status :text("Ada Approver")').waitFor();
  await page.context().close();
});

test('a page that reads by itself that somebody else is signed in says so before anything is pressed', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Olu Operations');
  const { page } = desk;
  const { letGo } = await signsInElsewhere(desk, /Dana Dealer/);
  letGo();
  await page.locator('dialog h2:text-is("Somebody else is signed in")').waitFor();
  await page.context().close();
});

test('signing out works after a fresh sign-in in another tab', { skip, timeout: LIMIT_MS }, async () => {
  const desk = await signIn('Olu Operations');
  const { page } = desk;
  const { letGo } = await signsInElsewhere(desk, /Olu Operations/);
  await page.getByRole('button', { name: 'Sign out' }).click();
  letGo();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const other = await page.context().newPage();
  await other.goto(desk.at('/console/overview'));
  await other.getByRole('button', { name: /Olu Operations/ }).waitFor();
  await page.context().close();
});

/** In the same tab, as at a desk that two people share. */
async function changesOver({ page, at }: Desk, who: RegExp): Promise<void> {
  await page.goto(at('/console/overview'));
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.goto(at('/console/overview'));
  await page.getByRole('button', { name: who }).click();
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
}

test('what one person typed is there for that person again, and never for the next one in the same tab', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const depositId = await arrived(service, '73.00');
  const desk = await signIn('Olu Operations');
  const { page, at } = desk;
  const noted = () => page.locator('dialog textarea').inputValue();
  const spread = page.locator('main table input').first();
  await noteIn(desk, depositId, 'called the bank');
  await page.goto(at('/console/spreads'));
  await spread.fill('77');
  await page.locator('section[aria-label="Your change"]').waitFor();

  await changesOver(desk, /Ada Approver/);
  await page.goto(at(`/console/deposits?deposit=${depositId}`));
  await page.getByRole('button', { name: 'Note …' }).click();
  assert.equal(await noted(), '');
  await page.goto(at('/console/spreads'));
  await spread.waitFor();
  assert.notEqual(await spread.inputValue(), '77');

  await changesOver(desk, /Olu Operations/);
  await page.goto(at(`/console/deposits?deposit=${depositId}`));
  await page.getByRole('button', { name: 'Note …' }).click();
  assert.equal(await noted(), 'called the bank');
  await page.goto(at('/console/spreads'));
  assert.equal(await spread.inputValue(), '77');
  await page.context().close();
});
