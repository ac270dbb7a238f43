import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  agedSignIn,
  arrived,
  type Desk,
  execute,
  LIMIT_MS,
  openFloor,
  openTicket,
  told,
  withhold,
} from './test-support.ts';

/** Whoever loses a right, a session or all of it while a page stays open: it is said in plain words, and nothing is done twice. */

const { skip, service, signIn, traded } = await openFloor();

async function personId(name: string): Promise<string> {
  const { items } = (await service?.operate('GET', '/v1/operator/persons'))?.body ?? {};
  return items.find((each: { name: string }) => each.name === name).personId;
}

/** What the page sends that changes something. */
function sentBy({ page }: Desk, part: string): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes(part)) sent.push(request.url());
  });
  return sent;
}

async function done(method: string, path: string, body?: object): Promise<void> {
  const answer = await service?.operate(method, path, body);
  assert.ok(answer !== undefined && answer.status < 300, answer?.text);
}

test('a sign-in that is not fresh takes nothing of what was typed', { skip, timeout: LIMIT_MS }, async () => {
  assert.ok(service !== undefined);
  const depositId = await arrived(service, '55.00', { remitterAccount: 'DE89370400440532013000' });
  const desk = await signIn('Olu Operations');
  const { page, at } = desk;
  const sent = sentBy(desk, `${depositId}/return`);
  await page.goto(at(`/console/deposits?deposit=${depositId}`));
  await page.getByRole('button', { name: 'Return …' }).click();
  await page.getByLabel('Amount, EUR').fill('20.00');
  await page.locator('dialog textarea').fill('sent by mistake');
  await agedSignIn(desk, service);
  await page.getByRole('button', { name: 'Return it' }).click();
  await page.locator('text=This needs a fresh sign-in').waitFor();
  const form = page.locator('dialog:has(textarea)');
  assert.equal(await form.count(), 1, 'the form stays open beneath');
  await page.keyboard.press('Escape');
  await page.locator('text=This needs a fresh sign-in').waitFor({ state: 'detached' });
  assert.equal(await form.count(), 1, 'one key closes one of the two');
  assert.equal(await page.locator('dialog textarea').inputValue(), 'sent by mistake');

  await page.getByRole('button', { name: 'Return it' }).click();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /Olu Operations/ }).click();
  await form.waitFor();
  assert.equal(await page.locator('dialog textarea').inputValue(), 'sent by mistake');
  assert.equal(await page.locator('dialog input').first().inputValue(), '20.00');
  await page.getByRole('button', { name: 'Return it' }).click();
  await told(page, 'It goes back with the next settlement run.');
  const deposit = (await service.operate('GET', `/v1/operator/deposits/${depositId}`)).body;
  assert.deepEqual([deposit.returnedAmount, deposit.returns.length, sent.length], ['20.00', 1, 3]);
  await page.context().close();
});

test('a right that goes while a form is open takes the buttons with it, and says which it was', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const role = (scopes: readonly string[]) =>
    done('PUT', '/v1/operator/roles/stand-in', { description: 'For a day', scopes });
  const reading = ['operator:transactions:read', 'operator:deposits:read', 'operator:customers:read'];
  await role([...reading, 'operator:deposits']);
  await done('PUT', `/v1/operator/persons/${await personId('Dana Dealer')}/roles`, { roles: ['stand-in'] });
  const depositId = await arrived(service, '66.00');
  const desk = await signIn('Dana Dealer');
  const { page, at } = desk;
  const sent = sentBy(desk, depositId);
  await page.goto(at(`/console/deposits?deposit=${depositId}`));
  await page.getByRole('button', { name: 'Note …' }).click();
  await page.locator('dialog textarea').fill('called the bank');
  await page.evaluate('window.isSame = true');
  // It learns of it by the refusal; where it knows before there is no button to press.
  const letGo = await withhold(page, '**/auth/session');
  await role(reading);
  await page.locator('dialog').getByRole('button', { name: 'Add' }).dblclick();
  await page.locator('dialog >> text=/Nothing was done. You need the right operator:deposits/').waitFor();
  letGo();
  await page.locator('dialog').getByRole('button', { name: 'Add' }).waitFor({ state: 'detached' });
  assert.equal(sent.length, 1, 'pressed twice, sent once');
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Note …' }).waitFor({ state: 'detached' });
  await page.locator('.desk >> text=66.00 EUR').first().waitFor();
  const deposit = (await service?.operate('GET', `/v1/operator/deposits/${depositId}`))?.body;
  assert.equal(deposit.version, 1);

  // What may not even be read any more is not shown any more, and its page is no place to go.
  await role(['operator:transactions:read', 'operator:customers:read']);
  await page.locator('main >> text=You may not see this').first().waitFor();
  await page.locator('nav a:has-text("Deposits")').waitFor({ state: 'detached' });
  assert.equal(await page.locator('main >> text=66.00 EUR').count(), 0);
  assert.equal(await page.evaluate('window.isSame'), true, 'the same page, and the same session');
  await page.context().close();
  await done('PUT', `/v1/operator/persons/${await personId('Dana Dealer')}/roles`, { roles: ['dealer'] });
});

