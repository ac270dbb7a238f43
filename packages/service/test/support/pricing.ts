import assert from 'node:assert/strict';
import { formatDecimal, parseDecimal, type SpreadComponent, totalOfComponents } from '@firmquote/fx';
import { type Customer, SELL_USD, succeed } from './acceptance.ts';
import type { Answer, TestService } from './service.ts';

/** What tests of pricing set and look at, over HTTP. */

export const QUOTES = '/v1/customer/quotes';
export const INDICATIVE = `${QUOTES}/indicative`;
export const RULES = '/v1/operator/spread-rules';
export const POLICY = '/v1/operator/pricing-policy';
export const NO_POLICY = {
  validityPremium: { method: 'none', table: [], volatility: null },
  marketHours: [],
};

/** Replaces a document of the operator's, whatever its version is. */
export async function put(
  service: TestService,
  path: string,
  body: Record<string, unknown>,
): Promise<Answer> {
  const current = await service.operate('GET', path);
  const headers = { 'If-Match': current.headers.get('ETag') ?? '' };
  return succeed(200, service.operate('PUT', path, body, headers));
}

export function setRules(service: TestService, rules: readonly Record<string, unknown>[]): Promise<Answer> {
  return put(service, RULES, { rules });
}

interface ShownComponent {
  readonly type: SpreadComponent['type'];
  readonly bps: string;
}

export function components(answer: Answer): string[] {
  return answer.body.pricing.components.map(({ type, bps }: ShownComponent) => `${type} ${bps}`);
}

/** The firm quote, after its components were added up and the estimate of the same terms was found to be the same. */
export async function price(customer: Customer, body: Record<string, unknown> = {}): Promise<Answer> {
  const quote = await succeed(201, customer.post(QUOTES, { ...SELL_USD, ...body }));
  const sum = totalOfComponents(
    quote.body.pricing.components.map(({ type, bps }: ShownComponent) => ({
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
