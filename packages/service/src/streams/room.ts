import type { FastifyInstance } from 'fastify';
import type { CustomerDirectory } from '../customers/profile.ts';
import type { CustomerAccessDirectory, SessionAccess } from '../http/access.ts';
import type { Market } from '../market/market.ts';
import type { QuotesRoom, StreamIndicative } from '../quotes/room.ts';
import type { AccessRoom } from './access-check.ts';
import { customerPricesRoute } from './customer-prices-route.ts';
import { indicativeStream } from './indicative-stream.ts';
import { marketStreamRoute } from './market-stream.ts';
import type { PricesRoom } from './price-reader.ts';
import { streamRoutes } from './routes.ts';
import { WEBSOCKET_PATH, websocketRoutes } from './websocket-routes.ts';

/** Where connections may be upgraded. */
export const WEBSOCKET_PATHS: readonly string[] = [WEBSOCKET_PATH];

/** What the routes of this room work with. */
export interface StreamsRoom extends PricesRoom, AccessRoom {
  readonly market: Market;
  readonly customers: CustomerDirectory & CustomerAccessDirectory;
  readonly sessions?: SessionAccess | undefined;
}

/** Price streams as the composition root sees them. */
export function createStreams(room: StreamsRoom, quotes: QuotesRoom, baseUrl: () => string) {
  const indicative: StreamIndicative = indicativeStream(room, quotes);
  return {
    /** For the quotes room, whose route it is. */
    indicative,
    async routes(app: FastifyInstance): Promise<void> {
      streamRoutes(app, room);
      marketStreamRoute(app, room);
      customerPricesRoute(app, quotes);
      await websocketRoutes(app, room, baseUrl);
    },
  };
}
