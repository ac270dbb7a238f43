import { parsePrice } from '@firmquote/fx';
import type { GonePrice, VendorPrice } from './feed.ts';
import { parseVendorInstant } from './vendor-time.ts';

/** What a line of the stream says. */
type OandaMessage =
  | { readonly type: 'price'; readonly price: VendorPrice }
  | { readonly type: 'heartbeat' }
  | { readonly type: 'untradable'; readonly gone: GonePrice }
  | { readonly type: 'unreadable'; readonly reason: string; readonly pair?: string };

/** OANDA's name of a pair: `EUR_USD`. */
export function instrumentOf(pair: string): string {
  return `${pair.slice(0, 3)}_${pair.slice(3)}`;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads one line of the v20 pricing stream (`ClientPrice` and `PricingHeartbeat` of the v20 REST API). Prices are
 * strings there and stay exact. The ladder's first bid and offer are the best ones; what lies behind them, and how
 * much is dealt at them, is left out.
 *
 * Instruments are taken only under the names that were asked for. One in the other order (`USD_EUR`) is not turned
 * round: its reciprocal has no exact decimal, and a made price is no vendor's price.
 * @param pairs the pair of each instrument that was asked for
 */
export function readOandaLine(line: Buffer, pairs: ReadonlyMap<string, string>): OandaMessage {
  let message: unknown;
  try {
    message = JSON.parse(utf8.decode(line));
  } catch {
    return unreadable('not JSON');
  }
  if (!isObject(message)) return unreadable('not an object');
  if (message.type === 'HEARTBEAT') return { type: 'heartbeat' };
  if (message.type !== 'PRICE') return unreadable('unknown type');
  const pair = typeof message.instrument === 'string' ? pairs.get(message.instrument) : undefined;
  if (pair === undefined) return unreadable('unknown instrument');
  const stamp = typeof message.time === 'string' ? parseVendorInstant(message.time) : undefined;
  const gone: OandaMessage = { type: 'untradable', gone: { pair, stamp } };
  // `status` is how older streams say `tradeable`.
  if (message.tradeable === false || (message.status ?? 'tradeable') !== 'tradeable') return gone;
  if (!Array.isArray(message.bids) || !Array.isArray(message.asks)) return unreadable('no ladder', pair);
  if (message.bids.length === 0 || message.asks.length === 0) return gone;
  const bid = bestOf(message.bids);
  const ask = bestOf(message.asks);
  if (bid === undefined || ask === undefined) return unreadable('not a price', pair);
  if (stamp === undefined) return unreadable('not a time', pair);
  return { type: 'price', price: { pair, bid, ask, stamp } };
}

function bestOf(ladder: readonly unknown[]) {
  const [best] = ladder;
  return isObject(best) && typeof best.price === 'string' ? parsePrice(best.price) : undefined;
}

function unreadable(reason: string, pair?: string): OandaMessage {
  return { type: 'unreadable', reason, ...(pair === undefined ? {} : { pair }) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
