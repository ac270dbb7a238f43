import type { FastifyInstance } from 'fastify';
import type { CursorCodec } from '../http/paging.ts';
import { calendarRoutes } from './calendar-routes.ts';
import { cutOffRoutes } from './cut-off-routes.ts';
import type { CalendarsRoom } from './room.ts';

export interface CalendarsRoutesOptions {
  readonly room: CalendarsRoom;
  readonly cursors: CursorCodec;
}

/** `/v1/operator/calendars` and `/v1/operator/cutoffs` (contract §14). */
export function calendarsRoutes(app: FastifyInstance, options: CalendarsRoutesOptions): void {
  calendarRoutes(app, options);
  cutOffRoutes(app, options);
}
