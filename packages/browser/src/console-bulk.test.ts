import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOfAccess, LIMIT_MS, openFloor } from './test-support.ts';

/** One command on many deposits or exceptions in the console: what became of each is told. */

const { skip, service, signIn } = await openFloor();
await service?.operate('POST', '/v1/sandbox/bank', { autoDeposit: false });

async function arrived(bankReference: string, amount: string): Promise<string> {
  const answer = await service?.operate('POST', '/v1/operator/deposits', {
    ...{ bankReference, amount, currency: 'EUR', remitterName: `Payer of ${bankReference}` },
    remitterAccount: 'DE89370400440532013000',
  });
  assert.equal(answer?.status, 201, answer?.text);
  return answer?.body.depositId;
}
const deposit = async (id: string) => (await service?.operate('GET', `/v1/operator/deposits/${id}`))?.body;
const outcomes = 'ol[aria-label="Result of each"] li';

test('many deposits are given one command, each once, and each says what became of it', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const [small, changed, large] = [
    await arrived('MANY1', '11.00'),
    await arrived('MANY2', '12.00'),
    await arrived('MANY3', '500000.00'),
  ];
  const { page, faults, at } = await signIn('Olu Operations');
  await page.goto(at('/console/deposits'));
  for (const reference of ['MANY1', 'MANY2', 'MANY3'])
    await page.locator(`input[aria-label$="${reference}"]`).check();
  await page.getByRole('button', { name: 'Other actions' }).click();
  await page.getByLabel('What to do with each').selectOption('return');
  await page.getByLabel('Reason, kept with each').fill('nobody expects it');
  assert.deepEqual(await faultsOfAccess(page), []);
  // Somebody else is quicker with one of them.
  const note = { note: 'I am on it', assignee: 'Night desk' };
  const assigned = await service?.operate('POST', `/v1/operator/deposits/${changed}/assign`, note);
  assert.equal(assigned?.status, 200, assigned?.text);
  await page.getByRole('button', { name: 'Apply to 3' }).dblclick();
  await page.locator(outcomes).first().waitFor();
  const reported = await page.locator(outcomes).allTextContents();
  assert.equal(reported.length, 3);
  assert.match(reported[0] ?? '', /11\.00 EUR.*Done/);
  assert.match(reported[1] ?? '', /12\.00 EUR.*Refused.*version/i);
  assert.match(reported[2] ?? '', /500,000\.00 EUR.*Proposed.*Open the approval/);
  assert.deepEqual(
    [(await deposit(small)).returnedAmount, (await deposit(changed)).returnedAmount],
    ['11.00', '0.00'],
  );
  assert.equal((await deposit(large)).returnedAmount, '0.00', 'it waits for a second person');
  const pending = await service?.operate('GET', '/v1/operator/approvals?status=pending');
  assert.equal(pending?.body.items.length, 1, 'pressed twice, proposed once');
  await page.setViewportSize({ width: 320, height: 640 });
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('many exceptions are assigned; closing one that has money is refused, and said so', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await arrived('MANY4', '21.00');
  await arrived('MANY5', '22.00');
  const { items } = (await service?.operate('GET', '/v1/operator/exceptions?type=unmatched'))?.body ?? {};
  const { page, faults, at } = await signIn('Olu Operations');
  const choose = async () => {
    for (const { exceptionId } of items.slice(-2))
      await page.locator(`input[aria-label$="${exceptionId}"]`).check();
  };
  await page.goto(at('/console/exceptions?type=unmatched'));
  await page.locator('tbody input').first().waitFor();
  await choose();
  await page.getByLabel('Person or team').fill('Day desk');
  await page.getByLabel('Note, kept with each').fill('to be asked');
  await page.getByRole('button', { name: 'Apply to 2' }).dblclick();
  await page.locator(outcomes).first().waitFor();
  assert.ok((await page.locator(outcomes).allTextContents()).every((text) => /Done/.test(text)));
  assert.deepEqual(await faultsOfAccess(page), []);
  const now = (await service?.operate('GET', '/v1/operator/exceptions?assignee=Day%20desk'))?.body.items;
  assert.deepEqual(
    now.map(({ version }: { version: number }) => version),
    [2, 2],
    'pressed twice, done once',
  );
  await page.getByRole('button', { name: 'Close' }).click();
  await page.reload();
  await page.locator('tbody input').first().waitFor();
  await choose();
  await page.getByLabel('What to do with each').selectOption('resolve');
  await page.getByLabel('How').selectOption('acknowledged');
  await page.getByLabel('Note, kept with each').fill('done with');
  await page.getByRole('button', { name: 'Apply to 2' }).click();
  await page.locator(outcomes).first().waitFor();
  assert.ok((await page.locator(outcomes).allTextContents()).every((text) => /Refused/.test(text)));
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('what was sent is what is told of, whatever is chosen meanwhile, and is meant again where its answer is lost', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const [first, second] = [await arrived('MANY6', '31.00'), await arrived('MANY7', '32.00')];
  const { page, at } = await signIn('Olu Operations');
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const sent: (string | undefined)[] = [];
  await page.route('**/v1/operator/deposits/commands', async (route) => {
    sent.push(route.request().headers()['idempotency-key']);
    held.resolve();
    if (sent.length === 1) await released.promise;
    // It is done, and nobody hears of it.
    if (sent.length > 1) return route.continue();
    await route.fetch();
    await route.abort();
  });
  await page.goto(at('/console/deposits'));
  for (const reference of ['MANY6', 'MANY7']) await page.locator(`input[aria-label$="${reference}"]`).check();
  await page.getByRole('button', { name: 'Other actions' }).click();
  await page.getByLabel('What to do with each').selectOption('return');
  await page.getByLabel('Reason, kept with each').fill('nobody expects them');
  await page.getByRole('button', { name: 'Apply to 2' }).click();
  await held.promise;
  await page.locator('input[aria-label$="MANY6"]').click();
  await page.getByLabel('Reason, kept with each').click();
  await page.keyboard.press('Enter');
  released.resolve();
  await page.locator(outcomes).first().waitFor();
  const reported = await page.locator(outcomes).allTextContents();
  assert.equal(reported.length, 2);
  assert.match(reported[0] ?? '', /31\.00 EUR.*Done/);
  assert.match(reported[1] ?? '', /32\.00 EUR.*Done/);
  assert.ok(sent.length > 1 && new Set(sent).size === 1, `one key: ${sent.join()}`);
  assert.deepEqual(
    [(await deposit(first)).returnedAmount, (await deposit(second)).returnedAmount],
    ['31.00', '32.00'],
  );
  await page.context().close();
});
