import type { ProcessNumber } from '../platform/neighbours.ts';
import type { PriceNews } from './price-news.ts';

/** How the process that has the sources sends prices to the others. */
export interface PriceChannel {
  /** Sends to all others, or to one. Of what waits until the others can take it, newer prices take the place of older ones. */
  publishPrices(news: PriceNews, to?: ProcessNumber): void;
  /** Calls the listener with what was sent. Must not throw. */
  onPrices(listener: (news: PriceNews) => void): void;
}
