import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fourEyes } from '../../service/test/support/four-eyes.ts';
import { until } from '../../service/test/support/process.ts';
import { everyPage, furnish } from './every-page.ts';
import { faultsOfAccess, LIMIT_MS, openFloor, told } from './test-support.ts';

/** Setting the service up in the console: customers and credentials, spreads, rights, audit. */

const { skip, service, signIn } = await openFloor({ FIRMQUOTE_PASSKEYS: 'on' });
const SETUP = /^\/console\/(customers|spreads|health|webhooks|calendars|people|audit)\b/;
const pages =
  service === undefined ? [] : everyPage(await furnish(service)).filter(([path]) => SETUP.test(path));
/** Markup, and a mark that turns the direction of what follows. */
const HOSTILE = '<img src=x onerror=alert(1)> \u202eLtd';

test('a customer is created once, its credential is shown once, and the trail tells of it', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { page, faults, at } = await signIn('Ada Approver');
  await page.goto(at('/console/customers'));
  await page.getByRole('button', { name: 'New customer' }).click();
  await page.getByLabel('Name', { exact: true }).fill(HOSTILE);
  const reported = await page.locator('dialog dd').allTextContents();
  // Two presses mean one customer.
  await page.getByRole('button', { name: 'Create customer' }).dblclick();
  await page.locator('h1 bdi').waitFor();
  assert.equal(await page.locator('h1 bdi').textContent(), HOSTILE.replace('\u202e', '\ufffd'));
  assert.equal(await page.locator('main img').count(), 0);
  const { items } = (await service?.operate('GET', '/v1/operator/customers?search=onerror'))?.body ?? {};
  assert.equal(items.length, 1);
  const limits = (await service?.operate('GET', `/v1/operator/customers/${items[0].customerId}/limits`))
    ?.body;
  assert.deepEqual(
    reported.map((text) => text.replaceAll(',', '')),
    [limits.dailyVolume, limits.openPosition, limits.singleTrade].map((amount) => `${amount} USD`),
    'the limits that it begins with stand in the form',
  );

  await page.goto(at(`/console/customers/${items[0].customerId}?tab=credentials`));
  await page.getByRole('button', { name: 'New credential' }).click();
  await page.getByLabel('Name', { exact: true }).fill('desk');
  await page.getByRole('button', { name: 'Create credential' }).click();
  await page.locator('dialog .secret code').first().waitFor();
  const secrets = await page.locator('dialog .secret code').allTextContents();
  assert.match(secrets.join(' '), /cli_\w+ fqs_test_\w+/);
  const close = page.locator('dialog').getByRole('button', { name: 'Close' });
  assert.ok(await close.isDisabled(), 'it stays until somebody has stored it');
  await page.getByLabel('I stored it').check();
  await close.click();
  await page.locator(`text=${secrets[1]}`).waitFor({ state: 'detached' });

  await page.goto(at(`/console/audit?operation=createCredential&subject=${items[0].customerId}`));
  await page.locator('tbody details summary').first().click();
  await page.locator('tbody .diff ins').first().waitFor();
  assert.doesNotMatch((await page.locator('main').textContent()) ?? '', /fqs_test_/);
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('a spread is changed with its effect in sight, and the price follows', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { page, at } = await signIn('Ada Approver');
  await page.goto(at('/console/spreads'));
  await page.getByLabel('New spread, everybody').fill('1,5');
  await page.locator('text=A spread is invalid').waitFor();
  await page.getByLabel('New spread, everybody').fill('35.5');
  await page.locator('text=(35.5').waitFor();
  await page.locator('main').getByRole('button', { name: 'Send change' }).click();
  await page.locator('dialog').getByRole('button', { name: 'Send change' }).click();
  await told(page, 'The new spreads apply');
  const { rules } = (await service?.operate('GET', '/v1/operator/spread-rules'))?.body ?? {};
  assert.deepEqual(
    rules.map(({ spreadBps }: { spreadBps: string }) => spreadBps),
    ['35.50'],
  );
  await page.context().close();
});

