import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fourEyes } from '../../service/test/support/four-eyes.ts';
import {
  arrived,
  arrives,
  type Desk,
  dealtByCustomer,
  execute,
  faultsOfAccess,
  LIMIT_MS,
  openFloor,
  openTicket,
  told,
  withhold,
} from './test-support.ts';

/** What a command is about stays in sight until it is known what became of it. */

/** How often the client sends what gets no answer. */
const CLIENT_ATTEMPTS = 3;

const { skip, service, signIn, traded } = await openFloor();
const done = '.drawer a[href*="/transactions/txn_"]';

/** For what would come of a key by itself: a page takes its turns one after the other. */
async function moment({ page }: Desk): Promise<void> {
  await page.evaluate('new Promise((later) => setTimeout(later, 500))');
}

test('Enter that is held asks for a price, and trades nothing', { skip, timeout: LIMIT_MS }, async () => {
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  const before = await traded();
  let executions = 0;
  page.on('request', (request) => /\/execute$/.test(request.url()) && executions++);
  await openTicket(desk, '8k');
  await page.locator('#ticket-amount').focus();
  await page.keyboard.down('Enter');
  await execute(desk).waitFor();
  await arrives(page, /^Execute/);
  for (let times = 0; times < 5; times++) await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await moment(desk);
  assert.equal(executions, 0);
  await page.keyboard.press('Enter');
  await page.locator(done).waitFor();
  assert.equal((await traded()).length, before.length + 1);
  await page.context().close();
});

/** The answer to what matches is lost, once. */
async function loseAnswer({ page }: Desk, pattern: RegExp): Promise<void> {
  let isLost = false;
  await page.route(pattern, async (route) => {
    if (isLost || route.request().method() === 'GET') return route.continue();
    isLost = true;
    await route.fetch();
    await route.abort('connectionreset');
  });
}

test('what is sent again after a lost answer is done once, also from a form that was closed in between', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Ada Approver');
  const { page } = desk;
  // Longer than the client itself tries.
  let attempts = 0;
  await page.route(/\/operator\/customers$/, async (route) => {
    if (route.request().method() !== 'POST' || ++attempts > 2 * CLIENT_ATTEMPTS) return route.continue();
    if (attempts === 1) await route.fetch();
    if (attempts <= CLIENT_ATTEMPTS) return route.abort('connectionreset');
    // Refused before anybody has looked at the key: it tells nothing of what was sent first.
    await route.fulfill({
      ...{ status: 429, headers: { 'Retry-After': '0' }, contentType: 'application/problem+json' },
      body: JSON.stringify({ code: 'rate_limited', status: 429, title: 'Too many requests', retry: 'later' }),
    });
  });
  await page.goto(desk.at('/console/customers?do=create'));
  await page.getByLabel('Name', { exact: true }).fill('Lost and found');
  await page.locator('dialog').getByRole('button', { name: 'Create customer' }).click();
  await page.locator('dialog .callout', { hasText: 'it is sent with the same key' }).waitFor();
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('button', { name: 'New customer' }).click();
  const create = page.locator('dialog').getByRole('button', { name: 'Create customer' });
  await create.click();
  await page.locator('dialog .problem, dialog [role="alert"]').waitFor();
  await create.click();
  await page.getByRole('heading', { name: 'Lost and found' }).waitFor();
  const found = await service?.operate('GET', '/v1/operator/customers?search=Lost%20and%20found');
  assert.equal(found?.body.items.length, 1);
  await page.context().close();
});

test('a spread change whose answer is lost is not promised to be done once, and is', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const versions = async () =>
    (await service?.operate('GET', '/v1/operator/spread-rules/versions'))?.body.items.length;
  const before = await versions();
  const desk = await signIn('Ada Approver');
  const { page } = desk;
  await page.goto(desk.at('/console/spreads'));
  await page.getByLabel('New spread, everybody').fill('25');
  await page.locator('main').getByRole('button', { name: 'Send change' }).click();
  await loseAnswer(desk, /draft\/activate$/);
  const send = page.locator('dialog').getByRole('button', { name: 'Send change' });
  await send.click();
  const unknown = page.locator('dialog .callout', { hasText: 'We do not know yet whether it was done' });
  await unknown.waitFor();
  assert.doesNotMatch((await unknown.textContent()) ?? '', /same key/);
  assert.equal(await versions(), before + 1);
  // What is there now is read again meanwhile.
  await page.locator('.page-head', { hasText: `Version ${before + 1}` }).waitFor();
  await send.click();
  await page.locator('dialog .callout', { hasText: 'This may be your own change' }).waitFor();
  assert.equal(await versions(), before + 1);
  await page.context().close();
});

test('a page whose form is under way is not left before it is known what became of it', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await service?.operate('POST', '/v1/sandbox/bank', { autoDeposit: false });
  const { reference } = await dealtByCustomer(service, '3100.00');
  await arrived(service, '3100.00', { remitterName: 'Somebody' });
  const desk = await signIn('Ada Approver');
  const { page } = desk;
  // A way back that leaves nothing but the page.
  await page.getByRole('link', { name: /^Deposits/ }).click();
  await page.locator('tbody button', { hasText: '3,100.00' }).click();
  await page.locator('#trade').fill('*');
  await page.keyboard.press('Enter');
  await page.locator('.candidate', { hasText: reference }).locator('input[type=checkbox]').check();
  await page.getByLabel('Reason, kept with the deposit').fill('as they told us');
  const letGo = await withhold(page, '**/match');
  await page.locator('.desk .first').click();
  await page.locator('.desk .outcome', { hasText: 'Sending' }).waitFor();
  await page.getByRole('link', { name: /^Approvals/ }).click();
  await page.locator('.desk .outcome', { hasText: 'You can leave as soon as' }).waitFor();
  await page.locator('.desk').getByRole('button', { name: 'Close' }).click();
  await page.evaluate('history.back()');
  await moment(desk);
  assert.equal(await page.locator('.desk').count(), 1, 'nobody knows yet what became of it');
  letGo();
  await told(page, 'It is matched.');
  // Now it can be left.
  await page.getByRole('link', { name: /^Approvals/ }).click();
  await page.getByRole('heading', { name: 'Approvals' }).waitFor();
  await page.context().close();
});

