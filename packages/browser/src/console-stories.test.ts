import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { fourEyes } from '../../service/test/support/four-eyes.ts';
import type { ConsolePage } from './chromium.ts';
import { faultsOfAccess, LIMIT_MS, openFloor, told } from './test-support.ts';

/** Setting the service up in the console, from the first press to what it does to customers. */

/** A program that is told of events; it answers what a test says. */
const reported: { readonly type: string; readonly signature: string }[] = [];
let answers = 200;
const program = createServer((request, response) => {
  let text = '';
  request.on('data', (piece) => {
    text += piece;
  });
  request.on('end', () => {
    const signature = String(request.headers['webhook-signature'] ?? '');
    reported.push({ type: (JSON.parse(text) as { type: string }).type, signature });
    response.writeHead(answers).end('noted');
  });
});
await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
after(() => program.close());
const { port } = program.address() as AddressInfo;

const { skip, service, signIn } = await openFloor({
  FIRMQUOTE_WEBHOOK_PORTS: 'any',
  FIRMQUOTE_WEBHOOK_NETWORKS: '127.0.0.0/8',
});

const EURUSD = { sellCurrency: 'EUR', buyCurrency: 'USD', fixedSide: 'sell', amount: '1000.00' };
const quote = async () =>
  service?.call('POST', '/v1/customer/quotes', {
    body: EURUSD,
    headers: { 'Idempotency-Key': crypto.randomUUID() },
  });
const customers = async () => (await service?.operate('GET', '/v1/operator/customers'))?.body.items;
const close = (page: ConsolePage) => page.locator('dialog').getByRole('button', { name: 'Close' }).click();

async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(what);
}

