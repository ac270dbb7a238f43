import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute, faultsOfAccess, LIMIT_MS, openFloor, openTicket } from './test-support.ts';

/** The console as a dealer has it: `docs/console.md`. */

const { skip, service, signIn, traded } = await openFloor();

test('a dealer trades by the keyboard alone', { skip, timeout: LIMIT_MS }, async () => {
  const desk = await signIn('Dana Dealer');
  const { page, faults, hosts } = desk;
  const before = await traded();
  await openTicket(desk, '1.000.000,00');
  await page.locator('#ticket-amount-hint:text-is("1,000,000.00 EUR")').waitFor();
  await page.keyboard.press('Control+Enter');
  await execute(desk).waitFor();
  // The button has the focus.
  await page.keyboard.press('Enter');
  await page.locator('.drawer a[href*="/transactions/txn_"]').click();
  await page.getByRole('heading', { name: /^Transaction RF/ }).waitFor();
  await page.locator('text=How the price was made').waitFor();
  // Who may not list people reads who acted.
  await page.locator('.timeline li:has-text("Dana Dealer")').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Confirmation as PDF' }).click();
  assert.match((await download).suggestedFilename(), /^confirmation-RF.*\.pdf$/);
  assert.equal((await traded()).length, before.length + 1);
  assert.deepEqual(faults, []);
  assert.deepEqual([...hosts], [service?.baseUrl]);
  await page.context().close();
});

test('a newcomer is led through a first day, and moves the simulated world', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { page, at, faults } = await signIn('Olu Operations');
  await page.getByRole('heading', { name: /^Your first day: [3-5] of 5/ }).waitFor();
  await page.getByRole('button', { name: 'SANDBOX' }).click();
  await page.locator('text=the real time').waitFor();
  await page.getByRole('button', { name: '+1 hour' }).click();
  await page.locator('text=/UTC, moved/').waitFor();
  assert.deepEqual(await faultsOfAccess(page), []);
  await page.getByRole('button', { name: 'Back to real time' }).click();
  await page.locator('text=the real time').waitFor();
  await page.getByRole('button', { name: /^Close$/ }).click();
  await page.goto(at('/console/overview'));
  await page.getByRole('button', { name: 'Hide' }).click();
  await page.locator('.first-day').waitFor({ state: 'detached' });
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('a moved clock says so and shows its date, to whoever looks, whoever moved it', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { page, faults } = await signIn('Olu Operations');
  const clock = page.locator('.top .clock').first();
  assert.match((await clock.textContent()) ?? '', /^UTC \d\d:\d\d:\d\d$/);
  await service?.operate('POST', '/v1/sandbox/clock', { now: '2026-03-04T22:30:00Z' });
  await page.locator('text=/^Clock moved: 2026-03-04 22:3\\d:\\d\\d UTC$/').waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1280, 900, 600, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await clock.waitFor();
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
    }
    assert.deepEqual(await faultsOfAccess(page), []);
  }
  // The tab that moves it goes by it at once: no other answer is waited for.
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'SANDBOX' }).click();
  await page.route('**/auth/session', () => new Promise(() => undefined));
  await page.getByRole('button', { name: '+1 day' }).click();
  await page.locator('text=/^Clock moved: 2026-03-05 22:3/').waitFor();
  await page.getByRole('button', { name: 'Back to real time' }).click();
  await page.locator('.top .clock:not(.moved)').waitFor();
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('a double click trades once', { skip, timeout: LIMIT_MS }, async () => {
  const desk = await signIn('Dana Dealer');
  const before = await traded();
  await openTicket(desk, '250k');
  await desk.page.keyboard.press('Control+Enter');
  await execute(desk).dblclick();
  await desk.page.locator('.drawer a[href*="/transactions/txn_"]').waitFor();
  assert.equal((await traded()).length, before.length + 1);
  await desk.page.context().close();
});

test('a quote that expires while it is looked at cannot be executed', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  const before = await traded();
  await openTicket(desk, '1k', '');
  await page.clock.install();
  await page.keyboard.press('Control+Enter');
  await execute(desk).waitFor();
  await page.clock.fastForward(31_000);
  await page.locator('text=The quote has expired').waitFor();
  assert.equal(await execute(desk).count(), 0);
  // What was filled in is still there.
  assert.equal(await page.locator('#ticket-amount').inputValue(), '1k');
  assert.equal((await traded()).length, before.length);
  await page.context().close();
});

test('a link skips to the page, and nothing moves for who wants that', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Dana Dealer', { reducedMotion: 'reduce' });
  const { page, at } = desk;
  await page.goto(at('/console/overview'));
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  await page.keyboard.press('Tab');
  const focused = () => page.evaluate('document.activeElement.textContent.trim()');
  assert.equal(await focused(), 'Skip to the page');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate('document.activeElement.tagName'), 'MAIN');
  await openTicket(desk, '1k');
  const moves = `[...document.getAnimations()].length + getComputedStyle(document.querySelector('.drawer')).animationName`;
  assert.equal(await page.evaluate(moves), '0none');
  await page.context().close();
});

test('an answer that is lost is asked for, and nothing is sent twice', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  const before = await traded();
  const keys = new Set<string | undefined>();
  let isCut = true;
  await page.route('**/execute', async (route) => {
    keys.add(route.request().headers()['idempotency-key']);
    // It arrives, and its answer does not.
    await route.fetch();
    await route.abort('connectionreset');
  });
  await page.route('**/v1/operator/quotes/quote_*', async (route) =>
    isCut ? route.abort() : route.continue(),
  );
  await openTicket(desk, '2k');
  await page.keyboard.press('Control+Enter');
  await execute(desk).click();
  await page.locator('text=We do not know yet').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Close' }).first().isDisabled());
  isCut = false;
  await page.locator('.drawer a[href*="/transactions/txn_"]').waitFor();
  assert.equal(keys.size, 1);
  assert.equal((await traded()).length, before.length + 1);
  await page.context().close();
});

for (const theme of ['light', 'dark']) {
  test(`every page is whole and open to everybody, ${theme}`, { skip, timeout: LIMIT_MS }, async () => {
    const { page, faults, hosts, at } = await signIn('Ada Approver', { colorScheme: theme });
    const [trade] = await traded();
    const shown: readonly (readonly [path: string, what: string])[] = [
      [`/console/transactions/${trade?.transactionId}`, 'text=How the price was made'],
      [`/console/quotes/${trade?.quoteId}`, 'text=How the price was made'],
      ['/console/overview', '#attention'],
      ['/console/markets', '.tile[data-state="live"]'],
      ['/console/markets?ticket=new', '.drawer #ticket-amount'],
      ['/console/quotes', 'table a, .callout'],
      ['/console/transactions', 'table a, .callout'],
      ['/console/exceptions', 'table, .callout'],
      ['/console/approvals', 'table, .callout'],
      ['/console/nothing', 'text=There is no such page'],
    ];
    for (const [path, what] of shown) {
      await page.goto(at(path));
      await page.locator(what).first().waitFor();
      assert.deepEqual(await faultsOfAccess(page), [], `${path} ${theme}`);
    }
    await page.setViewportSize({ width: 320, height: 640 });
    for (const [path, what] of shown) {
      await page.goto(at(path));
      await page.locator(what).first().waitFor();
      const width = await page.evaluate('document.documentElement.scrollWidth');
      assert.equal(width, 320, path);
    }
    assert.deepEqual(faults, []);
    assert.deepEqual([...hosts], [service?.baseUrl]);
    await page.context().close();
  });
}
