import type { FastifyInstance } from 'fastify';
import type { Pool } from '../database/pool.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { ExposureGuard, type ExposureOptions } from './guard.ts';
import { publishValues } from './house-limits.ts';
import { readHousePositions } from './position-store.ts';
import { exposureRoutes } from './routes.ts';

/** How often positions are valued and read while there are limits. */
const REFRESH_MS = 1_000;

/** What the rest of the service sees of this room. */
export interface ExposureRoom {
  readonly guard: ExposureGuard;
  readonly sweep: Sweep;
  routes(app: FastifyInstance): void;
}

export function createExposure(
  options: Omit<ExposureOptions, 'read' | 'publish'> & { readonly pool: Pool },
): ExposureRoom {
  const { pool, book } = options;
  const guard = new ExposureGuard({
    ...options,
    read: (at) => readHousePositions(pool, at),
    publish: () => publishValues(pool, book),
  });
  return {
    guard,
    sweep: {
      name: 'read_positions',
      does: 'Tells the database what currencies are worth and reads the positions of the house, where there are exposure limits.',
      everyMs: REFRESH_MS,
      // Moves no rows: it has nothing to do at any business instant.
      run: async () => {
        await guard.refresh();
        return 0;
      },
    },
    routes: (app) => exposureRoutes(app, { ...options, guard }),
  };
}
