import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Customer, createCustomer, startExampleService, succeed } from './support/acceptance.ts';
import { resolved } from './support/api-document.ts';
import { EventStreamParser, isStream, openStream } from './support/event-stream.ts';
import { priceOf, STREAM, streamCaller } from './support/price-stream.ts';
import { until } from './support/process.ts';
import type { Answer, TestService } from './support/service.ts';

/** Price streams that are refused, and how they end: docs/interface.md#price-streams. */

let service: TestService;
let acme: Customer;
let calls: ReturnType<typeof streamCaller>;

before(async () => {
  service = await startExampleService();
  calls = streamCaller(service);
  await calls.setPrice('USDJPY', '151.236', '151.240');
  acme = await createCustomer(service);
});

test('what is wrong with a request is a problem, and nothing is opened', async () => {
  const invalid = [
    '',
    'pairs=',
    'pairs=eurusd',
    'pairs=EURUSD&x=1',
    'pairs=EURUSD&amount=1',
    'pairs=EURUSD&amountCurrency=USD',
    'pairs=EURUSD&amount=1&amount=2&amountCurrency=USD',
    'pairs=EURUSD&amount=x&amountCurrency=USD',
    'pairs=EURUSD,USDJPY&amount=1&amountCurrency=EUR',
  ];
  for (const query of invalid) await calls.refusedStream('validation_failed', query, acme);
  const body = await calls.refusedStream('pair_not_supported', 'pairs=EURUSD,USDEUR', acme);
  assert.match(body.detail, /The market quotes EURUSD\.$/);
  await calls.refusedStream('currency_not_supported', 'pairs=EURUSD&amount=1&amountCurrency=XYZ', acme);
  await calls.refusedStream('amount_below_minimum', 'pairs=EURUSD&amount=0&amountCurrency=USD', acme);
  await calls.refusedStream('amount_precision_invalid', 'pairs=EURUSD&amount=1.001&amountCurrency=USD', acme);
  await calls.refusedStream('not_acceptable', 'pairs=EURUSD', acme, { Accept: 'application/json' });
  await calls.refusedStream('token_missing', 'pairs=EURUSD', acme, { Authorization: '' });
  const narrow = await createCustomer(service, { scopes: ['transactions:read'] });
  await calls.refusedStream('insufficient_scope', 'pairs=EURUSD', narrow);
  const head = await service.call('HEAD', `${STREAM}?pairs=EURUSD`, { token: acme.token });
  assert.equal(head.status, 405);
});

test('five streams and forty pairs, whichever way they are read', async (t) => {
  const busy = await createCustomer(service);
  const codes = [
    'AUD',
    'CAD',
    'CHF',
    'CZK',
    'DKK',
    'GBP',
    'HUF',
    'JPY',
    'NOK',
    'NZD',
    'PLN',
    'SEK',
    'SGD',
    'MXN',
    'ZAR',
  ];
  const pairs = codes.map((code) => (['AUD', 'GBP', 'NZD'].includes(code) ? `${code}USD` : `USD${code}`));
  const crosses = codes.map((code) => `EUR${code}`);
  const first = await calls.read(`pairs=${pairs.join()}`, busy);
  const second = await calls.read(`pairs=${crosses.join()},${pairs[0]}`, busy);
  t.after(() => {
    first.close();
    second.close();
  });
  const more = [
    'GBPJPY',
    'GBPCHF',
    'GBPCAD',
    'AUDJPY',
    'CHFJPY',
    'CADJPY',
    'NZDJPY',
    'AUDNZD',
    'AUDCAD',
    'AUDCHF',
    'GBPAUD',
  ];
  const body = await calls.refusedStream('too_many_pairs', `pairs=${more.join()}`, busy);
  assert.deepEqual([body.limit, body.wanted], [40, 41]);
  const open = [first, second];
  for (let i = 0; i < 3; i++) open.push(await calls.read('pairs=EURUSD', busy));
  const refusal = await calls.refusedStream('too_many_streams', 'pairs=EURUSD', busy);
  assert.equal(refusal.limit, 5);
  for (const stream of open) stream.close();
  // The places are given back when the service sees the connections close.
  await until('another place', async () => {
    const again = await calls.ask('pairs=EURUSD', busy);
    if (!isStream(again)) return false;
    again.close();
    return true;
  });
});

test('a suspension ends the streams of the customer within five seconds', async () => {
  const gone = await createCustomer(service);
  const stream = await calls.read('pairs=EURUSD', gone);
  await stream.next('snapshot', priceOf('EURUSD'));
  await succeed(200, service.operate('POST', `${gone.path}/suspend`));
  assert.deepEqual((await stream.next('bye', ({ event }) => event === 'bye')).data, {
    reason: 'customer_suspended',
  });
  await stream.ended;
  await calls.refusedStream('customer_suspended', 'pairs=EURUSD', gone);
});

