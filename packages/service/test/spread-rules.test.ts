import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  createCustomer,
  fieldErrors,
  refused,
  SELL_USD,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { components, INDICATIVE, price, QUOTES, RULES, setRules } from './support/pricing.ts';
import type { TestService } from './support/service.ts';

/** What a spread is made of, and who sees it: tiers, bounds, disclosure, over HTTP (docs/interface.md#spreads). */

let service: TestService;

before(async () => {
  service = await startExampleService();
});

describe('tiers', () => {
  test('tenor, validity and amount choose within the target that wins', async () => {
    const acme = await createCustomer(service);
    const { customerId } = acme;
    await setRules(service, [
      { spreadBps: '20' },
      { amountFrom: '50000', spreadBps: '1' },
      { customerId, spreadBps: '18' },
      { customerId, amountFrom: '1000000.00', spreadBps: '12.5' },
      { customerId, tenor: 'tom', spreadBps: '22' },
      { customerId, validityUpToSeconds: 10, spreadBps: '17' },
    ]);
    assert.deepEqual(components(await price(acme)), ['customer_spread 18.00']);
    assert.deepEqual(components(await price(acme, { amount: '999999.99' })), ['customer_spread 18.00']);
    const large = await price(acme, { amount: '1000000.00' });
    assert.deepEqual(components(large), ['customer_spread 18.00', 'amount_tier -5.50']);
    assert.equal(large.body.pricing.spreadBps, '12.50');
    // 921,741.11 EUR at the mid of 1.08491 are 1,000,006.15 USD.
    const euros = { sellCurrency: 'EUR', buyCurrency: 'USD' };
    assert.equal((await price(acme, { ...euros, amount: '921741.11' })).body.pricing.spreadBps, '12.50');
    assert.equal((await price(acme, { ...euros, amount: '921700.00' })).body.pricing.spreadBps, '18.00');
    assert.deepEqual(components(await price(acme, { tenor: 'tom', amount: '2000000.00' })), [
      'customer_spread 18.00',
      'tenor_spread 4.00',
    ]);
    assert.deepEqual(components(await price(acme, { validitySeconds: 10 })), [
      'customer_spread 18.00',
      'validity_premium -1.00',
    ]);
    const other = await createCustomer(service);
    assert.equal((await price(other)).body.pricing.spreadBps, '1.00');
    // Without an amount nothing is known of it, and the tiers from any amount apply.
    const { sellCurrency, buyCurrency } = SELL_USD;
    const rateOnly = await succeed(200, other.post(INDICATIVE, { sellCurrency, buyCurrency }));
    assert.equal(rateOnly.body.pricing.spreadBps, '20.00');
  });

  test('where no tier is met and nothing else applies there is no price', async () => {
    const acme = await createCustomer(service);
    await setRules(service, [{ amountFrom: '200000', spreadBps: '5' }]);
    await refused('pricing_not_configured', acme.post(QUOTES, SELL_USD));
    await refused('pricing_not_configured', acme.post(INDICATIVE, SELL_USD));
    assert.equal((await price(acme, { amount: '200000.00' })).body.pricing.spreadBps, '5.00');
    await setRules(service, [{ spreadBps: '20' }]);
  });

  test('bounds hold the whole, and say so', async () => {
    const acme = await createCustomer(service);
    const { customerId } = acme;
    await setRules(service, [{ customerId, spreadBps: '3', minSpreadBps: '5' }]);
    assert.deepEqual(components(await price(acme)), ['customer_spread 3.00', 'minimum 2.00']);
    await setRules(service, [{ customerId, spreadBps: '30', minSpreadBps: '1', maxSpreadBps: '25.5' }]);
    assert.deepEqual(components(await price(acme)), ['customer_spread 30.00', 'maximum -4.50']);
    await setRules(service, [{ spreadBps: '20' }]);
  });

  test('rules read back as they were written, and two of one tier are refused', async () => {
    const rule = {
      tenor: 'tom',
      validityUpToSeconds: 60,
      amountFrom: '1000000.00',
      spreadBps: '7.50',
      minSpreadBps: '5.00',
      maxSpreadBps: '90.00',
    };
    const { body } = await setRules(service, [
      { spreadBps: '20' },
      rule,
      { ...rule, amountFrom: '1000000.01' },
    ]);
    const { ruleId: _, version: __, createdAt: ___, ...shown } = body.rules[1];
    assert.deepEqual(shown, {
      customerId: null,
      groupName: null,
      pair: null,
      validFrom: null,
      validTo: null,
      ...rule,
    });
    assert.deepEqual((await service.operate('GET', RULES)).body, body);
    const headers = { 'If-Match': `"v${body.version}"` };
    const twice = { rules: [{ spreadBps: '20' }, rule, { ...rule, spreadBps: '8' }] };
    assert.deepEqual(await fieldErrors(service.operate('PUT', RULES, twice, headers)), [
      ['/rules/2', 'overlap'],
    ]);
    for (const [wrong, field] of [
      [{ amountFrom: '1.001' }, 'amountFrom'],
      [{ amountFrom: 5 }, 'amountFrom'],
      [{ tenor: 'broken' }, 'tenor'],
      [{ validityUpToSeconds: 0 }, 'validityUpToSeconds'],
      [{ minSpreadBps: '5', maxSpreadBps: '4.99' }, 'maxSpreadBps'],
      [{ maxSpreadBps: '5000' }, 'maxSpreadBps'],
      [{ minSpreadBps: '5000', maxSpreadBps: '0' }, 'minSpreadBps'],
    ] as const) {
      const answer = service.operate('PUT', RULES, { rules: [{ spreadBps: '1', ...wrong }] }, headers);
      const found = await fieldErrors(answer);
      assert.ok(
        found.length > 0 && found.every(([pointer]) => pointer === `/rules/0/${field}`),
        JSON.stringify(found),
      );
    }
    await setRules(service, [{ spreadBps: '20' }]);
  });
});

describe('disclosure', () => {
  const hidden = { spreadBps: '20', maxSpreadBps: '21', validityUpToSeconds: 60 };

  test('full shows what it is made of, total the sum, none neither; nothing else tells', async () => {
    await setRules(service, [{ spreadBps: '25' }, hidden]);
    for (const pricingDisclosure of ['full', 'total', 'none'] as const) {
      const acme = await createCustomer(service, { settings: { pricingDisclosure } });
      const quote = await succeed(201, acme.post(QUOTES, SELL_USD));
      const read = await succeed(200, acme.get(`${QUOTES}/${quote.body.quoteId}`));
      const estimate = await succeed(200, acme.post(INDICATIVE, SELL_USD));
      const trade = await acme.trade(quote.body.quoteId);
      for (const { body } of [quote, read, estimate, trade]) {
        const text = JSON.stringify(body);
        for (const secret of ['evidence', 'amountRounding', 'pricingPolicyVersion', 'spr_', 'ruleId']) {
          assert.ok(!text.includes(secret), `${pricingDisclosure} shows ${secret}`);
        }
        const isFull = pricingDisclosure === 'full';
        assert.equal('components' in body.pricing, isFull);
        assert.equal('market' in body.rate, isFull);
        for (const part of ['spreadBps', 'markup', 'costVsMidBps']) {
          assert.equal(
            part in body.pricing,
            pricingDisclosure !== 'none',
            `${part} with ${pricingDisclosure}`,
          );
        }
        assert.equal(text.includes('customer_spread'), isFull);
        assert.equal(body.buyAmount, '91987.01');
        assert.equal(body.rate.mid, '1.08491');
      }
    }
    await setRules(service, [{ spreadBps: '20' }]);
  });
});
