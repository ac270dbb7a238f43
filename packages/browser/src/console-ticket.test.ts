import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../service/test/support/process.ts';
import { faultsOfBreaks, faultsOfReflow } from './in-page.ts';
import {
  execute,
  FIRM_S,
  faultsOfAccess,
  LIMIT_MS,
  noteOf,
  openFloor,
  openHealth,
  openTicket,
  switchSource,
} from './test-support.ts';

/** What can go wrong between a price and a trade: whatever it is, nothing is traded twice, and nobody is left in doubt. */

const { skip, service, network, signIn, traded } = await openFloor();
const done = '.drawer a[href*="/transactions/txn_"]';
const moveClock = (by: object) => service?.operate('POST', '/v1/sandbox/clock', by);

test('the feed dies while a quote is firm: the quote stands, prices do not', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  await openTicket(desk, '4k');
  await page.keyboard.press('Control+Enter');
  await execute(desk).waitFor();
  network.set('cut');
  await page.locator('.tile[data-state="stale"]').first().waitFor();
  assert.equal(await page.locator('.tile .side:not(:disabled)').count(), 0);
  network.set('whole');
  await page.locator('.tile[data-state="live"]').first().waitFor();
  await execute(desk).click();
  await page.locator(done).waitFor();
  await page.context().close();
});

test('a quote that expires while it is being executed is not traded, and is said to have expired', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  const before = await traded();
  // The page does not hear of it before it executes.
  await page.route('**/v1/operator/quotes/*', (route) => route.abort());
  await openTicket(desk, '5k');
  await page.keyboard.press('Control+Enter');
  await execute(desk).waitFor();
  // By the service's clock its time is over, while the page still counts.
  await moveClock({ advanceSeconds: 2 * FIRM_S });
  await execute(desk).click();
  await page.locator('text=The quote has expired. Nothing was traded.').waitFor();
  assert.equal((await traded()).length, before.length);
  // One key asks for the next price.
  await page.locator('.drawer h2').first().click();
  await page.keyboard.press('R');
  await execute(desk).waitFor();
  await page.context().close();
  await moveClock({ real: true });
});

test('the back button closes nothing that is under way, and trades nothing', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Dana Dealer');
  const { page, at } = desk;
  const before = await traded();
  await openTicket(desk, '6k');
  await page.keyboard.press('Control+Enter');
  await execute(desk).click();
  await page.locator(done).click();
  await page.getByRole('heading', { name: /^Transaction RF/ }).waitFor();
  await page.goBack();
  await page.locator('.tiles').waitFor();
  await page.goto(at('/console/overview'));
  assert.equal((await traded()).length, before.length + 1);
  await page.context().close();
});

test('a clock that is an hour off changes nothing', { skip, timeout: LIMIT_MS }, async () => {
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  await page.addInitScript(`{
    const { now } = Date;
    Date.now = () => now() + 3_600_000;
  }`);
  await openTicket(desk, '7k');
  await page.keyboard.press('Control+Enter');
  await execute(desk).waitFor();
  const left = Number.parseInt((await page.locator('.countdown .left').first().textContent()) ?? '', 10);
  assert.ok(left > 0 && left <= FIRM_S, `${left} s`);
  const clock = (await page.locator('.clock').first().textContent()) ?? '';
  const [hours, minutes] = [new Date().getUTCHours(), new Date().getUTCMinutes()];
  const [, h, m] = /(\d\d):(\d\d):\d\d/.exec(clock) ?? [];
  const minutesOff = Math.abs(hours * 60 + minutes - Number(h) * 60 - Number(m)) % (24 * 60);
  assert.ok(minutesOff <= 1 || minutesOff >= 24 * 60 - 1, clock);
  await execute(desk).click();
  await page.locator(done).waitFor();
  await page.context().close();
});

