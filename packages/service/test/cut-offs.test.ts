import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  type Customer,
  createCustomer,
  EXAMPLE_NOW,
  fieldErrors,
  moveClock,
  refused,
  SELL_USD,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import type { TestService } from './support/service.ts';

/** Same-day cut-offs as operators change them, and what follows for quotes and trades: docs/interface.md#cut-offs. */

const CUT_OFFS = '/v1/operator/cutoffs';
let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

const put = (path: string, body: unknown, version: number) =>
  service.operate('PUT', path, body, { 'If-Match': `"v${version}"` });

describe('cut-offs', () => {
  const path = `${CUT_OFFS}/USD`;
  const later = {
    time: '14:00',
    zone: 'America/New_York',
    source: "The bank's schedule of 2026",
    reason: 'Moved to the new bank',
  };

  test('the seed is shown, then changed, and quotes follow at once', async () => {
    const seed = await succeed(200, service.operate('GET', path));
    assert.deepEqual(
      [seed.body.time, seed.body.zone, seed.body.origin, seed.body.version, seed.body.cutOffAt],
      ['15:00', 'Europe/London', 'built_in', 1, '2026-03-04T15:00:00.000Z'],
    );
    const pounds = { ...SELL_USD, buyCurrency: 'GBP' };
    const old = (await acme.quote(pounds)).body;
    const trade = (await acme.trade(old.quoteId)).body;
    const { body } = await succeed(200, put(path, later, 1));
    assert.deepEqual(
      [body.time, body.origin, body.version, body.cutOffAt, body.lastChange.reason],
      ['14:00', 'operator', 2, '2026-03-04T19:00:00.000Z', 'Moved to the new bank'],
    );
    await succeed(200, put(`${CUT_OFFS}/GBP`, { ...later, time: '20:00', zone: 'Europe/London' }, 1));
    const quote = (await acme.quote(pounds)).body;
    assert.equal(quote.settlement.fundingCutoffAt, '2026-03-06T19:00:00.000Z');
    const kept = (await acme.get(`/v1/customer/transactions/${trade.transactionId}`)).body;
    assert.equal(kept.settlement.fundingCutoffAt, '2026-03-06T15:00:00.000Z', 'what is traded keeps its own');
  });

  test('value today follows the new cut-off', async () => {
    const london = { ...later, zone: 'Europe/London' };
    await succeed(200, put(`${CUT_OFFS}/GBP`, { ...london, time: '15:00' }, 2));
    await moveClock(service, { now: '2026-03-04T16:00:00.000Z' });
    const today = { ...SELL_USD, sellCurrency: 'USD', buyCurrency: 'GBP', tenor: 'today' };
    await refused('cutoff_passed', acme.post('/v1/customer/quotes', today), {
      reasons: ['cutoff_passed: GBP'],
    });
    await succeed(200, put(`${CUT_OFFS}/GBP`, { ...london, time: '16:30' }, 3));
    const { body } = await succeed(201, acme.post('/v1/customer/quotes', { ...today, validitySeconds: 300 }));
    assert.equal(body.settlement.valueDate, '2026-03-04');
    await moveClock(service, { now: EXAMPLE_NOW });
  });

  test('list, history and what is refused', async () => {
    const { body } = await succeed(200, service.operate('GET', CUT_OFFS));
    const dollar = body.items.find((item: { currency: string }) => item.currency === 'USD');
    assert.deepEqual([dollar.time, dollar.origin], ['14:00', 'operator']);
    assert.ok(body.items.length > 40);
    const history = (await succeed(200, service.operate('GET', `${path}/versions`))).body;
    assert.deepEqual(
      history.items.map((item: { version: number; time: string }) => [item.version, item.time]),
      [[2, '14:00']],
    );
    assert.deepEqual(await fieldErrors(put(path, { ...later, zone: 'Mars/Olympus' }, 2)), [
      ['/zone', 'wrong_format'],
    ]);
    assert.deepEqual(await fieldErrors(put(path, { ...later, zone: '+02:00', time: '24:00' }, 2)), [
      ['/time', 'wrong_format'],
    ]);
    await refused('version_mismatch', put(path, later, 1), { currentVersion: 2 });
  });

  test('a customer may not see or change them', async () => {
    for (const url of [CUT_OFFS, path, `${path}/versions`]) {
      await refused('insufficient_scope', service.call('GET', url), { requiredScope: 'operator:calendars' });
    }
  });
});
