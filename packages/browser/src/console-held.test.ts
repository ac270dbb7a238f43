import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrives, type Desk, execute, LIMIT_MS, openFloor, openTicket } from './test-support.ts';

/** What a command is about stays in sight until it is known what became of it. */

const { skip, signIn, traded } = await openFloor();
const done = '.drawer a[href*="/transactions/txn_"]';

/** For what would come of a key by itself: a page takes its turns one after the other. */
async function moment({ page }: Desk): Promise<void> {
  await page.evaluate('new Promise((later) => setTimeout(later, 500))');
}

test('Enter that is held asks for a price, and trades nothing', { skip, timeout: LIMIT_MS }, async () => {
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  const before = await traded();
  let executions = 0;
  page.on('request', (request) => /\/execute$/.test(request.url()) && executions++);
  await openTicket(desk, '8k');
  await page.locator('#ticket-amount').focus();
  await page.keyboard.down('Enter');
  await execute(desk).waitFor();
  await arrives(page, /^Execute/);
  for (let times = 0; times < 5; times++) await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await moment(desk);
  assert.equal(executions, 0);
  await page.keyboard.press('Enter');
  await page.locator(done).waitFor();
  assert.equal((await traded()).length, before.length + 1);
  await page.context().close();
});

