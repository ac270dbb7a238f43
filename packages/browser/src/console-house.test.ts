import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fourEyes } from '../../service/test/support/four-eyes.ts';
import {
  approve,
  arrived,
  dealtByCustomer,
  faultsOfAccess,
  LIMIT_MS,
  looksWell,
  openFloor,
  told,
} from './test-support.ts';

/** What the house has set for itself: read, changed by two persons, refused in words. */

const { skip, service, signIn } = await openFloor();
// A Friday whose spot date is the Tuesday after it.
await service?.operate('POST', '/v1/sandbox/clock', { now: '2026-03-06T12:00:00Z' });
const eyes = service === undefined ? undefined : await fourEyes(service);

const read = async (path: string) => (await service?.operate('GET', `/v1/operator/${path}`))?.body;

test('limits of the exposure are edited in rows, proposed by one and approved by another', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await eyes?.setPolicy({ limits: 'always' });
  const [maker, checker] = [await signIn('Olu Operations'), await signIn('Ada Approver')];
  const { page, at } = maker;
  await page.goto(at('/console/positions'));
  await page.getByRole('link', { name: 'Limits' }).click();
  await page.getByLabel('New limit in USD, All currencies together').fill('50m');
  const change = page.locator('[aria-label="Your change"]');
  await change
    .locator('li', { hasText: 'All currencies together, largest position: no limit → 50,000,000.00 USD' })
    .waitFor();
  await page.getByRole('button', { name: 'Add a currency' }).click();
  const dialog = page.locator('dialog');
  await dialog.getByLabel('Currency').fill('eur');
  await dialog.getByRole('button', { name: 'Add it to the table' }).click();
  await told(page, 'It is in the table.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByLabel('New hedge, EUR').fill('-1.000');
  await change.locator('.wrong', { hasText: 'EUR, hedged elsewhere: Ambiguous separator' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Send change' }).count(), 0);
  await page.getByLabel('New hedge, EUR').fill('-250k');
  await looksWell(maker);

  // What is edited outlives a reload.
  await page.reload();
  await page.getByRole('button', { name: 'Send change' }).click();
  // Once the policy has been read, the reason is no longer optional.
  await dialog.locator('label:text-is("Reason, for the approver")').waitFor();
  assert.ok(
    await dialog.getByRole('button', { name: 'Send change' }).isDisabled(),
    'a second person is told why',
  );
  await dialog.getByLabel('Reason, for the approver').fill('risk committee of today');
  await dialog.getByRole('button', { name: 'Send change' }).dblclick();
  await told(page, 'It waits for a second person');
  assert.equal((await read('exposure-limits')).total, null);
  await approve(checker, 'Limits');
  const { total, hedges } = await read('exposure-limits');
  assert.deepEqual([total, hedges], ['50000000.00', [{ currency: 'EUR', amount: '-250000.00' }]]);

  await page.goto(at('/console/house'));
  await page
    .locator('tr', { hasText: 'EUR' })
    .locator('td', { hasText: '−250,000.00 EUR' })
    .first()
    .waitFor();
  // It is in force by now: nothing is left to be sent.
  await change.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'History of Limits of the exposure' }).click();
  const history = page.locator('section[aria-label="Limits of the exposure so far"]');
  await history.locator('tbody tr', { hasText: 'Set for the first time' }).waitFor();
  await looksWell(maker);
  assert.deepEqual([...maker.faults, ...checker.faults], []);
  for (const desk of [maker, checker]) await desk.page.context().close();
});