let eyesOfTwo: ReturnType<typeof fourEyes> | undefined;
/** From here on the policy asks for two. */
function twoPersons(): ReturnType<typeof fourEyes> {
  assert.ok(service !== undefined);
  eyesOfTwo ??= fourEyes(service);
  return eyesOfTwo;
}

/** An invitation that waits for a second person, open before them. */
async function openProposal(email: string): Promise<Desk> {
  const eyes = await twoPersons();
  await eyes.setPolicy({ person: 'always' });
  await eyes.proposed('POST', '/v1/operator/persons', { email, roles: ['viewer'] });
  const desk = await signIn('Ada Approver');
  const { page } = desk;
  // A way back that leaves nothing but the dialog.
  await page.getByRole('link', { name: /^Approvals/ }).click();
  await page.locator('tbody button').first().click();
  await page.locator('dialog').getByRole('button', { name: 'Approve' }).waitFor();
  return desk;
}

/** Everything by which somebody leaves. */
async function leave(desk: Desk): Promise<void> {
  const { page } = desk;
  for (let times = 0; times < 3; times++) await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.evaluate('history.back()');
  await moment(desk);
}

test('what is approved stays in sight until it is done, and its secret until it is stored', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await openProposal('slow@example.com');
  const { page } = desk;
  const { promise: isLate, resolve: letGo } = Promise.withResolvers<void>();
  await page.route('**/approve', async (route) => {
    await isLate;
    await route.continue();
  });
  await page.locator('dialog').getByRole('button', { name: 'Approve' }).click();
  await page.locator('dialog .first[aria-disabled="true"]').waitFor();
  await leave(desk);
  assert.equal(await page.locator('dialog:modal').count(), 1, 'nobody knows yet what became of it');
  letGo();
  await page.locator('dialog .secret code').waitFor();
  await leave(desk);
  assert.equal(await page.locator('dialog:modal .secret code').count(), 1, 'nobody sees it again');
  await page.getByLabel('I stored it').check();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.context().close();
});

test('an approval whose answer is lost is not said to have failed', { skip, timeout: LIMIT_MS }, async () => {
  const desk = await openProposal('lost@example.com');
  const { page } = desk;
  await page.route('**/approve', async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  });
  await page.locator('dialog').getByRole('button', { name: 'Approve' }).click();
  await page.locator('dialog .callout.warn', { hasText: 'We do not know yet whether it was done' }).waitFor();
  await page.locator('dialog .chip', { hasText: 'Approved' }).waitFor();
  await page.context().close();
});

test('a proposal that would do something else by now is approved as it is now, by whoever has read that', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  assert.ok(service !== undefined);
  const eyes = await twoPersons();
  const target = { scope: 'pair', pair: 'GBPUSD' };
  const halt = (reason: string) => service.operate('POST', '/v1/operator/market/halt', { ...target, reason });
  const resume = { ...target, reason: 'all is well' };
  await eyes.setPolicy();
  await halt('a wrong price');
  const { approvalId } = await eyes.proposed('POST', '/v1/operator/market/resume', resume);
  await eyes.setPolicy({ halt_lifted: 'never' });
  assert.equal((await service.operate('POST', '/v1/operator/market/resume', resume)).status, 200);
  await halt('the bank has failed');
  await eyes.setPolicy();

  const { page, at, faults } = await signIn('Ada Approver');
  await page.goto(at(`/console/approvals?approval=${approvalId}`));
  const dialog = page.locator('dialog');
  await dialog.locator('td', { hasText: 'a wrong price' }).waitFor();
  // Pressed in a hurry: once more, before what came back is read.
  await dialog.getByRole('button', { name: 'Approve' }).dblclick();
  await dialog.locator('.callout.warn', { hasText: 'This would now do something else' }).waitFor();
  const row = dialog.locator('tr', { hasText: 'the bank has failed' });
  await row.locator('.chip', { hasText: 'Changed' }).waitFor();
  await row.locator('td', { hasText: 'a wrong price' }).waitFor();
  await dialog.getByRole('button', { name: 'Approve as it is now' }).click({ force: true });
  const active = async () =>
    (await service.operate('GET', '/v1/operator/market/halts?status=active')).body.items.length;
  assert.equal(await active(), 1, 'nobody has read it');
  assert.deepEqual(await faultsOfAccess(page), []);
  await dialog.getByLabel('I have read what it would change now').check();
  await dialog.getByRole('button', { name: 'Approve as it is now' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await active(), 0);
  const { status } = (await service.operate('GET', `/v1/operator/approvals/${approvalId}`)).body;
  assert.equal(status, 'approved');
  // A refusal is an error of the network to a browser.
  assert.deepEqual(
    faults.filter((fault) => !/409/.test(fault)),
    [],
  );
  await page.context().close();
});
