import assert from 'node:assert/strict';
import { once } from 'node:events';
import { before, test } from 'node:test';
import { PriceSocketEvent } from '@firmquote/api/operations/price-streams';
import { WebSocket } from 'ws';
import {
  type Customer,
  createCustomer,
  refused,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { expectDeclared } from './support/declared-answers.ts';
import { exchange } from './support/raw-http.ts';
import type { Answer, TestService } from './support/service.ts';

/** Prices over a WebSocket: the events of the stream, and what a desk can ask for. */

const PATH = '/v1/customer/prices/ws';
let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  await succeed(
    200,
    service.operate('POST', '/v1/sandbox/market', { pair: 'USDJPY', bid: '151.236', ask: '151.240' }),
  );
  acme = await createCustomer(service);
});

interface Message {
  readonly event: string;
  readonly id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
  readonly data: any;
}

interface DeskSocket {
  readonly socket: WebSocket;
  readonly messages: Message[];
  readonly closed: Promise<{ code: number; reason: string }>;
  say(message: unknown): void;
  next(what: string, fits: (message: Message) => boolean, after?: number): Promise<Message>;
}

async function openDesk(who: Customer = acme): Promise<DeskSocket> {
  const socket = new WebSocket(`${service.baseUrl.replace('http', 'ws')}${PATH}`, {
    headers: { Authorization: `Bearer ${who.token}` },
  });
  const messages: Message[] = [];
  const looks = new Set<() => void>();
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Message;
    expectDeclared(`socket ${message.event}`, PriceSocketEvent, message);
    messages.push(message);
    for (const look of looks) look();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  await once(socket, 'open');
  return {
    socket,
    messages,
    closed,
    say: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    next(what, fits, after = 0) {
      const found = Promise.withResolvers<Message>();
      const late = setTimeout(() => found.reject(new Error(`not in time: ${what}`)), 60_000);
      const look = () => {
        const message = messages.slice(after).find(fits);
        if (message !== undefined) found.resolve(message);
      };
      looks.add(look);
      look();
      return found.promise.finally(() => {
        clearTimeout(late);
        looks.delete(look);
      });
    },
  };
}

/** An upgrade by hand, to see the answer to one that is refused. */
function upgrade(token: string | undefined, ...headers: string[]): Promise<Answer> {
  return exchange(
    service.baseUrl,
    [
      `GET ${PATH} HTTP/1.1`,
      'Host: localhost',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
      ...headers,
      '',
      '',
    ].join('\r\n'),
  );
}

const isPriceOf = (pair: string) => (message: Message) =>
  message.event === 'price' && message.data.pair === pair;

test('a desk subscribes, gets each pair as it is and as it changes, and unsubscribes', async (t) => {
  const desk = await openDesk();
  t.after(() => desk.socket.terminate());
  assert.deepEqual((await desk.next('market', () => true)).data, { pair: '*', state: 'open' });
  desk.say({ action: 'subscribe', pairs: ['EURUSD', 'USDJPY'], requestId: 'a' });
  const done = await desk.next('subscribed', ({ event }) => event === 'subscribed');
  assert.deepEqual(done.data, { requestId: 'a', pairs: ['EURUSD', 'USDJPY'] });
  const price = await desk.next('EURUSD', isPriceOf('EURUSD'));
  assert.deepEqual([price.data.bid, price.data.ask, price.data.tradable], ['1.08271', '1.08711', true]);
  assert.match(price.id ?? '', /^[0-9a-f]+-\d{9}$/);
  await desk.next('USDJPY', isPriceOf('USDJPY'));
  desk.say({ action: 'subscribe', pairs: ['EURUSD'], amount: '100000', amountCurrency: 'USD' });
  const sized = await desk.next('the price of a size', ({ data }) => data.askAmount === '91987.01');
  assert.ok((sized.id ?? '') > (price.id ?? ''));
  desk.say({ action: 'unsubscribe', pairs: ['EURUSD'] });
  const left = await desk.next('unsubscribed', ({ event }) => event === 'unsubscribed');
  assert.deepEqual(left.data, { requestId: null, pairs: ['USDJPY'] });
  const after = desk.messages.length;
  const set = (pair: string, bid: string, ask: string) =>
    succeed(200, service.operate('POST', '/v1/sandbox/market', { pair, bid, ask }));
  await set('EURUSD', '1.08500', '1.08506');
  await set('USDJPY', '151.300', '151.304');
  await desk.next('the new price', isPriceOf('USDJPY'), after);
  assert.ok(!desk.messages.slice(after).some(isPriceOf('EURUSD')));
  await set('EURUSD', '1.08488', '1.08494');
  await set('USDJPY', '151.236', '151.240');
});

