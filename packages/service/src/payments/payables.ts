import { lockBalances } from '../balances/balances.ts';
import {
  canKeepPaid,
  changeWithdrawal,
  holdWithdrawals,
  keepPaid,
  type WithdrawalChange,
} from '../balances/change-withdrawal.ts';
import type { WithdrawalRow } from '../balances/withdrawal-record.ts';
import type { Connection } from '../database/pool.ts';
import type { JournalEntry } from '../ledger/journal.ts';
import { changeTransactions, lockRows, type TransactionChange } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { changeReturn, type DepositReturn, lockReturns, returnState } from './deposit-returns.ts';
import type { PaymentTarget } from './payment-report-store.ts';
import { type PaymentState, payoutState, type ReportKind, refundState } from './payment-states.ts';
import { confirmPayout, rejectPayout, returnPayout } from './payout-changes.ts';
import { failRefund, payRefund } from './refund-changes.ts';

/** What a bank reports of one attempt, and that it changes something. */
export interface Move {
  readonly target: PaymentTarget;
  readonly kind: ReportKind;
  /** When the bank booked it, epoch milliseconds. */
  readonly at: number;
  readonly bankReference?: string | undefined;
  readonly detail?: string | undefined;
}

/**
 * What attempts to pay are for, locked until the transaction ends: trades with their payouts and refunds, withdrawals, returns of deposits.
 * A further kind of thing that is paid is found, locked, judged and moved here, and nowhere else.
 */
export interface Payables {
  /** @throws Error when what a payment is for is gone */
  stateOf(target: PaymentTarget): PaymentState;
  currencyOf(target: PaymentTarget): string;
  /** Undefined for what is no trade. */
  transactionOf(target: PaymentTarget): TransactionRow | undefined;
  /** What has the target's money in the comparison of bank and ledger: a deposit, of what goes back of it. */
  itemOf(target: PaymentTarget): string;
  /**
   * Does what reports say; each has to be one that moves its target.
   * @returns the house's entries, to be posted when nothing else is to be locked
   */
  move(moves: readonly Move[], now: number): Promise<readonly JournalEntry[]>;
  /** Whether the balance covers a withdrawal that is said to have come back. */
  canKeepPaid(target: PaymentTarget): Promise<boolean>;
  /** A withdrawal that is said to have come back has not. */
  keepPaid(target: PaymentTarget, now: number): Promise<void>;
}

/**
 * Locks what targets are for: trades in key order, then the feeds of all customers, then withdrawals, then returns of deposits. Everybody who locks
 * several of them does it in this order.
 */
export async function lockPayables(
  connection: Connection,
  targets: readonly PaymentTarget[],
): Promise<Payables> {
  const ofTransactions = targets.filter((each) => each.purpose === 'payout' || each.purpose === 'refund');
  const ofWithdrawals = targets.filter((each) => each.purpose === 'withdrawal');
  const locked = await lockRows(
    connection,
    ofTransactions.map((each) => ({ customerId: each.customerId, id: each.subjectId })),
  );
  const trades = new Map(locked.map((row) => [row.id, row]));
  const withdrawals = new Map<string, WithdrawalRow>();
  if (ofWithdrawals.length > 0) {
    // Of the trades too: their changes are in the same feeds, and come after.
    await lockBalances(connection, [...new Set(targets.map((each) => each.customerId))]);
    const rows = await holdWithdrawals(
      connection,
      ofWithdrawals.map((each) => each.subjectId),
    );
    for (const row of rows) withdrawals.set(row.id, row);
  }
  const returns = await lockReturns(
    connection,
    targets.filter((each) => each.purpose === 'deposit_return').map((each) => each.subjectId),
  );
  return new LockedPayables(connection, trades, withdrawals, new Map(returns.map((row) => [row.id, row])));
}

class LockedPayables implements Payables {
  readonly #connection: Connection;
  readonly #trades: Map<string, TransactionRow>;
  readonly #withdrawals: Map<string, WithdrawalRow>;
  readonly #returns: Map<string, DepositReturn>;

  constructor(
    connection: Connection,
    trades: Map<string, TransactionRow>,
    withdrawals: Map<string, WithdrawalRow>,
    returns: Map<string, DepositReturn>,
  ) {
    this.#connection = connection;
    this.#trades = trades;
    this.#withdrawals = withdrawals;
    this.#returns = returns;
  }

