import type { FastifyInstance } from 'fastify';
import type { CustomerDirectory } from '../customers/profile.ts';
import type { TransactionStore } from '../transactions/store.ts';
import { type ReportMaker, reportSweeps } from './make-reports.ts';
import { reportRoutes } from './routes.ts';
import { Snapshots } from './snapshot.ts';

export interface ReportsOptions extends Omit<ReportMaker, 'snapshots'> {
  readonly customers: CustomerDirectory;
  readonly transactions: TransactionStore;
}

/** Reports, those at once and those in the background, and customers' documents. */
export function createReports(options: ReportsOptions) {
  const room = { ...options, snapshots: new Snapshots(options.pool) };
  return {
    sweeps: reportSweeps(room),
    routes: (app: FastifyInstance) => reportRoutes(app, room),
  };
}