test('a revoked client is shown out within five seconds', async () => {
  const gone = await createCustomer(service);
  const stream = await calls.read('pairs=EURUSD', gone);
  await succeed(204, service.operate('DELETE', `${gone.path}/credentials/${gone.clientId}`));
  assert.deepEqual((await stream.next('bye', ({ event }) => event === 'bye')).data, {
    reason: 'token_invalid',
  });
  await stream.ended;
});

test('whoever loses the right to a stream is shown out within five seconds', async (t) => {
  const ended = async (url: string, token: string, path: string, scopes: readonly string[]) => {
    const stream = await openStream(`${service.baseUrl}${url}`, { Authorization: `Bearer ${token}` });
    assert.ok(isStream(stream), JSON.stringify(stream));
    t.after(() => stream.close());
    await stream.next('snapshot', priceOf('EURUSD'));
    await succeed(200, service.operate('PATCH', path, { scopes }));
    const { data } = await stream.next('bye', ({ event }) => event === 'bye');
    assert.deepEqual(data, { reason: 'insufficient_scope' });
    await stream.ended;
  };
  const narrowed = await createCustomer(service);
  const own = `${narrowed.path}/credentials/${narrowed.clientId}`;
  await ended(`${STREAM}?pairs=EURUSD`, narrowed.token, own, ['transactions:read']);
  await calls.refusedStream('insufficient_scope', 'pairs=EURUSD', narrowed);

  const clients = '/v1/operator/clients';
  const request = { name: 'screen', scopes: ['operator:pricing:read'] };
  const { clientId, clientSecret } = (await succeed(201, service.operate('POST', clients, request))).body;
  const token = await service.token(clientId, clientSecret);
  const market = '/v1/operator/prices/stream?pairs=EURUSD';
  await ended(market, token, `${clients}/${clientId}`, ['operator:ledger']);
});

test('a stop says goodbye', async () => {
  const other = await startExampleService();
  const stream = await openStream(`${other.baseUrl}${STREAM}?pairs=EURUSD`, {
    Authorization: `Bearer ${other.customerToken}`,
  });
  assert.ok(isStream(stream));
  await stream.next('snapshot', priceOf('EURUSD'));
  const stopping = other.stop();
  assert.deepEqual((await stream.next('bye', ({ event }) => event === 'bye')).data, {
    reason: 'shutting_down',
  });
  await stream.ended;
  await stopping;
});

test("the tests' parser takes a stream that is cut anywhere", () => {
  const bytes = Buffer.from(
    'retry: 5\r\n\r\n: note\nid: 1\nevent: price\ndata: {"a":\ndata: "é"}\r\rdata:x\n\n',
  );
  for (let size = 1; size <= bytes.length; size++) {
    const parser = new EventStreamParser();
    for (let at = 0; at < bytes.length; at += size) parser.push(bytes.subarray(at, at + size));
    assert.equal(parser.retryMs, 5);
    assert.deepEqual(parser.events, [
      { id: '1', event: 'price', data: '{"a":\n"é"}' },
      { id: undefined, event: 'message', data: 'x' },
    ]);
  }
});

test('the OpenAPI document has the streams and their events, the metrics how many there are', async (t) => {
  const { paths } = resolved((await succeed(200, service.call('GET', '/openapi.json'))).body);
  const stream = paths[STREAM].get;
  const { anyOf } = stream.responses['200'].content['text/event-stream'].schema;
  assert.deepEqual(anyOf.map(({ properties }: Answer['body']) => properties.event.enum.join()).sort(), [
    'bye',
    'heartbeat',
    'market',
    'price',
    'resync',
  ]);
  assert.deepEqual(stream.parameters.map(({ name }: { name: string }) => name).sort(), [
    'Last-Event-ID',
    'amount',
    'amountCurrency',
    'pairs',
  ]);
  const indicative = paths['/v1/customer/quotes/indicative'].post.responses['200'];
  assert.deepEqual(Object.keys(indicative.content).sort(), ['application/json', 'text/event-stream']);
  assert.ok(paths['/v1/customer/prices/ws'].get);
  const open = await calls.read('pairs=EURUSD', acme);
  t.after(() => open.close());
  await open.next('snapshot', priceOf('EURUSD'));
  const { text } = await service.call('GET', '/metrics', { token: null });
  assert.match(text, /^firmquote_price_streams_open\{transport="sse"\} [1-9]/m);
  assert.match(text, /^firmquote_price_streams_ended_total\{reason="customer_suspended"\} 1$/m);
  assert.match(text, /^firmquote_price_stream_events_total\{outcome="delivered"\} \d+$/m);
});
