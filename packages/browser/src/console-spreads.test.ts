import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fourEyes } from '../../service/test/support/four-eyes.ts';
import { type Desk, faultsOfAccess, LIMIT_MS, openFloor, told } from './test-support.ts';

/** Spreads in the console: a change by two persons, what it does to a live price, and the way back. */

const { skip, service, signIn } = await openFloor();
if (service !== undefined) await (await fourEyes(service)).setPolicy({ pricing: 'always' });

const versions = async () =>
  (await service?.operate('GET', '/v1/operator/spread-rules/versions'))?.body.items;

/** Waits until a customer's ask is so much above its bid: what the market itself does is far less. */
async function gapIs({ page }: Desk, gap: (percent: number) => boolean): Promise<void> {
  const until = Date.now() + 30_000;
  for (;;) {
    const text = (await page.locator('.tile[data-pair="EURUSD"] .theirs b').textContent()) ?? '';
    const [bid = Number.NaN, ask = Number.NaN] = text.split('/').map(Number.parseFloat);
    if (gap((ask / bid - 1) * 100)) return;
    assert.ok(Date.now() < until, `the price of the customer is still ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function approve({ page, at }: Desk): Promise<void> {
  await page.goto(at('/console/approvals?status=pending'));
  await page.getByRole('button', { name: 'Pricing' }).click();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.locator('text=Nothing fits these filters').waitFor();
}

test('a rule is made for a customer by name and a pair as it is shown; its example is of both, and moves nothing', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { page, faults, at } = await signIn('Ada Approver');
  await page.goto(at('/console/spreads'));
  await page.getByRole('button', { name: 'Add rule' }).click();
  const customer = page.locator('dialog select').first();
  const option = customer.locator('option', { hasText: 'Sandbox customer' });
  await option.waitFor({ state: 'attached' });
  const customerId = (await option.getAttribute('value')) ?? '';
  await customer.selectOption(customerId);
  await page.getByLabel('Pair (optional)').fill('gbp/usd');
  await page.getByLabel('Spread, bps').fill('5');
  await page.getByRole('button', { name: 'Add to the change' }).click();
  await told(page, 'It is in the change below');
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await page.locator('dt:text-is("With the change")').waitFor();
  await page.locator('dd b:text("5.00 bps")').waitFor();
  await page.locator('dt:text("Sells 100,000 GBP, now")').waitFor();
  // Whoever leaves the field by a press on the button hits it.
  await page.evaluate(`{
    window.tops = new Set();
    const look = () => {
      const send = [...document.querySelectorAll('main button')].find(({ textContent }) => textContent === 'Send change');
      tops.add(Math.round(send.getBoundingClientRect().top + scrollY));
      requestAnimationFrame(look);
    };
    look();
  }`);
  await page.getByLabel('Example: pair').fill('usd/jpy');
  await page.keyboard.press('Tab');
  await page.locator('dt:text("Sells 100,000 USD, now")').waitFor();
  assert.equal(await page.evaluate('tops.size'), 1);
  assert.equal(new URL(page.url()).searchParams.get('pair'), 'USDJPY');
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('a spread is proposed by one, approved by another, moves a live price, and is rolled back', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const [dealer, approver] = [await signIn('Dana Dealer'), await signIn('Ada Approver')];
  const { items } = (await service?.operate('GET', '/v1/operator/customers'))?.body ?? {};
  const watching = await signIn('Dana Dealer');
  await watching.page.goto(watching.at(`/console/markets?pair=EURUSD&customer=${items.at(-1).customerId}`));
  await gapIs(watching, (percent) => percent > 0.3 && percent < 1);
  const [before] = await versions();

  const { page } = dealer;
  await page.goto(dealer.at('/console/spreads'));
  await page.getByLabel('New spread, everybody').fill('300');
  await page.locator('text=more than three times').first().waitFor();
  await page.locator('main').getByRole('button', { name: 'Send change' }).click();
  await page.getByLabel('1 warning').selectOption('yes');
  await page.getByLabel('Reason, for the approver', { exact: true }).fill('the market is wild');
  await page.locator('dialog').getByRole('button', { name: 'Send change' }).dblclick();
  await told(page, 'It waits for a second person');
  assert.equal((await versions())[0].version, before.version, 'nothing has changed yet');
  await gapIs(watching, (percent) => percent < 1);

  await approve(approver);
  await gapIs(watching, (percent) => percent > 5);

  await page.goto(dealer.at('/console/spreads?tab=history'));
  await page.locator('text=the market is wild').waitFor();
  const [now] = await versions();
  assert.deepEqual([now.changed, now.reason], [1, 'the market is wild']);
  assert.notEqual(now.changedBy, now.approvedBy);
  // Both by name.
  const row = page.locator(`tbody tr:has(a:text-is("${now.version}"))`);
  await row.locator('text=Dana Dealer').waitFor();
  await row.locator('text=Ada Approver').waitFor();
  await page.locator(`tbody a:text-is("${now.version}")`).click();
  const card = page.locator(`section[aria-label="Version ${now.version}"]`);
  await card.locator('.diff del:text-is("20.00")').waitFor();
  await card.locator('.diff ins:text-is("300.00")').waitFor();
  assert.deepEqual(await faultsOfAccess(page), []);

  await page.locator(`tbody a:text-is("${before.version}")`).click();
  await page.getByRole('button', { name: `Roll back to version ${before.version}` }).click();
  await page.locator('dialog .diff ins:text-is("20.00")').waitFor();
  await page.getByLabel('Reason, for the approver', { exact: true }).fill('calm again');
  await page.getByRole('button', { name: 'Send as a change' }).dblclick();
  await told(page, 'It waits for a second person');
  await approve(approver);
  await gapIs(watching, (percent) => percent < 1);
  const [back, ...others] = await versions();
  assert.deepEqual([back.restores, back.reason], [before.version, 'calm again']);
  assert.deepEqual(others[0], { ...now, inForceUntil: back.inForceFrom }, 'history stays as it was');
  assert.deepEqual([...dealer.faults, ...approver.faults, ...watching.faults], []);
  for (const desk of [dealer, approver, watching]) await desk.page.context().close();
});

test('the effective spread of a customer names the rule that it comes from', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { page, faults, at } = await signIn('Dana Dealer');
  for (const path of ['effective', 'history']) {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(at(`/console/spreads?tab=${path}`));
    await page.locator('main table').waitFor();
    assert.deepEqual(await faultsOfAccess(page), [], path);
    await page.setViewportSize({ width: 320, height: 640 });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, path);
  }
  await page.goto(at('/console/spreads?tab=effective'));
  await page.locator('tbody tr:has-text("EUR/USD")').locator('text=The rule for everybody').waitFor();
  assert.deepEqual(faults, []);
  await page.context().close();
});
