import type { FastifyInstance } from 'fastify';
import { acceptRoutes } from './accept-routes.ts';
import { barRoutes } from './bar-routes.ts';
import { haltRoutes } from './halt-routes.ts';
import { pairRoutes } from './pair-routes.ts';
import type { MarketRoutesOptions } from './route-helpers.ts';
import { sourceRoutes } from './source-routes.ts';

export type { MarketRoutesOptions };

/** What operators see of the market, and what they tell it (docs/interface.md#operators). */
export function marketRoutes(app: FastifyInstance, options: MarketRoutesOptions): void {
  haltRoutes(app, options);
  pairRoutes(app, options);
  acceptRoutes(app, options);
  sourceRoutes(app, options);
  barRoutes(app, options);
}
