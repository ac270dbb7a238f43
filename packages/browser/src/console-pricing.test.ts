import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fourEyes } from '../../service/test/support/four-eyes.ts';
import { approve, type Desk, LIMIT_MS, looksWell, openFloor, told } from './test-support.ts';

/** What is added to spreads, and what dates before spot cost: read, changed by two persons, refused in words. */

const { skip, service, signIn } = await openFloor();
// A Friday whose spot date is the Tuesday after it.
await service?.operate('POST', '/v1/sandbox/clock', { now: '2026-03-06T12:00:00Z' });
const eyes = service === undefined ? undefined : await fourEyes(service);

const read = async (path: string) => (await service?.operate('GET', `/v1/operator/${path}`))?.body;

/** In the dialog that is open. */
async function fill({ page }: Desk, fields: Readonly<Record<string, string>>): Promise<void> {
  const dialog = page.locator('dialog');
  for (const [label, text] of Object.entries(fields)) await dialog.getByLabel(label).fill(text);
  await dialog.getByRole('button', { name: 'Add to the change' }).click();
  await told(page, 'It is in the change below.');
  await dialog.getByRole('button', { name: 'Close' }).click();
}

test('premiums for long promises and thin hours are proposed by one and approved by another', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await eyes?.setPolicy({ pricing: 'always' });
  const [maker, checker] = [await signIn('Dana Dealer'), await signIn('Ada Approver')];
  const { page, at } = maker;
  await page.goto(at('/console/spreads'));
  await page.getByRole('button', { name: 'Premiums' }).click();
  await page.locator('text=No wider hours').waitFor();
  await page.getByRole('button', { name: 'Add a length' }).click();
  await fill(maker, { 'Firm for up to, seconds': '60', 'Added, bps': '1.5' });
  await page.getByRole('button', { name: 'Add hours' }).click();
  await fill(maker, { 'From, such as 16:55': '16:55', 'To, such as 17:10': '17:10', 'Added, bps': '4' });
  await page.getByLabel('New: A longer promise costs').selectOption('volatility');
  const change = page.locator('[aria-label="Your change"]');
  await change.locator('.wrong', { hasText: 'Volatility: all five figures are needed, or none.' }).waitFor();
  await page.getByLabel('New: A longer promise costs').selectOption('table');
  await change.locator('li', { hasText: 'Firm for up to 60 s: none → 1.5 bps' }).waitFor();
  await looksWell(maker);

  // What is edited outlives a reload.
  await page.reload();
  const dialog = page.locator('dialog');
  await page.getByRole('button', { name: 'Send change' }).click();
  await dialog.getByLabel('Reason, for the approver').fill('the roll is thin');
  await dialog.getByRole('button', { name: 'Send change' }).dblclick();
  await told(page, 'It waits for a second person');
  assert.equal((await read('pricing-policy')).validityPremium.method, 'none');
  await approve(checker, 'Pricing');
  const { validityPremium, marketHours } = await read('pricing-policy');
  assert.deepEqual(validityPremium, {
    ...{ method: 'table', table: [{ upToSeconds: 60, bps: '1.5' }], volatility: null },
  });
  assert.deepEqual(
    marketHours.map(({ days, from, bps }: { days: string[]; from: string; bps: string }) => [
      days.length,
      from,
      bps,
    ]),
    [[5, '16:55', '4']],
  );
  await page.goto(at('/console/spreads?tab=premiums'));
  await page.locator('section[aria-label="Wider hours"] td', { hasText: '16:55 to 17:10' }).waitFor();
  await change.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'History of Premiums' }).click();
  const history = page.locator('section[aria-label="Premiums so far"]');
  await history.locator('tbody tr', { hasText: 'Set for the first time' }).waitFor();
  await looksWell(maker);
  await history.getByRole('button', { name: 'Close the history' }).click();
  await history.waitFor({ state: 'detached' });
  assert.deepEqual([...maker.faults, ...checker.faults], []);
  for (const desk of [maker, checker]) await desk.page.context().close();
});

test('a premium is taken away and kept again, and what would make a longer promise cheaper is refused in words', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await eyes?.setPolicy({ pricing: 'never' });
  const desk = await signIn('Dana Dealer');
  const { page, at } = desk;
  await page.goto(at('/console/spreads?tab=premiums'));
  await page.getByRole('button', { name: 'Remove, Firm for up to 60 s' }).click();
  const change = page.locator('[aria-label="Your change"]');
  await change.locator('li', { hasText: 'Firm for up to 60 s: 1.5 bps → none' }).waitFor();
  await page.getByRole('button', { name: 'Keep, Firm for up to 60 s' }).click();
  await change.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Add a length' }).click();
  await fill(desk, { 'Firm for up to, seconds': '300', 'Added, bps': '1' });
  const dialog = page.locator('dialog');
  await page.getByRole('button', { name: 'Send change' }).click();
  await dialog.getByRole('button', { name: 'Send change' }).click();
  await dialog.locator('[role=alert]', { hasText: 'must not be less than in the row before' }).waitFor();
  assert.equal((await read('pricing-policy')).validityPremium.table.length, 1);
  await page.context().close();
});

test('interest rates are set for dates before spot, and points of a pair for the day', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await eyes?.setPolicy({ pricing: 'never' });
  const desk = await signIn('Dana Dealer');
  const { page, at } = desk;
  const dialog = page.locator('dialog');
  await page.goto(at('/console/spreads?tab=swap-points'));
  await page.getByRole('button', { name: 'Add a rate' }).click();
  await fill(desk, {
    ...{ Currency: 'eur', 'Bid, percent a year': '1.90', 'Ask, percent a year': '2.10' },
    ...{ 'As of, such as 2026-03-02': '2026-03-05', Source: 'the desk' },
  });
  await page.getByLabel('New: Oldest interest rate that is used, days').fill('3');
  await looksWell(desk);
  await page.getByRole('button', { name: 'Send change' }).click();
  await dialog.getByRole('button', { name: 'Send change' }).click();
  await told(page, 'The new policy is in force.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  const { ratesMaxAgeDays, interestRates } = await read('swap-point-policy');
  assert.deepEqual([ratesMaxAgeDays, interestRates[0].currency, interestRates[0].ask], [3, 'EUR', '2.10']);

  await page.goto(at('/console/health/EURUSD'));
  await page.getByRole('button', { name: 'Set swap points' }).click();
  for (const [label, pips] of Object.entries({
    ...{ 'Overnight bid, pips': '0.50', 'Overnight ask, pips': '0.60' },
    ...{ 'Tom-next bid, pips': '-0.58', 'Tom-next ask, pips': '−0.52' },
  }))
    await dialog.getByLabel(label).fill(pips);
  await dialog.getByLabel('Source of the points').fill('two banks');
  await dialog.getByLabel('Reason').fill('their screens are down');
  await dialog.getByRole('button', { name: 'Set swap points' }).dblclick();
  await told(page, 'The points are in force.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  const { set } = await read('swap-points/EURUSD');
  assert.deepEqual([set.on.ask, set.tn], ['0.60', { bid: '-0.58', ask: '-0.52' }]);
  await page
    .locator('section[aria-label="Prices before spot"] td', {
      hasText: 'Tom-next -0.58 / -0.52 pips, operator: two banks',
    })
    .first()
    .waitFor();
  await looksWell(desk);
  await page.context().close();
});
