import type { ReportName } from '@firmquote/api/operations/reports';
import { DEPOSITS, EXCEPTIONS, SUSPENSE } from './deposit-reports.ts';
import { EXPOSURE, JOURNAL, PAIR_POSITIONS, SPREAD_REVENUE, TRIAL_BALANCE } from './money-reports.ts';
import { RECONCILIATION } from './reconciliation-report.ts';
import type { Report } from './report.ts';
import { SETTLEMENT_LADDER } from './settlement-ladder.ts';
import { BLOTTER, OVERDUE } from './trade-reports.ts';

/** Every report by its name. */
export const REPORTS: Readonly<Record<ReportName, Report>> = {
  blotter: BLOTTER,
  'settlement-ladder': SETTLEMENT_LADDER,
  exposure: EXPOSURE,
  'pair-positions': PAIR_POSITIONS,
  'spread-revenue': SPREAD_REVENUE,
  reconciliation: RECONCILIATION,
  overdue: OVERDUE,
  suspense: SUSPENSE,
  exceptions: EXCEPTIONS,
  deposits: DEPOSITS,
  journal: JOURNAL,
  'trial-balance': TRIAL_BALANCE,
};
