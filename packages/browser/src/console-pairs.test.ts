import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fourEyes } from '../../service/test/support/four-eyes.ts';
import { approve, type Desk, LIMIT_MS, looksWell, openFloor, told } from './test-support.ts';

/** The page of a pair: suspended and resumed, its settings, and a price that only a person can accept. */

const { skip, service, signIn } = await openFloor({ FIRMQUOTE_SOURCES: 'simulated,push:desk-a' });
const eyes = service === undefined ? undefined : await fourEyes(service);

const read = async (path: string) => (await service?.operate('GET', `/v1/operator/${path}`))?.body;

async function priceOf(pair: string) {
  return (await read(`prices?pair=${pair}`)).items[0];
}

async function openPair(desk: Desk, pair: string): Promise<void> {
  await desk.page.goto(desk.at('/console/health'));
  await desk.page.locator('section[aria-label="Pairs"]').getByRole('link', { name: pair }).click();
  await desk.page.locator(`h1:text-is("${pair}")`).waitFor();
}

test('a pair is suspended and resumed, by one where the policy permits it', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await eyes?.setPolicy({ pricing: 'never' });
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  await openPair(desk, 'EUR/USD');
  await page.locator('section[aria-label="What the sources say"] tr', { hasText: 'simulated' }).waitFor();
  const dialog = page.locator('dialog');
  const before = await read('pairs/EURUSD');
  await page.getByRole('button', { name: 'Suspend' }).click();
  await dialog.getByRole('button', { name: 'Suspend' }).dblclick();
  await told(page, 'The pair is suspended.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.locator('.page-head .chip', { hasText: 'Suspended' }).waitFor();
  const settings = await read('pairs/EURUSD');
  assert.deepEqual(
    [settings.enabled, settings.version, settings.bandBps, settings.ownLimits],
    [false, before.version + 1, before.bandBps, []],
    'pressed twice, done once, and all else is as it was',
  );
  await page.getByRole('button', { name: 'Resume' }).click();
  await dialog.getByRole('button', { name: 'Resume' }).click();
  await told(page, 'The pair is quoted again.');
  assert.equal((await read('pairs/EURUSD')).enabled, true);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await looksWell(desk);
  await page.context().close();
});

test('settings of a pair are edited in rows, and proposed by one and approved by another', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await eyes?.setPolicy({ pricing: 'always' });
  const [maker, checker] = [await signIn('Dana Dealer'), await signIn('Ada Approver')];
  const { page, at } = maker;
  await page.goto(at('/console/health/GBPUSD'));
  await page.getByLabel('New: Oldest price that makes a firm quote, ms').fill('50');
  const change = page.locator('[aria-label="Your change"]');
  await change.locator('.wrong', { hasText: 'Enter 100 to 3600000.' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Send change' }).count(), 0);
  await page.getByLabel('New: Oldest price that makes a firm quote, ms').fill('2500');
  await page.getByLabel('New: Sources further apart halt the pair, bps').fill('');
  await change
    .locator('li', { hasText: 'Sources further apart halt the pair: 50.00 bps → not checked' })
    .waitFor();
  await looksWell(maker);
  const dialog = page.locator('dialog');
  await page.getByRole('button', { name: 'Send change' }).click();
  await dialog.getByLabel('Reason, for the approver').fill('a slower feed until Friday');
  await dialog.getByRole('button', { name: 'Send change' }).click();
  await told(page, 'It waits for a second person');
  assert.equal((await read('pairs/GBPUSD')).stalenessMs, 5_000);
  await approve(checker, 'Pricing');
  const { stalenessMs, deviationBps } = await read('pairs/GBPUSD');
  assert.deepEqual([stalenessMs, deviationBps], [2_500, null]);
  await page.goto(at('/console/health/GBPUSD'));
  await page.locator('td', { hasText: '2500 ms' }).first().waitFor();
  await change.waitFor({ state: 'detached' });
  await page.locator('.hint', { hasText: 'Set by' }).waitFor();
  for (const desk of [maker, checker]) await desk.page.context().close();
});

test('a market that has really moved has no price until a dealer accepts one, with a reason that is kept', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await eyes?.setPolicy({ pricing: 'never' });
  const desk = await signIn('Dana Dealer');
  const { page, at } = desk;
  const push = async (mid: number) => {
    const prices = [{ pair: 'EURUSD', bid: mid.toFixed(5), ask: (mid + 0.0001).toFixed(5) }];
    const sent = await service?.operate('POST', '/v1/operator/prices', { source: 'push:desk-a', prices });
    assert.equal(sent?.status, 200, sent?.text);
  };
  const { lastGood } = await priceOf('EURUSD');
  const off = await service?.operate('POST', '/v1/operator/market/sources/simulated/disable', {
    reason: 'not connected today',
  });
  assert.equal(off?.status, 200, off?.text);
  const moved = Number(lastGood.price) * 1.05;
  await push(moved);
  await page.goto(at('/console/health'));
  await page
    .locator('.callout', { hasText: 'EUR/USD has no price until somebody accepts one' })
    .getByRole('link', { name: 'See what they say' })
    .click();
  await page
    .locator('section[aria-label="What the sources say"] tr', { hasText: 'push:desk-a' })
    .locator('td', { hasText: 'Outside band' })
    .waitFor();
  await page.locator('text=No price has been accepted by hand').waitFor();
  await looksWell(desk);
  const dialog = page.locator('dialog');
  await page.getByRole('button', { name: 'Accept a price' }).click();
  await dialog.getByLabel('Correct mid price').fill('0');
  await dialog.getByLabel('Reason').fill('seen at two brokers');
  assert.ok(await dialog.getByRole('button', { name: 'Accept a price' }).isDisabled());
  await dialog.getByLabel('Correct mid price').fill(moved.toFixed(4));
  await dialog.getByRole('button', { name: 'Accept a price' }).dblclick();
  await told(page, 'The price is accepted.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await push(moved);
  await page.locator('.callout.bad').waitFor({ state: 'detached' });
  await page
    .locator('section[aria-label="Accepted prices"] tr', { hasText: 'seen at two brokers' })
    .waitFor();
  const { items } = await read('pairs/EURUSD/accepted-prices');
  assert.equal(items.length, 1, 'pressed twice, done once');
  assert.equal((await priceOf('EURUSD')).awaitingAcceptance, false);
  assert.deepEqual(desk.faults, []);
  await page.context().close();
});