test('a halted pair is not quoted, and is again when the halt is lifted', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  assert.equal((await quote())?.status, 201);
  const { page, faults, at } = await signIn('Ada Approver');
  await page.goto(at('/console/health'));
  await page.getByRole('button', { name: 'Halt' }).first().click();
  await page.getByLabel('Pair, customer, or ALL').fill('EURUSD');
  await page.getByLabel('Reason', { exact: true }).fill('an odd print');
  await page.locator('dialog').getByRole('button', { name: 'Halt' }).dblclick();
  await told(page, 'The halt is in force.');
  await close(page);
  const refused = await quote();
  assert.deepEqual([refused?.body.code, refused?.body.reason], ['market_closed', 'halt'], refused?.text);
  const halts = (await service?.operate('GET', '/v1/operator/market/halts'))?.body.items;
  assert.equal(halts.length, 1, 'pressed twice, halted once');
  await page.locator('text=an odd print').first().waitFor();
  assert.deepEqual(await faultsOfAccess(page), []);
  await page.getByRole('button', { name: 'Lift' }).first().click();
  await page.getByLabel('Reason', { exact: true }).fill('it was the vendor');
  await page.locator('dialog').getByRole('button', { name: 'Lift' }).click();
  await told(page, 'Quoting has resumed.');
  assert.equal((await quote())?.status, 201);
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('a customer is halted by its name', { skip, timeout: LIMIT_MS }, async () => {
  const { page, faults, at } = await signIn('Ada Approver');
  await page.goto(at('/console/health'));
  await page.getByRole('button', { name: 'Halt' }).first().click();
  await page.locator('dialog datalist option[value="Sandbox customer"]').waitFor({ state: 'attached' });
  await page.getByLabel('Pair, customer, or ALL').fill('sandbox customer');
  await page.getByLabel('Reason', { exact: true }).fill('asked for by phone');
  await page.locator('dialog').getByRole('button', { name: 'Halt' }).click();
  await told(page, 'The halt is in force.');
  await close(page);
  assert.equal((await quote())?.body.reason, 'halt');
  await page.locator('tr:has-text("asked for by phone") a:has-text("Sandbox customer")').waitFor();
  await page.getByRole('button', { name: 'Lift' }).first().click();
  await page.getByLabel('Reason', { exact: true }).fill('all is well');
  await page.locator('dialog').getByRole('button', { name: 'Lift' }).click();
  await told(page, 'Quoting has resumed.');
  assert.equal((await quote())?.status, 201);
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('a webhook is made, tested, sent what failed again, given another secret, and switched off', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { page, faults, at } = await signIn('Ada Approver');
  await page.goto(at('/console/webhooks'));
  await page.getByRole('button', { name: 'New webhook' }).click();
  await page.getByLabel('Address').fill(`http://127.0.0.1:${port}/desk`);
  await page.getByRole('button', { name: 'Create webhook' }).dblclick();
  const secret = page.locator('dialog .secret code');
  await secret.waitFor();
  const first = await secret.textContent();
  await page.getByLabel('I stored it').check();
  await close(page);
  const [made, ...others] = (await service?.operate('GET', '/v1/operator/webhooks'))?.body.items ?? [];
  assert.deepEqual(others, [], 'pressed twice, made once');
  await page.goto(at(`/console/webhooks/${made.webhookId}`));

  await page.getByRole('button', { name: 'Send a test' }).first().click();
  await page.locator('dialog').getByRole('button', { name: 'Send a test' }).click();
  await told(page, 'A test was sent');
  await close(page);
  await eventually('no test arrived', () => reported.some(({ type }) => type === 'webhook.test'));

  // An exception is told; the program fails, and works again.
  answers = 400;
  await service?.operate('POST', '/v1/operator/deposits', {
    ...{ bankReference: 'STORY1', amount: '12.00', currency: 'EUR', remitterName: 'Somebody' },
  });
  const opened = () => reported.filter(({ type }) => type === 'exception.opened').length;
  await eventually('nothing was told', () => opened() > 0);
  answers = 200;
  const before = opened();
  await page.reload();
  await page.locator('text=exception.opened').first().waitFor();
  await page.getByRole('button', { name: 'Send again' }).first().click();
  await page.locator('dialog').getByRole('button', { name: 'Send again' }).click();
  await told(page, 'It is on its way.');
  await close(page);
  await eventually('it was not sent again', () => opened() > before);
  assert.deepEqual(await faultsOfAccess(page), []);

  await page.getByRole('button', { name: 'Replace secret' }).first().click();
  await page.locator('dialog').getByRole('button', { name: 'Replace secret' }).click();
  await secret.waitFor();
  assert.notEqual(await secret.textContent(), first);
  await page.getByLabel('I stored it').check();
  await close(page);
  await page.locator('dt:text-is("Former secret signs until")').waitFor();
  await page.getByRole('button', { name: 'Switch off' }).first().click();
  await page.locator('dialog').getByRole('button', { name: 'Switch off' }).click();
  await told(page, 'It is switched off.');
  const now = await service?.operate('GET', `/v1/operator/webhooks/${made.webhookId}`);
  assert.equal(now?.body.status, 'disabled');
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('a credential gets another secret, which is shown once and works', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { page, faults, at } = await signIn('Ada Approver');
  const { customerId } = (await customers()).at(-1);
  await page.goto(at(`/console/customers/${customerId}?tab=credentials`));
  await page.getByRole('button', { name: 'Replace secret' }).first().click();
  await page.locator('dialog').getByRole('button', { name: 'Replace secret' }).dblclick();
  const secret = page.locator('dialog .secret code');
  await secret.waitFor();
  const text = (await secret.textContent()) ?? '';
  const { credentials } =
    (await service?.operate('GET', `/v1/operator/customers/${customerId}/credentials`))?.body ?? {};
  const token = await service?.token(credentials[0].clientId, text);
  const list = await service?.call('GET', '/v1/customer/transactions', { token: token ?? null });
  assert.equal(list?.status, 200, list?.text);
  await page.getByLabel('I stored it').check();
  await close(page);
  await page.reload();
  await page.locator('main .grid .card').first().waitFor();
  assert.doesNotMatch((await page.locator('main').textContent()) ?? '', new RegExp(text));
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('of two people who change limits the second sees what has changed, and loses nothing', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { customerId } = (await customers()).at(-1);
  const limits = async () =>
    (await service?.operate('GET', `/v1/operator/customers/${customerId}/limits`))?.body;
  const desks = [await signIn('Ada Approver'), await signIn('Ada Approver')] as const;
  for (const { page, at } of desks) {
    await page.goto(at(`/console/customers/${customerId}`));
    await page.getByRole('button', { name: 'Change limits' }).click();
    await page.locator('dialog input').first().waitFor();
  }
  const [first, second] = desks;
  await first.page.getByLabel('Largest trade, USD').fill('5m');
  await first.page.getByLabel('Open quotes', { exact: true }).fill('77');
  await second.page.getByLabel('Largest trade, USD').fill('7m');
  const send = ({ page }: (typeof desks)[number]) =>
    page.locator('dialog').getByRole('button', { name: 'Change limits' }).click();
  await send(first);
  await told(first.page, 'The new limits are in force.');
  await send(second);
  await second.page.locator('text=Someone changed this first').waitFor();
  await second.page.locator('dialog .diff ins:has-text("77")').waitFor();
  await second.page.locator('dialog .diff li:has-text("Largest trade")').waitFor();
  await second.page.locator('text=/you have typed\\s+7m/').waitFor();
  assert.deepEqual([(await limits()).singleTrade, (await limits()).maxOpenQuotes], ['5000000.00', 77]);
  const typed = await second.page.evaluate(
    `[...document.querySelectorAll('dialog input')].map(({ value }) => value)`,
  );
  assert.ok((typed as string[]).includes('7m'), 'nothing is lost');
  assert.deepEqual(await faultsOfAccess(second.page), []);
  await send(second);
  await told(second.page, 'The new limits are in force.');
  const now = await limits();
  assert.deepEqual(
    [now.singleTrade, now.maxOpenQuotes],
    ['7000000.00', 77],
    'what the first has changed is not undone by a field that nobody touched',
  );
  assert.deepEqual(first.faults, []);
  for (const { page } of desks) await page.context().close();
});

// The last one: from here on the policy asks for two.
test('days of a vendor are proposed with their difference, and hold when a second person has approved them', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  assert.ok(service !== undefined);
  await (await fourEyes(service)).setPolicy({ calendar: 'always' });
  const year = async () => (await service.operate('GET', '/v1/operator/calendars/EUR/2027')).body;
  const { page, faults, at } = await signIn('Olu Operations');
  await page.goto(at('/console/calendars?currency=EUR'));
  await page.locator('#days').waitFor();
  const csv = [
    'currency,date,name',
    'EUR,2027-01-01,"New Year"',
    'EUR,2027-03-10,"<b>Mourning</b>"',
    '',
  ].join('\n');
  await page.evaluate(`{
    const chosen = new DataTransfer();
    chosen.items.add(new File([${JSON.stringify(csv)}], 'days.csv', { type: 'text/csv' }));
    const input = document.querySelector('#days');
    input.files = chosen.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  }`);
  await page.getByLabel('Source, such as the vendor and its file').fill('Vendor, November');
  await page.getByLabel('Reason', { exact: true }).fill('yearly update');
  await page.getByLabel('First year').fill('2027');
  await page.getByLabel('Last year').fill('2027');
  await page.getByRole('button', { name: 'Show the difference and propose it' }).dblclick();
  const shown = page.locator('section[aria-label="Proposed import"]');
  await shown.locator('.diff ins:text-is("closed 2027-03-10")').waitFor();
  await shown.locator('text=<b>Mourning</b>').waitFor();
  await shown.locator('.diff del').first().waitFor();
  assert.deepEqual(await faultsOfAccess(page), []);
  const isClosed = async () => JSON.stringify(await year()).includes('2027-03-10');
  assert.equal(await isClosed(), false, 'nothing holds yet');

  const approver = await signIn('Ada Approver');
  await approver.page.goto(approver.at('/console/approvals?status=pending'));
  await approver.page.getByRole('button', { name: 'Calendar import' }).click();
  await approver.page.getByRole('button', { name: 'Approve' }).click();
  await approver.page.locator('text=Nothing fits these filters').waitFor();
  assert.equal(await isClosed(), true);
  await shown.locator('text=in force since').waitFor();
  assert.deepEqual([...faults, ...approver.faults], []);
  await page.context().close();
  await approver.page.context().close();
});