test('what is wrong with a message is an error that names it, and the desk reads on', async (t) => {
  const desk = await openDesk();
  t.after(() => desk.socket.terminate());
  const cases: readonly (readonly [unknown, string])[] = [
    ['{', 'malformed_json'],
    [[], 'validation_failed'],
    [{ action: 'subscribe' }, 'validation_failed'],
    [{ action: 'shout', pairs: ['EURUSD'] }, 'validation_failed'],
    [{ action: 'subscribe', pairs: [] }, 'validation_failed'],
    [{ action: 'subscribe', pairs: ['EURUSD'], amount: 1, amountCurrency: 'USD' }, 'validation_failed'],
    [{ action: 'subscribe', pairs: ['EURUSD'], amount: '1' }, 'validation_failed'],
    [{ action: 'subscribe', pairs: ['EURUSD'], token: 'x' }, 'validation_failed'],
    [{ action: 'subscribe', pairs: ['USDEUR'], requestId: 'me' }, 'pair_not_supported'],
  ];
  for (const [message, code] of cases) {
    const after = desk.messages.length;
    desk.say(message);
    const { data } = await desk.next(code, ({ event }) => event === 'error', after);
    assert.equal(data.code, code);
    assert.ok(data.title && data.detail && data.retry && data.type, JSON.stringify(data));
  }
  assert.equal(desk.messages.at(-1)?.data.requestId, 'me');
  desk.socket.send(Buffer.from('{}'), { binary: true });
  await desk.next('binary', ({ data }) => data.code === 'malformed_json', desk.messages.length);
  desk.say({ action: 'subscribe', pairs: ['EURUSD'] });
  await desk.next('EURUSD', isPriceOf('EURUSD'));
});

test('messages have a rate and a size', async (t) => {
  const desk = await openDesk();
  t.after(() => desk.socket.terminate());
  for (let i = 0; i < 30; i++) desk.say({ action: 'unsubscribe', pairs: ['EURUSD'] });
  await desk.next('refusal', ({ data }) => data.code === 'rate_limited');
  desk.say(' '.repeat(20_000));
  assert.equal((await desk.closed).code, 1009);
});

test('who floods, with messages, pings or pongs, is ended and not answered for ever', async () => {
  for (const flood of ['message', 'ping', 'pong'] as const) {
    const desk = await openDesk();
    desk.socket.on('error', () => undefined);
    for (let i = 0; i < 500; i++) {
      if (flood === 'message') desk.say({ action: 'unsubscribe', pairs: ['EURUSD'] });
      else desk.socket[flood]();
    }
    await desk.closed;
    assert.ok(desk.messages.length < 120, `${flood}: ${desk.messages.length} answers`);
  }
  const quiet = await openDesk();
  for (let i = 0; i < 30; i++) quiet.socket.ping();
  quiet.say({ action: 'subscribe', pairs: ['EURUSD'] });
  await quiet.next('EURUSD', isPriceOf('EURUSD'));
  quiet.socket.terminate();
});

