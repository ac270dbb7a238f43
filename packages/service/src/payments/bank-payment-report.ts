import type { Connection } from '../database/pool.ts';
import { postEntries } from '../ledger/journal.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { isRefusal } from './bank-status.ts';
import { type FoundTargets, findTargets, type PaymentIdentifiers } from './find-payments.ts';
import { lockPayables, type Move, type Payables } from './payables.ts';
import {
  insertReports,
  type PaymentTarget,
  reportsOn,
  type StoredReport,
  setReportsAside,
} from './payment-report-store.ts';
import { type PaymentState, type ReportKind, type Verdict, verdictOf } from './payment-states.ts';

/** What a bank reports of a payment of ours: a debit entry of a statement, a status report, a return. */
export interface BankPaymentReport extends PaymentIdentifiers {
  readonly kind: ReportKind;
  /** The bank's own reference of the entry. */
  readonly bankReference?: string | undefined;
  /** When the bank booked it, epoch milliseconds. */
  readonly at: number;
  /** What the bank says about a payment that failed. */
  readonly detail?: string | undefined;
  /** It is implausible: its payment is looked up, and nothing changes. */
  readonly isDoubtful?: boolean;
  /** UUID of its source, such as a statement entry: then it is kept, and each attempt is paid and returned once. */
  readonly sourceId?: string | undefined;
}

const MISMATCH_REASONS = [
  'amount',
  'currency',
  'state',
  'in_balance',
  'not_sent',
  'ambiguous',
  'paid_twice',
  'returned_twice',
  'doubtful',
] as const;
type MismatchReason = (typeof MISMATCH_REASONS)[number];

/** One of many payments that a report is about, and what is wrong with it alone. */
export interface Doubt {
  readonly target: PaymentTarget;
  readonly reason: MismatchReason;
}

/** What a report is about, for an exception. */
interface About {
  readonly targets: readonly PaymentTarget[];
  /** The trades among them. */
  readonly transactions: readonly TransactionRow[];
  readonly paymentId: string | undefined;
}

/**
 * `applied`: the payment has changed. `known`: it had before, such as by hand or by another statement; `doubts` are payments of
 * a block that the report cannot be true of. `mismatch`: it is a payment of ours that does not fit, for an operator to look
 * at. `unknown`: none of ours.
 */
export type ReportOutcome =
  | (About & { readonly outcome: 'applied' | 'known'; readonly doubts: readonly Doubt[] })
  | (About & { readonly outcome: 'mismatch'; readonly reason: MismatchReason })
  | { readonly outcome: 'unknown' };

/** `later`: an earlier report of the same call is about the same payment; to be applied in another transaction. */
export type BatchOutcome = ReportOutcome | { readonly outcome: 'later' };

/**
 * Confirms, rejects or returns payments by what a bank reports, in the caller's transaction, whatever they are for.
 * {@link findTargets} finds them, {@link verdictOf} says what may happen to them. A payment for several payouts changes all of
 * them or none.
 */
export async function applyPaymentReport(
  connection: Connection,
  report: BankPaymentReport,
  now: number,
): Promise<ReportOutcome> {
  const [outcome] = await applyPaymentReports(connection, [report], now);
  if (outcome === undefined || outcome.outcome === 'later') throw new Error('a single report waits for none');
  return outcome;
}

/**
 * The same for many. Everything that they are about is locked in one order and changed together, so that two batches, or a
 * batch and deposits, cannot deadlock.
 * @returns one outcome for each, in the order given
 */
