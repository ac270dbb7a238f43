import type { RollOf } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import type { Pool } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { calendarAlarmSweep, calendarDaysLeft, checkCalendars } from './alarm.ts';
import { LiveDateRules } from './date-rules.ts';
import { importApproval } from './import-calendars.ts';
import { calendarsRoutes } from './routes.ts';

/** What the use cases of this room work with. */
export interface CalendarsRoom {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly dates: LiveDateRules;
}

interface CalendarsOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  /** When trade dates change; absent: by the market's convention. */
  readonly rollOf?: RollOf;
}

/** Calendars and cut-offs as they are in force, with what keeps them so and watches over them. */
export async function createCalendars({ pool, clock, logger, rollOf }: CalendarsOptions) {
  const dates = new LiveDateRules(rollOf);
  await dates.refresh(pool);
  const room = { pool, clock, dates };
  return {
    dates,
    topics: [dates.topic(pool)],
    sweeps: [calendarAlarmSweep({ dates, clock, logger })],
    daysLeft: calendarDaysLeft(dates, clock),
    check: () => checkCalendars(dates, clock.now()),
    importApproval: importApproval(room),
    routes: (app: FastifyInstance) => calendarsRoutes(app, room),
  };
}
