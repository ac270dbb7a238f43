import type { Connection } from '../database/pool.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { type FoundTargets, findTargets, type PaymentMarks } from './find-payments.ts';
import {
  insertNotices,
  type PaymentTarget,
  setReportsAside,
  type ToldNotice,
  toldOf,
} from './notice-store.ts';
import { lockPayables, type Move, type Payables } from './payables.ts';
import { type PaymentReport, type PaymentState, type Verdict, verdictOf } from './payment-states.ts';

/** What a bank tells of a payment of ours: a debit entry of a statement, a status report, a return. */
export interface BankNotice extends PaymentMarks {
  readonly kind: PaymentReport;
  /** The bank's own reference of the booking. */
  readonly bankReference?: string | undefined;
  /** When the bank booked it, epoch milliseconds. */
  readonly at: number;
  /** What the bank says of a payment that failed. */
  readonly detail?: string | undefined;
  /** It cannot be believed as it stands: what it is about is found, and nothing moves. */
  readonly isDoubtful?: boolean;
  /** UUID of what told it, such as an entry of a statement: then it is kept, and each attempt is paid and returned once. */
  readonly sourceId?: string | undefined;
}

export const MISMATCH_REASONS = [
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
export type MismatchReason = (typeof MISMATCH_REASONS)[number];

/** One of many payments that a report is about, and what is wrong with it alone. */
export interface Doubt {
  readonly target: PaymentTarget;
  readonly reason: MismatchReason;
}

/** What a report is about, for who has to look at it. */
export interface About {
  readonly targets: readonly PaymentTarget[];
  /** The trades among them. */
  readonly transactions: readonly TransactionRow[];
  readonly paymentId: string | undefined;
}

/**
 * `applied`: what was paid has moved. `known`: it was there already, such as by hand or by another statement; `doubts` are
 * payments of a block that it cannot be true of. `mismatch`: it is a payment of ours, and something is wrong with it: a
 * person has to look. `unknown`: none of ours.
 */
export type NoticeOutcome =
  | (About & { readonly outcome: 'applied' | 'known'; readonly doubts: readonly Doubt[] })
  | (About & { readonly outcome: 'mismatch'; readonly reason: MismatchReason })
  | { readonly outcome: 'unknown' };

/** `later`: an earlier notice of the same call is about the same; to be told again in another transaction. */
export type BatchOutcome = NoticeOutcome | { readonly outcome: 'later' };

/**
 * Confirms, rejects or returns payments by what a bank says, in the caller's transaction, whatever they are for. How they
 * are found is in {@link findTargets}, what can be said in {@link verdictOf}. A payment for several payouts moves all of
 * them or none.
 */
export async function applyBankNotice(
  connection: Connection,
  notice: BankNotice,
  now: number,
): Promise<NoticeOutcome> {
  const [outcome] = await applyBankNotices(connection, [notice], now);
  if (outcome === undefined || outcome.outcome === 'later') throw new Error('a notice alone waits for none');
  return outcome;
}

/**
 * The same for many. All that they are about is locked in one order and moved together, so that two batches, or a batch and
 * deposits, cannot block each other for good.
 * @returns one outcome for each, in the order given
 */
export async function applyBankNotices(
  connection: Connection,
  notices: readonly BankNotice[],
  now: number,
): Promise<BatchOutcome[]> {
  const found = await findTargets(connection, notices);
  const targets = found.flatMap((each) => each?.items ?? []);
  const payables = await lockPayables(connection, targets);
  const told = await toldOf(connection, targets);
  const looked = new Set<string>();
  const decisions = notices.map((notice, index): Decision => {
    const about = found[index];
    if (about === undefined || about.items.length === 0) return { outcome: 'unknown' };
    if (about.items.some((item) => looked.has(item.subjectId))) return { outcome: 'later' };
    for (const item of about.items) looked.add(item.subjectId);
    return decide(notice, about, payables, told);
  });
  const moves: Move[] = [];
  const records: ToldNotice[] = [];
  const aside: { sourceId: string; items: readonly PaymentTarget[] }[] = [];
  for (const [index, decision] of decisions.entries()) {
    const notice = notices[index];
    if (notice === undefined || decision.outcome === 'unknown' || decision.outcome === 'later') continue;
    const { kind, at, sourceId } = notice;
    if (decision.outcome === 'decided') {
      for (const target of decision.moving) moves.push({ ...notice, target });
      if (sourceId === undefined) continue;
      for (const target of decision.items) {
        records.push({ ...target, kind, at, sourceId, currency: payables.currencyOf(target) });
      }
    } else if (sourceId !== undefined && MAY_COME_TRUE.has(decision.reason)) {
      aside.push({ sourceId, items: decision.items });
    }
  }
  await payables.move(moves, now);
  await insertNotices(connection, records);
  await setReportsAside(connection, aside);
  return decisions.map((decision) => outcomeOf(decision, payables));
}

/** What was not true when it was told may be the other half of what is told later. */
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
  const trades = new Map(targets.flatMap((each) => payables.tradeOf(each) ?? []).map((row) => [row.id, row]));
  const about: About = { targets, transactions: [...trades.values()], paymentId };
  if (decision.outcome === 'mismatch') return { ...about, outcome: 'mismatch', reason: decision.reason };
  const outcome = decision.moving.length > 0 ? 'applied' : 'known';
  return { ...about, outcome, doubts: decision.doubts };
}

