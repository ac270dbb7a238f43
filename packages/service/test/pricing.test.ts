import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { formatDecimal, parseDecimal, type SpreadComponent, totalOfComponents } from '@firmquote/fx';
import { parseTypeId } from '../src/platform/ids.ts';
import {
  type Customer,
  createCustomer,
  fieldErrors,
  moveClock,
  refused,
  SELL_USD,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import type { Answer, TestService } from './support/service.ts';

/** How prices are made up, over HTTP: tiers, premiums, hours, disclosure, drafts, limits (contract §3, §13 and §14). */

const QUOTES = '/v1/customer/quotes';
const INDICATIVE = `${QUOTES}/indicative`;
const RULES = '/v1/operator/spread-rules';
const DRAFT = `${RULES}/draft`;
const POLICY = '/v1/operator/pricing-policy';
const NO_POLICY = { validityPremium: { method: 'none', table: [], volatility: null }, marketHours: [] };
let service: TestService;

before(async () => {
  service = await startExampleService();
});

async function put(path: string, body: Record<string, unknown>): Promise<Answer> {
  const current = await service.operate('GET', path);
  const headers = { 'If-Match': current.headers.get('ETag') ?? '' };
  return succeed(200, service.operate('PUT', path, body, headers));
}
const setRules = (rules: readonly Record<string, unknown>[]) => put(RULES, { rules });
const components = (answer: Answer) =>
  answer.body.pricing.components.map((each: { type: string; bps: string }) => `${each.type} ${each.bps}`);

/** The firm quote, after the estimate of the same terms was found to be the same. */
async function price(customer: Customer, body: Record<string, unknown> = {}): Promise<Answer> {
  const quote = await succeed(201, customer.post(QUOTES, { ...SELL_USD, ...body }));
  const sum = totalOfComponents(
    quote.body.pricing.components.map(({ type, bps }: { type: SpreadComponent['type']; bps: string }) => ({
      type,
      bps: parseDecimal(bps) ?? assert.fail(bps),
    })),
  );
  assert.equal(formatDecimal(sum), quote.body.pricing.spreadBps);
  if (body.validitySeconds === undefined) {
    const estimate = await succeed(200, customer.post(INDICATIVE, { ...SELL_USD, ...body }));
    assert.deepEqual(estimate.body.pricing, quote.body.pricing);
    assert.equal(estimate.body.rate.value, quote.body.rate.value);
  }
  return quote;
}

describe('tiers', () => {
  test('tenor, validity and amount choose within the target that wins', async () => {
    const acme = await createCustomer(service);
    const { customerId } = acme;
    await setRules([
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
    await setRules([{ amountFrom: '200000', spreadBps: '5' }]);
    await refused('pricing_not_configured', acme.post(QUOTES, SELL_USD));
    await refused('pricing_not_configured', acme.post(INDICATIVE, SELL_USD));
    assert.equal((await price(acme, { amount: '200000.00' })).body.pricing.spreadBps, '5.00');
    await setRules([{ spreadBps: '20' }]);
  });

  test('bounds hold the whole, and say so', async () => {
    const acme = await createCustomer(service);
    const { customerId } = acme;
    await setRules([{ customerId, spreadBps: '3', minSpreadBps: '5' }]);
    assert.deepEqual(components(await price(acme)), ['customer_spread 3.00', 'minimum 2.00']);
    await setRules([{ customerId, spreadBps: '30', minSpreadBps: '1', maxSpreadBps: '25.5' }]);
    assert.deepEqual(components(await price(acme)), ['customer_spread 30.00', 'maximum -4.50']);
    await setRules([{ spreadBps: '20' }]);
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
    const { body } = await setRules([{ spreadBps: '20' }, rule, { ...rule, amountFrom: '1000000.01' }]);
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
    ] as const) {
      const answer = service.operate('PUT', RULES, { rules: [{ spreadBps: '1', ...wrong }] }, headers);
      const found = await fieldErrors(answer);
      assert.ok(
        found.length > 0 && found.every(([pointer]) => pointer === `/rules/0/${field}`),
        JSON.stringify(found),
      );
    }
    await setRules([{ spreadBps: '20' }]);
  });
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
    assert.deepEqual((await put(POLICY, policy)).body, { version: 2, ...policy });
    assert.equal((await put(POLICY, policy)).body.version, 2, 'the same policy keeps its version');
    assert.deepEqual(components(await price(acme)), ['customer_spread 20.00']);
    const minute = await price(acme, { validitySeconds: 60 });
    assert.deepEqual(components(minute), ['customer_spread 20.00', 'validity_premium 1.25']);
    assert.equal(minute.body.pricing.spreadBps, '21.25');
    // 1.08494 × 1.002125 = 1.087245…, rounded up.
    assert.equal(minute.body.rate.value, '1.08725');
    const { rows } = await service.pool.query<{ evidence: string }>(
      'select evidence from quotes where id = $1',
      [parseTypeId('quote', minute.body.quoteId)],
    );
    const evidence = JSON.parse(rows[0]?.evidence ?? '{}');
    assert.deepEqual(evidence.components, minute.body.pricing.components);
    assert.deepEqual([evidence.spreadBps, evidence.pricingPolicyVersion], ['21.25', 2]);
    await put(POLICY, NO_POLICY);
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
    await put(POLICY, {
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
    await put(POLICY, NO_POLICY);
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
    await put(POLICY, NO_POLICY);
  });
});

describe('disclosure', () => {
  const hidden = { spreadBps: '20', maxSpreadBps: '21', validityUpToSeconds: 60 };

  test('full shows what it is made of, total the sum, none neither; nothing else tells', async () => {
    await setRules([{ spreadBps: '25' }, hidden]);
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
    await setRules([{ spreadBps: '20' }]);
  });
});

describe('drafts', () => {
  test('a draft is kept, previewed and put in force, each under its version', async () => {
    const acme = await createCustomer(service, { groupName: 'silver' });
    const { customerId } = acme;
    const { body: live } = await setRules([{ spreadBps: '20' }, { groupName: 'silver', spreadBps: '19' }]);
    const first = await service.operate('GET', DRAFT);
    assert.deepEqual([first.body.rules, first.body.basedOn], [null, null]);
    const etag = { 'If-Match': first.headers.get('ETag') ?? '' };
    const rules = [
      { ruleId: live.rules[0].ruleId, spreadBps: '22' },
      { customerId, spreadBps: '15' },
      { customerId, amountFrom: '50000', spreadBps: '11' },
      { customerId, amountFrom: '5000000', spreadBps: '9' },
      { customerId, pair: 'GBPUSD', spreadBps: '1' },
    ];
    const draft = await succeed(200, service.operate('PUT', DRAFT, { rules }, etag));
    assert.deepEqual([draft.body.basedOn, draft.body.rules], [live.version, rules]);
    await refused('version_mismatch', service.operate('PUT', DRAFT, { rules: [] }, etag));
    assert.equal((await price(acme)).body.pricing.spreadBps, '19.00', 'a draft prices nothing');

    const sample = { ...SELL_USD, customerId };
    const { body } = await succeed(200, service.operate('POST', `${RULES}/preview`, sample));
    assert.equal(body.live.outcome, 'priced');
    assert.equal(body.live.pricing.spreadBps, '19.00');
    assert.equal(body.live.rule.ruleId, live.rules[1].ruleId);
    assert.deepEqual(
      body.live.others.map((other: Answer['body']) => [other.ruleId, other.lost]),
      [[live.rules[0].ruleId, 'less_specific_target']],
    );
    assert.equal(body.draft.rule.place, 2);
    assert.equal(body.draft.rule.terms.spreadBps, '11.00');
    assert.deepEqual(body.draft.pricing.components, [
      { type: 'customer_spread', bps: '15.00' },
      { type: 'amount_tier', bps: '-4.00' },
    ]);
    assert.deepEqual(
      body.draft.others.map((other: Answer['body']) => [other.place, other.lost]),
      [
        [3, 'amount_below_tier'],
        [1, 'lower_amount_tier'],
        [0, 'less_specific_target'],
      ],
    );
    assert.equal(body.draft.elsewhere, 1);
    const { rows: before } = await service.pool.query('select count(*)::int as n from quotes');

    const activate = `${DRAFT}/activate`;
    await refused('precondition_required', service.operate('POST', activate));
    await refused('version_mismatch', service.operate('POST', activate, undefined, etag));
    const drafted = { 'If-Match': draft.headers.get('ETag') ?? '' };
    const active = await succeed(200, service.operate('POST', activate, undefined, drafted));
    assert.equal(active.body.version, live.version + 1);
    const priced = await price(acme);
    assert.equal(priced.body.pricing.spreadBps, '11.00');
    assert.equal(priced.body.buyAmount, body.draft.buyAmount, 'what the preview said is what it costs');
    assert.equal((await service.operate('GET', DRAFT)).body.rules, null);
    await refused('version_mismatch', service.operate('POST', activate, undefined, drafted));
    const { rows: after } = await service.pool.query('select count(*)::int as n from quotes');
    assert.equal(after[0].n, before[0].n + 1, 'a preview makes no quote');
    await setRules([{ spreadBps: '20' }]);
  });

  test('a draft of rules that have changed since is not put in force', async () => {
    const current = await service.operate('GET', DRAFT);
    const headers = { 'If-Match': current.headers.get('ETag') ?? '' };
    const draft = await succeed(200, service.operate('PUT', DRAFT, { rules: [{ spreadBps: '1' }] }, headers));
    const { body } = await setRules([{ spreadBps: '21' }]);
    const drafted = { 'If-Match': draft.headers.get('ETag') ?? '' };
    const answer = await refused(
      'version_mismatch',
      service.operate('POST', `${DRAFT}/activate`, undefined, drafted),
    );
    assert.equal(answer.basedOn, body.version - 1);
    assert.equal((await service.operate('GET', RULES)).body.rules[0].spreadBps, '21.00');
    const gone = await succeed(200, service.operate('DELETE', DRAFT, undefined, drafted));
    assert.equal(gone.body.rules, null);
    const nothing = { 'If-Match': gone.headers.get('ETag') ?? '' };
    await refused(
      'invalid_state_transition',
      service.operate('POST', `${DRAFT}/activate`, undefined, nothing),
    );
    await setRules([{ spreadBps: '20' }]);
  });

  test('a preview prices a group, given rules, and what cannot be priced', async () => {
    const preview = (body: Record<string, unknown>) =>
      service.operate('POST', `${RULES}/preview`, { ...SELL_USD, ...body });
    const { body } = await succeed(
      200,
      preview({ groupName: 'gold', validitySeconds: 300, rules: [{ groupName: 'gold', spreadBps: '4' }] }),
    );
    assert.deepEqual([body.live.pricing.spreadBps, body.draft.pricing.spreadBps], ['20.00', '4.00']);
    const none = await succeed(200, preview({ rules: [{ groupName: 'gold', spreadBps: '4' }] }));
    assert.deepEqual([none.body.draft.outcome, none.body.draft.rule], ['pricing_not_configured', null]);
    assert.equal((await succeed(200, preview({}))).body.draft, null);
    assert.deepEqual(await fieldErrors(preview({ rules: [{ spreadBps: '1', pair: 'USDEUR' }] })), [
      ['/rules/0/pair', 'pair_not_supported'],
    ]);
    await refused('customer_not_found', preview({ customerId: 'cus_01jngx7z5d2m8r4v6t9k3b1c0a' }));
    await refused('currency_not_supported', preview({ sellCurrency: 'XXY' }));
  });
});

describe('smallest and largest amounts', () => {
  const AMOUNTS = '/v1/operator/amount-limits';
  const limit = { customerId: null, groupName: null, pair: null, minimum: null, maximum: null };

  test('each bound comes from the most specific limit that names it', async () => {
    const acme = await createCustomer(service, { groupName: 'bronze' });
    const { customerId } = acme;
    await put(AMOUNTS, {
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
    await price(acme, { amount: '50000.00' });
    await price(acme, { amount: '150000.00' });
    const other = await createCustomer(service);
    await price(other, { amount: '2000000.00' });
    await refused('amount_below_minimum', other.post(QUOTES, { ...SELL_USD, amount: '999.99' }));
    await put(AMOUNTS, { limits: [] });
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
    const unknown = { ...limit, minimum: '1', customerId: 'cus_01jngx7z5d2m8r4v6t9k3b1c0a' };
    assert.deepEqual(await errors([unknown]), [['/limits/0/customerId', 'customer_not_found']]);
  });
});
