import type { FastifyInstance } from 'fastify';
import type { LiveDateRules } from '../calendars/date-rules.ts';
import type { CustomerDirectory } from '../customers/profile.ts';
import type { Pool } from '../database/pool.ts';
import type { RateBook } from '../market/rate-book.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { TransactionStore } from '../transactions/store.ts';
import { reportSweeps } from './make-reports.ts';
import { reportRoutes } from './routes.ts';
import { scheduledReportsSweep } from './schedule-sweep.ts';
import { Snapshots } from './snapshot.ts';

/** What the use cases of this room work with. */
export interface ReportsRoom {
  readonly pool: Pool;
  readonly snapshots: Snapshots;
  readonly clock: Clock;
  readonly book: RateBook;
}

/** What schedules go by besides. */
export interface SchedulesRoom extends ReportsRoom {
  readonly calendars: LiveDateRules;
}

export interface ReportMaker extends ReportsRoom {
  readonly logger: Logger;
  /** False while the service stops: a report under way is given back and made by another instance or after the start. */
  readonly accepting: () => boolean;
}

export interface ReportRoutesRoom extends SchedulesRoom {
  readonly customers: CustomerDirectory;
  readonly transactions: TransactionStore;
}

/** Reports, those at once and those in the background, and customers' documents. */
export function createReports(options: Omit<ReportMaker & ReportRoutesRoom, 'snapshots'>) {
  const room = { ...options, snapshots: new Snapshots(options.pool) };
  return {
    sweeps: [...reportSweeps(room), scheduledReportsSweep(room)],
    routes: (app: FastifyInstance) => reportRoutes(app, room),
  };
}
