import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { JournalEntry } from '../ledger/journal.ts';
import { typeId } from '../platform/ids.ts';
import { inWords, Problem } from '../problems/problem.ts';
import type { TransactionChange } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { houseEntry } from './funding.ts';
import { isExpecting } from './receivables.ts';
import type { DepositRecord, TransactionAllocation } from './record.ts';

/** Whether a deposit can still be taken away from the trade: until its payout begins. */
export function canGiveBack(row: TransactionRow): boolean {
  return row.status === 'funded' || isExpecting(row.status);
}

/**
 * What taking a deposit away does to a trade (docs/interface.md#transactions, transition 14): received money, what was forgiven because of
 * it, status, ledger and events. An overdue trade stays overdue, and a value date that was rolled on stays where it is.
 * @param by who took it away; `bank_feed` is the bank of the remitter
 * @throws Problem invalid_state_transition once the payout has begun
 */
export function defundingChange(
  row: TransactionRow,
  deposit: DepositRecord,
  allocation: TransactionAllocation,
  by: 'operator' | 'bank_feed',
): TransactionChange {
  const received = BigInt(row.received_minor) - allocation.allocatedMinor;
  const to = received === 0n ? 'awaiting_funds' : 'partially_funded';
  if (!canGiveBack(row)) {
    throw new Problem(
      'invalid_state_transition',
      `A transaction that is ${inWords(row.status)} keeps its deposits.`,
      { members: { from: row.status, to, transactionId: typeId('txn', row.id) } },
    );
  }
  requireExcess(row, allocation.excessMinor);
  const depositId = typeId('dep', deposit.id);
  const deposits = JSON.parse(row.deposits) as { depositId: string }[];
  const stays = row.status === 'overdue' || row.status === to;
  const why = by === 'bank_feed' ? 'deposit_returned' : 'deposit_removed';
  return {
    ...(stays ? {} : { to }),
    code: why,
    actor: by,
    patch: {
      receivedMinor: received,
      shortfallMinor: BigInt(row.shortfall_minor) - allocation.shortfallMinor,
      excessMinor: BigInt(row.excess_minor) - allocation.excessMinor,
      deposits: JSON.stringify(deposits.filter((each) => each.depositId !== depositId)),
      statusReason:
        row.status === 'overdue'
          ? received === 0n
            ? 'funding_not_received'
            : 'funding_short'
          : by === 'bank_feed'
            ? 'deposit_returned'
            : null,
    },
    entries: [givenBackEntry(deposit, allocation)],
    events: [unmatchedEvent(row, deposit, allocation.allocatedMinor)],
    detail: { depositId },
  };
}

/** Excess of a trade goes back into suspense; the trade itself is as it was. */
export function excessChange(
  row: TransactionRow,
  deposit: DepositRecord,
  { excessMinor, ...allocation }: TransactionAllocation,
): TransactionChange {
  if (row.status === 'cancelled') {
    throw new Problem(
      'invalid_state_transition',
      'The excess is part of the refund of a cancelled transaction.',
      {
        members: { from: row.status, to: row.status, transactionId: typeId('txn', row.id) },
      },
    );
  }
  requireExcess(row, excessMinor);
  const taken = { ...allocation, allocatedMinor: 0n, shortfallMinor: 0n, excessMinor };
  return {
    code: 'excess_released',
    actor: 'operator',
    patch: { excessMinor: BigInt(row.excess_minor) - excessMinor },
    entries: [givenBackEntry(deposit, taken)],
    detail: { depositId: typeId('dep', deposit.id) },
  };
}

/** Whether the trade still has what a deposit paid too much: not once it goes back to the customer, or went. */
export function hasExcess(row: TransactionRow, excessMinor: bigint): boolean {
  if (excessMinor === 0n) return true;
  const refund = row.refund === null ? undefined : (JSON.parse(row.refund) as { status: string });
  return refund?.status !== 'pending' && BigInt(row.excess_minor) >= excessMinor;
}

/** Excess that goes back to the customer, or went, is nobody's to give away a second time. */
function requireExcess(row: TransactionRow, excessMinor: bigint): void {
  if (hasExcess(row, excessMinor)) return;
  throw new Problem(
    'invalid_state_transition',
    'The excess is being refunded to the customer, or was refunded.',
    {
      members: { from: row.status, to: row.status, transactionId: typeId('txn', row.id) },
    },
  );
}

/** The customer's entry of the match with every sign turned. */
function givenBackEntry(deposit: DepositRecord, allocation: TransactionAllocation): JournalEntry {
  const { currency } = deposit;
  const { allocatedMinor, excessMinor, shortfallMinor } = allocation;
  return {
    customerId: allocation.customerId,
    kind: 'deposit_deallocated',
    transactionId: allocation.transactionId,
    depositId: deposit.id,
    postings: [
      { account: 'bank', currency, amount: -(allocatedMinor + excessMinor) },
      { account: 'customer_receivable', currency, amount: allocatedMinor + shortfallMinor },
      { account: 'charges', currency, amount: -shortfallMinor },
      { account: 'customer_excess', currency, amount: excessMinor },
    ],
  };
}

/** The house's side: back into suspense. */
export function backInSuspense(deposit: DepositRecord, minor: bigint, transactionId: string): JournalEntry {
  return houseEntry('deposit_deallocated', deposit, minor, transactionId);
}

export function unmatchedEvent(row: TransactionRow, deposit: DepositRecord, minor: bigint) {
  return {
    customerId: row.customer_id,
    type: 'deposit.unmatched' as const,
    quoteId: row.quote_id,
    transactionId: row.id,
    depositId: deposit.id,
    clientReference: row.client_reference,
    detail: {
      amount: formatAmount(minor, knownCurrency(deposit.currency)),
      currency: deposit.currency,
    },
  };
}
