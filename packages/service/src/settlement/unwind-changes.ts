import type { JournalEntry, Posting } from '../ledger/journal.ts';
import { Problem } from '../problems/problem.ts';
import type { TransactionChange } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { openedRefund, refundOf } from './refund-changes.ts';

export const UNWIND_REASONS = ['client_request', 'trade_error', 'compliance_rejected', 'closed_out'] as const;
export type UnwindReason = (typeof UNWIND_REASONS)[number];

/**
 * Ends a trade that is not paid out (contract §8, transitions 7 and 13): the position is taken back, and a refund is
 * opened for money that was received.
 * @throws Problem invalid_state_transition for a funded trade, which takes two persons
 */
export function unwind(row: TransactionRow, reason: UnwindReason | undefined): TransactionChange {
  if (row.status === 'funded') {
    throw new Problem(
      'invalid_state_transition',
      'Unwinding a funded trade needs the consent of a second person, which cannot be given through this API yet.',
      { members: { from: row.status, to: 'cancelled', needs: 'second_person' } },
    );
  }
  if (refundOf(row)?.status === 'pending') {
    throw new Problem(
      'invalid_state_transition',
      'A refund of what was paid too much is under way. It has to be paid or to fail first.',
      { members: { from: row.status, to: 'cancelled' } },
    );
  }
  const isOverdue = row.status === 'overdue';
  const why = reason ?? (isOverdue ? 'closed_out' : 'client_request');
  const owed = BigInt(row.received_minor) + BigInt(row.excess_minor);
  return {
    to: 'cancelled',
    code: isOverdue ? 'closed_out' : 'unwound',
    actor: 'operator',
    patch: {
      statusReason: why,
      payoutStatus: 'cancelled',
      ...(owed === 0n ? {} : { refund: openedRefund(row, owed, why) }),
    },
    entries: [reversal(row)],
    detail: { reason: why },
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
    { account: 'customer_excess', currency: sell, amount: -received },
    { account: 'position', currency: buy, amount: sellIsFixed ? -marketMinor : -buyMinor },
    { account: 'customer_payable', currency: buy, amount: buyMinor },
    { account: 'markup_revenue', currency: buy, amount: sellIsFixed ? markupMinor : 0n },
  ];
  return { customerId: row.customer_id, kind: 'trade_cancelled', transactionId: row.id, postings };
}
