import { listCustomerPrices } from '@firmquote/api/operations/operator-quotes';
import type { FastifyInstance } from 'fastify';
import { serve } from '../http/serve.ts';
import { Problem } from '../problems/problem.ts';
import type { QuotesRoom } from '../quotes/room.ts';
import { priceTerms } from './customer-price.ts';
import { viewPair } from './pair-view.ts';
import { resolvePrices } from './price-request.ts';
import { PAIRS_PER_CUSTOMER_MAX } from './slots.ts';
import { priceRender } from './topic.ts';

/** What a dealer sees of a customer's prices: the ones that its streams have at this moment. */
export function customerPricesRoute(app: FastifyInstance, room: QuotesRoom): void {
  const { clock, dates, market } = room;
  serve(app, listCustomerPrices, async ({ params: { customerId }, query }) => {
    const { pairs } = resolvePrices(query, market.book, (name) => `/query/${name}`);
    if (pairs.length > PAIRS_PER_CUSTOMER_MAX) {
      const members = { limit: PAIRS_PER_CUSTOMER_MAX, wanted: pairs.length };
      throw new Problem(
        'too_many_pairs',
        `You asked for ${pairs.length} pairs; at most ${PAIRS_PER_CUSTOMER_MAX} are allowed.`,
        { members },
      );
    }
    const terms = await Promise.all(
      pairs.map(async (pair) => ({ pair, terms: await priceTerms(room, customerId, pair, undefined) })),
    );
    const now = clock.now();
    const items = terms.flatMap(({ pair, terms }) => {
      const made = priceRender(pair, terms)(viewPair(market, dates.current, pair, now));
      return made === undefined ? [] : [JSON.parse(made.data)];
    });
    return { headers: { 'Cache-Control': 'no-store' }, body: { items } };
  });
}