test('a right that is taken away is missed by name, and what took it is gone', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { page, at } = await signIn('Dana Dealer');
  await page.goto(at('/console/webhooks'));
  await page.locator('text=You need the right operator:webhooks').waitFor();
  await page.goto(at('/console/customers'));
  await page.locator('tbody a').first().waitFor();
  assert.equal(await page.getByRole('button', { name: 'New customer' }).count(), 0);
  const { items } = (await service?.operate('GET', '/v1/operator/persons'))?.body ?? {};
  const dana = items.find(({ name }: { name: string }) => name === 'Dana Dealer');
  const set = await service?.operate('PUT', `/v1/operator/persons/${dana.personId}/roles`, {
    roles: ['viewer'],
  });
  assert.equal(set?.status, 200, set?.text);
  // By itself: its stream of prices has ended. Who types meanwhile is in the dialog from then on.
  await page.locator('text=Your session has ended').waitFor();
  await page.context().close();
});

for (const theme of ['light', 'dark']) {
  test(`the pages of the set-up are open to everybody, ${theme}`, { skip, timeout: LIMIT_MS }, async () => {
    const { page, faults, at } = await signIn('Ada Approver', { colorScheme: theme });
    for (const [path, what] of pages) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(at(path));
      await page.locator(what).first().waitFor();
      assert.deepEqual(await faultsOfAccess(page), [], `${path} ${theme}`);
      await page.setViewportSize({ width: 320, height: 640 });
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, path);
    }
    assert.deepEqual(faults, []);
    await page.context().close();
  });
}

/** A program of the first customer that has a token, its card in the console, and what its calls with a token end with. */
async function program(name: string) {
  assert.ok(service !== undefined);
  const { customerId } = (await service.operate('GET', '/v1/operator/customers')).body.items[0];
  const credentials = `/v1/operator/customers/${customerId}/credentials`;
  const { clientId, clientSecret } = (await service.operate('POST', credentials, { name })).body;
  const freshToken = () => service.token(clientId, clientSecret);
  const token = await freshToken();
  const status = async (given = token) =>
    (await service.call('GET', '/v1/customer/balances', { token: given })).status;
  assert.equal(await status(), 200);
  const { page, faults, at } = await signIn('Ada Approver');
  await page.goto(at(`/console/customers/${customerId}?tab=credentials`));
  const card = page.locator('main .grid .card', { hasText: clientId });
  const read = async () => {
    const { body } = await service.operate('GET', credentials);
    return body.credentials.find((each: { readonly clientId: string }) => each.clientId === clientId);
  };
  return { clientId, freshToken, status, page, faults, card, read };
}

