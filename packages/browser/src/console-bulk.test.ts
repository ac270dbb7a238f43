import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Desk, faultsOfAccess, LIMIT_MS, openFloor, withhold } from './test-support.ts';

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

/** Chooses deposits, and what to do with each. */
async function chooseForNote({ page, at }: Desk, references: readonly string[]): Promise<void> {
  await page.goto(at('/console/deposits'));
  for (const reference of references) await page.locator(`input[aria-label$="${reference}"]`).check();
  await page.getByRole('button', { name: 'Other actions' }).click();
  await page.getByLabel('What to do with each').selectOption('note');
  await page.getByLabel('Reason, kept with each').fill('seen');
}

test('what is chosen and pressed while a command is under way changes nothing of what is told about it', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const ids = [await arrived('MANY6', '31.00'), await arrived('MANY7', '32.00')];
  const desk = await signIn('Olu Operations');
  const { page } = desk;
  await chooseForNote(desk, ['MANY6', 'MANY7']);
  const letGo = await withhold(page, '**/v1/operator/deposits/commands');
  await page.getByRole('button', { name: 'Apply to 2' }).click();
  await page.locator('.bulk .outcome .hint').waitFor();
  await page.evaluate(`{
    for (const button of document.querySelectorAll('main .actions [aria-pressed=false]')) button.click();
    document.querySelector('input[aria-label$="MANY6"]').click();
  }`);
  await page.evaluate(`document.querySelector('form.bulk').requestSubmit()`);
  letGo();
  await page.locator(outcomes).first().waitFor();
  const reported = await page.locator(outcomes).allTextContents();
  assert.equal(reported.length, 2);
  assert.match(reported[0] ?? '', /31\.00 EUR.*Done/);
  assert.match(reported[1] ?? '', /32\.00 EUR.*Done/);
  for (const id of ids) assert.equal((await deposit(id)).version, 2, 'done once');
  await page.context().close();
});

test('each answer is shown with what it is about, in whichever order it comes', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const [one, two] = [await arrived('MANY8', '41.00'), await arrived('MANY9', '42.00')];
  const desk = await signIn('Olu Operations');
  const { page } = desk;
  await chooseForNote(desk, ['MANY8', 'MANY9']);
  const problem = { code: 'version_mismatch', detail: 'It has another version.' };
  await page.route('**/v1/operator/deposits/commands', (route) =>
    route.fulfill({
      ...{ status: 200, contentType: 'application/json' },
      body: JSON.stringify({
        items: [
          { depositId: two, outcome: 'refused', problem, approvalId: null },
          { depositId: one, outcome: 'done', problem: null, approvalId: null },
        ],
      }),
    }),
  );
  await page.getByRole('button', { name: 'Apply to 2' }).click();
  await page.locator(outcomes).first().waitFor();
  const reported = (await page.locator(outcomes).allTextContents()).join(' | ');
  assert.match(reported, /42\.00 EUR[^|]*Refused/);
  assert.match(reported, /41\.00 EUR[^|]*Done/);
  await page.context().close();
});

test('to whom many are given is still written after the page is loaded anew, as after a sign-in', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await arrived('KEPT', '53.00');
  const { page, at } = await signIn('Olu Operations');
  const begin = async () => {
    await page.goto(at('/console/deposits'));
    await page.locator('input[aria-label$="KEPT"]').check();
    await page.getByRole('button', { name: 'Other actions' }).click();
  };
  await begin();
  await page.getByLabel('Person or team').fill('Night desk');
  await page.getByLabel('Reason, kept with each').fill('after hours');
  await begin();
  assert.equal(await page.locator('label:text-is("Person or team") + input').inputValue(), 'Night desk');
  assert.equal(
    await page.locator('label:text-is("Reason, kept with each") + input').inputValue(),
    'after hours',
  );
  await page.goto(at('/console/calendars'));
  await page.getByLabel('Source, such as the vendor and its file').fill('Vendor, November');
  await page.goto(at('/console/calendars'));
  const source = page.locator('label:text-is("Source, such as the vendor and its file") + input');
  await source.waitFor();
  assert.equal(await source.inputValue(), 'Vendor, November');
  await page.context().close();
});

test('another choice after a lost answer is another command', { skip, timeout: LIMIT_MS }, async () => {
  const ids = [await arrived('MANYA', '51.00'), await arrived('MANYB', '52.00')];
  const desk = await signIn('Olu Operations');
  const { page } = desk;
  await chooseForNote(desk, ['MANYA']);
  let isCut = true;
  await page.route('**/v1/operator/deposits/commands', async (route) => {
    if (!isCut) return route.continue();
    // It arrives, and its answer does not.
    await route.fetch();
    await route.abort('connectionreset');
  });
  await page.getByRole('button', { name: 'Apply to 1' }).click();
  await page.locator('.bulk [role=alert] h2:text-is("We do not know yet whether it was done")').waitFor();
  await page.locator('input[aria-label$="MANYB"]').check();
  isCut = false;
  await page.getByRole('button', { name: 'Apply to 2' }).click();
  await page.locator(outcomes).first().waitFor();
  assert.equal(await page.locator(outcomes).count(), 2);
  for (const id of ids) assert.equal((await deposit(id)).version, 2);
  await page.context().close();
});

test('what was chosen before the list was filtered is told, and can be left out', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await arrived('BEFORE', '61.00');
  await arrived('BEHIND', '62.00');
  const { page, at, faults } = await signIn('Olu Operations');
  await page.goto(at('/console/deposits'));
  await page.locator('input[aria-label$="BEFORE"]').check();
  const elsewhere = page.locator('[aria-label="Chosen under other filters"]');
  assert.equal(await elsewhere.count(), 0);
  await page.getByLabel('Bank reference').fill('BEHIND');
  await page.keyboard.press('Enter');
  await page.locator('input[aria-label$="BEFORE"]').waitFor({ state: 'detached' });
  await page.locator('input[aria-label$="BEHIND"]').check();
  await page.locator('h2:text-is("2 deposits are chosen")').waitFor();
  assert.match((await elsewhere.textContent()) ?? '', /61\.00 EUR of BEFORE/);
  assert.doesNotMatch((await elsewhere.textContent()) ?? '', /BEHIND/);
  assert.deepEqual(await faultsOfAccess(page), []);
  await page.getByRole('button', { name: 'Leave out 61.00 EUR of BEFORE' }).click();
  await page.locator('h2:text-is("One deposit is chosen")').waitFor();
  await elsewhere.waitFor({ state: 'detached' });
  assert.deepEqual(faults, []);
  await page.context().close();
});
