import type { FastifyInstance } from 'fastify';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import type { CursorCodec } from '../http/paging.ts';
import { calendarRoutes } from './calendar-routes.ts';
import { cutOffRoutes } from './cut-off-routes.ts';
import { importRoutes } from './import-routes.ts';
import type { CalendarsRoom } from './room.ts';

export interface CalendarsRoutesOptions {
  readonly room: CalendarsRoom;
  readonly cursors: CursorCodec;
  readonly idempotency: IdempotencyStore;
}

/** `/v1/operator/calendars`, `/v1/operator/calendar-imports` and `/v1/operator/cutoffs` (docs/interface.md#cut-offs). */
export function calendarsRoutes(app: FastifyInstance, options: CalendarsRoutesOptions): void {
  calendarRoutes(app, options);
  importRoutes(app, options);
  cutOffRoutes(app, options);
}