  stateOf(target: PaymentTarget): PaymentState {
    switch (target.purpose) {
      case 'payout':
        return payoutState(this.#trade(target), target.attempt);
      case 'refund':
        return refundState(this.#trade(target), target.attempt);
      case 'withdrawal':
        return withdrawalState(this.#withdrawal(target));
      case 'deposit_return':
        return returnState(this.#return(target));
    }
  }

  currencyOf(target: PaymentTarget): string {
    if (target.purpose === 'withdrawal') return this.#withdrawal(target).currency;
    if (target.purpose === 'deposit_return') return this.#return(target).currency;
    const trade = this.#trade(target);
    return target.purpose === 'payout' ? trade.buy_currency : trade.sell_currency;
  }

  transactionOf(target: PaymentTarget): TransactionRow | undefined {
    return this.#trades.get(target.subjectId);
  }

  itemOf(target: PaymentTarget): string {
    return target.purpose === 'deposit_return' ? this.#return(target).deposit_id : target.subjectId;
  }

  async move(moves: readonly Move[], now: number): Promise<readonly JournalEntry[]> {
    const ofTransactions = new Map(
      moves
        .filter(({ target }) => target.purpose === 'payout' || target.purpose === 'refund')
        .map((each) => [each.target.subjectId, each]),
    );
    const changed = await changeTransactions(
      this.#connection,
      [...ofTransactions.values()].map(({ target }) => ({
        customerId: target.customerId,
        id: target.subjectId,
      })),
      now,
      (row) => {
        const move = ofTransactions.get(row.id);
        return move && transactionChange(row, move, now);
      },
    );
    for (const row of changed) this.#trades.set(row.id, row);
    for (const move of moves) {
      if (move.target.purpose !== 'withdrawal') continue;
      const before = this.#withdrawal(move.target);
      const after = await changeWithdrawal(this.#connection, before, withdrawalChange(move), now);
      this.#withdrawals.set(after.id, after);
    }
    const entries: JournalEntry[] = [];
    for (const { target, kind, at, bankReference, detail } of moves) {
      if (target.purpose !== 'deposit_return') continue;
      const change =
        kind === 'paid'
          ? ({ to: 'paid', bankReference, at } as const)
          : ({ to: 'failed', failure: kind, detail } as const);
      const changed = await changeReturn(this.#connection, this.#return(target), change, now);
      this.#returns.set(changed.after.id, changed.after);
      entries.push(...changed.entries);
    }
    return entries;
  }

  canKeepPaid(target: PaymentTarget): Promise<boolean> {
    return canKeepPaid(this.#connection, this.#withdrawal(target));
  }

  async keepPaid(target: PaymentTarget, now: number): Promise<void> {
    const after = await keepPaid(this.#connection, this.#withdrawal(target), now);
    this.#withdrawals.set(after.id, after);
  }

  #trade(target: PaymentTarget): TransactionRow {
    const row = this.#trades.get(target.subjectId);
    if (row === undefined) throw new Error(`transaction ${target.subjectId} of a payment is gone`);
    return row;
  }

  #return(target: PaymentTarget): DepositReturn {
    const row = this.#returns.get(target.subjectId);
    if (row === undefined) throw new Error(`return ${target.subjectId} of a deposit is gone`);
    return row;
  }

  #withdrawal(target: PaymentTarget): WithdrawalRow {
    const row = this.#withdrawals.get(target.subjectId);
    if (row === undefined) throw new Error(`withdrawal ${target.subjectId} of a payment is gone`);
    return row;
  }
}

/** A withdrawal is instructed once; one that fails is opened anew. */
function withdrawalState(row: WithdrawalRow): PaymentState {
  switch (row.status) {
    case 'pending':
      return 'sent';
    case 'paid':
      return 'paid';
    case 'cancelled':
      return 'ended';
    case 'failed':
      return row.failure ?? 'rejected';
  }
}

function transactionChange(
  row: TransactionRow,
  { target, kind, at, bankReference, detail }: Move,
  now: number,
): TransactionChange {
  if (target.purpose === 'refund') {
    return kind === 'paid'
      ? payRefund(row, at, 'bank_feed', bankReference)
      : failRefund(row, 'bank_feed', detail, kind === 'returned');
  }
  if (kind === 'rejected') return rejectPayout(now, 'bank_feed', 'payout_rejected', detail);
  if (kind === 'returned') return returnPayout(row, now, 'bank_feed', detail);
  const confirmed = confirmPayout(row, now, 'bank_feed', bankReference);
  return { ...confirmed, patch: { ...confirmed.patch, paidAt: at } };
}

/** What is kept of the bank's words about a withdrawal. */
const DETAIL_MAX = 500;

function withdrawalChange({ kind, at, bankReference, detail }: Move): WithdrawalChange {
  if (kind === 'paid') return { to: 'paid', bankReference, paidAt: at };
  return { to: 'failed', failure: kind, at, detail: detail?.slice(0, DETAIL_MAX) };
}
