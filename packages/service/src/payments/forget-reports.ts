import type { Connection } from '../database/pool.ts';
import { isInRun } from './end-run.ts';
import { lockPayables, type Payables } from './payables.ts';
import { deleteReports, reportsBy, reportsOn, type StoredReport } from './payment-report-store.ts';
import type { PaymentState } from './payment-states.ts';
import { attemptOf, refundOf } from './refund-changes.ts';

type OpenMinor = (connection: Connection, currency: string, subjectId: string) => Promise<bigint>;

/** What people have said of a payment that they know to have failed. */
const FAILED: ReadonlySet<PaymentState> = new Set(['rejected', 'returned', 'ended']);

/** What became of the reports of an entry that the bank has never booked. */
export interface Forgotten {
  /** What was forgotten had reported this, positive when it came in. */
  readonly forgottenMinor: bigint;
  /** Of these people have yet to say what is true. */
  readonly standing: readonly StoredReport[];
  /** What these brought has been paid on, or is about to be. */
  readonly lost: readonly StoredReport[];
}

/**
 * The bank has never booked an entry by which it reported payments. Where people have said what is true instead, the report is forgotten: of
 * one that was paid that it has failed, of one that came back that it was paid after all. A withdrawal is just that again, as long as the balance
 * covers it; so is what goes back of a deposit, by the caller. In the caller's transaction.
 * @param sourceId the entry
 * @param openMinor what the ledger has let go of a payment and no bank has reported
 * @param what of withdrawals whose money has left the balance again: to be refused, or to be left as they are
 * @throws Problem invalid_state_transition
 */
export async function forgetReports(
  connection: Connection,
  sourceId: string,
  openMinor: OpenMinor,
  now: number,
  what: 'all' | 'what is there',
): Promise<Forgotten> {
  const reports = await reportsBy(connection, sourceId);
  const payables = await lockPayables(connection, reports);
  const reported = await reportsOn(connection, reports);
  const [standing, lost]: [StoredReport[], StoredReport[]] = [[], []];
  let forgottenMinor = 0n;
  for (const each of reports) {
    const isBack =
      each.kind === 'returned' && each.purpose === 'withdrawal' && payables.stateOf(each) === 'returned';
    if (isBack && (what === 'all' || (await payables.canKeepPaid(each)))) await payables.keepPaid(each, now);
    const isOver =
      each.kind === 'paid'
        ? FAILED.has(payables.stateOf(each)) && !hasComeBack(each, reported)
        : await isPaidAgain(connection, each, payables, openMinor);
    if (!isOver) (isStanding(each, payables) ? standing : lost).push(each);
    else forgottenMinor += each.kind === 'paid' ? -each.amountMinor : each.amountMinor;
  }
  await deleteReports(
    connection,
    sourceId,
    [...standing, ...lost].map(({ subjectId }) => subjectId),
  );
  return { forgottenMinor, standing, lost };
}

/** Of a trade the money is still there until it is paid again or unwound. */
function isStanding(report: StoredReport, payables: Payables): boolean {
  if (report.kind === 'paid') return true;
  return payables.transactionOf(report) !== undefined && payables.stateOf(report) === 'returned';
}

/** What has come back by an entry. */
export async function cameBackBy(connection: Connection, sourceId: string): Promise<string[]> {
  const reports = await reportsBy(connection, sourceId);
  return reports.filter(({ kind }) => kind === 'returned').map(({ subjectId }) => subjectId);
}

/** What a bank has sent back it has paid. */
function hasComeBack(report: StoredReport, reported: readonly Omit<StoredReport, 'at'>[]): boolean {
  return reported.some(
    (each) =>
      each.kind === 'returned' &&
      each.subjectId === report.subjectId &&
      each.purpose === report.purpose &&
      each.attempt === report.attempt,
  );
}

/** Whether the ledger has let it go once more, and no bank has reported that: what is open of a trade is just this. */
async function isPaidAgain(
  connection: Connection,
  report: StoredReport,
  payables: Payables,
  openMinor: OpenMinor,
): Promise<boolean> {
  const { currency, subjectId, purpose, amountMinor } = report;
  if (purpose === 'withdrawal' || purpose === 'deposit_return') return payables.stateOf(report) === 'paid';
  const trade = payables.transactionOf(report);
  const refund = trade && refundOf(trade);
  const attempt = purpose === 'payout' ? trade?.payout_attempts : refund && attemptOf(refund);
  // What a file has told the bank to pay it pays besides what never came back: that is lost, and no word of people undoes it.
  if (attempt === undefined || (await isInRun(connection, { ...report, attempt }))) return false;
  return (await openMinor(connection, currency, subjectId)) === amountMinor;
}
