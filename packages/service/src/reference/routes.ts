import * as api from '@firmquote/api/operations/reference';
import { tradeDateAt, tradeDateEnd } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import { customerOf } from '../http/context.ts';
import { serve } from '../http/serve.ts';
import { isoInstant } from '../platform/clock.ts';
import { listCurrencies } from './currencies.ts';
import { executionPolicy } from './execution-policy.ts';
import { interruptedPairs, marketStatus } from './market-status.ts';
import { listPairs } from './pairs.ts';
import type { ReferenceRoom } from './room.ts';
import { explainPair } from './value-dates.ts';

/** Calendars and cut-offs may change at any time; so long a caller may go on with what it has. */
const MAX_AGE_SECONDS = 10;
/** What moves with the clock and the market is asked again each time, which costs nothing when it has not moved. */
const ALWAYS_ASK = 0;

/** `/v1/customer/reference/…`: what can be traded, when it settles, and by which rules (docs/interface.md#value-dates). */
export function referenceRoutes(app: FastifyInstance, room: ReferenceRoom): void {
  serve(app, api.listCurrencies, async () => ({
    maxAgeSeconds: MAX_AGE_SECONDS,
    body: { items: await listCurrencies(room) },
  }));
  serve(app, api.listPairs, async ({ request, query, page }) => {
    const { customerId } = customerOf(request);
    const pairs = await listPairs(room, customerId, query, page.place('text')?.[0], page.rows);
    const body = page.of(
      pairs,
      ({ pair }) => [pair],
      (view) => view,
    );
    return { maxAgeSeconds: ALWAYS_ASK, body };
  });
  serve(app, api.explainValueDates, ({ query }) => ({
    maxAgeSeconds: ALWAYS_ASK,
    body: explainPair(room, query),
  }));
  serve(app, api.getMarketStatus, ({ request }) => {
    const tradeDate = tradeDateAt(room.clock.now());
    return {
      maxAgeSeconds: ALWAYS_ASK,
      body: {
        market: marketStatus(room.market),
        tradeDate,
        tradeDateEndsAt: isoInstant(tradeDateEnd(tradeDate)),
        interruptedPairs: interruptedPairs(room.market, customerOf(request).customerId),
      },
    };
  });
  serve(app, api.getExecutionPolicy, async ({ request }) => {
    const profile = await room.customers.profile(customerOf(request).customerId);
    return { maxAgeSeconds: MAX_AGE_SECONDS, body: executionPolicy(profile) };
  });
}
