import type { RequestReportBody } from '@firmquote/client/operator';
import { words } from '../parts/text.tsx';

export type ReportName = RequestReportBody['report'];
type Taken = 'period' | 'days' | 'instant' | 'currency' | 'customerId';
/** Which parameters each takes. */
export const TAKES: Readonly<Record<ReportName, readonly Taken[]>> = {
  blotter: ['period', 'customerId'],
  'settlement-ladder': ['days', 'currency'],
  exposure: ['instant'],
  'pair-positions': [],
  'spread-revenue': ['period', 'customerId', 'currency'],
  reconciliation: ['period', 'currency'],
  overdue: ['customerId'],
  suspense: ['currency'],
  exceptions: ['customerId'],
  deposits: ['period', 'customerId', 'currency'],
  journal: ['period', 'customerId', 'currency'],
  'trial-balance': ['instant', 'customerId', 'currency'],
};
/** For a choice. */
export const REPORT_NAMES = (Object.keys(TAKES) as ReportName[]).map(
  (name) => [name, words(name.replaceAll('-', ' '))] as const,
);