interface Fact {
  readonly item: PaymentTarget;
  readonly state: PaymentState;
  /** What other sources have told of the same attempt. */
  readonly told: ReadonlySet<PaymentReport>;
  readonly verdict: Verdict;
}

function decide(
  notice: BankNotice,
  targets: FoundTargets,
  payables: Payables,
  told: readonly Omit<ToldNotice, 'at'>[],
): Decision {
  const { paymentId, via } = targets;
  const { kind } = notice;
  const wrong = (reason: MismatchReason): Decision => ({
    outcome: 'mismatch',
    reason,
    items: targets.items,
    paymentId,
  });
  if (targets.isAmbiguous) return wrong('ambiguous');
  if (notice.isDoubtful === true) return wrong('doubtful');
  const { currency } = targets;
  if (notice.currency !== undefined && currency !== undefined && currency !== notice.currency) {
    return wrong('currency');
  }
  const all = targets.items.map((item): Fact => {
    const state = payables.stateOf(item);
    const others = kindsOf(item, told, notice);
    return { item, state, told: others, verdict: verdictOf(state, kind, others) };
  });
  const facts = factsOfAmount(notice, via, all);
  if (facts === undefined) return wrong('amount');
  if (kind !== 'rejected' && facts.some((each) => each.told.has(kind))) {
    return wrong(kind === 'paid' ? 'paid_twice' : 'returned_twice');
  }
  const refused = facts.filter((each) => each.verdict === 'refused');
  const [first] = refused;
  if (first !== undefined && (via !== 'block' || refused.length === facts.length)) {
    return wrong(reasonOf(first.state));
  }
  // A bank may book a whole file as one sum and give back what it has refused of it. That is no news where the bank itself has
  // said so, and for a person where the house thought so.
  const doubts = refused
    .filter((each) => !(kind === 'paid' && each.told.has('rejected')))
    .map(({ item, state }) => ({ target: item, reason: reasonOf(state) }));
  const moving = facts.filter((each) => each.verdict === 'moves').map(({ item }) => item);
  return { outcome: 'decided', items: facts.map(({ item }) => item), moving, doubts, paymentId };
}

function reasonOf(state: PaymentState): MismatchReason {
  return state === 'in_balance' || state === 'not_sent' ? state : 'state';
}

const isOver = ({ state }: Fact) => state === 'rejected' || state === 'returned' || state === 'ended';

/**
 * Those that the amount is for. What a bank books as one sum is all of it, or leaves out what it has refused, or also what it
 * has booked one by one; what it gives back as one sum is what it has refused. A rejection of a block is of what is still
 * under way.
 */
function factsOfAmount(
  { amountMinor, kind }: BankNotice,
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
      ? [all.filter((each) => !isOver(each)), all.filter((each) => !each.told.has('paid')), sent]
      : [all.filter(isOver), all.filter((each) => isOver(each) && !each.told.has('returned'))];
  return parts.find(isAmount);
}

/** What other sources have told of the same attempt. */
function kindsOf(
  item: PaymentTarget,
  told: readonly Omit<ToldNotice, 'at'>[],
  { sourceId }: BankNotice,
): ReadonlySet<PaymentReport> {
  if (sourceId === undefined) return new Set();
  const same = told.filter(
    (each) =>
      each.subjectId === item.subjectId &&
      each.purpose === item.purpose &&
      each.attempt === item.attempt &&
      each.sourceId !== sourceId,
  );
  return new Set(same.map(({ kind }) => kind));
}