test('the tokens of a credential are revoked, and its program gets new ones', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { freshToken, status, page, faults, card } = await program('lost laptop');
  await card.getByRole('button', { name: 'Revoke tokens' }).click();
  await page.locator('dialog').getByRole('button', { name: 'Revoke tokens' }).dblclick();
  await told(page, 'Its tokens are revoked.');
  await until('the token to be refused', async () => (await status()) === 401);
  assert.equal(await status(await freshToken()), 200);
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('a program is restricted to addresses, renamed, and loses a secret', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { clientId, status, page, faults, card, read } = await program('till');
  const dialog = page.locator('dialog');
  await card.getByRole('button', { name: 'Set addresses' }).click();
  await dialog.getByLabel('IP addresses and ranges').fill('203.0.113.7\n999.1.1.1');
  await dialog.getByRole('button', { name: 'Set addresses' }).click();
  await dialog.locator('.wrong', { hasText: 'Is not an address or CIDR range.' }).waitFor();
  await dialog.getByLabel('IP addresses and ranges').fill('203.0.113.7\n203.0.113.0/24');
  await dialog.getByRole('button', { name: 'Set addresses' }).click();
  await told(page, 'The addresses are set.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await card.locator('text=203.0.113.7, 203.0.113.0/24').waitFor();
  await until('calls from elsewhere to be refused', async () => (await status()) === 403);
  await card.getByRole('button', { name: 'Change' }).click();
  assert.deepEqual(await faultsOfAccess(page), []);
  await dialog.getByLabel('Name').fill('Till of the second floor');
  await dialog.getByRole('button', { name: 'Change' }).click();
  await told(page, 'The program is changed.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await card.getByRole('heading', { name: 'Till of the second floor' }).waitFor();
  await card.getByRole('button', { name: 'Revoke secret' }).click();
  await dialog.getByRole('button', { name: 'Revoke secret' }).click();
  await told(page, 'The secret is revoked.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  const now = await read();
  assert.deepEqual(now.secrets, []);
  assert.deepEqual(now.ipAllowList, ['203.0.113.7', '203.0.113.0/24']);
  assert.ok(now.scopes.length > 0, 'its rights are as they were');
  await card.getByRole('button', { name: /^Revoke$/ }).click();
  await dialog.getByLabel('Last four characters of the client id').fill(clientId.slice(-4));
  await dialog.getByRole('button', { name: /^Revoke$/ }).click();
  // Its form goes with the card, and what became of it is at the foot of the page.
  await page.locator('footer [role=status]', { hasText: 'The program is revoked.' }).waitFor();
  assert.equal(await card.count(), 0);
  await page.getByRole('button', { name: 'New credential' }).click();
  await dialog.getByLabel('Name').waitFor();
  assert.equal(await page.locator('footer [role=status] .chip').count(), 0);
  assert.deepEqual(
    faults.map((fault) => /400/.test(fault)),
    [true],
    'what was refused once',
  );
  await page.context().close();
});

// The last one: from here on the policy asks for two.
test('what the service refuses stands at its field, in words', { skip, timeout: LIMIT_MS }, async () => {
  assert.ok(service !== undefined);
  const { customerId } = (await service.operate('GET', '/v1/operator/customers')).body.items[0];
  const { page, at } = await signIn('Ada Approver');
  await page.goto(at(`/console/customers/${customerId}?tab=accounts`));
  await page.getByRole('button', { name: 'Add account' }).click();
  await page.getByLabel('Currency').fill('EUR');
  await page.getByLabel('Account holder').fill('Somebody');
  await page.getByLabel('IBAN (optional)', { exact: true }).fill('DE00 1234');
  await page.locator('dialog').getByRole('button', { name: 'Add account' }).click();
  await page.locator('dialog [role=alert] h2').waitFor();
  const field = page.locator('dialog .field', { hasText: /^IBAN/ });
  assert.match((await field.locator('.wrong').textContent()) ?? '', /^Must be an IBAN/);
  const dialog = (await page.locator('dialog').textContent()) ?? '';
  assert.match(dialog, /IBAN must be an IBAN/);
  assert.doesNotMatch(dialog, /\/iban/);
  await page.getByLabel('IBAN (optional)', { exact: true }).fill('DE89370400440532013000');
  // What is written anew is not wrong yet.
  await field.locator('.wrong').waitFor({ state: 'detached' });
  await page.context().close();
});

test('the trail tells amounts in their currency, the customer by name, and a proposal as one', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  assert.ok(service !== undefined);
  const { customerId, name } = (await service.operate('GET', '/v1/operator/customers')).body.items.at(-1);
  const path = `/v1/operator/customers/${customerId}/limits`;
  const { rates: _, ...limits } = (await service.operate('GET', path)).body;
  const why = { 'Firmquote-Reason': 'they have grown' };
  const raised = await service.operate('PUT', path, { ...limits, dailyVolume: '20000000.00' }, why);
  assert.equal(raised.status, 200, raised.text);
  const { page, faults, at } = await signIn('Ada Approver');
  await page.goto(at('/console/audit'));
  // Whoever writes a day there is told that it is left out.
  await page.getByLabel('To, exclusive').waitFor();
  await page.getByLabel('What, such as set customer limits').fill('set customer limits');
  await page.keyboard.press('Enter');
  // Until the filter is there, other rows are; its own rows are drawn anew with it.
  await page.locator('tbody tr:not(:has-text("Set customer limits"))').first().waitFor({ state: 'detached' });
  const row = page.locator('tbody tr', { hasText: name }).first();
  await row.locator('summary').click();
  await row.locator('text=20,000,000.00 USD').waitFor();
  const reported = (await row.textContent()) ?? '';
  assert.match(reported, /Daily volume: [\d,]+\.00 USD → 20,000,000\.00 USD/);
  assert.doesNotMatch(reported, /minor|customer_id|[0-9a-f]{8}-[0-9a-f]{4}-/);

  const proposal = await service.operate('PUT', '/v1/operator/four-eyes', await policyAsItIs(), {
    ...{ 'Firmquote-Reason': 'as it is' },
    'If-Match': '*',
  });
  assert.equal(proposal.status, 202, proposal.text);
  await page.getByLabel('What, such as set customer limits').fill('set four eyes policy');
  await page.keyboard.press('Enter');
  const asked = page.locator('tbody tr', { hasText: 'Set four eyes policy' }).first();
  await asked.locator('.chip:text-is("Proposed")').waitFor();
  await asked.locator('summary').click();
  await asked.locator('text=Change these rules').waitFor();
  await asked.locator('text=as it is').waitFor();
  assert.equal(
    (await service.operate('POST', `/v1/operator/approvals/${proposal.body.approvalId}/reject`)).status,
    200,
  );
  assert.deepEqual(faults, []);
  await page.context().close();
});

async function policyAsItIs() {
  const {
    version: _,
    fixed: __,
    ...document
  } = (await service?.operate('GET', '/v1/operator/four-eyes'))?.body ?? {};
  return document;
}

test('the link of an invitation is shown to the one who approves it, until it is stored', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  assert.ok(service !== undefined);
  const eyes = await fourEyes(service);
  await eyes.setPolicy({ person: 'always' });
  const invite = { email: 'new.one@example.com', roles: ['viewer'] };
  const { approvalId } = await eyes.proposed('POST', '/v1/operator/persons', invite);
  const { page, faults, at } = await signIn('Ada Approver');
  await page.goto(at(`/console/approvals?approval=${approvalId}`));
  await page.locator('dialog').getByRole('button', { name: 'Approve' }).click();
  const link = page.locator('dialog .secret code');
  await link.waitFor();
  assert.match((await link.textContent()) ?? '', /\/login\/invitation#\S{40,}$/);
  assert.deepEqual(await faultsOfAccess(page), []);
  await page.keyboard.press('Escape');
  assert.equal(await link.count(), 1, 'it stays until somebody has stored it');
  await page.getByLabel('I stored it').check();
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await page.locator('text=invitation#').waitFor({ state: 'detached' });
  await page.locator('tbody').first().waitFor();
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('what takes two persons is read in words, changed by two, and a button is there for who may press it', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  assert.ok(service !== undefined);
  const ada = await signIn('Ada Approver');
  const olu = await signIn('Olu Operations');
  const dana = await signIn('Dana Dealer');
  await ada.page.goto(ada.at('/console/approvals?tab=policy'));
  const when = (page: typeof ada.page, text: string, needs: string) =>
    page.locator('main tbody tr', { hasText: text }).locator('td', { hasText: needs }).first().waitFor();
  await when(ada.page, 'Set customer and house limits', 'Always');
  await when(ada.page, 'Match, return or book', 'Above 100,000.00 USD');
  await ada.page.getByLabel('Two persons to: Set customer and house limits').selectOption('never');
  await ada.page.getByRole('button', { name: 'Propose the change' }).click();
  const propose = ada.page.locator('dialog').getByRole('button', { name: 'Propose the change' });
  assert.ok(await propose.isDisabled(), 'a second person is told why');
  await ada.page.getByLabel('Reason, for the approver').fill('one person is enough');
  await propose.click();
  await told(ada.page, 'It waits for a second person');

  // Dana only sees by now: no count, no button, and why.
  const asked = await service.operate('GET', '/v1/operator/approvals?status=pending&kind=four_eyes_policy');
  const url = `/console/approvals?approval=${asked.body.items[0].approvalId}`;
  await dana.page.goto(dana.at(url));
  await dana.page.locator('text=You need the right operator:approvals').waitFor();
  assert.equal(await dana.page.getByRole('button', { name: /^Approve$/ }).count(), 0);
  assert.equal(await dana.page.locator('nav a[href*="/approvals"] .count').count(), 0);

  await olu.page.goto(olu.at('/console/overview'));
  await olu.page.getByRole('link', { name: /Proposals? waiting for you/ }).waitFor();
  await olu.page.goto(olu.at(url));
  await olu.page.getByRole('button', { name: /^Approve$/ }).click();
  await olu.page.locator('dialog').waitFor({ state: 'detached' });
  const { rules } = (await service.operate('GET', '/v1/operator/four-eyes')).body;
  const limits = rules.find(({ kind }: { kind: string }) => kind === 'limits');
  assert.equal(limits.needs, 'never');
  await olu.page.goto(olu.at('/console/approvals?tab=policy'));
  await when(olu.page, 'Set customer and house limits', 'Never');
  for (const { page, faults } of [ada, olu, dana]) {
    assert.deepEqual(faults, []);
    await page.context().close();
  }
});
