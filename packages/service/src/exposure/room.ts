import type { SetExposureLimits } from '@firmquote/api/operations/pricing';
import type { FastifyInstance } from 'fastify';
import type { Pool } from '../database/pool.ts';
import type { RateBook } from '../market/rate-book.ts';
import type { Clock } from '../platform/clock.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { LiveDocument } from '../settings/documents.ts';
import type { Topic } from '../settings/follower.ts';
import { ExposureGuard } from './guard.ts';
import { publishValues } from './house-limits.ts';
import { EXPOSURE_LIMITS, type ExposureLimits } from './limits.ts';
import { readHousePositions } from './position-store.ts';
import { exposureRoutes } from './routes.ts';

/** How often positions are valued and read while there are limits. */
const REFRESH_MS = 1_000;

/** What the use cases of this room work with. */
export interface ExposureRoom {
  readonly clock: Clock;
  readonly book: RateBook;
  readonly limits: LiveDocument<SetExposureLimits, ExposureLimits>;
  readonly guard: ExposureGuard;
}

/** What the rest of the service sees of this room. */
export interface Exposure {
  readonly guard: ExposureGuard;
  readonly topics: readonly Topic[];
  readonly sweep: Sweep;
  routes(app: FastifyInstance): void;
}

export function createExposure({
  pool,
  clock,
  book,
}: Pick<ExposureRoom, 'clock' | 'book'> & { readonly pool: Pool }): Exposure {
  const limits = new LiveDocument(pool, EXPOSURE_LIMITS);
  const guard = new ExposureGuard({
    ...{ clock, book, limits },
    read: (at) => readHousePositions(pool, at),
    publish: () => publishValues(pool, book),
  });
  return {
    guard,
    topics: [limits],
    sweep: {
      name: 'read_positions',
      does: 'Writes what currencies are worth to the database and reads house positions, if there are exposure limits.',
      everyMs: REFRESH_MS,
      // Moves no rows: it has nothing to do at any business instant.
      run: async () => {
        await guard.refresh();
        return 0;
      },
    },
    routes: (app) => exposureRoutes(app, { clock, book, limits, guard }),
  };
}
