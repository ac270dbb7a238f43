import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fourEyes } from '../../service/test/support/four-eyes.ts';
import { until } from '../../service/test/support/process.ts';
import type { ConsolePage } from './chromium.ts';
import { faultsOfWalk } from './in-page.ts';
import { enter, focused, press, tabTo } from './keyboard.ts';
import {
  agedSignIn,
  arrived,
  arrives,
  type Desk,
  dealtByCustomer,
  LIMIT_MS,
  openFloor,
  withhold,
} from './test-support.ts';

/** The work of a day without a mouse: Tab, arrows, Enter, Escape, keys of the console, and typing. */

const { skip, service, signIn } = await openFloor();
await service?.operate('POST', '/v1/sandbox/bank', { autoDeposit: false });

const customers = async () => (await service?.operate('GET', '/v1/operator/customers'))?.body.items;
const depositOf = async (id: string) => (await service?.operate('GET', `/v1/operator/deposits/${id}`))?.body;
const said = ({ page }: Desk, text: string) => page.locator(`text=${text}`).first().waitFor();

/** Goes to a page by `g` and a letter. */
async function go({ page }: Desk, letter: string, heading: RegExp): Promise<void> {
  // At once: the page waits for the letter for a second and a half, and nobody knows how long the first press takes.
  await Promise.all([page.keyboard.press('g'), page.keyboard.press(letter)]);
  await arrives(page, heading);
}

/** On the deposit desk. What was suggested stands there until the answer comes. */
async function searchAll(page: ConsolePage): Promise<void> {
  await enter(page, /^Search all/, '*');
  const found = page.waitForResponse((answer) => answer.url().includes('/v1/operator/transactions?'));
  await page.keyboard.press('Enter');
  await found;
}

/** Goes once around what lies on top: all of it is reached, and nothing beneath it. */
async function isHeld({ page }: Desk): Promise<void> {
  assert.deepEqual(await faultsOfWalk(page), []);
  for (let step = 0; step < 4; step++) {
    await page.keyboard.press('Tab');
    const at = await focused(page);
    assert.ok(at.isOnTop || at.tag === 'nothing', `${at.tag} "${at.name}" is beneath`);
  }
}

test('the palette jumps to a transaction, runs a command, and gives the focus back', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { transactionId, reference } = await dealtByCustomer(service, '1200.00', {
    clientReference: 'Invoice 2291',
  });
  const desk = await signIn('Dana Dealer');
  const { page, faults } = desk;
  await go(desk, 't', /^Transactions$/);
  await page.keyboard.press('Control+k');
  await arrives(page, /^Page, command, pair/);
  await isHeld(desk);
  await page.keyboard.press('Escape');
  await arrives(page, /^Transactions$/);

  await page.keyboard.press('Control+k');
  await arrives(page, /^Page, command, pair/);
  await page.keyboard.type(transactionId);
  await page.keyboard.press('Enter');
  await arrives(page, new RegExp(`^Transaction ${reference}$`));

  await go(desk, 't', /^Transactions$/);
  await page.keyboard.press('Control+k');
  await arrives(page, /^Page, command, pair/);
  await page.keyboard.type(reference);
  await page.locator(`[role=option]:has-text("${reference}")`).waitFor();
  await page.keyboard.press('Enter');
  await arrives(page, new RegExp(`^Transaction ${reference}$`));

  await go(desk, 't', /^Transactions$/);
  await page.keyboard.press('Control+k');
  await arrives(page, /^Page, command, pair/);
  await page.keyboard.type('Invoice 2291');
  await page.locator(`[role=option]:has-text("${reference}, Invoice 2291")`).waitFor();
  await page.keyboard.press('Enter');
  await arrives(page, new RegExp(`^Transaction ${reference}$`));

  await page.keyboard.press('Control+k');
  await arrives(page, /^Page, command, pair/);
  await page.keyboard.type('theme');
  for (const [key, at] of [
    ['ArrowDown', 1],
    ['ArrowDown', 2],
    ['ArrowUp', 1],
  ] as const) {
    await page.keyboard.press(key);
    await page.locator(`#palette-${at}[aria-selected=true]`).waitFor();
  }
  const chosen = await page.locator('[role=option][aria-selected=true]').textContent();
  await page.keyboard.press('Enter');
  await arrives(page, new RegExp(`^Transaction ${reference}$`));
  const theme = await page.evaluate('document.documentElement.dataset.theme');
  assert.match(chosen ?? '', new RegExp(`Theme: ${theme}`));

  await page.keyboard.press('Control+k');
  await arrives(page, /^Page, command, pair/);
  await page.keyboard.type('list of keys');
  await page.keyboard.press('Enter');
  await page.locator('dialog[aria-label=Keys]').waitFor();
  await isHeld(desk);
  await page.keyboard.press('Escape');
  await arrives(page, new RegExp(`^Transaction ${reference}$`));
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('the key that runs a command of the palette does not press the button that opened it', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { reference } = await dealtByCustomer(service, '1300.00', { clientReference: 'Invoice 2292' });
  const { page } = await signIn('Dana Dealer');
  await press(page, /^Search or jump/);
  await arrives(page, /^Page, command, pair/);
  await page.keyboard.type('theme: dark');
  await page.locator('[role=option]:has-text("Theme: dark")').waitFor();
  await page.keyboard.press('Enter');
  await arrives(page, /^Search or jump/);
  assert.equal(await page.locator('dialog').count(), 0);

  // Whoever looks for more before there is anything has what is found.
  await page.keyboard.press('Enter');
  await arrives(page, /^Page, command, pair/);
  const letGo = await withhold(page, '**/v1/operator/transactions?*');
  await page.keyboard.type('Invoice 2292');
  await page.locator('text=Nothing has this name').waitFor();
  await page.keyboard.press('ArrowDown');
  letGo();
  await page.locator(`[role=option][aria-selected=true]:has-text("${reference}")`).waitFor();
  await page.keyboard.press('Enter');
  await arrives(page, new RegExp(`^Transaction ${reference}$`));
  await page.context().close();
});

