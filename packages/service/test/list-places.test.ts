import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { OPERATIONS } from '@firmquote/api';
import { CursorCodec, type CursorPart } from '../src/http/paging.ts';
import { startReceiver } from '../src/webhooks/test-support.ts';
import { refused, startExampleService, succeed } from './support/acceptance.ts';
import { fourEyes } from './support/four-eyes.ts';
import type { Answer, TestService } from './support/service.ts';

/** No list goes on from a place that is none of its own, however it came under the signature. */

const PLACES: readonly (readonly CursorPart[])[] = [
  [],
  ['x'],
  [1],
  ['1'],
  ['2026-02-30'],
  [1.5],
  ['x', 'x'],
  [1, 1],
  ['2026-03-04', 'x'],
  ['2026-03-04T14:30:00.000Z', 1],
  ['x', 'x', 'x'],
  [1, 'x', 1],
];
/** Of no list at all. */
const FOREIGN: readonly (readonly CursorPart[])[] = [[], [null], [1.5], ['x', 1, 'x', 1]];
const LISTS = OPERATIONS.filter(({ pages }) => pages === true);

let service: TestService;
let place: readonly CursorPart[] = [];
/** What the lists are of, and what they need to be asked. */
const params: Record<string, string> = { pair: 'EURUSD', currency: 'EUR', year: '2026', account: 'bank' };
const queries: Record<string, string> = {
  listBars: 'pair=EURUSD',
  listAccountStatements: 'account=1&from=2026-03-04',
  listAccountEntries: 'account=1&from=2026-03-04',
  listAccountBalances: 'currency=EUR',
  listAccountPostings: 'customerId=house&currency=EUR',
};

before(async () => {
  service = await startExampleService({ FIRMQUOTE_LOG_LEVEL: 'silent' });
  const { customer } = await fourEyes(service);
  params.customerId = customer.customerId;
  const file = await service.operate('POST', '/v1/operator/statements', 'no statement', {
    'Content-Type': 'application/octet-stream',
  });
  params.fileId = file.body.fileId;
  const withdrawal = { currency: 'EUR', amount: '10.00' };
  const path = '/v1/customer/balances/withdrawals';
  await succeed(201, customer.post(path, withdrawal, { 'Idempotency-Key': 'paid out' }));
  const order = { currency: 'EUR', valueDate: '2026-03-06' };
  const run = await succeed(201, service.operate('POST', '/v1/operator/settlement-runs', order));
  params.runId = run.body.runId;
  const schedule = {
    ...{ name: 'Trades of the day', report: 'blotter', format: 'csv', every: 'day', on: null, at: '06:30' },
    ...{ zone: 'UTC', holidays: 'run', calendar: null, customerId: null, currency: null },
    ...{ keepDays: 30, paused: false },
  };
  const made = await succeed(201, service.operate('POST', '/v1/operator/report-schedules', schedule));
  params.scheduleId = made.body.scheduleId;
  CursorCodec.prototype.decode = () => place;
});

async function webhookOf(audience: string): Promise<string> {
  const { url } = await startReceiver();
  const made = await succeed(201, asked(audience, 'POST', `/v1/${audience}/webhooks`, { url }));
  return made.body.webhookId;
}

function asked(audience: string, method: string, path: string, body?: unknown): Promise<Answer> {
  return audience === 'customer'
    ? service.call(method, path, body === undefined ? {} : { body })
    : service.operate(method, path, body);
}

for (const { id, path, access } of LISTS) {
  test(`${id} refuses them`, async () => {
    const { audience = 'operator' } = access ?? {};
    if (path.includes('{webhookId}')) params.webhookId = await webhookOf(audience);
    const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
    const list = (query = '') =>
      asked(audience, 'GET', `${address}?${[queries[id], query].filter(Boolean).join('&')}`);
    await succeed(200, list());
    for (place of FOREIGN) await refused('cursor_invalid', list('cursor=x'));
    for (place of PLACES) {
      const { status, body, text } = await list('cursor=x');
      assert.ok(status === 200 || body.code === 'cursor_invalid', `${JSON.stringify(place)}: ${text}`);
    }
  });
}