test('the same trade a moment later is asked about once, before it can be executed', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  const before = await traded();
  const customerId = (await service?.operate('GET', '/v1/operator/customers'))?.body.items[0].customerId;
  const held: (() => void)[] = [];
  let isHeld = true;
  // What was traded last comes later than the price, or not at all.
  await page.route(`**/v1/operator/transactions?*customerId=${customerId}*`, async (route) => {
    if (isHeld) await new Promise<void>((release) => held.push(release));
    await route.continue().catch(() => undefined);
  });
  // The second time the page waits for the list for as long as this test takes to answer it, which is no second on a busy machine.
  await page.addInitScript(`const wait = window.setTimeout;
  window.setTimeout = (work, ms, ...rest) => wait(work, window.isPatient && ms === 1000 ? 120_000 : ms, ...rest);
  new MutationObserver(() => {
    window.first ??= document.querySelector('.firm .first')?.getAttribute('aria-disabled') ?? undefined;
  }).observe(document, { subtree: true, childList: true });`);
  for (const isSecond of [false, true]) {
    await openTicket(desk, '8,000.00');
    await page.evaluate(`window.isPatient = ${isSecond}`);
    await page.keyboard.press('Control+Enter');
    await execute(desk).waitFor();
    assert.equal(await page.evaluate('window.first'), 'true');
    // A press that is too early is not lost, but for something that has to be read first.
    await page.keyboard.press('Enter');
    if (isSecond) {
      isHeld = false;
      for (const release of held) release();
      await page.locator('text=/The same was traded \\d+ s ago/').waitFor();
      assert.ok(await execute(desk).isDisabled());
      await page.getByLabel('This is another trade').check();
      await execute(desk).click();
    }
    // A price is not lost to a list that nobody answers.
    await page.locator(done).waitFor();
  }
  assert.equal((await traded()).length, before.length + 2);
  await page.context().close();
});

test('a quote is asked for by what was chosen last, however quick the next key is, and its button has the focus at once', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  await openTicket(desk, '12k');
  await page.locator('#ticket-reference').fill('Invoice 2292');
  const asked = page.waitForResponse((answer) => /customers\/[^/]+\/quotes$/.test(answer.url()));
  // No frame is drawn between the choices and the key, and nobody is quicker to look at the button than this.
  await page.evaluate(`{
    const choose = (id, value) => {
      const select = document.getElementById(id);
      select.value = value;
      select.dispatchEvent(new Event('change', { bubbles: true }));
    };
    choose('ticket-value', 'tom');
    document.querySelectorAll('.segments input')[1].click();
    new MutationObserver((_, watch) => {
      const button = document.querySelector('.firm .first');
      if (button === null) return;
      watch.disconnect();
      window.isFocused = document.activeElement === button;
    }).observe(document.body, { childList: true, subtree: true });
    document.getElementById('ticket-reference').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }));
  }`);
  const { tenor, sellCurrency, fixedSide, clientReference } = JSON.parse(
    (await asked).request().postData() ?? '{}',
  );
  assert.deepEqual(
    { tenor, sellCurrency, fixedSide, clientReference },
    { tenor: 'tom', sellCurrency: 'USD', fixedSide: 'buy', clientReference: 'Invoice 2292' },
  );
  await execute(desk).waitFor();
  assert.equal(await page.evaluate('window.isFocused'), true);
  await page.context().close();
});

test("a customer's price stands beside the market's, for the value date that is chosen", {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  await openTicket(desk, '9k');
  await page.locator('#ticket-value option').first().waitFor({ state: 'attached' });
  await page.evaluate(`(() => {
    const choose = (id, pick) => {
      const select = document.getElementById(id);
      select.value = pick(select);
      select.dispatchEvent(new Event('change', { bubbles: true }));
    };
    choose('filter-customer', (select) => select.options[1].value);
    choose('ticket-value', () => 'tom');
  })()`);
  await page.locator('text=/^\\d+\\.\\d+ \\/ \\d+\\.\\d+$/').first().waitFor();
  await page.keyboard.press('Control+Enter');
  await execute(desk).waitFor();
  assert.match((await page.locator('.firm').first().textContent()) ?? '', /Value date\d{4}-/);
  await page.context().close();
});

