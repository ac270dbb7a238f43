import type { FastifyInstance } from 'fastify';
import type { QuotesRoom } from '../quotes/room.ts';
import type { StreamIndicative } from '../quotes/routes.ts';
import { indicativeStream } from './indicative-stream.ts';
import { type StreamServices, streamRoutes } from './routes.ts';
import { WEBSOCKET_PATH, websocketRoutes } from './websocket-routes.ts';

/** Where connections may be upgraded. */
export const WEBSOCKET_PATHS: readonly string[] = [WEBSOCKET_PATH];

/** Price streams as the composition root sees them. */
export function createStreams(services: StreamServices, quotes: QuotesRoom, baseUrl: () => string) {
  const indicative: StreamIndicative = indicativeStream(services, quotes);
  return {
    /** For the quotes room, whose route it is. */
    indicative,
    async routes(app: FastifyInstance): Promise<void> {
      streamRoutes(app, services);
      await websocketRoutes(app, services, baseUrl);
    },
  };
}
