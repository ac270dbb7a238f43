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
import { price, RULES, setRules } from './support/pricing.ts';
import type { Answer, TestService } from './support/service.ts';

/** Drafts of spread rules and previews of prices, over HTTP (docs/interface.md#spreads). */

const DRAFT = `${RULES}/draft`;
let service: TestService;

before(async () => {
  service = await startExampleService();
});

describe('drafts', () => {
  test('a draft is kept, previewed and put in force, each under its version', async () => {
    const acme = await createCustomer(service, { groupName: 'silver' });
    const { customerId } = acme;
    const { body: live } = await setRules(service, [
      { spreadBps: '20' },
      { groupName: 'silver', spreadBps: '19' },
    ]);
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
    await setRules(service, [{ spreadBps: '20' }]);
  });

  test('a draft of rules that have changed since is not put in force', async () => {
    const current = await service.operate('GET', DRAFT);
    const headers = { 'If-Match': current.headers.get('ETag') ?? '' };
    const draft = await succeed(200, service.operate('PUT', DRAFT, { rules: [{ spreadBps: '1' }] }, headers));
    const { body } = await setRules(service, [{ spreadBps: '21' }]);
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
    await setRules(service, [{ spreadBps: '20' }]);
  });

  test('a draft is previewed although rules that it changes have gone out of force', async () => {
    const { body: live } = await setRules(service, [
      { spreadBps: '20' },
      { groupName: 'gone', spreadBps: '19' },
    ]);
    const [kept, gone] = live.rules.map(({ ruleId }: { ruleId: string }) => ruleId);
    const current = await service.operate('GET', DRAFT);
    const rules = [
      { ruleId: kept, spreadBps: '22' },
      { ruleId: gone, groupName: 'gone', spreadBps: '18' },
    ];
    const etag = { 'If-Match': current.headers.get('ETag') ?? '' };
    const draft = await succeed(200, service.operate('PUT', DRAFT, { rules }, etag));
    await setRules(service, [{ ruleId: kept, spreadBps: '20' }]);
    const preview = (groupName: string) =>
      succeed(200, service.operate('POST', `${RULES}/preview`, { ...SELL_USD, groupName }));
    const [anybody, group] = [(await preview('gold')).body, (await preview('gone')).body];
    assert.deepEqual([anybody.live.pricing.spreadBps, anybody.draft.pricing.spreadBps], ['20.00', '22.00']);
    assert.deepEqual([anybody.draft.rule.ruleId, group.draft.rule.ruleId], [kept, null]);
    assert.equal(group.draft.pricing.spreadBps, '18.00');
    const drafted = { 'If-Match': draft.headers.get('ETag') ?? '' };
    await succeed(200, service.operate('DELETE', DRAFT, undefined, drafted));
    await setRules(service, [{ spreadBps: '20' }]);
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
