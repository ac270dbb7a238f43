import type { FastifyInstance } from 'fastify';
import type { CustomerDirectory } from '../customers/profile.ts';
import type { Pool } from '../database/pool.ts';
import type { RateBook } from '../market/rate-book.ts';
import type { Clock } from '../platform/clock.ts';
import { PricingDesk } from './desk.ts';
import { pricingRoutes } from './routes.ts';
import { CachedPricingSettings } from './settings.ts';
import { VolatilityRecorder } from './volatility.ts';

export interface PricingOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly book: RateBook;
  readonly customers: CustomerDirectory;
}

/** What the rest of the service sees of this room. */
export interface Pricing {
  readonly desk: PricingDesk;
  readonly settings: CachedPricingSettings;
  routes(app: FastifyInstance): void;
}

export function createPricing({ pool, clock, book, customers }: PricingOptions): Pricing {
  const settings = new CachedPricingSettings(pool);
  return {
    desk: new PricingDesk(settings, new VolatilityRecorder({ book, clock })),
    settings,
    routes: (app) => pricingRoutes(app, { pool, clock, settings, customers }),
  };
}