export async function applyPaymentReports(
  connection: Connection,
  reports: readonly BankPaymentReport[],
  now: number,
): Promise<BatchOutcome[]> {
  const found = await findTargets(connection, reports);
  const targets = found.flatMap((each) => each?.items ?? []);
  const payables = await lockPayables(connection, targets);
  const reported = await reportsOn(connection, targets);
  const looked = new Set<string>();
  const decisions = reports.map((report, index): Decision => {
    const about = found[index];
    if (about === undefined || about.items.length === 0) return { outcome: 'unknown' };
    if (about.items.some((item) => looked.has(item.subjectId))) return { outcome: 'later' };
    for (const item of about.items) looked.add(item.subjectId);
    return decide(report, about, payables, reported);
  });
  const moves: Move[] = [];
  const records: StoredReport[] = [];
  const aside: { sourceId: string; items: readonly PaymentTarget[] }[] = [];
  for (const [index, decision] of decisions.entries()) {
    const report = reports[index];
    if (report === undefined || decision.outcome === 'unknown' || decision.outcome === 'later') continue;
    const { kind, at, sourceId } = report;
    if (decision.outcome === 'decided') {
      for (const target of decision.moving) moves.push({ ...report, target });
      if (sourceId === undefined) continue;
      for (const target of decision.items) {
        records.push({ ...target, kind, at, sourceId, currency: payables.currencyOf(target) });
      }
    } else if (sourceId !== undefined && MAY_COME_TRUE.has(decision.reason)) {
      aside.push({ sourceId, items: decision.items });
    }
  }
  const entries = await payables.move(moves, now);
  // In one order: returns are held, and the deposits that they are of are not.
  const byItem = (a: StoredReport, b: StoredReport) => {
    const [first, second] = [payables.itemOf(a), payables.itemOf(b)];
    if (first === second) return 0;
    return first < second ? -1 : 1;
  };
  await insertReports(connection, records.sort(byItem));
  await setReportsAside(connection, aside);
  // The house's balances last: whoever works on one of the deposits has it, and waits for these.
  await postEntries(connection, entries, now);
  return decisions.map((decision) => outcomeOf(decision, payables));
}

/** Such a report may fit once another one has been applied. */
const MAY_COME_TRUE: ReadonlySet<MismatchReason> = new Set(['amount', 'state', 'in_balance', 'not_sent']);

type Decision =
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'later' }
  | {
      readonly outcome: 'mismatch';
      readonly reason: MismatchReason;
      readonly items: readonly PaymentTarget[];
      readonly paymentId: string | undefined;
    }
  | {
      readonly outcome: 'decided';
      readonly items: readonly PaymentTarget[];
      readonly moving: readonly PaymentTarget[];
      readonly doubts: readonly Doubt[];
      readonly paymentId: string | undefined;
    };

function outcomeOf(decision: Decision, payables: Payables): BatchOutcome {
  if (decision.outcome === 'unknown' || decision.outcome === 'later') return decision;
  const { items: targets, paymentId } = decision;
  const trades = new Map(
    targets.flatMap((each) => payables.transactionOf(each) ?? []).map((row) => [row.id, row]),
  );
  const about: About = { targets, transactions: [...trades.values()], paymentId };
  if (decision.outcome === 'mismatch') return { ...about, outcome: 'mismatch', reason: decision.reason };
  const outcome = decision.moving.length > 0 ? 'applied' : 'known';
  return { ...about, outcome, doubts: decision.doubts };
}

/** A rejection of a block is not of what the same report, or a later one, says otherwise of. */
function isAccepted(
  { subjectId }: PaymentTarget,
  { said = [] }: FoundTargets,
  { at }: BankPaymentReport,
): boolean {
  return said.some((each) => each.subjectId === subjectId && each.at >= at && !isRefusal(each.status));
}

const NOTHING_NEW = { outcome: 'decided', items: [], moving: [], doubts: [] } as const;

interface Fact {
  readonly item: PaymentTarget;
  readonly state: PaymentState;
  /** What other sources have reported of the same attempt. */
  readonly reported: ReadonlySet<ReportKind>;
  readonly verdict: Verdict;
}

