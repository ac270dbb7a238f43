import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../service/test/support/process.ts';
import type { ConsolePage } from './chromium.ts';
import { LIMIT_MS, openFloor } from './test-support.ts';

/** Live prices over a network that is not always there. */

const { skip, service, network, signIn } = await openFloor();
const live = '.tile[data-state="live"]';

async function streams(): Promise<number> {
  const text = await (await fetch(`${service?.application.localUrl}/metrics`)).text();
  return Number.parseInt(/price_streams_open\{transport="sse"\} (\d+)/.exec(text)?.[1] ?? '-1', 10);
}

const streamsAre = (count: number) => until(`${count} streams`, async () => (await streams()) === count);

/** Waits until other prices stand there than now. */
const moving = (page: ConsolePage) =>
  page.evaluate(`new Promise((resolve) => {
    const tiles = document.querySelector('.tiles');
    const watch = new MutationObserver(() => {
      watch.disconnect();
      resolve();
    });
    watch.observe(tiles, { subtree: true, childList: true, characterData: true });
  })`);

for (const [way, program] of [
  ['a shared worker', ''],
  ['the tab that holds the lock', 'delete window.SharedWorker'],
] as const) {
  test(`two tabs read one stream, over ${way}`, { skip, timeout: LIMIT_MS }, async () => {
    const { page, at, faults } = await signIn('Dana Dealer');
    await page.addInitScript(program);
    await page.goto(at('/console/markets'));
    await page.locator(live).first().waitFor();
    const second = await page.context().newPage();
    await second.addInitScript(program);
    await second.goto(at('/console/markets'));
    await second.locator(live).first().waitFor();
    await moving(second);
    await streamsAre(1);
    // Whoever read for both is gone: the other one goes on.
    await page.goto('about:blank');
    await moving(second);
    await streamsAre(1);
    await second.locator(live).first().waitFor();
    await second.goto('about:blank');
    await streamsAre(0);
    assert.deepEqual(faults, []);
    await page.context().close();
  });
}

test('a lost connection is seen, and heals without a reload', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { page, at } = await signIn('Dana Dealer');
  await page.goto(at('/console/markets'));
  await page.locator(live).first().waitFor();
  await page.evaluate('window.isSame = true');
  for (const state of ['silent', 'cut'] as const) {
    network.set(state);
    await page.locator('.link-state.reconnecting').waitFor();
    await page.locator('.tile[data-state="stale"]').first().waitFor();
    assert.equal(await page.locator('.tile .side:not(:disabled)').count(), 0);
    // The price stays, with its age.
    assert.match(
      (await page.locator('.tile[data-state="stale"]').first().textContent()) ?? '',
      /Not live \d+ s/,
    );
    network.set('whole');
    await page.locator(live).first().waitFor();
  }
  assert.equal(await page.evaluate('window.isSame'), true);
  await page.context().close();
});

test('paused prices stand still, and go on', { skip, timeout: LIMIT_MS }, async () => {
  const { page, at } = await signIn('Dana Dealer');
  await page.goto(at('/console/markets'));
  await page.locator(live).first().waitFor();
  await page.keyboard.press('P');
  await page.locator('text=Prices are paused').waitFor();
  const shown = () =>
    page.evaluate(`[...document.querySelectorAll('.price')].map(({ textContent }) => textContent).join()`);
  const before = await shown();
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 600))');
  assert.equal(await shown(), before);
  await page.keyboard.press('P');
  await until('other prices', async () => (await shown()) !== before);
  await page.context().close();
});
