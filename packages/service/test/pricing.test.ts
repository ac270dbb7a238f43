import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { parseTypeId } from '../src/platform/ids.ts';
import {
  createCustomer,
  fieldErrors,
  moveClock,
  refused,
  SELL_USD,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { components, INDICATIVE, NO_POLICY, POLICY, price, put, QUOTES, RULES } from './support/pricing.ts';
import type { TestService } from './support/service.ts';

/** What operators set beside spread rules: premiums, wider hours, smallest and largest amounts, over HTTP. */

let service: TestService;

before(async () => {
  service = await startExampleService();
});

describe('the pricing policy', () => {
  test('a longer promise costs what the table says, and the evidence holds what was charged', async () => {
    const acme = await createCustomer(service);
    assert.deepEqual((await service.operate('GET', POLICY)).body, { version: 1, ...NO_POLICY });
    const table = [
      { upToSeconds: 30, bps: '0.00' },
      { upToSeconds: 60, bps: '1.25' },
      { upToSeconds: 300, bps: '4.00' },
    ];
    const policy = { ...NO_POLICY, validityPremium: { method: 'table', table, volatility: null } };
    assert.deepEqual((await put(service, POLICY, policy)).body, { version: 2, ...policy });
    assert.equal((await put(service, POLICY, policy)).body.version, 2, 'the same policy keeps its version');
    assert.deepEqual(components(await price(acme)), ['customer_spread 20.00']);
    const minute = await price(acme, { validitySeconds: 60 });
    assert.deepEqual(components(minute), ['customer_spread 20.00', 'validity_premium 1.25']);
    assert.equal(minute.body.pricing.spreadBps, '21.25');
    // 1.08494 × 1.002125 = 1.087245…, rounded up.
    assert.equal(minute.body.rate.value, '1.08725');
    const { rows } = await service.pool.query<{ evidence: string }>(
      'select evidence from priced_quotes where id = $1',
      [parseTypeId('quote', minute.body.quoteId)],
    );
    const evidence = JSON.parse(rows[0]?.evidence ?? '{}');
    assert.deepEqual(evidence.components, minute.body.pricing.components);
    assert.deepEqual([evidence.spreadBps, evidence.pricingPolicyVersion], ['21.25', 2]);
    await put(service, POLICY, NO_POLICY);
    assert.equal((await price(acme, { validitySeconds: 300 })).body.pricing.spreadBps, '20.00');
  });

  test('hours are wider by the clock of their zone', async () => {
    const acme = await createCustomer(service);
    const { sellCurrency, buyCurrency } = SELL_USD;
    const rateOnly = { sellCurrency, buyCurrency };
    // Wednesday 14:30 UTC is 09:30 in New York.
    const window = {
      pair: null,
      zone: 'America/New_York',
      days: ['wed'],
      from: '09:30',
      to: '09:31',
      bps: '7',
    };
    await put(service, POLICY, {
      ...NO_POLICY,
      marketHours: [
        { ...window, from: '09:00', to: '10:00', bps: '2.5' },
        { ...window, pair: 'GBPUSD', from: '09:00', to: '10:00', bps: '99' },
      ],
    });
    assert.deepEqual(components(await price(acme)), ['customer_spread 20.00', 'market_hours 2.50']);
    await moveClock(service, { advanceSeconds: 1_800 });
    const after = await succeed(200, acme.post(INDICATIVE, rateOnly));
    assert.deepEqual(components(after), ['customer_spread 20.00']);
    await put(service, POLICY, NO_POLICY);
  });

  test('mistakes are named, and nobody overwrites somebody else', async () => {
    const at = async (policy: Record<string, unknown>) => {
      const headers = { 'If-Match': (await service.operate('GET', POLICY)).headers.get('ETag') ?? '' };
      return fieldErrors(service.operate('PUT', POLICY, { ...NO_POLICY, ...policy }, headers));
    };
    const window = { pair: null, zone: 'Europe/London', days: ['fri'], from: '21:00', to: '24:00', bps: '5' };
    const premium = (table: unknown[], method = 'table') => ({
      validityPremium: { method, table, volatility: null },
    });
    const row = (upToSeconds: number, bps: string) => ({ upToSeconds, bps });
    assert.deepEqual(await at(premium([row(60, '2'), row(30, '3'), row(90, '1')])), [
      ['/validityPremium/table/1/upToSeconds', 'out_of_range'],
      ['/validityPremium/table/2/bps', 'out_of_range'],
    ]);
    assert.deepEqual(await at(premium([], 'volatility')), [['/validityPremium/volatility', 'required']]);
    assert.deepEqual(await at({ marketHours: [{ ...window, zone: '+01:00' }] }), [
      ['/marketHours/0/zone', 'unknown'],
    ]);
    assert.deepEqual(await at({ marketHours: [window, { ...window, pair: 'USDEUR', bps: '5000' }] }), [
      ['/marketHours/1/pair', 'pair_not_supported'],
      ['/marketHours/1/bps', 'out_of_range'],
    ]);
    await refused('precondition_required', service.operate('PUT', POLICY, NO_POLICY));
    const etag = (await service.operate('GET', POLICY)).headers.get('ETag') ?? '';
    const policies = [1, 2, 3].map((bps) => ({
      ...NO_POLICY,
      marketHours: [{ ...window, bps: String(bps) }],
    }));
    const answers = await Promise.all(
      policies.map((policy) => service.operate('PUT', POLICY, policy, { 'If-Match': etag })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412]);
    await put(service, POLICY, NO_POLICY);
  });
});

describe('smallest and largest amounts', () => {
  const AMOUNTS = '/v1/operator/amount-limits';
  const limit = { customerId: null, groupName: null, pair: null, minimum: null, maximum: null };

  test('each bound comes from the most specific limit that names it', async () => {
    const acme = await createCustomer(service, { groupName: 'bronze' });
    const { customerId } = acme;
    await put(service, AMOUNTS, {
      limits: [
        { ...limit, minimum: '1000', maximum: '2000000' },
        { ...limit, groupName: 'bronze', maximum: '150000.00' },
        { ...limit, customerId, pair: 'EURUSD', minimum: '50000.00' },
      ],
    });
    for (const path of [QUOTES, INDICATIVE]) {
      const small = await refused(
        'amount_below_minimum',
        acme.post(path, { ...SELL_USD, amount: '49999.99' }),
      );
      assert.deepEqual([small.min, small.currency], ['50000.00', 'USD']);
      const large = await refused(
        'amount_above_maximum',
        acme.post(path, { ...SELL_USD, amount: '150000.01' }),
      );
      assert.deepEqual([large.max, large.currency], ['150000.00', 'USD']);
    }
    const sample = { ...SELL_USD, customerId, amount: '49999.99' };
    const preview = await succeed(200, service.operate('POST', `${RULES}/preview`, sample));
    assert.deepEqual(
      [preview.body.live.outcome, preview.body.live.pricing, preview.body.live.rule.terms.spreadBps],
      ['amount_below_minimum', null, '20.00'],
    );
    await price(acme, { amount: '50000.00' });
    await price(acme, { amount: '150000.00' });
    const other = await createCustomer(service);
    await price(other, { amount: '2000000.00' });
    await refused('amount_below_minimum', other.post(QUOTES, { ...SELL_USD, amount: '999.99' }));
    await put(service, AMOUNTS, { limits: [] });
    await price(acme, { amount: '1.00' });
  });

  test('wrong limits are named', async () => {
    const headers = { 'If-Match': (await service.operate('GET', AMOUNTS)).headers.get('ETag') ?? '' };
    const errors = (limits: unknown[]) => fieldErrors(service.operate('PUT', AMOUNTS, { limits }, headers));
    assert.deepEqual(await errors([{ ...limit }, { ...limit, minimum: '2', maximum: '1.99' }]), [
      ['/limits/0', 'required'],
      ['/limits/1/maximum', 'out_of_range'],
      ['/limits/1', 'repeated'],
    ]);
    const { customerId } = await createCustomer(service);
    const both = { ...limit, minimum: '1', customerId, groupName: 'bronze' };
    assert.deepEqual(await errors([both]), [['/limits/0/groupName', 'not_permitted']]);
    const unknown = { ...limit, minimum: '1', customerId: 'cus_01jngx7z5d2m8r4v6t9k3b1c0a' };
    assert.deepEqual(await errors([unknown]), [['/limits/0/customerId', 'customer_not_found']]);
  });
});
