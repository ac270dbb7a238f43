import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { before, test } from 'node:test';
import { type Customer, createCustomer, moveClock, startExampleService } from './support/acceptance.ts';
import type { TestService } from './support/service.ts';

/** A quote is executed by what has arrived in time, and not by a head whose body is held back. */

let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

/** Sends the head, lets the work happen once the service has it, and then sends the body. */
async function executeAfter(
  quoteId: string,
  work: () => Promise<unknown>,
  { path, token }: { readonly path: string; readonly token: string } = {
    path: '/v1/customer/quotes',
    token: acme.token,
  },
): Promise<{ status: number; code?: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; code?: string }>();
  const sent = httpRequest(
    `${service.baseUrl}${path}/${quoteId}/execute`,
    {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Idempotency-Key': quoteId,
        'Content-Type': 'application/json',
        'Content-Length': 2,
        Expect: '100-continue',
      },
    },
    (response) => {
      let text = '';
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve({ ...JSON.parse(text), status: response.statusCode ?? 0 }));
    },
  );
  sent.on('error', reject);
  sent.flushHeaders();
  await new Promise((next) => sent.once('continue', () => next(undefined)));
  await work();
  sent.end('{}');
  return promise;
}

test('a body that comes long after its head arrives with its end', async () => {
  const { body } = await acme.quote({ validitySeconds: 10 });
  const late = await executeAfter(body.quoteId, () => moveClock(service, { advanceSeconds: 11 }));
  assert.deepEqual([late.status, late.code], [409, 'quote_expired']);
});

test('one that comes soon after it has arrived with the head', async () => {
  const { body } = await acme.quote({ validitySeconds: 10 });
  const made = await executeAfter(body.quoteId, async () => undefined);
  assert.equal(made.status, 201);
});

test('what a dealer holds back is executed no later than what the customer does', async () => {
  const dealer = {
    path: `/v1/operator/customers/${acme.customerId}/quotes`,
    token: service.operatorToken,
  };
  const [held, soon] = [await acme.quote({ validitySeconds: 10 }), await acme.quote({ validitySeconds: 60 })];
  const late = await executeAfter(
    held.body.quoteId,
    () => moveClock(service, { advanceSeconds: 11 }),
    dealer,
  );
  assert.deepEqual([late.status, late.code], [409, 'quote_expired']);
  const made = await executeAfter(soon.body.quoteId, async () => undefined, dealer);
  assert.equal(made.status, 201);
});