function decide(
  report: BankPaymentReport,
  targets: FoundTargets,
  payables: Payables,
  reported: readonly Omit<StoredReport, 'at'>[],
): Decision {
  const { paymentId, via } = targets;
  const { kind } = report;
  const wrong = (reason: MismatchReason): Decision => ({
    outcome: 'mismatch',
    reason,
    items: targets.items,
    paymentId,
  });
  // That is what was wanted of it; what is made in its place is another order.
  if (kind === 'rejected' && targets.isCancelled === true) return { ...NOTHING_NEW, paymentId };
  if (targets.isAmbiguous === true) return wrong('ambiguous');
  if (report.isDoubtful === true) return wrong('doubtful');
  const { currency } = targets;
  if (report.currency !== undefined && currency !== undefined && currency !== report.currency) {
    return wrong('currency');
  }
  const items = targets.items.filter((each) => kind !== 'rejected' || !isAccepted(each, targets, report));
  if (items.length === 0) return { ...NOTHING_NEW, paymentId };
  const all = items.map((item): Fact => {
    const state = payables.stateOf(item);
    const others = kindsOf(item, reported, report);
    return { item, state, reported: others, verdict: verdictOf(state, kind, others) };
  });
  const facts = factsOfAmount(report, via, all);
  if (facts === undefined) return wrong('amount');
  if (kind !== 'rejected' && facts.some((each) => each.reported.has(kind))) {
    return wrong(kind === 'paid' ? 'paid_twice' : 'returned_twice');
  }
  const refused = facts.filter((each) => each.verdict === 'refused');
  const [first] = refused;
  if (first !== undefined && (via !== 'block' || refused.length === facts.length)) {
    return wrong(reasonOf(first.state));
  }
  // A bank may book a whole file as one sum and give back what it has refused of it. That is no doubt where the bank itself has
  // rejected it, and one where an operator has.
  const doubts = refused
    .filter((each) => !(kind === 'paid' && each.reported.has('rejected')))
    .map(({ item, state }) => ({ target: item, reason: reasonOf(state) }));
  const moving = facts.filter((each) => each.verdict === 'moves').map(({ item }) => item);
  return { outcome: 'decided', items: facts.map(({ item }) => item), moving, doubts, paymentId };
}

function reasonOf(state: PaymentState): MismatchReason {
  return state === 'in_balance' || state === 'not_sent' ? state : 'state';
}

const isOver = ({ state }: Fact) => state === 'rejected' || state === 'returned' || state === 'ended';

/**
 * Those that the amount is for. A sum that a bank books is the whole block, or leaves out what it has refused, or also what it
 * has booked one by one; a sum that it gives back is what it has refused. A rejection of a block is of what is still under
 * way.
 */
function factsOfAmount(
  { amountMinor, kind }: BankPaymentReport,
  via: FoundTargets['via'],
  all: readonly Fact[],
): readonly Fact[] | undefined {
  const sent = all.filter(({ state }) => state === 'sent');
  if (via === 'block' && kind === 'rejected') return sent.length > 0 ? sent : all;
  const isAmount = (some: readonly Fact[]) =>
    some.length > 0 && some.reduce((sum, { item }) => sum + item.amountMinor, 0n) === amountMinor;
  if (amountMinor === undefined || isAmount(all)) return all;
  if (via !== 'block') return undefined;
  const parts =
    kind === 'paid'
      ? [all.filter((each) => !isOver(each)), all.filter((each) => !each.reported.has('paid')), sent]
      : [all.filter(isOver), all.filter((each) => isOver(each) && !each.reported.has('returned'))];
  return parts.find(isAmount);
}

/** What other sources have reported of the same attempt. */
function kindsOf(
  item: PaymentTarget,
  reported: readonly Omit<StoredReport, 'at'>[],
  { sourceId }: BankPaymentReport,
): ReadonlySet<ReportKind> {
  if (sourceId === undefined) return new Set();
  const same = reported.filter(
    (each) =>
      each.subjectId === item.subjectId &&
      each.purpose === item.purpose &&
      each.attempt === item.attempt &&
      each.sourceId !== sourceId,
  );
  return new Set(same.map(({ kind }) => kind));
}