test('limits are shared with event streams, and refused before the upgrade', async (t) => {
  const busy = await createCustomer(service);
  const desks: DeskSocket[] = [];
  for (let i = 0; i < 5; i++) desks.push(await openDesk(busy));
  t.after(() => {
    for (const desk of desks) desk.socket.terminate();
  });
  await refused('too_many_streams', upgrade(busy.token));
  await refused(
    'too_many_streams',
    busy.get('/v1/customer/prices/stream?pairs=EURUSD', { Accept: 'text/event-stream' }),
  );
  const codes = [
    'AUD',
    'GBP',
    'CAD',
    'CHF',
    'CZK',
    'DKK',
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
  const first = desks[0];
  assert.ok(first);
  first.say({ action: 'subscribe', pairs: codes.map((code) => `EUR${code}`) });
  await first.next('subscribed', ({ event }) => event === 'subscribed');
  first.say({
    action: 'subscribe',
    pairs: codes.map((c) => (/AUD|GBP|NZD/.test(c) ? `${c}USD` : `USD${c}`)),
  });
  await first.next('both', ({ event, data }) => event === 'subscribed' && data.pairs.length === 30);
  const second = desks[1];
  assert.ok(second);
  second.say({
    action: 'subscribe',
    pairs: [
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
    ],
  });
  const { data } = await second.next('too many', ({ event }) => event === 'error');
  assert.deepEqual([data.code, data.limit, data.wanted], ['too_many_pairs', 40, 41]);
});

test('the token comes in the header of the upgrade, and counts for as long as the desk reads', async () => {
  await refused('token_missing', upgrade(undefined));
  await refused('token_invalid', upgrade('x'));
  const narrow = await createCustomer(service, { scopes: ['transactions:read'] });
  await refused('insufficient_scope', upgrade(narrow.token));
  const gone = await createCustomer(service);
  const desk = await openDesk(gone);
  await succeed(200, service.operate('POST', `${gone.path}/suspend`));
  assert.deepEqual((await desk.next('bye', ({ event }) => event === 'bye')).data, {
    reason: 'customer_suspended',
  });
  assert.deepEqual(await desk.closed, { code: 1008, reason: 'customer_suspended' });
});

test('a desk whose client loses the right to read prices is shown out', async () => {
  const narrowed = await createCustomer(service);
  const desk = await openDesk(narrowed);
  const client = `${narrowed.path}/credentials/${narrowed.clientId}`;
  await succeed(200, service.operate('PATCH', client, { scopes: ['transactions:read'] }));
  const { data } = await desk.next('bye', ({ event }) => event === 'bye');
  assert.deepEqual(data, { reason: 'insufficient_scope' });
  assert.deepEqual(await desk.closed, { code: 1008, reason: 'insufficient_scope' });
});

test('an upgrade is possible at this address only, and a request without one is told', async () => {
  const plain = await acme.get(PATH);
  await refused('upgrade_required', plain);
  assert.equal(plain.headers.get('Upgrade'), 'websocket');
  const h2c = [
    'Connection: Upgrade, HTTP2-Settings, close',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABkAAQAAP__',
  ];
  const ask = (path: string, ...headers: string[]) =>
    exchange(
      service.baseUrl,
      [`GET ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${acme.token}`, ...headers, '', ''].join(
        '\r\n',
      ),
    );
  assert.equal((await ask('/v1/customer/limits', ...h2c)).status, 200);
  assert.equal((await ask(PATH, ...h2c)).status, 426);
  const elsewhere = [
    'Connection: Upgrade, close',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ];
  assert.equal((await ask('/v1/customer/limits', ...elsewhere)).status, 200);
});

test('a stop says goodbye to desks', async () => {
  const desk = await openDesk();
  const stopping = service.stop();
  assert.deepEqual((await desk.next('bye', ({ event }) => event === 'bye')).data, {
    reason: 'shutting_down',
  });
  assert.deepEqual(await desk.closed, { code: 1001, reason: 'shutting_down' });
  await stopping;
});
