import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { before, test } from 'node:test';
import {
  addCredential,
  type Customer,
  createCustomer,
  moveClock,
  SELL_USD,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import type { TestService } from './support/service.ts';

/** A quote is executed by what has arrived in time, and not by a head whose body is held back. */

let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

interface HeldBack {
  readonly path: string;
  readonly token: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends the head, lets the work happen once the service has it, and then sends the body. */
async function sendAfter(
  { path, token, body = {}, headers }: HeldBack,
  work: () => Promise<unknown>,
): Promise<{ status: number; code?: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; code?: string }>();
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const sent = httpRequest(
    `${service.baseUrl}${path}`,
    {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Idempotency-Key': randomUUID(),
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(text),
        Expect: '100-continue',
        ...headers,
      },
    },
    (response) => {
      let answer = '';
      response.on('data', (part) => {
        answer += part;
      });
      response.on('end', () => resolve({ ...JSON.parse(answer), status: response.statusCode ?? 0 }));
    },
  );
  sent.on('error', reject);
  sent.flushHeaders();
  await new Promise((next) => sent.once('continue', () => next(undefined)));
  try {
    await work();
    sent.end(text);
  } catch (error) {
    sent.destroy(error as Error);
  }
  return promise;
}

const executeAfter = (
  quoteId: string,
  work: () => Promise<unknown>,
  { path, token } = { path: '/v1/customer/quotes', token: acme.token },
) => sendAfter({ path: `${path}/${quoteId}/execute`, token }, work);

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

/** What takes the right to ask from a client of the customer, once its head is in; and then the body is late. */
const ENDINGS: Readonly<Record<string, (client: string) => Promise<unknown>>> = {
  'is suspended': (client) => succeed(200, service.operate('POST', `${client}/suspend`, {})),
  'is revoked': (client) => succeed(204, service.operate('DELETE', client)),
  'loses its tokens': (client) => succeed(204, service.operate('POST', `${client}/revoke-tokens`, {})),
  'may come from elsewhere only': (client) =>
    succeed(200, service.operate('PUT', `${client}/ip-allow-list`, { ipAllowList: ['192.0.2.1'] })),
};

for (const [how, end] of Object.entries(ENDINGS)) {
  test(`a client that ${how} moves no money with a body that it has held back`, async () => {
    const { body: quote } = await acme.quote({ validitySeconds: 300 });
    const topUp = { currency: 'USD', amount: '500.00', bankReference: how };
    await succeed(201, service.operate('POST', `${acme.path}/balances/top-ups`, topUp));
    const requests = [
      { path: `/v1/customer/quotes/${quote.quoteId}/execute` },
      { path: '/v1/customer/quotes', body: SELL_USD },
      { path: '/v1/customer/balances/withdrawals', body: { currency: 'USD', amount: '1.00' } },
    ];
    const answers = [];
    for (const request of requests) {
      const { clientId, clientSecret } = await addCredential(service, acme.path);
      const token = await service.token(clientId, clientSecret);
      answers.push(
        await sendAfter({ ...request, token }, async () => {
          await end(`${acme.path}/credentials/${clientId}`);
          await moveClock(service, { advanceSeconds: 1 });
        }),
      );
    }
    const refusal = how === 'may come from elsewhere only' ? [403, 'ip_not_allowed'] : [401, 'token_invalid'];
    assert.deepEqual(
      answers.map(({ status, code }) => [status, code]),
      [refusal, refusal, refusal],
    );
    assert.equal((await acme.get(`/v1/customer/quotes/${quote.quoteId}`)).body.status, 'open');
  });
}

test('an operator that is suspended imports no file that it has held back', async () => {
  const { body: client } = await succeed(
    201,
    service.operate('POST', '/v1/operator/clients', { name: 'bank feed', scopes: ['operator:statements'] }),
  );
  const token = await service.token(client.clientId, client.clientSecret);
  const upload = {
    path: '/v1/operator/statements',
    token,
    body: 'no statement',
    headers: { 'Content-Type': 'application/octet-stream' },
  };
  const suspend = () =>
    succeed(200, service.operate('POST', `/v1/operator/clients/${client.clientId}/suspend`, {}));
  const late = await sendAfter(upload, suspend);
  assert.deepEqual([late.status, late.code], [401, 'token_invalid']);
  const { body: files } = await succeed(200, service.operate('GET', '/v1/operator/statements'));
  assert.deepEqual(files.items, []);
});
