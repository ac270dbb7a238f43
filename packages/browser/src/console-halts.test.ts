import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  execute,
  LIMIT_MS,
  noteOf,
  openFloor,
  openHealth,
  openTicket,
  switchSource,
} from './test-support.ts';

/** A halt that nobody has ordered, while a ticket is open. */

const { skip, service, signIn, traded } = await openFloor({ FIRMQUOTE_SOURCES: 'simulated,push:desk-a' });

test('a halt that begins by itself is told as that; a firm price stands, and the dealer ends it by the wrong source', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  assert.ok(service !== undefined);
  const [desk, health] = [await signIn('Dana Dealer'), await openHealth(signIn)];
  const before = await traded();
  await openTicket(desk, '2k');
  await desk.page.keyboard.press('Control+Enter');
  await execute(desk).waitFor();
  const { items } = (await service.operate('GET', '/v1/operator/prices')).body;
  const { ask } = items.find(({ pair }: { pair: string }) => pair === 'EURUSD');
  // Too far from what the other source says, and too near to be taken for a slip.
  const level = (Number.parseFloat(ask) * 1.007).toFixed(4);
  const wrong = { pair: 'EURUSD', bid: `${level}0`, ask: `${level}5` };
  // A price that nobody renews is stale, and halts nothing.
  const feed = setInterval(
    () => void service.operate('POST', '/v1/operator/prices', { source: 'push:desk-a', prices: [wrong] }),
    500,
  );
  try {
    await noteOf(desk, /EUR\/USD is halted automatically since .*push:desk-a.* disagree/).waitFor();
    await execute(desk).click();
    await desk.page.locator('.drawer a[href*="/transactions/txn_"]').waitFor();
    assert.equal((await traded()).length, before.length + 1, 'what was firm is traded');
    await desk.page.getByRole('button', { name: /^Request again/ }).click();
    await desk.page.locator('.drawer form [role=alert]').locator('text=/halted/i').waitFor();
    await health.page
      .locator('.callout:has-text("EUR/USD is halted automatically") >> text=push:desk-a')
      .waitFor();
    await health.page.locator('.verdict >> text=Not every price can be trusted').waitFor();
    await switchSource(health, 'push:desk-a', 'Switch off');
    await noteOf(desk, /is halted/).waitFor({ state: 'detached' });
    await health.page.locator('.callout:has-text("is halted automatically")').waitFor({ state: 'detached' });
    await desk.page.keyboard.press('Control+Enter');
    await execute(desk).waitFor();
  } finally {
    clearInterval(feed);
  }
  for (const { page } of [desk, health]) await page.context().close();
});
