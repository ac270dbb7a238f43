import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  type Customer,
  createCustomer,
  refused,
  SELL_USD,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { isProblem } from './support/answers.ts';
import { rawCaller } from './support/raw-http.ts';
import type { TestService } from './support/service.ts';

/** Addresses, methods and headers that nobody should send. */

const QUOTES = '/v1/customer/quotes';
const LIST = '/v1/customer/transactions';
let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

const { raw, head, postOf } = rawCaller(
  () => service.baseUrl,
  () => acme.token,
);

describe('addresses', () => {
  test('that do not exist, or are another one in disguise', async () => {
    const paths = [
      '/v1',
      '/v2/customer/quotes',
      `${QUOTES}/x/y/z`,
      '/V1/customer/transactions',
      '//v1/customer/transactions',
    ];
    for (const path of [
      ...paths,
      '/v1/customer/../operator/customers',
      '/.env',
      '/..%2f..%2fetc%2fpasswd',
      '/docs/../../etc/passwd',
    ])
      await refused('route_not_found', raw(head(`GET ${path}`)));
    for (const path of ['/%', '/%zz', `${QUOTES}/%c3%28`, '/v1/%E0%A4%A'])
      await refused('route_not_found', raw(head(`GET ${path}`)));
    for (const id of [
      '%00',
      '..',
      '%2e%2e%2f',
      'a%2fb',
      '%F0%9F%A6%8A',
      "'; drop table quotes --",
      'x'.repeat(200),
    ])
      assert.equal((await raw(head(`GET ${QUOTES}/${encodeURI(id)}`))).status, 404, id);
    await refused('route_not_found', raw(head(`GET ${QUOTES}/${'x'.repeat(4_000)}`)));
  });

  test('that hold the character NUL', async () => {
    const operate = (method: string, path: string) => service.operate(method, `/v1/operator/${path}`);
    for (const path of ['statement-mappings/%00', 'statement-mappings/a%00b']) {
      await refused('validation_failed', operate('GET', path));
      await refused('validation_failed', operate('DELETE', path));
    }
    await refused('customer_not_found', operate('GET', 'customers/%00'));
    await refused('quote_not_found', acme.get(`${QUOTES}/%00`));
    for (const query of ['clientReference=a%00b', '%00=a', 'reference=%00'])
      await refused('validation_failed', acme.get(`${LIST}?${query}`));
  });

  test('that are very long', async () => {
    await refused('validation_failed', acme.get(`${LIST}?clientReference=${'x'.repeat(9_000)}`));
    isProblem(await raw(head(`GET ${LIST}?x=${'x'.repeat(40_000)}`)));
    isProblem(await raw(head(`GET ${LIST}`, `X-Long: ${'x'.repeat(40_000)}`)));
  });

  test('with methods that they do not take', async () => {
    for (const [method, path, allow] of [
      ['DELETE', QUOTES, 'GET, HEAD, POST'],
      ['PUT', `${QUOTES}/indicative`, 'GET, HEAD, POST'],
      ['OPTIONS', QUOTES, 'GET, HEAD, POST'],
      ['PATCH', `${QUOTES}/x`, 'GET, HEAD'],
      ['POST', LIST, 'GET, HEAD'],
      ['DELETE', `${LIST}/x`, 'GET, HEAD'],
      ['GET', `${QUOTES}/x/execute`, 'POST'],
      ['PROPFIND', LIST, 'GET, HEAD'],
      ['TRACE', LIST, 'GET, HEAD'],
    ] as const) {
      const answer = await raw(head(`${method} ${path}`));
      await refused('method_not_allowed', answer);
      assert.equal(answer.headers.get('Allow'), allow, `${method} ${path}`);
    }
    isProblem(await raw(head(`BREW ${LIST}`)));
  });

  test('HEAD is GET without its body', async () => {
    const { quoteId } = (await acme.quote()).body;
    for (const path of [LIST, `${QUOTES}/${quoteId}`]) {
      const answer = await service.call('HEAD', path, { token: acme.token });
      assert.deepEqual([answer.status, answer.text], [200, '']);
    }
    assert.equal((await service.call('HEAD', LIST, { token: null })).status, 401);
  });
});

test('what comes behind a request is never taken for its answer', async () => {
  const { quoteId } = (await acme.quote()).body;
  const execute = head(`POST ${QUOTES}/${quoteId}/execute`).replace('Connection: close\r\n', '');
  const answer = await raw(`${execute}BREW / HTTP/1.1\r\n\r\n`);
  assert.notEqual(answer.status, 400);
  while ((await acme.get(`${QUOTES}/${quoteId}`)).body.status === 'open');
});

describe('headers', () => {
  test('request ids are echoed, and made where they are none', async () => {
    for (const id of ['abc', 'x'.repeat(128), '!~{}"<>'])
      assert.equal((await acme.get(LIST, { 'X-Request-Id': id })).headers.get('X-Request-Id'), id);
    for (const id of ['', 'a b', 'x'.repeat(129), 'ü', 'a\tb']) {
      const answer = await acme.get(`${QUOTES}/x`, { 'X-Request-Id': id });
      assert.match((await refused('quote_not_found', answer)).requestId, /^req_[0-9a-z]{27,}$/);
    }
    const twice = await raw(head(`GET ${LIST}`, 'X-Request-Id: a', 'X-Request-Id: b'));
    assert.match(twice.headers.get('X-Request-Id') ?? '', /^req_/);
    const ids = await Promise.all(Array.from({ length: 50 }, () => acme.get(LIST)));
    assert.equal(new Set(ids.map((answer) => answer.headers.get('X-Request-Id'))).size, 50);
  });

  test('nothing that is sent becomes a header of the answer', async () => {
    const lines = 'x%0d%0aSet-Cookie:%20a=b';
    for (const path of [
      `${QUOTES}/${lines}`,
      `${LIST}?cursor=${lines}`,
      `${LIST}?limit=1&clientReference=${lines}`,
    ]) {
      const answer = await raw(head(`GET ${path}`));
      assert.equal(answer.headers.get('Set-Cookie'), null);
      isProblem(answer);
    }
    const split = await raw(head(`GET ${LIST}`, 'X-Request-Id: a\nSet-Cookie: a=b'));
    assert.equal(split.headers.get('Set-Cookie'), null);
    for (let i = 0; i < 2; i++) await acme.trade();
    const link = await acme.get(`${LIST}?limit=1&status=awaiting_funds%2Cfunded&sort=-createdAt`);
    assert.match(link.headers.get('Link') ?? '', /^<\/v1\/customer\/transactions\?[\w=&%-]+>; rel="next"$/);
  });

  test('a repeated Idempotency-Key or token', async () => {
    const body = JSON.stringify(SELL_USD);
    await refused('idempotency_key_invalid', raw(postOf(body, 'Idempotency-Key: a', 'Idempotency-Key: b')));
    const other = await raw(postOf(body, 'Authorization: Bearer x'));
    assert.ok([201, 400, 401].includes(other.status), other.text);
  });

  test('an answer that cannot be given in the form that is wanted', async () => {
    for (const accept of ['application/xml', 'text/html', 'image/*', 'application/json;q=0']) {
      await refused('not_acceptable', acme.get(LIST, { Accept: accept }));
      await refused('not_acceptable', acme.post(QUOTES, SELL_USD, { Accept: accept }));
    }
    for (const accept of [
      '*/*',
      'application/json',
      'application/*',
      'text/html, */*;q=0.1',
      'application/problem+json, application/json',
    ]) {
      await succeed(200, acme.get(LIST, { Accept: accept }));
    }
  });
});