for (const way of ['is loaded again', 'shows another page'] as const) {
  test(`a page that ${way} in the middle of an execution finds what became of it`, {
    skip,
    timeout: LIMIT_MS,
  }, async () => {
    const desk = await signIn('Dana Dealer');
    const { page } = desk;
    const before = await traded();
    const keys = new Set<string | undefined>();
    await page.route('**/execute', async (route) => {
      keys.add(route.request().headers()['idempotency-key']);
      // It arrives, and its answer stays out for good.
      await route.fetch();
    });
    await openTicket(desk, way === 'is loaded again' ? '21k' : '22k');
    await page.keyboard.press('Control+Enter');
    await execute(desk).click();
    await until('the trade', async () => (await traded()).length > before.length);
    if (way === 'is loaded again') await page.reload();
    else {
      await page.locator('nav a:has-text("Quotes")').click();
      await page.getByRole('heading', { name: 'Quotes' }).waitFor();
      await page.getByRole('button', { name: 'New ticket' }).click();
    }
    await page.locator(done).waitFor();
    assert.equal(await execute(desk).count(), 0);
    assert.equal(keys.size, 1);
    assert.equal((await traded()).length, before.length + 1);
    // The next ticket is a new one.
    await page.getByRole('button', { name: /^Close$/ }).click();
    await page.locator('.drawer').waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await page.locator('#ticket-amount').waitFor();
    assert.equal(await page.locator('.drawer .firm').count(), 0);
    await page.context().close();
  });
}

test('the network is cut in the middle of an execution', { skip, timeout: LIMIT_MS }, async () => {
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  const before = await traded();
  await openTicket(desk, '3k');
  await page.keyboard.press('Control+Enter');
  await execute(desk).waitFor();
  // It goes out, and nothing comes back.
  network.set('silent');
  await execute(desk).click();
  await page.locator('text=Taking longer than usual').waitFor();
  network.set('cut');
  await page.locator('text=We do not know yet').waitFor();
  network.set('whole');
  // It has not arrived, and is not sent again: the quote runs out, and then it is certain.
  await moveClock({ advanceSeconds: 2 * FIRM_S });
  await page.locator('text=The quote has expired. Nothing was traded.').waitFor();
  assert.equal((await traded()).length, before.length);
  await page.context().close();
  await moveClock({ real: true });
});

test('a source that is switched off is named where prices are missing, and is switched on by the dealer', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const [desk, health] = [await signIn('Dana Dealer'), await openHealth(signIn)];
  await health.page.locator('.verdict >> text=Prices can be trusted').waitFor();
  await openTicket(desk, '1k');
  assert.equal(await desk.page.locator('.drawer .callout').count(), 0);
  await switchSource(health, 'simulated', 'Switch off');
  await noteOf(desk, /EUR\/USD has no (fresh )?price/).waitFor();
  await desk.page.keyboard.press('Control+Enter');
  await desk.page.locator('.drawer form [role=alert]').locator('text=/price/').waitFor();
  assert.deepEqual(await faultsOfAccess(desk.page), []);
  await health.page.locator('.verdict >> text=Not every price can be trusted').waitFor();
  await health.page.locator('tr:has-text("simulated") >> text=Switched off').waitFor();
  await switchSource(health, 'simulated', 'Switch on');
  await desk.page.locator('.drawer .callout').waitFor({ state: 'detached' });
  await desk.page.keyboard.press('Control+Enter');
  await execute(desk).waitFor();
  for (const { page } of [desk, health]) await page.context().close();
});

