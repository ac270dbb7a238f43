import type { Connection } from '../database/pool.ts';
import { changeTransactions, type TransactionChange } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { type FoundTargets, findTargets, type PaymentMarks } from './find-payments.ts';
import {
  insertNotices,
  lockTrades,
  type NoticeKind,
  type PaymentTarget,
  type ToldNotice,
  toldOf,
} from './notice-store.ts';
import { confirmPayout, rejectPayout, returnPayout } from './payout-changes.ts';
import { attemptOf, failRefund, payRefund, refundOf } from './refund-changes.ts';
import { applyToWithdrawals } from './withdrawal-notices.ts';

/** What a bank tells of a payment of ours: a debit entry of a statement, a status report, a return. */
export interface BankNotice extends PaymentMarks {
  readonly kind: NoticeKind;
  /** The bank's own reference of the booking. */
  readonly bankReference?: string | undefined;
  /** When the bank booked it, epoch milliseconds. */
  readonly at: number;
  /** What the bank says of a payment that failed. */
  readonly detail?: string | undefined;
  /** UUID of what told it, such as an entry of a statement: then it is kept, and each attempt is paid and returned once. */
  readonly sourceId?: string | undefined;
}

export const MISMATCH_REASONS = [
  'amount',
  'currency',
  'state',
  'ambiguous',
  'paid_twice',
  'returned_twice',
] as const;
export type MismatchReason = (typeof MISMATCH_REASONS)[number];

/**
 * `applied`: the trades have moved. `known`: they were there already, such as by hand or by another statement.
 * `mismatch`: it is a payment of ours, and something is wrong with it: a person has to look. `unknown`: none of ours.
 */
export type NoticeOutcome =
  | {
      readonly outcome: 'applied' | 'known';
      readonly transactions: readonly TransactionRow[];
      readonly paymentId?: string | undefined;
    }
  | {
      readonly outcome: 'mismatch';
      readonly reason: MismatchReason;
      readonly transactions: readonly TransactionRow[];
      readonly paymentId?: string | undefined;
    }
  | { readonly outcome: 'unknown' };

/** `later`: an earlier notice of the same call is about the same trades; to be told again in another transaction. */
export type BatchOutcome = NoticeOutcome | { readonly outcome: 'later' };

/**
 * Confirms, rejects or returns payments by what a bank says, in the caller's transaction. How they are found is in
 * {@link findTargets}. A payment for several payouts moves all of them or none.
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
 * The same for many. All trades are locked in key order and moved by one change, so that two batches, or a batch and
 * deposits, cannot block each other for good.
 * @returns one outcome for each, in the order given
 */
export async function applyBankNotices(
  connection: Connection,
  notices: readonly BankNotice[],
  now: number,
): Promise<BatchOutcome[]> {
  const found = await findTargets(connection, notices);
  const ids = found.flatMap((each) =>
    (each?.items ?? []).map((item) => ({ customerId: item.customerId, id: item.transactionId })),
  );
  const rows = new Map((await lockTrades(connection, ids)).map((row) => [row.id, row]));
  const told = await toldOf(
    connection,
    [...rows.values()].map((row) => ({ customerId: row.customer_id, id: row.id })),
  );
  const moves = new Map<string, { target: PaymentTarget; notice: BankNotice }>();
  const records: ToldNotice[] = [];
  const looked = new Set<string>();
  const outcomes = notices.map((notice, index): BatchOutcome => {
    const targets = found[index];
    if (targets === undefined || targets.items.length === 0) return { outcome: 'unknown' };
    if (targets.items.some((item) => looked.has(item.transactionId))) return { outcome: 'later' };
    for (const item of targets.items) looked.add(item.transactionId);
    const decided = decide(notice, targets, rows, told);
    if (decided.outcome === 'mismatch') return decided;
    for (const target of decided.moving) moves.set(target.transactionId, { target, notice });
    for (const target of decided.items) {
      const { sourceId, kind, at } = notice;
      const currency = targets.currency ?? notice.currency;
      if (sourceId !== undefined && currency !== undefined)
        records.push({ ...target, sourceId, kind, currency, at });
    }
    const { outcome, transactions, paymentId } = decided;
    return { outcome, transactions, paymentId };
  });
  const moved = await changeTransactions(
    connection,
    [...moves.values()].map(({ target }) => ({ customerId: target.customerId, id: target.transactionId })),
    now,
    (row) => {
      const move = moves.get(row.id);
      return move && change(row, move.target, move.notice, now);
    },
  );
  await insertNotices(connection, records);
  const after = new Map(moved.map((row) => [row.id, row]));
  const applied = outcomes.map((each) =>
    'transactions' in each
      ? { ...each, transactions: each.transactions.map((row) => after.get(row.id) ?? row) }
      : each,
  );
  return applyToWithdrawals(connection, notices, found, applied, now);
}

type Decided =
  | Extract<NoticeOutcome, { outcome: 'mismatch' }>
  | (Extract<NoticeOutcome, { outcome: 'applied' | 'known' }> & {
      readonly items: readonly PaymentTarget[];
      readonly moving: readonly PaymentTarget[];
    });