test('a deposit is matched, another one is split over two trades, and what is left goes back', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const trades = [];
  for (const amount of ['611.00', '712.00', '813.00']) trades.push(await dealtByCustomer(service, amount));
  const [single, one, two] = trades.map(({ reference }) => reference);
  const matched = await arrived(service, '600.00');
  const split = await arrived(service, '1540.00', { remitterAccount: 'DE89370400440532013000' });
  const desk = await signIn('Olu Operations');
  const { page, faults } = desk;
  await go(desk, 'd', /^Deposits$/);
  await page.locator('tbody tr').first().waitFor();
  await press(page, /^600\.00 EUR$/);
  await arrives(page, /^Deposit$/);
  await page.locator('#trade').waitFor();
  await searchAll(page);
  await page.locator(`.candidate:has-text("${single}")`).waitFor();
  await arrives(page, /^Search all/);
  await press(page, new RegExp(`${single}`), 'Space');
  await enter(page, /^Reason, kept/, 'by phone');
  await press(page, /^Match this part|^Match m$/);
  await said(desk, 'It is matched.');
  assert.notEqual((await focused(page)).tag, 'nothing', 'the button is gone, and the focus is not');
  assert.equal((await depositOf(matched)).allocatedAmount, '600.00');
  await press(page, /^Close$/);
  await page.locator('.desk').waitFor({ state: 'detached' });
  assert.notEqual((await focused(page)).tag, 'nothing', 'its row is gone, and the focus is not');

  await press(page, /^1,540\.00 EUR$/);
  await arrives(page, /^Deposit$/);
  await page.locator('#trade').waitFor();
  await searchAll(page);
  for (const reference of [one, two]) {
    await page.locator(`.candidate:has-text("${reference}")`).waitFor();
    await press(page, new RegExp(`${reference}`), 'Space');
    await page.locator(`.share:has-text("${reference}")`).waitFor();
  }
  await said(desk, '15.00 EUR stays open');
  await enter(page, /^Reason, kept/, 'both in one');
  await press(page, /^Split over 2/);
  await said(desk, 'It is matched.');
  await press(page, /^Return …$/);
  await arrives(page, /^Amount, EUR/);
  await enter(page, /^Reason, kept/, 'paid too much');
  await press(page, /^Return it$/);
  await page.locator('dialog .outcome .chip').waitFor();
  assert.ok((await focused(page)).isOnTop, 'in the dialog');
  await arrives(page, /^Close$/);
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  assert.notEqual((await focused(page)).tag, 'nothing');
  const deposit = await depositOf(split);
  assert.deepEqual([deposit.allocatedAmount, deposit.returnedAmount], ['1525.00', '15.00']);
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('limits are changed and saved', { skip, timeout: LIMIT_MS }, async () => {
  const { customerId, name } = (await customers()).at(-1);
  const desk = await signIn('Ada Approver');
  const { page, faults } = desk;
  await go(desk, 'c', /^Customers$/);
  await page.locator('tbody tr').first().waitFor();
  await press(page, new RegExp(`^${name}$`));
  await arrives(page, new RegExp(`^${name}$`));
  await page.locator('progress').first().waitFor();
  await press(page, /^Change limits$/);
  await page.locator('dialog input').first().waitFor();
  await isHeld(desk);
  await enter(page, /^Largest trade, USD/, '4m');
  await page.keyboard.press('Enter');
  await said(desk, 'The new limits are in force.');
  await arrives(page, /^Close$/);
  await page.keyboard.press('Enter');
  await arrives(page, /^Change limits$/);
  const limits = (await service?.operate('GET', `/v1/operator/customers/${customerId}/limits`))?.body;
  assert.equal(limits.singleTrade, '4000000.00');
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('the sandbox moves its clock and lets money arrive, and the focus stays where it was', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Olu Operations');
  const { page, faults } = desk;
  await press(page, /^SANDBOX$/);
  await said(desk, 'the real time');
  // All of it is there before the walk begins.
  await page.locator('#drill-transaction option').first().waitFor({ state: 'attached' });
  await isHeld(desk);
  await press(page, /^\+1 hour$/);
  await said(desk, 'UTC, moved');
  assert.equal((await focused(page)).name, '+1 hour');
  await press(page, /^Back to real time$/);
  await said(desk, 'the real time');
  await enter(page, /^Amount, EUR/, '98.76');
  await enter(page, /^Text$/, 'no trade of ours');
  await press(page, /^Send payment$/);
  await said(desk, 'The payment has arrived.');
  assert.equal((await focused(page)).name, 'Send payment');
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await arrives(page, /^SANDBOX$/);
  const { items } = (await service?.operate('GET', '/v1/operator/deposits?currency=EUR'))?.body ?? {};
  assert.ok(items.some(({ amount }: { amount: string }) => amount === '98.76'));
  assert.deepEqual(faults, []);
  await page.context().close();
});

// The last one: from here on the policy asks for two.
test('a proposal is approved by the second person, after a fresh sign-in, and the next one has the focus', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  assert.ok(service !== undefined);
  const eyes = await fourEyes(service);
  await eyes.setPolicy({ person: 'always' });
  for (const email of ['one@example.com', 'two@example.com', 'three@example.com'])
    await eyes.proposed('POST', '/v1/operator/persons', { email, roles: ['viewer'] });
  const desk = await signIn('Ada Approver');
  const { page, faults } = desk;
  await go(desk, 'a', /^Approvals$/);
  await page.locator('tbody tr').first().waitFor();
  await tabTo(page, /^Status$/);
  await page.keyboard.press('ArrowDown');
  await said(desk, '3 rows, that is all');
  // Whoever jumps from one proposal to another one has written nothing about that.
  const pending = (await service.operate('GET', '/v1/operator/approvals?status=pending')).body.items;
  await press(page, /^Person/);
  await page.locator('dialog section.effects').waitFor();
  await enter(page, /^Note, kept/, 'about the first one');
  await page.keyboard.press('Control+k');
  await arrives(page, /^Page, command, pair/);
  await page.keyboard.type(pending[1].approvalId);
  await page.keyboard.press('Enter');
  await page.locator('dialog.palette').waitFor({ state: 'detached' });
  await until('the other one', async () => page.url().endsWith(pending[1].approvalId));
  await page.locator('dialog section.effects').waitFor();
  assert.equal(await page.locator('dialog #note').inputValue(), '');
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  // The jump led to the proposal alone, and not to the list as it was filtered.
  await tabTo(page, /^Status$/);
  await page.keyboard.press('ArrowDown');
  await until('the filter', async () => page.url().includes('status=pending'));
  await agedSignIn(desk, service);
  await press(page, /^Person/);
  await page.locator('dialog section.effects').waitFor();
  await isHeld(desk);
  await enter(page, /^Note, kept/, 'as we spoke');
  await press(page, /^Approve$/);
  await said(desk, 'This needs a fresh sign-in');
  await press(page, /^Sign in$/);
  await page.getByRole('button', { name: /Ada Approver/ }).waitFor();
  await press(page, /Ada Approver/);
  await page.locator('dialog #note').waitFor();
  assert.equal(await page.locator('dialog #note').inputValue(), 'as we spoke');
  await press(page, /^Reject$/);
  await page.locator('dialog').waitFor({ state: 'detached' });
  await said(desk, '2 rows, that is all');
  await press(page, /^Person/);
  await page.locator('dialog section.effects').waitFor();
  await press(page, /^Reject$/);
  await page.locator('dialog').waitFor({ state: 'detached' });
  await said(desk, '1 row, that is all');
  await arrives(page, /^Person/);
  await page.keyboard.press('Enter');
  await page.locator('dialog section.effects').waitFor();
  await press(page, /^Approve$/);
  await page.locator('dialog .secret code').waitFor();
  await press(page, /^I stored it/, 'Space');
  await press(page, /^Close$/);
  await page.locator('dialog').waitFor({ state: 'detached' });
  const { items } = (await service.operate('GET', '/v1/operator/approvals'))?.body ?? {};
  const statuses = items.map(({ status }: { status: string }) => status).sort();
  assert.deepEqual(statuses.filter((status: string) => status !== 'pending').slice(-3), [
    'approved',
    'rejected',
    'rejected',
  ]);
  assert.deepEqual(
    faults.filter((fault) => !/40[13]/.test(fault)),
    [],
  );
  await page.context().close();
});