test('the sizes of trades are set by one person where the policy permits it, and a refusal is in words', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await eyes?.setPolicy({ limits: 'never' });
  const desk = await signIn('Olu Operations');
  const { page, at } = desk;
  await page.goto(at('/console/house?tab=sizes'));
  await page.locator('text=No limits on the size of a trade').waitFor();
  await page.getByRole('button', { name: 'Add a row' }).click();
  const dialog = page.locator('dialog');
  await dialog.getByLabel('Pair (optional)').fill('eur/usd');
  await dialog.getByRole('button', { name: 'Add it to the table' }).click();
  await told(page, 'It is in the table.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByLabel('New smallest in USD, everybody, EURUSD').fill('10m');
  await page.getByLabel('New largest in USD, everybody, EURUSD').fill('5m');
  await page.getByRole('button', { name: 'Send change' }).click();
  await dialog.getByRole('button', { name: 'Send change' }).click();
  await dialog.locator('[role=alert]', { hasText: 'Maximum must not be less than minimum' }).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByLabel('New smallest in USD, everybody, EURUSD').fill('100');
  await page.getByRole('button', { name: 'Send change' }).click();
  await dialog.getByRole('button', { name: 'Send change' }).dblclick();
  await told(page, 'The new limits are in force.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  const { version, limits } = await read('amount-limits');
  assert.deepEqual(limits, [
    { customerId: null, groupName: null, pair: 'EURUSD', minimum: '100.00', maximum: '5000000.00' },
  ]);
  assert.equal(version, 2, 'pressed twice, done once');
  await page.locator('td', { hasText: '5,000,000.00' }).first().waitFor();
  // The browser itself reports the refusal.
  desk.faults.splice(0, desk.faults.length, ...desk.faults.filter((fault) => !/422|400/.test(fault)));
  await looksWell(desk);
  await page.context().close();
});

test('somebody else has set the limits meanwhile: nothing is done, and it is sent again on what is there', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await eyes?.setPolicy({ limits: 'never' });
  const { page, at } = await signIn('Olu Operations');
  await page.goto(at('/console/house'));
  await page.getByLabel('New limit in USD, Each currency that is not listed').fill('7m');
  await page.getByRole('button', { name: 'Send change' }).click();
  const { version: _, ...limits } = await read('exposure-limits');
  const headers = { 'If-Match': '*' };
  const other = { ...limits, total: '60000000.00' };
  assert.equal((await service?.operate('PUT', '/v1/operator/exposure-limits', other, headers))?.status, 200);
  const dialog = page.locator('dialog');
  await dialog.getByRole('button', { name: 'Send change' }).click();
  await dialog.locator('[role=alert]', { hasText: 'Someone changed this first' }).waitFor();
  assert.equal((await read('exposure-limits')).perCurrency, null);
  await page
    .locator('main tr', { hasText: 'All currencies together' })
    .locator('td', { hasText: '60,000,000.00' })
    .first()
    .waitFor();
  await dialog.getByRole('button', { name: 'Send change' }).click();
  await told(page, 'The new limits are in force.');
  const { total, perCurrency } = await read('exposure-limits');
  assert.deepEqual([total, perCurrency], ['60000000.00', '7000000.00']);
  await page.context().close();
});

test('matching rules are tried on the newest deposits, proposed by one and approved by another', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await service?.operate('POST', '/v1/sandbox/bank', { autoDeposit: false });
  const { reference } = await dealtByCustomer(service, '500.00');
  await eyes?.setPolicy({ thresholds: 'always', recorded_deposit: 'never' });
  await arrived(service, '499.00', { remittanceText: reference });
  const [maker, checker] = [await signIn('Olu Operations'), await signIn('Ada Approver')];
  const { page, at } = maker;
  await page.goto(at('/console/deposits'));
  await page.getByRole('button', { name: 'Matching rules' }).click();
  await page.getByLabel('New: Largest share of a trade that the house bears, bps').fill('5000');
  const change = page.locator('[aria-label="Your change"]');
  await change.locator('.wrong', { hasText: 'Enter 0 to 1000.' }).waitFor();
  await page.getByLabel('New: Largest share of a trade that the house bears, bps').fill('10');
  await page.getByLabel('New: Names the balance of a customer').selectOption('suggests');
  await change.getByRole('button', { name: 'Try it on the newest deposits' }).click();
  await change.locator('[role=status]', { hasText: '1 would be decided differently.' }).waitFor();
  const row = change.locator('tbody tr', { hasText: '499.00 EUR' });
  await row.locator('td', { hasText: 'Reference short tolerated' }).first().waitFor();
  await row.locator('td', { hasText: 'Reference partial' }).first().waitFor();
  await looksWell(maker);
  await page.getByRole('button', { name: 'Send change' }).click();
  const dialog = page.locator('dialog');
  await dialog.getByLabel('Reason, for the approver').fill('charges are our loss no more');
  await dialog.getByRole('button', { name: 'Send change' }).dblclick();
  await told(page, 'It waits for a second person');
  await approve(checker, 'Thresholds');
  const { version: _, ...rules } = await read('matching-rules');
  assert.deepEqual(rules, {
    ...{ toleranceUsd: '30.00', toleranceBps: 10, groupSizeMax: 5, fourEyesFromUsd: '100000.00' },
    suggestOnly: ['balance_top_up'],
  });
  for (const { page: each } of [maker, checker]) await each.context().close();
});

