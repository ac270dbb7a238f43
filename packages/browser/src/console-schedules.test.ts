import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOfAccess, LIMIT_MS, openFloor } from './test-support.ts';

/** Reports by the calendar in the console. */

const { skip, service, signIn } = await openFloor();

const schedules = async () => (await service?.operate('GET', '/v1/operator/report-schedules'))?.body.items;

test('a report is scheduled once, made when it is due, paused and deleted; its file stays', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await service?.operate('POST', '/v1/sandbox/clock', { now: '2026-03-04T14:30:00Z' });
  const { page, faults, at } = await signIn('Olu Operations');
  await page.goto(at('/console/reports?tab=schedules'));
  await page.getByRole('button', { name: 'Schedule a report' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Deposits <b>of the day</b>');
  await page.getByLabel('Report', { exact: true }).selectOption('deposits');
  await page.getByLabel('On a day that is closed').selectOption('skip');
  await page.getByLabel('At', { exact: true }).fill('25:00');
  await page.locator('text=Hours and minutes').waitFor();
  await page.getByLabel('At', { exact: true }).fill('06:30');
  // What the form cannot know the service says, and nothing typed is lost.
  await page.locator('dialog').getByRole('button', { name: 'Schedule a report' }).click();
  await page.locator('dialog [role="alert"]').first().waitFor();
  await page.getByLabel('Closed by the calendar of (optional)').fill('EUR');
  await page.locator('dialog').getByRole('button', { name: 'Schedule a report' }).dblclick();
  await page.locator('text=It is scheduled.').waitFor();
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  const [made, ...others] = await schedules();
  assert.deepEqual(others, [], 'pressed twice, scheduled once');
  assert.deepEqual([made.at, made.calendar, made.nextRunFor], ['06:30', 'EUR', '2026-03-05']);

  await service?.operate('POST', '/v1/sandbox/clock', { now: '2026-03-05T06:30:01Z' });
  await page.locator('tbody a').first().click();
  const runs = page.locator('section[aria-labelledby="runs"]');
  await runs.getByRole('link', { name: 'Download' }).waitFor();
  await runs.locator('text=2026-03-05').first().waitFor();
  assert.deepEqual(await faultsOfAccess(page), []);
  await page.setViewportSize({ width: 320, height: 640 });
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
  await page.setViewportSize({ width: 1280, height: 900 });

  await page.getByRole('button', { name: 'Pause' }).first().click();
  await page.locator('dialog').getByRole('button', { name: 'Pause' }).click();
  await page.locator('text=It is paused.').waitFor();
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Resume' }).first().waitFor();
  assert.equal((await schedules())[0].nextRunAt, null);
  await page.getByRole('button', { name: 'Delete' }).first().click();
  await page.locator('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.locator('text=No report is scheduled').waitFor();
  const kept = (await service?.operate('GET', '/v1/operator/reports'))?.body.items;
  assert.deepEqual(
    kept.map(({ slot, scheduleId, status }: Record<string, unknown>) => [slot, scheduleId, status]),
    [['2026-03-05', null, 'completed']],
  );
  const expected = faults.filter((fault) => !fault.includes('400'));
  assert.deepEqual(expected, []);
  await page.context().close();
});
