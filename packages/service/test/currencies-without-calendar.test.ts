import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCustomer, startExampleService, succeed } from './support/acceptance.ts';

/** What can be dealt is offered, and nothing else: docs/interface.md#rates and docs/interface.md#value-dates. */

test('a currency without a calendar is offered nowhere, until an operator gives one', async () => {
  const service = await startExampleService();
  const acme = await createCustomer(service);
  const statusOf = async () => {
    const { body } = await succeed(200, acme.get('/v1/customer/reference/currencies'));
    return body.items.find(({ code }: { code: string }) => code === 'COP').status;
  };
  const pairs = async () =>
    (await succeed(200, acme.get('/v1/customer/reference/pairs?pair=USDCOP'))).body.items.map(
      ({ pair, tenors }: { pair: string; tenors: { spot: { available: boolean } } }) => [
        pair,
        tenors.spot.available,
      ],
    );
  assert.deepEqual([await statusOf(), await pairs()], ['calendar_missing', []]);
  const year = { complete: true, changes: [], reason: 'from the central bank' };
  const give = (of: number) =>
    succeed(200, service.operate('PUT', `/v1/operator/calendars/COP/${of}`, year, { 'If-Match': '"v1"' }));
  await give(2027);
  assert.deepEqual([await statusOf(), await pairs()], ['calendar_missing', []], 'one that has not begun');
  await give(2026);
  assert.deepEqual([await statusOf(), await pairs()], ['tradable', [['USDCOP', true]]]);
  const request = { sellCurrency: 'USD', buyCurrency: 'COP', tenor: 'spot' };
  await succeed(200, acme.post('/v1/customer/quotes/indicative', request));
});