for (const [what, target] of [
  ['EUR/USD is halted', { scope: 'pair', pair: 'EURUSD' }],
  ['trading is halted', { scope: 'customer' }],
] as const) {
  test(`a quote that a halt of the ${target.scope} takes back is offered no more`, {
    skip,
    timeout: LIMIT_MS,
  }, async () => {
    const desk = await signIn('Dana Dealer');
    const { page } = desk;
    const before = await traded();
    const sent: string[] = [];
    page.on('request', (request) => request.url().endsWith('/execute') && sent.push(request.url()));
    await openTicket(desk, '11k');
    await page.keyboard.press('Control+Enter');
    await execute(desk).waitFor();
    const customerId = await page.locator('#ticket-customer').inputValue();
    const whom = target.scope === 'customer' ? { ...target, customerId } : target;
    const order = { ...whom, openQuotes: 'withdraw', reason: 'a speech <b>today</b>' };
    const ordered = await service?.operate('POST', '/v1/operator/market/halt', order);
    assert.equal(ordered?.status, 200, ordered?.text);
    await page.locator(`.firm :text("Withdrawn: ${what}")`).waitFor();
    assert.equal(await execute(desk).count(), 0);
    assert.equal(await page.locator('.countdown').count(), 0);
    await page.locator('.firm :text("a speech <b>today</b>")').waitFor();
    // Who asks again is told the same, once, and since when.
    await page.getByRole('button', { name: /^Request again/ }).click();
    await page.locator('.drawer form [role="alert"]', { hasText: 'No quote: trading is halted' }).waitFor();
    await page.locator('.drawer form time').first().waitFor();
    const reported = (await page.locator('.drawer').textContent()) ?? '';
    assert.doesNotMatch(reported, /market is closed/i);
    assert.match(
      reported,
      target.scope === 'pair' ? /EUR\/USD is halted since/ : /Quotes of this customer are halted since/,
    );
    const lifted = await service?.operate('POST', '/v1/operator/market/resume', { ...whom, reason: 'over' });
    assert.equal(lifted?.status, 200, lifted?.text);
    await page.locator('.tile[data-pair="EURUSD"][data-state="live"]').waitFor();
    await page.getByRole('button', { name: /^Request quote/ }).click();
    await execute(desk).waitFor();
    assert.deepEqual(sent, []);
    assert.equal((await traded()).length, before.length);
    await page.context().close();
  });
}

test('beside what was executed nothing says that nothing was changed', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  await page.route('**/execute', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await openTicket(desk, '23k');
  await page.keyboard.press('Control+Enter');
  await execute(desk).waitFor();
  // From here on customers cannot be read, as while a service starts again.
  await page.route('**/v1/operator/customers?*', (route) => route.abort());
  await execute(desk).click();
  await page.locator(done).waitFor();
  const said = async () => (await page.locator('.drawer').textContent()) ?? '';
  assert.doesNotMatch(await said(), /Nothing was/);
  await page.reload();
  await page.locator('.drawer').getByRole('button', { name: 'Try again' }).waitFor();
  assert.match(await said(), /The service does not answer/);
  assert.doesNotMatch(await said(), /Nothing was/);
  await page.context().close();
});

test('on a phone no amount of a firm quote is broken over two lines', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Dana Dealer', { viewport: { width: 320, height: 640 } });
  const { page, at } = desk;
  await openTicket(desk, '250k');
  await page.keyboard.press('Control+Enter');
  await execute(desk).waitFor();
  assert.deepEqual([...(await faultsOfBreaks(page)), ...(await faultsOfReflow(page))], []);
  await execute(desk).click();
  await page.locator(done).click();
  await page.getByRole('heading', { name: /^Transaction RF/ }).waitFor();
  assert.deepEqual(await faultsOfBreaks(page), []);
  await page.goto(at('/console/overview'));
  await page.locator('main table').waitFor();
  assert.deepEqual(await faultsOfBreaks(page), []);
  await page.context().close();
});