test('a right to trade that goes while a price is firm leaves no trade, and no button', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const scopes = ['operator:transactions:read', 'operator:customers:read', 'operator:pricing:read'];
  const role = (more: readonly string[]) =>
    done('PUT', '/v1/operator/roles/stand-in', { description: 'For a day', scopes: [...scopes, ...more] });
  await role(['operator:trades']);
  await done('PUT', `/v1/operator/persons/${await personId('Dana Dealer')}/roles`, { roles: ['stand-in'] });
  const desk = await signIn('Dana Dealer');
  const sent = sentBy(desk, '/execute');
  const before = await traded();
  await openTicket(desk, '11k');
  await desk.page.keyboard.press('Control+Enter');
  await execute(desk).waitFor();
  const letGo = await withhold(desk.page, '**/auth/session');
  await role([]);
  await execute(desk).dblclick();
  await desk.page.locator('.drawer >> text=/Not traded/').waitFor();
  letGo();
  await desk.page.locator('.drawer >> text=/You need the right operator:trades/').waitFor();
  assert.equal(await execute(desk).count(), 0);
  await desk.page.getByRole('button', { name: /Request/ }).waitFor({ state: 'detached' });
  assert.equal(sent.length, 1);
  assert.equal((await traded()).length, before.length);
  await desk.page.context().close();
  await done('PUT', `/v1/operator/persons/${await personId('Dana Dealer')}/roles`, { roles: ['dealer'] });
});

/** How long a button that a dialog may have covered is tried, ms. */
const PRESS_MS = 5_000;

test('a session that somebody else ends, and a person who is suspended with a ticket open, trade nothing', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const dana = await personId('Dana Dealer');
  for (const end of ['session', 'person'] as const) {
    const desk = await signIn('Dana Dealer');
    const { page, at } = desk;
    const sent = sentBy(desk, '/execute');
    const before = await traded();
    await openTicket(desk, '12k');
    await page.keyboard.press('Control+Enter');
    await execute(desk).waitFor();
    if (end === 'person') await done('POST', `/v1/operator/persons/${dana}/suspend`, {});
    else {
      const { items } = (await service?.operate('GET', `/v1/operator/sessions?personId=${dana}`))?.body ?? {};
      for (const { sessionId } of items) await done('DELETE', `/v1/operator/sessions/${sessionId}`);
    }
    // The page reads by itself, too, and may know of the end before anybody presses: then it lets nobody press.
    await execute(desk)
      .dblclick({ timeout: PRESS_MS })
      .catch(() => undefined);
    await page.locator('text=Your session has ended').waitFor();
    // Nothing else leads to a sign-in, and what was filled in is behind it, however often it is pressed.
    await Promise.all(Array.from({ length: 8 }, () => page.keyboard.press('Escape')));
    await page.locator('dialog:modal a:text-is("Sign in")').waitFor();
    await page.locator('.drawer').waitFor();
    if (sent.length > 0) {
      await page.locator('.drawer >> text=/Not traded/').waitFor();
    }
    assert.ok(sent.length <= 1, `${end}: pressed twice, sent once`);
    assert.equal((await traded()).length, before.length);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: /Dana Dealer/ }).click();
    if (end === 'session') {
      await page.locator('#ticket-amount').waitFor();
      assert.equal(await page.locator('#ticket-amount').inputValue(), '12k', 'the ticket is as it was');
    } else {
      await page.locator('text=/refused|suspended|sign-in failed/i').first().waitFor();
      await page.goto(at('/console/overview'));
      await page.getByRole('button', { name: /Olu Operations/ }).waitFor();
    }
    await page.context().close();
  }
  await done('POST', `/v1/operator/persons/${dana}/resume`, {});
});
