import { type Decimal, parsePrice } from '@firmquote/fx';
import { type ExactJson, isExactObject } from './exact-json.ts';
import type { GonePrice, VendorPrice } from './feed.ts';
import type { FeedFormat, Match } from './feed-format.ts';
import { parseVendorEpoch, parseVendorInstant } from './vendor-time.ts';

type FeedMessage =
  | { readonly type: 'price'; readonly price: VendorPrice }
  | { readonly type: 'untradable'; readonly gone: GonePrice }
  | { readonly type: 'refused' | 'paused' }
  | { readonly type: 'unreadable'; readonly reason: string; readonly pair?: string }
  /** Anything else that is JSON: answers to what was sent, news of the vendor. */
  | { readonly type: 'other' };

type Fields = { readonly [name: string]: ExactJson };

/** Whether the message has all the texts. */
export function matches(message: ExactJson, match: Match): boolean {
  if (!isExactObject(message)) return false;
  return Object.entries(match).every(
    ([name, text]) => Object.hasOwn(message, name) && message[name] === text,
  );
}

/**
 * Reads one object of a vendor's message.
 * @param pairs the pair of each symbol that may come
 */
export function readFeedMessage(
  message: ExactJson,
  format: FeedFormat,
  pairs: ReadonlyMap<string, string>,
): FeedMessage {
  if (!isExactObject(message)) return unreadable('not an object');
  if (format.refusals.some((match) => matches(message, match))) return { type: 'refused' };
  if (format.pauses.some((match) => matches(message, match))) return { type: 'paused' };
  const { price } = format;
  const isPrice =
    price.when === undefined ? Object.hasOwn(message, price.symbol) : matches(message, price.when);
  return isPrice ? readPrice(message, format, pairs) : { type: 'other' };
}

function readPrice(message: Fields, { price }: FeedFormat, pairs: ReadonlyMap<string, string>): FeedMessage {
  const symbol = fieldOf(message, price.symbol);
  const pair = typeof symbol === 'string' ? pairs.get(symbol) : undefined;
  if (pair === undefined) return unreadable('unknown symbol');
  const bidText = fieldOf(message, price.bid);
  const askText = fieldOf(message, price.ask);
  const stamp = price.time === undefined ? undefined : stampOf(fieldOf(message, price.time), price.timeUnit);
  if (bidText === null || askText === null) return { type: 'untradable', gone: { pair, stamp } };
  const bid = decimalOf(bidText);
  const ask = decimalOf(askText);
  if (bid === undefined || ask === undefined) return unreadable('not a price', pair);
  if (price.time !== undefined && stamp === undefined) return unreadable('not a time', pair);
  return { type: 'price', price: { pair, bid, ask, stamp } };
}

function fieldOf(message: Fields, name: string): ExactJson | undefined {
  return Object.hasOwn(message, name) ? message[name] : undefined;
}

function decimalOf(value: ExactJson | undefined): Decimal | undefined {
  return typeof value === 'string' ? parsePrice(value) : undefined;
}

function stampOf(value: ExactJson | undefined, unit: FeedFormat['price']['timeUnit']): number | undefined {
  if (typeof value !== 'string') return undefined;
  return unit === 'rfc3339' ? parseVendorInstant(value) : parseVendorEpoch(value, unit ?? 'ms');
}

function unreadable(reason: string, pair?: string): FeedMessage {
  return { type: 'unreadable', reason, ...(pair === undefined ? {} : { pair }) };
}