function decide(
  notice: BankNotice,
  targets: FoundTargets,
  rows: ReadonlyMap<string, TransactionRow>,
  told: readonly Omit<ToldNotice, 'at'>[],
): Decided {
  const { paymentId } = targets;
  const rowsOf = (items: readonly PaymentTarget[]) =>
    items.flatMap((item) => rows.get(item.transactionId) ?? []);
  const wrong = (reason: MismatchReason): Decided => ({
    outcome: 'mismatch',
    reason,
    transactions: rowsOf(targets.items),
    paymentId,
  });
  if (targets.isAmbiguous) return wrong('ambiguous');
  if (
    notice.currency !== undefined &&
    targets.currency !== undefined &&
    targets.currency !== notice.currency
  ) {
    return wrong('currency');
  }
  const stateNow = (item: PaymentTarget) => stateOf(rows.get(item.transactionId), item);
  const items = itemsOfAmount(notice, targets, stateNow);
  if (items === undefined) return wrong('amount');
  const facts = items.map((item) => ({ item, state: stateNow(item), told: kindsOf(item, told, notice) }));
  if (notice.kind !== 'rejected' && facts.some((each) => each.told.has(notice.kind))) {
    return wrong(notice.kind === 'paid' ? 'paid_twice' : 'returned_twice');
  }
  const transactions = rowsOf(items);
  const open = facts.filter((each) => !isKnown(each.state, each.told, notice.kind));
  if (open.length === 0) return { outcome: 'known', transactions, paymentId, items, moving: [] };
  if (open.some((each) => !isMovable(each.state, notice.kind))) return wrong('state');
  return { outcome: 'applied', transactions, paymentId, items, moving: open.map(({ item }) => item) };
}

/**
 * Those that the amount is for. What a bank books as one sum leaves out what it has rejected, and a rejection of a block
 * is of what is still under way.
 */
function itemsOfAmount(
  { amountMinor, kind }: BankNotice,
  { via, items, withdrawals = [] }: FoundTargets,
  stateNow: (item: PaymentTarget) => State,
): readonly PaymentTarget[] | undefined {
  const rest = withdrawals.reduce((total, each) => total + each.amountMinor, 0n);
  const sum = (some: readonly PaymentTarget[]) =>
    some.reduce((total, each) => total + each.amountMinor, rest);
  const underWay = items.filter((item) => stateNow(item) === 'sent');
  if (via === 'block' && kind === 'rejected') return underWay.length > 0 ? underWay : items;
  if (amountMinor === undefined || sum(items) === amountMinor) return items;
  return via === 'block' && underWay.length > 0 && sum(underWay) === amountMinor ? underWay : undefined;
}

/** What other sources have told of the same attempt. */
function kindsOf(
  item: PaymentTarget,
  told: readonly Omit<ToldNotice, 'at'>[],
  { sourceId }: BankNotice,
): ReadonlySet<NoticeKind> {
  if (sourceId === undefined) return new Set();
  const same = told.filter(
    (each) =>
      each.transactionId === item.transactionId &&
      each.purpose === item.purpose &&
      each.attempt === item.attempt &&
      each.sourceId !== sourceId,
  );
  return new Set(same.map(({ kind }) => kind));
}

type State = 'sent' | 'paid' | 'failed' | 'returned';

function stateOf(row: TransactionRow | undefined, target: PaymentTarget): State {
  if (row === undefined) throw new Error(`transaction ${target.transactionId} of a payment is gone`);
  if (target.purpose === 'refund') {
    const refund = refundOf(row);
    if (refund === undefined || attemptOf(refund) !== target.attempt) return 'failed';
    return refund.status === 'pending' ? 'sent' : refund.status;
  }
  if (row.payout_attempts !== target.attempt) return 'failed';
  if (row.status === 'settling') return 'sent';
  if (row.status === 'settled') return 'paid';
  return row.payout_status === 'returned' ? 'returned' : 'failed';
}

/**
 * Nothing is left to be done. A debit that is told after its return is no more than the other half of it: statements and
 * notifications may come in any order.
 */
function isKnown(state: State, told: ReadonlySet<NoticeKind>, kind: NoticeKind): boolean {
  const isOver = state === 'failed' || state === 'returned';
  return kind === 'paid' ? state === 'paid' || (isOver && told.has('returned')) : isOver;
}

/** A return of what was never seen to leave is a rejection. */
function isMovable(state: State, kind: NoticeKind): boolean {
  return state === 'sent' || (state === 'paid' && kind === 'returned');
}

function change(
  row: TransactionRow,
  target: PaymentTarget,
  notice: BankNotice,
  now: number,
): TransactionChange {
  const { kind, bankReference, detail } = notice;
  const isRefund = target.purpose === 'refund';
  if (kind === 'paid') {
    if (isRefund) return payRefund(row, notice.at, 'bank_feed', bankReference);
    const confirmed = confirmPayout(row, now, 'bank_feed', bankReference);
    return { ...confirmed, patch: { ...confirmed.patch, paidAt: notice.at } };
  }
  if (isRefund) return failRefund(row, 'bank_feed', detail);
  return row.status === 'settled'
    ? returnPayout(row, now, 'bank_feed', detail)
    : rejectPayout(now, 'bank_feed', 'payout_rejected', detail);
}
