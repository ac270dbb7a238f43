import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fourEyes } from '../../service/test/support/four-eyes.ts';
import type { ConsolePage } from './chromium.ts';
import { LIMIT_MS, openFloor } from './test-support.ts';

/** What is shown is all that there is, or says that it is not. */

const { skip, service, signIn } = await openFloor();

/** Lists come so many at a time, as if there were many more. */
async function inPagesOf(page: ConsolePage, count: number, pattern: string): Promise<void> {
  await page.route(pattern, (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('limit', String(count));
    return route.continue({ url: url.href });
  });
}

test('a proposal that waits behind many newer ones needs attention as they do', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  assert.ok(service !== undefined);
  const eyes = await fourEyes(service);
  await eyes.setPolicy({ person: 'always' });
  for (const email of ['one@example.com', 'two@example.com', 'three@example.com'])
    await eyes.proposed('POST', '/v1/operator/persons', { email, roles: ['viewer'] });
  const { page, at } = await signIn('Ada Approver');
  await inPagesOf(page, 1, '**/operator/approvals?*');
  await page.goto(at('/console/overview'));
  await page.locator('.attention a', { hasText: '3Proposals waiting for you' }).waitFor();
  await page.context().close();
});
