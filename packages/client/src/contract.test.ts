import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OPERATIONS } from '@firmquote/api';
import { Firmquote } from './client.ts';
import { PLACES } from './generated/places.ts';
import { FirmquoteOperator } from './operator.ts';
import { FirmquoteSandbox } from './sandbox.ts';

/** Methods that are made of operations, and are none themselves. */
const COMPOSED = new Set([
  'request',
  'quotes.executeOrRequote',
  'quotes.secondsLeft',
  'prices.streamIndicative',
  'transactions.waitFor',
  'events.follow',
  'accessToken',
  'withOptions',
]);

const sent: string[] = [];
const options = {
  baseUrl: 'https://fx.example.com',
  token: 'token',
  maxRetries: 0,
  /** Writes down what is asked for, and refuses it. */
  fetch: async (input: unknown, init?: RequestInit) => {
    sent.push(`${init?.method} ${new URL(String(input)).pathname}`);
    return new Response('{"code":"route_not_found","retry":"none"}', { status: 404 });
  },
};
const CLIENTS: Readonly<Record<string, object>> = {
  customer: new Firmquote(options),
  operator: new FirmquoteOperator(options),
  sandbox: new FirmquoteSandbox(options),
};

type Anything = Record<string, unknown>;

/** Names of the methods of an object, but not those of every object. */
function methodsOf(object: object): string[] {
  const names = new Set<string>();
  for (let at = object; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  }
  for (const inherited of ['constructor', 'invoke', 'pages', 'send']) names.delete(inherited);
  return [...names].filter((name) => typeof (object as Anything)[name] === 'function');
}

function placesOf(entry: string, client: object): string[] {
  const own = methodsOf(client).map((name) => `${entry}:${name}`);
  const parts = Object.entries(client).filter(([name]) => name !== 'clock' && !(entry === 'operator'));
  return [
    ...own,
    ...parts.flatMap(([part, value]) => methodsOf(value).map((name) => `${entry}:${part}.${name}`)),
  ];
}

test('every operation has exactly one method, and every method is an operation or made of some', () => {
  assert.deepEqual(Object.keys(PLACES).sort(), OPERATIONS.map(({ id }) => id).sort());
  const places = Object.values(PLACES);
  assert.equal(new Set(places).size, places.length);
  const found = Object.entries(CLIENTS).flatMap(([entry, client]) => placesOf(entry, client));
  const composed = [...COMPOSED].map((name) => `customer:${name}`);
  composed.push('operator:request', 'operator:accessToken');
  assert.deepEqual(found.sort(), [...places, ...composed].sort());
});

/** What is read event by event. */
const STREAMS: readonly string[] = ['streamPrices', 'streamMarketPrices'];

describe('a method asks for its operation', () => {
  for (const operation of OPERATIONS) {
    // A WebSocket is no fetch: packages/client/test/real-service.test.ts opens one.
    if (operation.id === 'openPriceSocket') continue;
    test(operation.id, async () => {
      const [entry = '', place = ''] = (PLACES[operation.id] ?? '').split(':');
      const path = place.split('.');
      const name = path.pop() ?? '';
      const owner = path.reduce<Anything>((at, each) => at[each] as Anything, CLIENTS[entry] as Anything);
      const method = owner[name] as (...given: unknown[]) => PromiseLike<unknown> & AsyncIterator<unknown>;
      const names = operation.path.match(/\{\w+\}/g) ?? [];
      // Execution reads the quote first, which is another operation.
      const more = operation.id === 'executeQuote' ? [{ checkStatus: false }] : [{}, {}, {}];
      sent.length = 0;
      const asked = method.call(owner, ...names.map((_, index) => `p${index}`), ...more);
      await assert.rejects(async () => (STREAMS.includes(operation.id) ? asked.next() : asked), {
        code: 'route_not_found',
      });
      let index = 0;
      assert.deepEqual(sent, [
        `${operation.method} ${operation.path.replaceAll(/\{\w+\}/g, () => `p${index++}`)}`,
      ]);
    });
  }
});