test('a firm quote is found again by forward, by a reload and by a link, and once it is executed so is its trade', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Dana Dealer');
  const { page, at } = desk;
  const before = await traded();
  await openTicket(desk, '31k');
  await page.keyboard.press('Control+Enter');
  await execute(desk).waitFor();
  const amounts = () => page.locator('.firm .money').allTextContents();
  const firm = await amounts();
  // "Back" closes the ticket, and stays on the page on which it was opened.
  await page.goBack();
  await page.locator('.drawer').waitFor({ state: 'detached' });
  await page.locator('.tiles').waitFor();
  await page.goForward();
  await execute(desk).waitFor();
  assert.deepEqual(await amounts(), firm);
  await page.reload();
  await execute(desk).waitFor();
  assert.deepEqual(await amounts(), firm);
  const left = Number.parseInt((await page.locator('.countdown .left').first().textContent()) ?? '', 10);
  assert.ok(left > 0 && left <= FIRM_S, `${left} s`);
  await execute(desk).click();
  await page.locator(done).waitFor();
  const [made] = (await traded()).filter(
    ({ transactionId }) => !before.some((each) => each.transactionId === transactionId),
  );
  const link = page.url();
  await page.goto(at('/console/overview'));
  await page.goto(link);
  await page.locator(`.firm :text("${made?.transactionId}")`).waitFor();
  assert.equal(await execute(desk).count(), 0);
  // What comes next is the trade that was made.
  await page.locator('.firm a.first:text("Open the transaction")').click();
  await page.getByRole('heading', { name: /^Transaction RF/ }).waitFor();
  assert.equal((await traded()).length, before.length + 1);
  await page.context().close();
});

// From here on there are several customers.
test('nobody trades for a customer whom nobody chose', { skip, timeout: LIMIT_MS }, async () => {
  const other = { name: 'Second customer' };
  const made = await service?.operate('POST', '/v1/operator/customers', other);
  assert.equal(made?.status, 201, made?.text);
  const desk = await signIn('Dana Dealer');
  const { page, at } = desk;
  await page.goto(at('/console/markets?ticket=new&amount=1k'));
  const customer = page.locator('#ticket-customer');
  await page.locator('#ticket-customer option:text("Second customer")').waitFor({ state: 'attached' });
  assert.equal(await customer.inputValue(), '');
  await page.getByRole('button', { name: /^Request quote/ }).click();
  await page.locator('.drawer [role="alert"]:text("Choose a customer.")').waitFor();
  assert.equal(await execute(desk).count(), 0);
  await customer.selectOption(made?.body.customerId);
  await page.locator('.drawer [role="alert"]').waitFor({ state: 'detached' });
  await page.context().close();
});

for (const way of ['another is chosen on the page', 'the address is of another'] as const) {
  test(`a firm quote is its own customer's, when ${way}`, { skip, timeout: LIMIT_MS }, async () => {
    const made = await service?.operate('POST', '/v1/operator/customers', { name: `Other, as ${way}` });
    assert.equal(made?.status, 201, made?.text);
    const other = made?.body.customerId;
    const desk = await signIn('Dana Dealer');
    const { page, faults } = desk;
    const before = await traded();
    const asked = new Set<string | null>();
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.startsWith('/v1/operator/quotes/')) asked.add(searchParams.get('customerId'));
    });
    await openTicket(desk, way === 'the address is of another' ? '41k' : '42k');
    const customer = page.locator('#ticket-customer');
    await customer.selectOption('Sandbox customer');
    const own = await customer.inputValue();
    await page.keyboard.press('Control+Enter');
    await execute(desk).waitFor();
    if (way === 'the address is of another') {
      await until('the address', async () => page.url().includes('firm='));
      const link = new URL(page.url());
      for (const name of ['customer', 'for']) link.searchParams.set(name, other);
      await page.goto(link.href);
    } else {
      await page.locator('#filter-customer').selectOption(other);
      // A tile leads to the next ticket; the terms of this one stand.
      await page.locator('.tile[data-pair="USDJPY"] .side').first().click();
    }
    await page.locator(`.tile .theirs :text("Other, as ${way}")`).first().waitFor();
    await execute(desk).waitFor();
    assert.equal(await customer.inputValue(), own);
    assert.equal(await page.locator('#ticket-pair').inputValue(), 'EURUSD');
    await execute(desk).click();
    await page.locator(done).waitFor();
    // The next one is for whose price was pressed.
    assert.equal(await customer.inputValue(), way === 'the address is of another' ? own : other);
    const all: object[] = await traded();
    assert.deepEqual(
      all.slice(0, all.length - before.length).map((each) => 'customerId' in each && each.customerId),
      [own],
    );
    assert.ok(!asked.has(other));
    assert.deepEqual(faults, []);
    await page.context().close();
  });
}