test('a day that is announced closes a currency, and trades that keep it are told', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await eyes?.setPolicy({ calendar: 'never' });
  const { settlement } = await dealtByCustomer(service, '700.00');
  assert.equal(settlement.valueDate, '2026-03-10');
  const desk = await signIn('Olu Operations');
  const { page, at } = desk;
  await page.goto(at('/console/calendars?currency=EUR'));
  await page.getByRole('button', { name: 'Close or open a day' }).click();
  const dialog = page.locator('dialog');
  await dialog.getByLabel('Date').fill('2029-03-10');
  await dialog.locator('.wrong', { hasText: 'Enter a date in 2026 or 2027.' }).waitFor();
  await dialog.getByLabel('Date').fill('2026-03-10');
  await dialog.getByLabel('Name of the day').fill('<b>Mourning</b>');
  await dialog.getByLabel('Source').fill('the gazette');
  await dialog.getByLabel('Reason, kept with it').fill('announced this morning');
  assert.deepEqual(await faultsOfAccess(page), []);
  await dialog.getByRole('button', { name: 'Change the day' }).dblclick();
  await told(page, 'The day is changed. As their value date it stays with');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page
    .locator('tr', { hasText: '2026-03-10' })
    .locator('td', { hasText: '<b>Mourning</b>' })
    .first()
    .waitFor();
  const { version, changes } = await read('calendars/EUR/2026');
  assert.equal(version, 2, 'pressed twice, done once');
  assert.deepEqual(
    changes.map(({ date, state }: { date: string; state: string }) => [date, state]),
    [['2026-03-10', 'closed']],
  );
  await looksWell(desk);
  await page.context().close();
});

test('a cut-off is proposed by one and approved by another', { skip, timeout: LIMIT_MS }, async () => {
  await eyes?.setPolicy({ calendar: 'always' });
  const [maker, checker] = [await signIn('Olu Operations'), await signIn('Ada Approver')];
  const { page, at } = maker;
  await page.goto(at('/console/calendars?currency=JPY'));
  await page.getByRole('button', { name: 'Cut-offs' }).click();
  const row = page.locator('tbody tr', { hasText: 'JPY' });
  await row.getByRole('button', { name: 'Change' }).click();
  const dialog = page.locator('dialog');
  await dialog.getByLabel('Time, such as 13:30').fill('9:15');
  await dialog.locator('.wrong', { hasText: 'Enter hours and minutes' }).waitFor();
  await dialog.getByLabel('Time, such as 13:30').fill('09:15');
  await dialog.getByLabel('Source of the time').fill('our bank in Tokyo');
  await dialog.getByLabel('Reason, kept with it').fill('moved by the bank');
  await dialog.getByRole('button', { name: 'Change' }).dblclick();
  await told(page, 'It waits for a second person');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await looksWell(maker);
  await approve(checker, 'Calendar');
  assert.equal((await read('cutoffs/JPY')).time, '09:15');
  await page.reload();
  await row.locator('td', { hasText: 'moved by the bank' }).first().waitFor();
  await row.getByRole('link', { name: 'History of JPY' }).click();
  await page
    .locator('section[aria-label="Cut-offs of JPY so far"] tr', { hasText: 'our bank in Tokyo' })
    .waitFor();
  await looksWell(maker);
  await page.getByRole('button', { name: 'Close the history' }).click();
  for (const { page: each } of [maker, checker]) await each.context().close();
});

