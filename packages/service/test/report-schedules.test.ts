import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, test } from 'node:test';
import {
  createCustomer,
  fieldErrors,
  moveClock,
  refused,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { fourEyes } from './support/four-eyes.ts';
import type { Answer, TestService } from './support/service.ts';

/** Scheduled reports over HTTP (docs/reports.md). */

const PATH = '/v1/operator/report-schedules';
type Body = Answer['body'];
const NIGHTLY = {
  ...{ name: 'Trades of the day', report: 'blotter', format: 'csv', every: 'day', on: null, at: '06:30' },
  ...{ zone: 'Europe/Berlin', holidays: 'skip', calendar: 'EUR', customerId: null, currency: null },
  ...{ keepDays: 30, paused: false },
};
let service: TestService;

before(async () => {
  service = await startExampleService();
});

const create = (body: object, headers = {}) => service.operate('POST', PATH, body, headers);

async function completedRun(path: string): Promise<Body> {
  for (let tries = 0; tries < 300; tries++) {
    const { items } = (await succeed(200, service.operate('GET', `${path}/runs`))).body;
    if (items[0]?.status === 'completed') return items[0];
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return assert.fail('no run was completed');
}

test('a schedule is made once, runs by the calendar, and its file is there with its checksum', async () => {
  const key = { 'Idempotency-Key': 'nightly-1' };
  const made = await succeed(201, create(NIGHTLY, key));
  const repeated = await succeed(201, create(NIGHTLY, key));
  assert.equal(repeated.body.scheduleId, made.body.scheduleId);
  const path = made.headers.get('Location') ?? '';
  assert.equal(path, `${PATH}/${made.body.scheduleId}`);
  // It is the afternoon of a Wednesday.
  assert.deepEqual(
    [made.body.nextRunFor, made.body.nextRunAt, made.body.lastRun, made.body.version],
    ['2026-03-05', '2026-03-05T05:30:00.000Z', null, 1],
  );
  const { items } = (await succeed(200, service.operate('GET', PATH))).body;
  assert.deepEqual(items, [made.body]);

  await moveClock(service, { now: '2026-03-05T05:30:01Z' });
  const run = await completedRun(path);
  assert.deepEqual(
    [run.slot, run.dueAt, run.scheduleId, run.parameters],
    [
      '2026-03-05',
      '2026-03-05T05:30:00.000Z',
      made.body.scheduleId,
      { from: '2026-03-03T23:00:00.000Z', to: '2026-03-04T23:00:00.000Z' },
    ],
  );
  const file = await service.operate('GET', run.contentUrl);
  assert.equal(createHash('sha256').update(file.text).digest('hex'), run.sha256);
  assert.equal(run.bytes, Buffer.byteLength(file.text));
  assert.equal(
    Date.parse(run.expiresAt) - Date.parse(run.createdAt),
    30 * 86_400_000,
    'kept as long as the schedule says',
  );
  const read = await succeed(200, service.operate('GET', path));
  assert.equal(read.body.lastRun.reportId, run.reportId);
  // Friday's report is of Thursday; Monday's of Friday and the weekend.
  await moveClock(service, { now: '2026-03-09T05:31:00Z' });
  await completedRun(path);
  const { items: runs } = (await succeed(200, service.operate('GET', `${path}/runs?limit=2`))).body;
  assert.deepEqual(
    runs.map(({ slot, parameters }: Body) => [slot, parameters.from]),
    [
      ['2026-03-09', '2026-03-05T23:00:00.000Z'],
      ['2026-03-06', '2026-03-04T23:00:00.000Z'],
    ],
  );
  const listed = await service.operate('GET', `${path}/runs?limit=2`);
  const next = await service.operate('GET', `${path}/runs?limit=2&cursor=${listed.body.nextCursor}`);
  assert.deepEqual(
    next.body.items.map(({ slot }: Body) => slot),
    ['2026-03-05'],
  );
});

test('it is changed under its version, paused, and deleted', async () => {
  const { body } = await succeed(201, create({ ...NIGHTLY, name: 'To be changed' }));
  const path = `${PATH}/${body.scheduleId}`;
  const paused = { ...NIGHTLY, name: 'Changed', paused: true };
  await refused('precondition_required', service.operate('PUT', path, paused));
  const first = { 'If-Match': '"v1"' };
  const changed = await succeed(200, service.operate('PUT', path, paused, first));
  assert.deepEqual([changed.body.version, changed.body.nextRunAt], [2, null]);
  await refused('version_mismatch', service.operate('PUT', path, NIGHTLY, first));
  await succeed(204, service.operate('DELETE', path));
  for (const [method, at, sent] of [
    ['GET', path, undefined],
    ['PUT', path, NIGHTLY],
    ['DELETE', path, undefined],
    ['GET', `${path}/runs`, undefined],
  ] as const) {
    await refused('report_schedule_not_found', service.operate(method, at, sent, { 'If-Match': '*' }));
  }
});

test('what cannot run is refused, field by field', async () => {
  const wrong = async (change: object) =>
    (await fieldErrors(create({ ...NIGHTLY, ...change }))).map(([pointer]) => pointer);
  assert.deepEqual(await wrong({ on: 3 }), ['/on']);
  assert.deepEqual(await wrong({ every: 'week' }), ['/on']);
  assert.deepEqual(await wrong({ every: 'week', on: 8 }), ['/on']);
  assert.deepEqual(await wrong({ zone: 'Europe/Atlantis' }), ['/zone']);
  assert.deepEqual(await wrong({ at: '24:00' }), ['/at']);
  assert.deepEqual(await wrong({ holidays: 'following' }), ['/holidays']);
  assert.deepEqual(await wrong({ holidays: 'run' }), ['/calendar']);
  assert.deepEqual(await wrong({ calendar: null }), ['/calendar']);
  assert.deepEqual(await wrong({ calendar: 'XTS' }), ['/calendar']);
  assert.deepEqual(await wrong({ currency: 'EUR' }), ['/currency']);
  assert.deepEqual(await wrong({ report: 'suspense', currency: 'XYZ' }), ['/currency']);
  assert.deepEqual(await wrong({ customerId: 'acme' }), ['/customerId']);
  assert.deepEqual(await wrong({ keepDays: 401 }), ['/keepDays']);
  const nobody = { ...NIGHTLY, customerId: 'cus_01jngx7z5d2m8r4v6t9k3b1c0a' };
  await refused('customer_not_found', create(nobody));
  const { customerId } = await createCustomer(service);
  const one = await succeed(201, create({ ...NIGHTLY, customerId }));
  assert.equal(one.body.customerId, customerId);
});

test('there are fifty at most, and who only reads makes none', async () => {
  const eyes = await fourEyes(service);
  const reader = await eyes.narrowToken(['operator:reports:read']);
  assert.equal((await service.call('GET', PATH, { token: reader })).status, 200);
  await refused('insufficient_scope', service.call('POST', PATH, { token: reader, body: NIGHTLY }));
  const { items } = (await service.operate('GET', PATH)).body;
  for (let more = items.length; more < 50; more++) await succeed(201, create(NIGHTLY));
  await refused('too_many_report_schedules', create(NIGHTLY));
});
