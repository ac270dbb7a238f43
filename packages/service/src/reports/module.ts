import type { FastifyInstance } from 'fastify';
import type { CustomerDirectory } from '../customers/profile.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import type { CursorCodec } from '../http/paging.ts';
import type { TransactionStore } from '../transactions/store.ts';
import { customerReportRoutes } from './customer-routes.ts';
import { reportJobRoutes } from './job-routes.ts';
import { type ReportMaker, reportSweeps } from './make-reports.ts';
import { reportRoutes } from './routes.ts';

export interface ReportsOptions extends ReportMaker {
  readonly customers: CustomerDirectory;
  readonly transactions: TransactionStore;
}

/** Reports, those at once and those in the background, and customers' documents. */
export function createReports(room: ReportsOptions) {
  return {
    sweeps: reportSweeps(room),
    routes(app: FastifyInstance, idempotency: IdempotencyStore, cursors: CursorCodec): void {
      reportRoutes(app, { room, idempotency, cursors });
      reportJobRoutes(app, { room, idempotency, cursors });
      customerReportRoutes(app, { room, customers: room.customers, transactions: room.transactions });
    },
  };
}
