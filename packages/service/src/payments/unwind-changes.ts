import type { UnwindReason } from '@firmquote/api/operations/operator-transactions';
import { canTransition } from '@firmquote/fx';
import type { JournalEntry, Posting } from '../ledger/journal.ts';
import { inWords, Problem } from '../problems/problem.ts';
import type { TransactionChange } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { type Charge, type CloseOut, closeOutEntry, closeOutView } from './close-out.ts';
import { openedRefund, refundOf } from './refund-changes.ts';

/** How a trade ends: at its own rate, or closed out at the market. */
export interface Unwinding {
  readonly reason: UnwindReason;
  readonly closeOut?: CloseOut;
  readonly charge?: Charge;
}

/**
 * Ends a trade that is not paid out (docs/interface.md#transactions, transitions 7 and 13): the position is taken back, the result of a
 * close-out is booked, and a refund is opened for money that was received, less what the customer bears.
 * @param bySecondPerson two persons have agreed, as a funded trade needs
 * @throws Problem invalid_state_transition
 */
export function unwind(
  row: TransactionRow,
  { reason, closeOut, charge = { fromMoneyMinor: 0n, debtMinor: 0n } }: Unwinding,
  actor: 'operator' | 'system',
  bySecondPerson = false,
): TransactionChange {
  const isOverdue = row.status === 'overdue';
  const refuse = (detail: string, more = {}) =>
    new Problem('invalid_state_transition', detail, {
      members: { from: row.status, to: 'cancelled', ...more },
    });
  if (!canTransition(row.status, 'cancelled', actor)) {
    throw refuse(`A transaction that is ${inWords(row.status)} cannot be cancelled.`);
  }
  if (row.status === 'funded' && !bySecondPerson) {
    throw refuse('Unwinding a funded trade needs a second person: propose it.', { needs: 'second_person' });
  }
  if (refundOf(row)?.status === 'pending') {
    throw refuse('A refund of an overpayment is under way. It must be paid or fail first.');
  }
  const money = (row.pre_funded ? 0n : BigInt(row.received_minor)) + BigInt(row.excess_minor);
  const owed = row.pre_funded ? money : money - charge.fromMoneyMinor;
  return {
    to: 'cancelled',
    code: isOverdue ? 'closed_out' : 'unwound',
    actor,
    patch: {
      statusReason: reason,
      payoutStatus: 'cancelled',
      ...(owed === 0n ? {} : { refund: openedRefund(row, owed, reason) }),
    },
    entries: [reversal(row), ...(closeOut === undefined ? [] : closeOutEntry(row, closeOut, charge))],
    detail: {
      reason,
      ...(closeOut === undefined ? {} : { closeOut: closeOutView(row, closeOut, charge) }),
    },
  };
}

/**
 * The execution's entry with every sign turned, and what was paid for the trade moved to where it is owed back: the
 * customer's debt falls away, so received money is excess and a forgiven shortfall is not one any more.
 */
export function reversal(row: TransactionRow): JournalEntry {
  const [sell, buy] = [row.sell_currency, row.buy_currency];
  const sellMinor = BigInt(row.sell_minor);
  const buyMinor = BigInt(row.buy_minor);
  const marketMinor = BigInt(row.market_minor);
  const markupMinor = BigInt(row.markup_minor);
  const received = BigInt(row.received_minor);
  const shortfall = BigInt(row.shortfall_minor);
  // The leg that is not fixed entered the position at the market's price, and the markup is in its currency.
  const sellIsFixed = row.fixed_side === 'sell';
  const postings: Posting[] = [
    { account: 'customer_receivable', currency: sell, amount: received + shortfall - sellMinor },
    { account: 'position', currency: sell, amount: sellIsFixed ? sellMinor : marketMinor },
    { account: 'markup_revenue', currency: sell, amount: sellIsFixed ? 0n : markupMinor },
    { account: 'charges', currency: sell, amount: -shortfall },
    // Money that came from the customer's balance goes back there at once; other money is owed.
    { account: row.pre_funded ? 'customer_balance' : 'customer_excess', currency: sell, amount: -received },
    { account: 'position', currency: buy, amount: sellIsFixed ? -marketMinor : -buyMinor },
    { account: 'customer_payable', currency: buy, amount: buyMinor },
    { account: 'markup_revenue', currency: buy, amount: sellIsFixed ? markupMinor : 0n },
  ];
  return { customerId: row.customer_id, kind: 'trade_cancelled', transactionId: row.id, postings };
}
