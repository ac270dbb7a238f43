import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type FeedConnection, type FeedObserver, type FeedTransport, faultOf, statusFault } from './feed.ts';
import { LineSplitter } from './line-splitter.ts';
import { instrumentOf, readOandaLine } from './oanda-messages.ts';

interface OandaOptions {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly account: string;
  /** Asked for anew with each connection, so that a replaced token needs no restart. */
  readonly token: () => string;
  /** Six letters in market order each. */
  readonly pairs: readonly string[];
}

/** The stream sends a heartbeat every 5 s; OANDA's advice is to connect anew after 10 s without. */
export const OANDA_SILENCE_MS = 10_000; // limit: Silence after which OANDA is connected anew
/** A price with a deep ladder has some hundred bytes. */
const LINE_BYTES_MAX = 64 * 1024; // limit: Line of OANDA's stream

/** OANDA's v20 pricing stream: one HTTP answer that does not end, with a JSON object in each line. */
export function oandaTransport(options: OandaOptions): FeedTransport {
  const pairs = new Map(options.pairs.map((pair) => [instrumentOf(pair), pair]));
  const url = new URL(`${options.baseUrl}/v3/accounts/${encodeURIComponent(options.account)}/pricing/stream`);
  url.searchParams.set('instruments', [...pairs.keys()].join(','));
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return {
    connect(observer): FeedConnection {
      // A redirection is not followed: the token would go where it points.
      const request = send(url, {
        agent: false,
        headers: {
          Authorization: `Bearer ${options.token()}`,
          'Accept-Datetime-Format': 'RFC3339',
          'User-Agent': 'firmquote',
        },
      });
      request.on('error', (error) => observer.closed(faultOf(error, 'the connection failed')));
      request.on('response', (response) => {
        if (response.statusCode !== 200) {
          response.resume();
          observer.closed(statusFault(response.statusCode ?? 0));
          return;
        }
        readStream(response, pairs, observer);
      });
      request.end();
      return { close: () => void request.destroy() };
    },
  };
}

function readStream(
  response: IncomingMessage,
  pairs: ReadonlyMap<string, string>,
  observer: FeedObserver,
): void {
  const splitter = new LineSplitter(LINE_BYTES_MAX);
  observer.opened();
  response.on('data', (piece: Buffer) => {
    for (const line of splitter.push(piece)) take(line, pairs, observer);
  });
  response.on('error', (error) => observer.closed(faultOf(error, 'the stream broke off')));
  response.on('end', () => observer.closed({ kind: 'lost', text: 'the vendor ended the stream' }));
  response.on('close', () => observer.closed({ kind: 'lost', text: 'the stream was closed' }));
}

function take(line: Buffer | null, pairs: ReadonlyMap<string, string>, observer: FeedObserver): void {
  if (line === null) {
    observer.skipped('line too long');
    return;
  }
  const message = readOandaLine(line, pairs);
  switch (message.type) {
    case 'price':
      observer.price(message.price);
      break;
    case 'heartbeat':
      observer.heartbeat();
      break;
    case 'untradable':
      observer.untradable(message.gone);
      break;
    case 'unreadable':
      observer.skipped(message.reason, message.pair);
  }
}
