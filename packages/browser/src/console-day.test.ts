import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Desk, execute, LIMIT_MS, openFloor, told } from './test-support.ts';

/** A day of the desk, from the price to the books, by two people with a browser each. The clock is moved, never waited for. */

const { skip, service, signIn } = await openFloor();
const DAY_MS = 86_400_000;
const SOLD = '250000.00';
const PAID = '249985.00';
const MISSING = '15.00';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
type Read = any;

async function read(path: string): Promise<Read> {
  const answer = await service?.operate('GET', path);
  assert.equal(answer?.status, 200, answer?.text);
  return answer?.body;
}

/** The Monday after today, at eight: no cut-off is near, and no weekend before the value date. */
function morning(): string {
  const today = Math.floor(Date.now() / DAY_MS);
  const days = ((11 - (today % 7)) % 7 || 7) + today;
  return new Date(days * DAY_MS + 8 * 3_600_000).toISOString();
}

/** Presses buttons of the simulated world, each once the one before is done. */
async function inSandbox({ page }: Desk, ...names: readonly string[]): Promise<void> {
  await page.getByRole('button', { name: 'SANDBOX' }).click();
  for (const name of names) {
    // Not what the dialog reads again after the press before.
    const pressed = page.waitForResponse(
      (answer) => answer.url().includes('/v1/sandbox/') && answer.request().method() !== 'GET',
    );
    await page.locator('dialog').getByRole('button', { name }).click();
    assert.equal((await pressed).status(), 200, name);
  }
  await page
    .locator('dialog')
    .getByRole('button', { name: /^Close$/ })
    .click();
}

/** Cards of the page of bank and ledger: by currency, what stands at a name. */
async function bankPage({ page, at }: Desk): Promise<Record<string, Record<string, string>>> {
  await page.goto(at('/console/bank'));
  await page.locator('section.card dl').first().waitFor();
  return (await page.evaluate(`Object.fromEntries([...document.querySelectorAll('section.card[aria-label]')].map((card) =>
    [card.ariaLabel, Object.fromEntries([...card.querySelectorAll('dt')].map((term) => [term.textContent, term.nextElementSibling.textContent]))]))`)) as never;
}

