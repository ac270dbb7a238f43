import assert from 'node:assert/strict';
import { type Customer, refused, succeed } from './acceptance.ts';
import { isStream, type OpenStream, openStream, type StreamEvent } from './event-stream.ts';
import type { Answer, TestService } from './service.ts';

export const STREAM = '/v1/customer/prices/stream';
export const MARKET = '/v1/sandbox/market';

type Headers = Readonly<Record<string, string>>;

/** Asks for price streams of one service. */
export function streamCaller(service: TestService) {
  const ask = (query: string, who: Customer, headers: Headers = {}): Promise<OpenStream | Answer> =>
    openStream(`${service.baseUrl}${STREAM}?${query}`, { Authorization: `Bearer ${who.token}`, ...headers });
  return {
    ask,
    /** A stream; fails the test when it is refused. */
    async read(query: string, who: Customer, headers: Headers = {}): Promise<OpenStream> {
      const answer = await ask(query, who, headers);
      assert.ok(isStream(answer), JSON.stringify(answer));
      return answer;
    },
    /** The body of the problem that is answered instead. */
    async refusedStream(code: string, query: string, who: Customer, headers: Headers = {}) {
      const answer = await ask(query, who, headers);
      if (!isStream(answer)) return refused(code, answer);
      answer.close();
      return assert.fail('a stream was opened');
    },
    setPrice: (pair: string, bid: string, ask: string) =>
      succeed(200, service.operate('POST', MARKET, { pair, bid, ask })),
  };
}

export const priceOf = (pair: string) => (event: StreamEvent) =>
  event.event === 'price' && event.data.pair === pair;
