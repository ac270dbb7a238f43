import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownerOf } from '../../service/test/support/database.ts';
import { until } from '../../service/test/support/process.ts';
import { untilLocked } from '../../service/test/support/waiting-for-locks.ts';
import { execute, FIRM_S, LIMIT_MS, openFloor, openTicket } from './test-support.ts';

/** An execution whose answer is lost, and whose quote has run out by the time that anybody asks. */

/** How often the client sends what gets no answer. */
const ATTEMPTS = 3;

const { skip, service, signIn, traded } = await openFloor();

test('a quote that has run out is not said to be untraded while an execution that arrived in time is under way', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  assert.ok(service !== undefined);
  const desk = await signIn('Dana Dealer');
  const { page } = desk;
  const before = await traded();
  await openTicket(desk, '24k');
  await page.keyboard.press('Control+Enter');
  await execute(desk).waitFor();
  const keys = new Set<string | undefined>();
  let [sent, isCut] = [0, true];
  await page.route('**/execute', async (route) => {
    keys.add(route.request().headers()['idempotency-key']);
    if (!isCut) return route.continue();
    // The last one that the page sends arrives, and its answer does not: the service waits for 5 s, and no longer.
    if (++sent === ATTEMPTS) {
      void route.fetch().catch(() => undefined);
      await isUnderWay;
    }
    await route.abort('connectionreset');
  });
  // Somebody holds what the trade has to write.
  const holder = await ownerOf(service.pool).connect();
  await holder.query('begin');
  await holder.query('select from customer_usage for update');
  let isOver = false;
  const isUnderWay = untilLocked(ownerOf(service.pool)).then(async () => {
    await service.operate('POST', '/v1/sandbox/clock', { advanceSeconds: FIRM_S + 1 });
    isOver = true;
  });
  try {
    const read = page.waitForResponse((answer) => isOver && /\/operator\/quotes\/quote_/.test(answer.url()));
    await execute(desk).click();
    await isUnderWay;
    const [quoteId] = /quote_\w+/.exec((await read).url()) ?? [];
    const quote = await service.operate('GET', `/v1/operator/quotes/${quoteId}`);
    assert.equal(quote.body.status, 'expired', quote.text);
    isCut = false;
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  await until('the trade', async () => (await traded()).length > before.length);
  await page
    .locator('.drawer a[href*="/transactions/txn_"], .firm .callout.warn:has-text("Nothing was traded")')
    .waitFor();
  assert.equal(await page.locator('.firm :text("Nothing was traded")').count(), 0);
  assert.equal(keys.size, 1);
  assert.equal((await traded()).length, before.length + 1);
  await page.context().close();
  await service.operate('POST', '/v1/sandbox/clock', { real: true });
});
