import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS } from '@firmquote/api/operations/index';
import { fillLast, keepLast } from '@firmquote/site/try-document';
import { type Document, resolved } from './support/api-document.ts';
import { startTestService } from './support/service.ts';

const service = await startTestService();

test('token, price, quote, execution, deposit, settlement over HTTP on the sandbox clock', async () => {
  await service.operate('POST', '/v1/sandbox/market', { pair: 'EURUSD', bid: '1.08488', ask: '1.08494' });
  const body = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '100000.00' };
  const quote = await service.call('POST', '/v1/customer/quotes', { body });
  assert.equal(quote.status, 201, quote.text);
  assert.equal(quote.body.buyAmount, '91987.01');
  const checked = await service.call('GET', `/v1/customer/quotes/${quote.body.quoteId}`);
  assert.equal(checked.body.status, 'open');
  const executed = await service.call('POST', `/v1/customer/quotes/${quote.body.quoteId}/execute`, {
    headers: { 'If-Match': checked.headers.get('ETag') ?? '' },
  });
  assert.equal(executed.status, 201, executed.text);
  const path = executed.headers.get('Location') ?? '';
  assert.equal((await service.call('GET', path)).body.status, 'awaiting_funds');
  await service.operate('POST', '/v1/sandbox/clock', { advanceSeconds: 6 });
  // The clock goes on by itself as well: how far beyond that it is by now depends on the machine.
  assert.notEqual((await service.call('GET', path)).body.status, 'awaiting_funds');
  await service.operate('POST', '/v1/sandbox/clock', { advanceSeconds: 6 });
  const settled = await service.call('GET', path);
  assert.equal(settled.body.status, 'settled');
  assert.deepEqual(
    settled.body.timeline.map((entry: { status: string }) => entry.status),
    ['awaiting_funds', 'funded', 'settling', 'settled'],
  );
  const events = await service.call('GET', '/v1/customer/events');
  assert.deepEqual(
    events.body.items.map((event: { type: string; sequence: number }) => [event.sequence, event.type]),
    [
      [1, 'quote.executed'],
      [2, 'transaction.created'],
      [3, 'deposit.received'],
      [4, 'deposit.matched'],
      [5, 'transaction.funded'],
      [6, 'transaction.settling'],
      [7, 'transaction.settled'],
    ],
  );
});

test('every schema of every route can be compiled, and answers are the same afterwards', async () => {
  const before = await service.call('GET', '/v1/customer/events');
  await service.application.warmUp(() => Promise.resolve());
  assert.deepEqual((await service.call('GET', '/v1/customer/events')).body, before.body);
  const refused = await service.call('POST', '/v1/customer/quotes', { body: { amount: 5 } });
  assert.equal(refused.body.code, 'validation_failed');
});

test('requests can be tried at /docs/try', async () => {
  const short = await service.call('GET', '/docs/try', { token: null });
  assert.equal(short.status, 301);
  assert.equal(short.headers.get('Location'), '/docs/try/');
  const page = await service.call('GET', '/docs/try/', { token: null });
  assert.equal(page.headers.get('Content-Type'), 'text/html; charset=utf-8');
  assert.match(page.text, /"url": "\/docs\/try\/openapi\.json",\s+"title": "Firmquote API"/);
  const script = await service.call('GET', '/docs/try/js/scalar.js', { token: null });
  assert.equal(script.headers.get('Content-Type'), 'application/javascript; charset=utf-8');
  assert.ok(script.text.length > 1_000_000);
});

test('what the page at /docs/try shows is the document, with what it takes to send its examples', async () => {
  const read = async (path: string) => (await service.call('GET', path, { token: null })).body;
  const [shown, document]: Document[] = [await read('/docs/try/openapi.json'), await read('/openapi.json')];
  resolved(shown);
  const { schemes, audience } = {
    schemes: shown.components.securitySchemes,
    audience: service.sandbox.audience,
  };
  for (const { id, method, path, access } of OPERATIONS) {
    const { description, security, ...rest } = shown.paths[path][method.toLowerCase()];
    const { description: _, security: __, ...expected } = document.paths[path][method.toLowerCase()];
    assert.deepEqual(rest, expected, id);
    assert.match(description, /\[About this operation\]\(\/docs\//, id);
    assert.deepEqual(security, access === undefined ? [] : [{ [access.audience]: [] }], id);
    for (const name of security.flatMap(Object.keys)) assert.ok(name in schemes, id);
  }
  const grouped = shown['x-tagGroups'].flatMap(({ tags }: { tags: string[] }) => tags);
  assert.deepEqual(grouped.sort(), document.tags.map(({ name }: { name: string }) => name).sort());

  // As the page does it: the token's address is one of the server's, and its body has what the document adds.
  const [{ url }] = shown.servers;
  const base = new URL(url, `${service.baseUrl}/docs/try/openapi.json`);
  const flow = schemes.customer.flows.clientCredentials;
  assert.deepEqual(flow['x-scalar-security-body'], { audience });
  const { clientId, clientSecret } = service.sandbox.customer;
  const token = await fetch(new URL(flow.tokenUrl, base), {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...flow['x-scalar-security-body'] }),
  });
  const { access_token } = (await token.json()) as { access_token: string };
  const send = async (path: string, variables: Record<string, string> = {}) => {
    const { example } = shown.paths[path].post.requestBody.content['application/json'];
    fillLast({ requestBuilder: { path: { variables } } });
    const response = await fetch(
      new URL(
        path.replace('{quoteId}', () => variables.quoteId ?? ''),
        base,
      ),
      {
        method: 'POST',
        headers: { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(example),
      },
    );
    await keepLast({ response: response.clone() });
    const text = await response.text();
    assert.equal(response.status, 201, text);
    return JSON.parse(text);
  };
  const quote = await send('/v1/customer/quotes');
  const { quoteId } = shown.components.parameters;
  const transaction = await send('/v1/customer/quotes/{quoteId}/execute', {
    quoteId: quoteId.schema.default,
  });
  assert.equal(transaction.quoteId, quote.quoteId);
});
