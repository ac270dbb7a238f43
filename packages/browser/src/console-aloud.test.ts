import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../service/test/support/process.ts';
import type { ConsolePage } from './chromium.ts';
import { execute, LIMIT_MS, openFloor, openTicket } from './test-support.ts';

/** What is said to whoever does not see the console, and what is not. */

const { skip, service, network, signIn } = await openFloor();

/** From now on everything that a live region says is kept, in its order. */
async function listen(page: ConsolePage): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(`{
    const LIVE = '[aria-live], [role=status], [role=alert], [role=log], output';
    window.heard = [];
    const hear = (node) => {
      const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
      const live = element?.closest(LIVE) ?? undefined;
      const text = (live?.matches('.aloud') ? node : (live ?? element?.querySelector?.(LIVE)))?.textContent?.trim();
      if (text) window.heard.push(text);
    };
    new MutationObserver((changes) => {
      for (const { type, target, addedNodes } of changes)
        for (const node of type === 'characterData' ? [target] : addedNodes) hear(node);
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  }`);
  return async () => (await page.evaluate('window.heard.splice(0)')) as readonly string[];
}

async function heard(said: () => Promise<readonly string[]>, what: RegExp): Promise<void> {
  const all: string[] = [];
  await until(`${what} is said`, async () => {
    all.push(...(await said()));
    return all.some((text) => what.test(text));
  });
}

test('a ticket says that it is firm, its marks, that it has run out, and that it is executed', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  await openTicket(desk, '1k', '');
  const said = await listen(page);
  await page.clock.install();
  await page.keyboard.press('Control+Enter');
  await execute(desk).waitFor();
  await heard(said, /^Firm for (2\d|30) seconds$/);
  const marks: string[] = [];
  for (let second = 0; second < 33; second++) {
    await page.clock.fastForward(1_000);
    marks.push(...(await said()));
  }
  assert.equal(marks.length, 2, marks.join(' | '));
  // Real time goes on, too.
  assert.match(
    marks.join(' | '),
    /^Firm for ([1-9]|10) seconds \| The quote has expired\. Nothing was traded\.$/,
  );
  await page.keyboard.press('Control+Enter');
  await execute(desk).waitFor();
  await page.keyboard.press('Enter');
  await heard(said, /^Executed/);
  await page.context().close();
});

test('what is wrong is tied to its field, and said', { skip, timeout: LIMIT_MS }, async () => {
  const desk = await signIn('Ada Approver');
  const { page, at } = desk;
  await openTicket(desk, '1.000');
  const said = await listen(page);
  await page.keyboard.press('Control+Enter');
  await heard(said, /thousand/);
  const tied = () =>
    page.evaluate(`(() => {
      const field = document.activeElement;
      const about = document.getElementById(field.getAttribute('aria-describedby'));
      return [field.getAttribute('aria-invalid'), about?.getAttribute('role'), about?.textContent].join('|');
    })()`);
  assert.match(String(await tied()), /^true\|alert\|.*thousand/);

  // The service's own refusal is said as well, with what its people need to find it.
  await page.route('**/v1/operator/customers/*/quotes', (route) =>
    route.fulfill({
      status: 422,
      contentType: 'application/problem+json',
      body: JSON.stringify({
        ...{ type: 'about:blank', title: 'Limit exceeded', status: 422, code: 'limit_exceeded' },
        ...{ detail: 'It is more than a trade may be.', requestId: 'req_said', retry: 'new_request' },
      }),
    }),
  );
  await page.locator('#ticket-amount').fill('1k');
  await page.keyboard.press('Control+Enter');
  await heard(said, /Limit exceeded.*req_said/);
  await page.goto(at('/console/overview'));
  await page.context().close();
});

test('moving prices are silent; a lost connection and its return are said once', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { page, at } = await signIn('Dana Dealer');
  await page.goto(at('/console/markets'));
  await page.locator('.tile[data-state="live"]').first().waitFor();
  const inLive = `document.querySelector('.tile').closest('[aria-live], [role=status], [role=alert], [role=log], output')`;
  assert.equal(await page.evaluate(inLive), null);
  const said = await listen(page);
  const moves = await page.evaluate(`new Promise((resolve) => {
    let count = 0;
    new MutationObserver((changes) => (count += changes.length)).observe(document.querySelector('.tiles'), { characterData: true, subtree: true });
    setTimeout(() => resolve(count), 3000);
  })`);
  assert.ok(Number(moves) > 10, `${moves} moves`);
  assert.deepEqual(await said(), []);
  network.set('cut');
  await heard(said, /^The connection is lost\. Prices are not live\.$/);
  network.set('whole');
  await heard(said, /^The connection is back\. Prices are live\.$/);
  await page.locator('.tile[data-state="live"]').first().waitFor();
  await page.keyboard.press('P');
  await heard(said, /^Paused\.$/);
  await page.keyboard.press('P');
  await heard(said, /^Prices resumed\.$/);
  await page.context().close();
});

test('what is saved in a dialog is said there, and rows that filters find are counted', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { page, at } = await signIn('Ada Approver');
  await page.goto(at('/console/customers'));
  await page.locator('main table').first().waitFor();
  const said = await listen(page);
  await page.getByLabel('Name or reference').fill('Sandbox');
  await page.keyboard.press('Enter');
  await heard(said, /^Found: 1 row, that is all\.$/);
  await page.getByLabel('Name or reference').fill('nobody at all');
  await page.keyboard.press('Enter');
  await heard(said, /^Found: 0 rows, that is all\.$/);

  const { items } = (await service?.operate('GET', '/v1/operator/customers'))?.body ?? {};
  await page.goto(at(`/console/customers/${items[0].customerId}?do=edit`));
  await page.locator('dialog input').first().waitFor();
  const saidThere = await listen(page);
  await page.getByLabel('Name', { exact: true }).fill('Sandbox customer, renamed');
  await page.keyboard.press('Enter');
  await heard(saidThere, /^The customer is updated\.$/);
  await page.context().close();
});
