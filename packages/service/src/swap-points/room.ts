import type { DateRulesSource } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import type { Pool } from '../database/pool.ts';
import type { RateBook } from '../market/rate-book.ts';
import type { Clock } from '../platform/clock.ts';
import type { Topic } from '../settings/follower.ts';
import { SwapPointDesk } from './desk.ts';
import { swapPointRoutes } from './routes.ts';
import { SANDBOX_RATES } from './sandbox-rates.ts';

/** What the use cases of this room work with. */
export interface SwapPointsRoom {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly desk: SwapPointDesk;
  readonly dates: DateRulesSource;
  readonly book: RateBook;
}

interface SwapPointsOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly dates: DateRulesSource;
  readonly book: RateBook;
  /** Whether points follow from the sandbox's own interest rates where nobody gives others. */
  readonly isSandbox: boolean;
}

/** What the rest of the service sees of this room. */
export interface SwapPoints {
  readonly desk: SwapPointDesk;
  readonly topics: readonly Topic[];
  routes(app: FastifyInstance): void;
}

export async function createSwapPoints(options: SwapPointsOptions): Promise<SwapPoints> {
  const { pool, clock, dates, book, isSandbox } = options;
  const desk = new SwapPointDesk({ clock, ...(isSandbox ? { builtInRates: SANDBOX_RATES } : {}) });
  await desk.refresh(pool);
  return {
    desk,
    topics: [desk.topic(pool)],
    routes: (app) => swapPointRoutes(app, { pool, clock, desk, dates, book }),
  };
}
