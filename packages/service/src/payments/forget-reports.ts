import type { Connection } from '../database/pool.ts';
import { isInRun } from './end-run.ts';
import { lockPayables, type Payables } from './payables.ts';
import { deleteReports, reportsBy, reportsOn, type StoredReport } from './payment-report-store.ts';
import type { PaymentState } from './payment-states.ts';
import { attemptOf, refundOf } from './refund-changes.ts';

/** What people have said of a payment that they know to have failed. */
const FAILED: ReadonlySet<PaymentState> = new Set(['rejected', 'returned', 'ended']);

/** What became of the reports of an entry that the bank has never booked. */
export interface Forgotten {
  /** What was forgotten had reported this, positive when it came in. */
  readonly forgottenMinor: bigint;
  /** Of these people have yet to say what is true. */
  readonly standing: readonly StoredReport[];
  /** Other such entries, which alone have told of the payments that came back: those are to be decided first. */
  readonly waitsFor: readonly string[];
  /** What these brought has been paid on, or is about to be, and the bank had paid it before. */
  readonly lost: readonly StoredReport[];
}

/** What this room asks of the one that has the entries. */
export interface EntryFacts {
  /** What the ledger has let go of a payment and no bank has reported. */
  readonly openMinor: (connection: Connection, currency: string, subjectId: string) => Promise<bigint>;
  /** Those entries that the statements of their days do not list. */
  readonly missingAmong: (
    connection: Connection,
    sourceIds: readonly string[],
  ) => Promise<ReadonlySet<string>>;
}

/**
 * The bank has never booked an entry by which it reported payments. Where people have said what is true instead, the report is forgotten: of
 * one that was paid that it has failed, of one that came back that it was paid after all. A withdrawal is just that again, as long as the balance
 * covers it; so is what goes back of a deposit, by the caller. What came back of a payment that no bank has made is no loss. In the caller's
 * transaction.
 * @param sourceId the entry
 * @param what of withdrawals whose money has left the balance again: to be refused, or to be left as they are
 * @throws Problem invalid_state_transition
 */
export async function forgetReports(
  connection: Connection,
  sourceId: string,
  facts: EntryFacts,
  now: number,
  what: 'all' | 'what is there',
): Promise<Forgotten> {
  const reports = await reportsBy(connection, sourceId);
  const payables = await lockPayables(connection, reports);
  const reported = await reportsOn(connection, reports);
  const missing = await facts.missingAmong(
    connection,
    reported.map((each) => each.sourceId),
  );
  const [standing, waiting, lost]: [StoredReport[], StoredReport[], StoredReport[]] = [[], [], []];
  const waitsFor = new Set<string>();
  let forgottenMinor = 0n;
  for (const each of reports) {
    const isBack =
      each.kind === 'returned' && each.purpose === 'withdrawal' && payables.stateOf(each) === 'returned';
    if (isBack && (what === 'all' || (await payables.canKeepPaid(each)))) await payables.keepPaid(each, now);
    const others = reported.filter((other) => isOther(other, each));
    const told = others.filter((other) => !missing.has(other.sourceId));
    if (each.kind === 'paid') {
      const isOver = FAILED.has(payables.stateOf(each)) && told.length === 0;
      if (!isOver) standing.push(each);
      else forgottenMinor -= each.amountMinor;
    } else if (await isPaidAgain(connection, each, payables, facts.openMinor)) {
      forgottenMinor += each.amountMinor;
    } else if (isStanding(each, payables)) standing.push(each);
    else if (others.length === 0) forgottenMinor += each.amountMinor;
    else if (told.length > 0) lost.push(each);
    else {
      waiting.push(each);
      for (const { sourceId: entryId } of others) waitsFor.add(entryId);
    }
  }
  await deleteReports(
    connection,
    sourceId,
    [...standing, ...waiting, ...lost].map(({ subjectId }) => subjectId),
  );
  return { forgottenMinor, standing, waitsFor: [...waitsFor], lost };
}

/** The other half of the same attempt: that it came back, or that it was paid. */
function isOther(
  other: Omit<StoredReport, 'at'>,
  { subjectId, purpose, attempt, kind }: StoredReport,
): boolean {
  return (
    other.kind === (kind === 'paid' ? 'returned' : 'paid') &&
    other.subjectId === subjectId &&
    other.purpose === purpose &&
    other.attempt === attempt
  );
}

/** Of a trade the money is still there until it is paid again or unwound. */
function isStanding(report: StoredReport, payables: Payables): boolean {
  return payables.transactionOf(report) !== undefined && payables.stateOf(report) === 'returned';
}

/** What has come back by an entry. */
export async function cameBackBy(connection: Connection, sourceId: string): Promise<string[]> {
  const reports = await reportsBy(connection, sourceId);
  return reports.filter(({ kind }) => kind === 'returned').map(({ subjectId }) => subjectId);
}

/** Whether the ledger has let it go once more, and no bank has reported that: what is open of a trade is just this. */
async function isPaidAgain(
  connection: Connection,
  report: StoredReport,
  payables: Payables,
  openMinor: EntryFacts['openMinor'],
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