test('a day of the desk: priced, traded, paid in short, matched by two, paid out, told by the bank, and closed', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const at = morning();
  await service?.operate('POST', '/v1/sandbox/clock', { now: at });
  const ada = await signIn('Ada Approver');
  const olu = await signIn('Olu Operations');
  await inSandbox(olu, 'Hold deposits', 'Settle: runs');

  // A person sets the price.
  await ada.page.goto(ada.at('/console/spreads'));
  await ada.page.getByLabel('New spread, everybody').fill('35.5');
  await ada.page.locator('main').getByRole('button', { name: 'Send change' }).click();
  await ada.page.locator('dialog').getByRole('button', { name: 'Send change' }).click();
  await told(ada.page, 'The new spreads apply');

  // It is quoted with that spread, and traded.
  await ada.page.goto(ada.at('/console/markets?ticket=new&deal=EURUSD&side=sell'));
  await ada.page.locator('#ticket-customer option').first().waitFor({ state: 'attached' });
  await ada.page.locator('#ticket-amount').fill('250k');
  await ada.page.keyboard.press('Control+Enter');
  await execute(ada).waitFor();
  assert.match((await ada.page.locator('.firm').first().textContent()) ?? '', /Spread35\.50? bps/);
  await execute(ada).click();
  await ada.page.locator('.drawer a[href*="/transactions/txn_"]').click();
  const heading = ada.page.getByRole('heading', { name: /^Transaction RF/ });
  await heading.waitFor();
  const reference = ((await heading.textContent()) ?? '').replace('Transaction ', '');
  const [trade] = (await read('/v1/operator/transactions')).items;
  assert.deepEqual([trade.reference, trade.sellAmount], [reference, SOLD]);

  // The customer pays, in short and without the reference.
  await olu.page.getByRole('button', { name: 'SANDBOX' }).click();
  await olu.page.getByLabel('Amount, EUR').fill(PAID);
  await olu.page.getByLabel('Text', { exact: true }).fill('our invoice 17');
  await olu.page.getByLabel('From (optional)').fill('Sandbox customer');
  const arriving = olu.page.waitForResponse((answer) => answer.url().endsWith('/v1/sandbox/deposits'));
  await olu.page.getByRole('button', { name: 'Send payment' }).click();
  assert.equal((await arriving).status(), 201);
  await olu.page
    .locator('dialog')
    .getByRole('button', { name: /^Close$/ })
    .click();

  // It is an exception; from there it is matched, and the house bears what is missing.
  await olu.page.goto(olu.at('/console/exceptions'));
  await olu.page.locator('tbody a').first().click();
  await olu.page.getByRole('link', { name: 'Open the deposit' }).click();
  await olu.page.locator('.desk .facts').waitFor();
  const [open] = (await read('/v1/operator/exceptions')).items;
  await olu.page.goto(olu.at(`/console/deposits?deposit=${open.depositId}&trade=${reference}`));
  const candidate = olu.page.locator(`.candidate:has-text("${reference}") input`);
  await candidate.waitFor();
  await candidate.check();
  await olu.page.locator(`text=The house bears the missing ${MISSING} EUR`).click();
  await olu.page.getByLabel('Reason, kept with the deposit').fill('charges of a bank on the way');
  await olu.page.locator('.desk .actions .button.first').click();
  await told(olu.page, 'It waits for a second person');
  await ada.page.goto(ada.at('/console/approvals?status=pending'));
  await ada.page.getByRole('button', { name: 'Deposit match' }).click();
  await ada.page.getByRole('button', { name: 'Approve' }).click();
  await ada.page.locator('text=Nothing fits these filters').waitFor();

  // On the value date it is paid: one makes the run, the other one takes it to the bank.
  const { settlement, buyAmount, pricing, rate } = await read(
    `/v1/operator/transactions/${trade.transactionId}`,
  );
  const days = Math.round((Date.parse(settlement.valueDate) - Date.parse(at.slice(0, 10))) / DAY_MS);
  await inSandbox(olu, ...Array.from({ length: days }, () => '+1 day'));
  await olu.page.goto(olu.at(`/console/payments?currency=USD&valueDate=${settlement.valueDate}`));
  await olu.page.getByRole('button', { name: 'Make a run …' }).click();
  await olu.page.getByLabel('Reason, for the approver').fill('payouts of the day');
  await olu.page.getByRole('button', { name: 'Make it' }).click();
  await told(olu.page, 'The run is made.');
  await olu.page
    .locator('dialog')
    .getByRole('button', { name: /^Close$/ })
    .click();
  const [run] = (await read('/v1/operator/settlement-runs')).items;
  await ada.page.goto(ada.at(`/console/payments?run=${run.runId}`));
  await ada.page.getByRole('button', { name: 'Mark as sent …' }).click();
  await ada.page.getByLabel('Reason').fill('the bank has it');
  await ada.page.getByRole('button', { name: 'It is at the bank' }).click();
  await told(ada.page, 'It is marked as sent.');

  // The bank pays, ends its day and tells; the day is over.
  await inSandbox(olu, '+1 hour', 'End the day', '+1 day');
  await olu.page.goto(olu.at('/console/statements'));
  await olu.page.locator('tbody tr:has-text("camt.053") >> text=Accepted').first().waitFor();
  await olu.page.locator('tbody tr:has-text("camt.053") a').first().click();
  await olu.page.locator('section[aria-label="File"] table a').first().click();
  const ofAccount = olu.page.locator('section[aria-labelledby="entries"] tbody tr');
  await ofAccount.first().waitFor();
  const asked = new URLSearchParams(
    [...new URL(olu.page.url()).searchParams].filter(([name]) => name !== 'tab'),
  );
  const entries = (await read(`/v1/operator/statement-entries?${asked}`)).items;
  assert.equal(await ofAccount.count(), entries.length);
  const [{ closing }] = (await read(`/v1/operator/account-statements?${asked}`)).items;
  const inWords = Intl.NumberFormat('en', { minimumFractionDigits: 2 })
    .format(closing.amount)
    .replace('-', '−');
  await olu.page.locator('section[aria-labelledby="told"] td', { hasText: inWords }).first().waitFor();
  await ada.page.goto(ada.at(`/console/transactions/${trade.transactionId}`));
  await ada.page.locator('.page-head >> text=Settled').waitFor();

  // The bank and the ledger have the same, on the page …
  const shown = await bankPage(ada);
  const usd = Intl.NumberFormat('en', { minimumFractionDigits: 2 }).format(buyAmount);
  assert.deepEqual(
    Object.fromEntries(['EUR', 'USD'].map((code) => [code, [shown[code]?.Bank, shown[code]?.Ledger]])),
    { EUR: ['249,985.00', '249,985.00'], USD: [`−${usd}`, `−${usd}`] },
  );
  for (const card of Object.values(shown))
    assert.deepEqual([card.Difference, card.Unexplained], ['0.00', '0.00'], JSON.stringify(card));
  await ada.page.locator('text=Nothing is unexplained.').waitFor();
  await ada.page.locator('text=Both sides match').waitFor();

  // … and in what the service reports.
  const bank = await read('/v1/operator/ledger/bank-reconciliation');
  assert.equal(bank.balanced, true);
  for (const { currency, difference, unexplained, items } of bank.currencies)
    assert.deepEqual([difference, unexplained, items], ['0.00', '0.00', []], currency);
  const whole = `from=${at}`;
  const reconciliation = await read(`/v1/operator/reports/reconciliation?${whole}`);
  assert.equal(reconciliation.balanced, true);
  const revenue = await read(`/v1/operator/reports/spread-revenue?${whole}`);
  assert.deepEqual(
    revenue.items.map(({ trades, earned, currency }: Read) => [trades, earned, currency]),
    [[1, pricing.markup.amount, 'USD']],
  );
  // 35.5 of ten thousand, of 250,000 at the middle of the market, to a step of the customer's rate.
  const expected = 887.5 * Number(rate.mid);
  assert.ok(Math.abs(Number(pricing.markup.amount) - expected) < 250_000 * 0.00001, pricing.markup.amount);
  const { rows } =
    (await service?.pool.query('select closed_through::text as day from ledger_closing')) ?? {};
  assert.ok(rows?.[0].day >= settlement.valueDate, `closed through ${rows?.[0].day}`);
  assert.deepEqual([...ada.faults, ...olu.faults], []);
  await ada.page.context().close();
  await olu.page.context().close();
});
