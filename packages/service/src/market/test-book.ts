import assert from 'node:assert/strict';
import { type Decimal, findPair, formatDecimal, type Pair, parseDecimal } from '@firmquote/fx';
import { DEFAULT_PAIR_SETTINGS, type PairSettings, type PriceLimits } from './pair-settings.ts';
import { RateBook, type RateBookOptions } from './rate-book.ts';

export const NOW = Date.UTC(2026, 2, 4, 14, 30);

export function decimal(text: string): Decimal {
  const value = parseDecimal(text);
  assert.ok(value, text);
  return value;
}

export function pair(code: string): Pair {
  const found = findPair(code);
  assert.ok(found, code);
  return found;
}

const EVERYTHING: Decimal = { units: 10n ** 12n, scale: 0 };
/** For what has nothing to do with how far a price may move. */
export const NO_LIMITS: PriceLimits = {
  maxWidthBps: EVERYTHING,
  bandBps: EVERYTHING,
  referenceBps: EVERYTHING,
};

/** A book on a clock that stands, with ticks in one line each. */
export function testBook(
  settings: Partial<PairSettings> = {},
  options: Pick<RateBookOptions, 'reference' | 'firstPrices'> = {},
) {
  const clock = { at: NOW, now: () => clock.at };
  const book = new RateBook({ clock, defaults: { ...DEFAULT_PAIR_SETTINGS, ...settings }, ...options });
  const send = (source: string, bid: string, ask: string, code = 'EURUSD', at = clock.at) =>
    book.apply({ pair: code, bid: decimal(bid), ask: decimal(ask), at, source });
  /** `bid/ask source status` */
  const shown = (code = 'EURUSD'): string => {
    const reading = book.read(pair(code));
    if (reading.status === 'missing') return 'missing';
    const { bid, ask, source } = reading.price;
    return `${formatDecimal(bid)}/${formatDecimal(ask)} ${source} ${reading.status}`;
  };
  return { clock, book, send, shown };
}
