import type { FastifyInstance } from 'fastify';
import { haltRoutes } from './halt-routes.ts';
import type { MarketRoutesOptions } from './route-helpers.ts';

export type { MarketRoutesOptions };

/** What operators see of the market, and what they tell it (contract §14). */
export function marketRoutes(app: FastifyInstance, options: MarketRoutesOptions): void {
  haltRoutes(app, options);
}
