import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { verifyEvidence } from '@firmquote/fx';
import { parseTypeId } from '../src/platform/ids.ts';
import {
  type Customer,
  createCustomer,
  EURUSD,
  moveClock,
  refused,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { conforms } from './support/answers.ts';
import { ownerOf } from './support/database.ts';
import type { TestService } from './support/service.ts';

/** `GET /v1/customer/quotes/{quoteId}/explain` and what operators see of it. */

const QUOTES = '/v1/customer/quotes';
let service: TestService;
let acme: Customer;

before(async () => {
  // Without a source of its own, a pair is a cross.
  service = await startExampleService({ FIRMQUOTE_SOURCES: 'push' });
  acme = await createCustomer(service);
});

const explained = async (customer: Customer, quoteId: string) => {
  const answer = await succeed(200, customer.get(`${QUOTES}/${quoteId}/explain`));
  conforms('explanation', answer);
  return answer.body;
};
const forOperator = async (path: string) => {
  const answer = await succeed(200, service.operate('GET', `/v1/operator/${path}`));
  conforms('operatorExplanation', answer);
  return answer.body;
};

interface Step {
  readonly step: string;
  readonly unrounded: string;
  readonly isExact: boolean;
  readonly rounding: string;
  readonly result: string;
}
const reported = (steps: readonly Step[]) =>
  steps.map(({ step, unrounded, isExact, rounding, result }) => [
    step,
    `${unrounded}${isExact ? '' : '…'}`,
    rounding,
    result,
  ]);

test('the worked example, to the last digit', async () => {
  const quote = (await acme.quote()).body;
  const body = await explained(acme, quote.quoteId);
  const { reference } = quote.pricing;
  assert.deepEqual([body.status, body.disclosure, body.transactionId], ['open', 'full', null]);
  const { asOf } = quote.rate;
  const origin = { source: 'sandbox', asOf };
  assert.deepEqual(body.market, {
    bid: EURUSD.bid,
    ask: EURUSD.ask,
    asOf,
    source: 'sandbox',
    bidFrom: origin,
    askFrom: origin,
    through: null,
  });
  const { ruleId, version } = body.spread.rule;
  assert.match(ruleId, /^spr_/);
  assert.deepEqual(body.spread, {
    totalBps: '20.00',
    components: quote.pricing.components,
    rule: { ruleId, version },
    pricingPolicyVersion: body.spread.pricingPolicyVersion,
  });
  assert.ok(Number.isInteger(version) && Number.isInteger(body.spread.pricingPolicyVersion));
  assert.deepEqual(body.reference, reference);
  assert.deepEqual(reported(body.steps).slice(0, -1), [
    ['client_rate', '1.08710988', 'ceil', '1.08711'],
    ['market_rate', '1.08494', 'ceil', '1.08494'],
    ['mid', '1.08491', 'half_up', '1.08491'],
    ['inverse', '0.91987011433985521244…', 'half_up', '0.9198701143'],
    ['cost_vs_mid', '20.27817975684619000654…', 'half_up', '20.28'],
    ['derived_amount', '91987.01143398552124440029…', 'half_up', '91987.01'],
    ['derived_amount_at_market', '92170.99563109480708610614…', 'half_up', '92171.00'],
  ]);
  assert.equal(body.steps.at(-1).result, reference.differencePercent);
  assert.deepEqual(body.steps[0], {
    step: 'client_rate',
    formula: 'market side × (1 ± spreadBps / 10000)',
    unit: 'EURUSD',
    unrounded: '1.08710988',
    isExact: true,
    numerator: '27177747',
    denominator: '25000000',
    rounding: 'ceil',
    decimals: 5,
    result: '1.08711',
  });
  assert.deepEqual(body.numbers, {
    bid: EURUSD.bid,
    ask: EURUSD.ask,
    spreadBps: '20.00',
    side: 'ask',
    rate: quote.rate.value,
    inverse: quote.rate.inverse,
    mid: quote.rate.mid,
    market: quote.rate.market,
    costVsMidBps: quote.pricing.costVsMidBps,
    sellAmount: quote.sellAmount,
    buyAmount: quote.buyAmount,
    marketAmount: '92171.00',
    markup: quote.pricing.markup.amount,
    differencePercent: reference.differencePercent,
  });
  assert.deepEqual(body.verification, { outcome: 'matches', differences: [] });
  // What the answer carries is enough to check it without the service.
  assert.deepEqual(verifyEvidence(body.evidence, body.numbers), []);
  assert.equal(verifyEvidence(body.evidence, { ...body.numbers, buyAmount: '91987.02' }).length, 1);
});

test('a number that was kept otherwise than it is computed is named', async () => {
  const { quoteId } = (await acme.quote()).body;
  const replace = (from: string, to: string) =>
    ownerOf(service.pool).query(
      'update quotes set cost_vs_mid_bps = $3 where id = $1 and cost_vs_mid_bps = $2',
      [parseTypeId('quote', quoteId), from, to],
    );
  await replace('20.28', '20.29');
  const { verification } = await explained(acme, quoteId);
  await replace('20.29', '20.28');
  assert.equal(verification.outcome, 'differs');
  assert.equal(verification.differences.length, 1);
});

test('each step names what it is counted in: a derived amount the currency that the customer did not fix', async () => {
  const unitsOf = async (fixedSide: 'sell' | 'buy') => {
    const { quoteId } = (await acme.quote({ fixedSide, amount: '1000.00' })).body;
    const { steps } = await explained(acme, quoteId);
    return Object.fromEntries(steps.map(({ step, unit }: Record<string, string>) => [step, unit]));
  };
  const rates = { client_rate: 'EURUSD', market_rate: 'EURUSD', mid: 'EURUSD', inverse: '1/EURUSD' };
  const differences = { cost_vs_mid: 'bps', reference_difference: 'percent' };
  for (const [fixedSide, derived] of [
    ['sell', 'EUR'],
    ['buy', 'USD'],
  ] as const) {
    const amounts = { derived_amount: derived, derived_amount_at_market: derived };
    assert.deepEqual(await unitsOf(fixedSide), { ...rates, ...differences, ...amounts });
  }
});

test('a cross names its legs and the currency that it went through', async () => {
  await service.operate('POST', '/v1/sandbox/market', { pair: 'USDJPY', bid: '151.236', ask: '151.240' });
  const quote = (await acme.quote({ sellCurrency: 'EUR', buyCurrency: 'JPY', amount: '1000.00' })).body;
  const { market, steps, numbers, verification } = await explained(acme, quote.quoteId);
  assert.equal(market.through, 'USD');
  assert.deepEqual(
    market.legs.map(({ pair, bid, ask, source }: Record<string, string>) => [pair, bid, ask, source]),
    [
      ['EURUSD', '1.08488', '1.08494', 'sandbox'],
      ['USDJPY', '151.236', '151.240', 'sandbox'],
    ],
  );
  assert.ok(market.legs.every((leg: Record<string, unknown>) => leg.bidFrom && leg.askFrom && leg.asOf));
  assert.deepEqual(reported(steps).slice(0, 2), [
    ['cross_bid', '164.07291168', 'floor', '164.072'],
    ['cross_ask', '164.0863256', 'ceil', '164.087'],
  ]);
  assert.deepEqual([numbers.bid, numbers.ask], ['164.072', '164.087']);
  assert.equal(verification.outcome, 'matches');
});

test('whatever became of the quote', async () => {
  const open = (await acme.quote()).body.quoteId;
  const cancelled = (await acme.quote()).body.quoteId;
  await succeed(200, acme.post(`${QUOTES}/${cancelled}/cancel`));
  const trade = (await acme.trade()).body;
  assert.equal((await explained(acme, cancelled)).status, 'cancelled');
  const executed = await explained(acme, trade.quoteId);
  assert.deepEqual([executed.status, executed.transactionId], ['executed', trade.transactionId]);
  await moveClock(service, { advanceSeconds: 31 });
  const expired = await explained(acme, open);
  assert.deepEqual([expired.status, expired.verification.outcome], ['expired', 'matches']);
  const { pair, bid, ask } = EURUSD;
  await service.operate('POST', '/v1/sandbox/market', { pair, bid, ask });
});

describe('disclosure', () => {
  const quoteOf = async (pricingDisclosure: string) => {
    const customer = await createCustomer(service, { settings: { pricingDisclosure } });
    return { customer, quote: (await customer.quote()).body };
  };
  /** What the market's own side can be read from, and who gave it. */
  const MARKET = ['1.08494', '1.08488', '92171.00', '92170.99', '1.08710988', 'bidFrom', 'spr_', 'evidence'];

  test('total: the sum of the spread, and neither its parts nor the market', async () => {
    const { customer, quote } = await quoteOf('total');
    const body = await explained(customer, quote.quoteId);
    const text = JSON.stringify(body);
    for (const secret of [...MARKET, 'components', 'pricingPolicyVersion', 'legs'])
      assert.ok(!text.includes(secret), `total shows ${secret}`);
    assert.deepEqual(body.spread, { totalBps: '20.00' });
    assert.deepEqual([body.numbers.markup, body.numbers.costVsMidBps], ['183.99', '20.28']);
    const steps = ['inverse', 'cost_vs_mid', 'derived_amount', 'reference_difference'];
    assert.deepEqual(
      body.steps.map(({ step }: Step) => step),
      steps,
    );
    assert.deepEqual(body.verification, { outcome: 'matches' });
  });

  test('none: nothing that the quote does not show', async () => {
    const { customer, quote } = await quoteOf('none');
    const body = await explained(customer, quote.quoteId);
    const text = JSON.stringify(body);
    for (const secret of [...MARKET, 'components', '20.00', '20.28', '183.99', 'spread', 'cost', 'markup'])
      assert.ok(!text.includes(secret), `none shows ${secret}`);
    assert.deepEqual(
      body.steps.map(({ step }: Step) => step),
      ['inverse', 'derived_amount', 'reference_difference'],
    );
    const shown = JSON.stringify(quote);
    for (const [name, number] of Object.entries(body.numbers))
      assert.ok(shown.includes(String(number)), `${name} is not in the quote`);
    assert.deepEqual(body.verification, { outcome: 'matches' });
  });

  test('a cross gives its legs away as little', async () => {
    const { customer } = await quoteOf('total');
    const { quoteId } = (await customer.quote({ sellCurrency: 'EUR', buyCurrency: 'JPY' })).body;
    const { market, steps } = await explained(customer, quoteId);
    assert.deepEqual(Object.keys(market).sort(), ['asOf', 'source', 'through']);
    assert.equal(market.through, null);
    assert.ok(!JSON.stringify(steps).includes('cross'));
  });

  test('the narrower of then and now: a later setting opens no older quote, and closes all', async () => {
    const change = async ({ path }: Customer, pricingDisclosure: string) => {
      const { headers } = await service.operate('GET', path);
      const version = { 'If-Match': headers.get('ETag') ?? '' };
      await succeed(200, service.operate('PATCH', path, { settings: { pricingDisclosure } }, version));
    };
    for (const [then, now] of [
      ['none', 'full'],
      ['total', 'full'],
      ['full', 'none'],
    ] as const) {
      const { customer, quote } = await quoteOf(then);
      await change(customer, now);
      const { disclosure } = await explained(customer, quote.quoteId);
      assert.equal(disclosure, then === 'full' ? now : then, `${then}, then ${now}`);
    }
  });
});

describe('operators', () => {
  test('see all of a quote, with and without naming the customer', async () => {
    const hidden = await createCustomer(service, { settings: { pricingDisclosure: 'none' } });
    const { quoteId } = (await hidden.quote()).body;
    const body = await forOperator(`quotes/${quoteId}/explain`);
    assert.deepEqual([body.customerId, body.disclosure], [hidden.customerId, 'full']);
    assert.deepEqual([body.market.ask, body.numbers.marketAmount], [EURUSD.ask, '92171.00']);
    assert.equal(body.steps.length, 8);
    assert.deepEqual(body.verification, { outcome: 'matches', differences: [] });
    assert.deepEqual(await forOperator(`quotes/${quoteId}/explain?customerId=${hidden.customerId}`), body);
  });

  test('see the quote of a transaction', async () => {
    const trade = (await acme.trade()).body;
    const body = await forOperator(`transactions/${trade.transactionId}/explain`);
    assert.deepEqual([body.quoteId, body.transactionId], [trade.quoteId, trade.transactionId]);
    assert.equal(body.numbers.buyAmount, trade.buyAmount);
  });

  test('are told of what is not there, and of a number that does not follow', async () => {
    const operate = (path: string) => service.operate('GET', `/v1/operator/${path}`);
    const { quoteId } = (await acme.quote()).body;
    const nobody = `quote_${'0'.repeat(26)}`;
    for (const path of [`${nobody}/explain`, 'x/explain', `${quoteId}/explain?customerId=x`])
      await refused('quote_not_found', operate(`quotes/${path}`));
    const other = await createCustomer(service);
    await refused('quote_not_found', operate(`quotes/${quoteId}/explain?customerId=${other.customerId}`));
    await refused('validation_failed', operate(`quotes/${quoteId}/explain?customer=x`));
    await refused('transaction_not_found', operate(`transactions/txn_${'0'.repeat(26)}/explain`));
    await refused('insufficient_scope', acme.get(`/v1/operator/quotes/${quoteId}/explain`));
  });
});