test('another collection account waits before it is used, and is released', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await eyes?.setPolicy({ house_account: 'never', account_released: 'never' }, { accountWaitHours: 24 });
  const account = async () => {
    const { items } = await read('collection-accounts');
    return items.find(({ currency }: { currency: string }) => currency === 'EUR');
  };
  const { iban: former } = await account();
  const desk = await signIn('Olu Operations');
  const { page, at } = desk;
  await page.goto(at('/console/house?tab=accounts'));
  const row = page.locator('tbody tr', { hasText: former });
  const dialog = page.locator('dialog');
  await row.getByRole('button', { name: 'Change' }).click();
  await dialog.getByLabel('IBAN (optional)').fill('DE00');
  await dialog.getByRole('button', { name: 'Change' }).click();
  await dialog.locator('.wrong', { hasText: 'Must be an IBAN' }).waitFor();
  await dialog.getByLabel('IBAN (optional)').fill('DE89 3704 0044 0532 0130 00');
  await dialog.getByLabel("Holder's town (optional)").fill('Berlin');
  await dialog.getByLabel("Holder's country (optional)").fill('de');
  assert.deepEqual(await faultsOfAccess(page), []);
  await dialog.getByRole('button', { name: 'Change' }).dblclick();
  await told(page, 'The account is set, and waits before it is used.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  assert.equal((await account()).iban, former);
  await row.locator('td', { hasText: 'DE89370400440532013000' }).locator('text=Waits').waitFor();
  // The browser itself reports the refusal.
  desk.faults.splice(0, desk.faults.length, ...desk.faults.filter((fault) => !/422|400/.test(fault)));
  await looksWell(desk);
  await row.getByRole('button', { name: 'Release' }).click();
  await dialog.getByRole('button', { name: 'Release' }).dblclick();
  await told(page, 'The account is in use.');
  const { iban, next, holderAddress } = await account();
  assert.deepEqual(
    [iban, next, holderAddress],
    ['DE89370400440532013000', null, { townName: 'Berlin', country: 'DE' }],
  );
  await page.context().close();
});

test('a virtual account of a customer is added, released and closed, and a payer is forgotten', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await eyes?.setPolicy(
    { house_account: 'never', account_released: 'never', recorded_deposit: 'never', deposit_work: 'never' },
    { accountWaitHours: 24 },
  );
  const customer = (await read('customers?search=Sandbox customer')).items[0].customerId;
  const { transactionId } = await dealtByCustomer(service, '810.00');
  const depositId = await arrived(service, '810.00', { remitterAccount: 'GB29NWBK60161331926819' });
  const { version } = await read(`deposits/${depositId}`);
  const match = { allocations: [{ transactionId, amount: '810.00' }], reason: 'by telephone' };
  const headers = { 'If-Match': `"v${version}"` };
  const matched = await service?.operate('POST', `/v1/operator/deposits/${depositId}/match`, match, headers);
  assert.equal(matched?.status, 200, matched?.text);

  const desk = await signIn('Olu Operations');
  const { page, at } = desk;
  await page.goto(at(`/console/customers/${customer}`));
  await page.getByRole('button', { name: 'Paying in' }).click();
  const dialog = page.locator('dialog');
  const send = async (name: string, said: string) => {
    await dialog.getByRole('button', { name }).dblclick();
    await told(page, said);
    await dialog.getByRole('button', { name: /^Close$/ }).click();
  };
  await page.getByRole('button', { name: 'Add a virtual account' }).click();
  await dialog.getByLabel('Currency').fill('eur');
  await dialog.getByLabel('IBAN or number').fill('DE02 1203 0000 0000 2020 51');
  await send('Add a virtual account', 'The account is added.');
  const row = page.locator('tbody tr', { hasText: 'DE02120300000000202051' });
  await row.locator('text=Waits').waitFor();
  await looksWell(desk);
  await row.getByRole('button', { name: 'Release' }).click();
  await send('Release', 'New trades name the account.');
  await row.locator('text=Active').waitFor();
  await row.getByRole('button', { name: 'Close account' }).click();
  await dialog.getByLabel('Last four characters of its number').fill('2051');
  await send('Close account', 'The account is closed.');
  const status = (await read(`customers/${customer}/virtual-accounts`)).items[0].status;
  assert.equal(status, 'closed');

  const payer = page.locator('tbody tr', { hasText: 'GB29NWBK60161331926819' });
  await payer.getByRole('button', { name: 'Forget' }).click();
  await dialog.getByRole('button', { name: 'Forget' }).click();
  // The row is gone, and its form with it.
  await payer.waitFor({ state: 'detached' });
  assert.deepEqual((await read(`customers/${customer}/remitters`)).items, []);
  assert.deepEqual(desk.faults, []);
  await page.context().close();
});
