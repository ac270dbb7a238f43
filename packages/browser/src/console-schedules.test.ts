import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownerOf } from '../../service/test/support/database.ts';
import { until } from '../../service/test/support/process.ts';
import { faultsOfAccess, LIMIT_MS, openFloor, told } from './test-support.ts';

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
  await page.getByLabel('On a closed day').selectOption('skip');
  await page.getByLabel('At', { exact: true }).fill('25:00');
  await page.locator('text=Hours and minutes').waitFor();
  await page.getByLabel('At', { exact: true }).fill('06:30');
  // What the form cannot know the service says, and nothing typed is lost.
  await page.locator('dialog').getByRole('button', { name: 'Schedule a report' }).click();
  await page.locator('dialog [role="alert"]').first().waitFor();
  await page.getByLabel('Calendar of closed days (optional)').fill('EUR');
  await page.locator('dialog').getByRole('button', { name: 'Schedule a report' }).dblclick();
  await told(page, 'It is scheduled.');
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

  await page.getByRole('button', { name: 'Change' }).first().click();
  await page.getByLabel('At', { exact: true }).fill('07:15');
  await page.getByLabel('Calendar of closed days (optional)').fill('');
  await page.getByLabel('On a closed day').selectOption('run');
  await page.locator('dialog').getByRole('button', { name: 'Change' }).dblclick();
  await told(page, 'It is changed.');
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  const [changed] = await schedules();
  assert.deepEqual(
    [changed.name, changed.at, changed.calendar, changed.report, changed.keepDays, changed.version],
    [made.name, '07:15', null, 'deposits', 90, made.version + 1],
    'pressed twice, changed once, and nothing else',
  );

  await page.getByRole('button', { name: 'Pause' }).first().click();
  await page.locator('dialog').getByRole('button', { name: 'Pause' }).click();
  await told(page, 'It is paused.');
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Resume' }).first().waitFor();
  assert.equal((await schedules())[0].nextRunAt, null);
  await page.getByRole('button', { name: 'Resume' }).first().click();
  await page.locator('dialog').getByRole('button', { name: 'Resume' }).click();
  await told(page, 'It runs again.');
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  assert.equal((await schedules())[0].paused, false);
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

test('a schedule that cannot run, and a run that failed, say why, and are work for a person who closes it', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  assert.ok(service !== undefined);
  await service.operate('POST', '/v1/sandbox/clock', { now: '2026-04-01T12:00:00Z' });
  const plan = {
    ...{ report: 'blotter', format: 'csv', every: 'day', on: null, at: '06:30', zone: 'UTC', keepDays: 10 },
    ...{ currency: null, customerId: null, paused: false },
  };
  const create = async (more: object) => {
    const made = await service.operate('POST', '/v1/operator/report-schedules', { ...plan, ...more });
    assert.equal(made.status, 201, made.text);
    return made.body.scheduleId as string;
  };
  const closed = await create({ name: 'Calendar gone', holidays: 'skip', calendar: 'EUR' });
  const failing = await create({ name: 'Never made', holidays: 'run', calendar: null });
  // What no operation does: a calendar is taken away, and a run has been begun too often.
  const owner = ownerOf(service.pool);
  await owner.query("update report_schedules set calendar = 'XTS' where calendar = 'EUR'");
  await owner.query(
    `insert into report_jobs (id, report, format, parameters, requested_by, status, created_at, expires_at, schedule_id, slot, due_at, attempts)
     select gen_random_uuid(), report, format, '{}', created_by, 'queued', '2026-04-01T06:30Z', '2026-05-01', id, '2026-04-01', '2026-04-01T06:30Z', 3
     from report_schedules where name = 'Never made'`,
  );
  const exceptions = async () =>
    (await service.operate('GET', '/v1/operator/exceptions?type=report_failed')).body.items;
  await until('both are told', async () => (await exceptions()).length === 2);
  const { page, faults, at } = await signIn('Olu Operations');
  await page.goto(at('/console/reports?tab=schedules'));
  await page.locator('tr:has-text("Calendar gone") >> text=/The calendar of XTS has ended/').waitFor();
  const failed = page.locator('tr:has-text("Never made")');
  await failed.locator('text=/It failed 3 times/').waitFor();
  assert.deepEqual(await faultsOfAccess(page), []);
  await failed.locator('a:has-text("Exceptions")').click();
  for (const scheduleId of [closed, failing]) await page.locator(`tr:has-text("${scheduleId}")`).waitFor();
  await page.locator(`tr:has-text("${failing}") a`).first().click();
  await page.locator('text=What can be done').waitFor();
  await page.locator(`.facts a:has-text("${failing}")`).waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByLabel('What you found, kept with it').fill('asked for it again by hand');
  await page.locator('dialog').getByRole('button', { name: 'Close' }).first().click();
  await told(page, 'It is closed.');
  assert.deepEqual(
    (await exceptions()).map(({ reason, report }: { reason: string; report: { scheduleId: string } }) => [
      reason,
      report.scheduleId,
    ]),
    [['cannot_run', closed]],
  );
  const metrics = await fetch(`${service.application.localUrl}/metrics`).then((answer) => answer.text());
  assert.match(metrics, /firmquote_exceptions_open\{type="report_failed"\} [12]/);
  assert.deepEqual(faults, []);
  await page.context().close();
});
