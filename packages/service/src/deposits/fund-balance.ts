import { amountDetail } from '../balances/balances.ts';
import type { NewEvent } from '../events/append.ts';
import type { JournalEntry } from '../ledger/journal.ts';
import { houseEntry } from './fund-transaction.ts';
import type { AllocationRecord, DepositRecord } from './record.ts';
import type { BalanceTarget } from './target.ts';

/** The part of a deposit that a balance takes; who decided and what they saw are the caller's. */
export function balanceAllocation(
  deposit: DepositRecord,
  { customerId }: Pick<BalanceTarget, 'customerId'>,
  minor: bigint,
  how: Pick<AllocationRecord, 'rule' | 'score' | 'matchedBy' | 'actor' | 'evidence' | 'at'>,
): AllocationRecord {
  return {
    ...how,
    customerId,
    transactionId: null,
    depositId: deposit.id,
    allocatedMinor: minor,
    excessMinor: 0n,
    shortfallMinor: 0n,
  };
}

/**
 * Both sides of what goes from suspense into a balance.
 * @param minor negative: out of the balance, into suspense again
 */
export function balanceEntries(deposit: DepositRecord, customerId: string, minor: bigint): JournalEntry[] {
  const { currency } = deposit;
  const kind = minor > 0n ? 'deposit_allocated' : 'deposit_deallocated';
  const postings = [
    { account: 'bank', currency, amount: minor },
    { account: 'customer_balance', currency, amount: -minor },
  ] as const;
  return [{ customerId, kind, depositId: deposit.id, postings }, houseEntry(kind, deposit, -minor)];
}

/** @param isFirst nothing of the deposit has been told to the customer before */
export function topUpEvents(
  deposit: DepositRecord,
  customerId: string,
  minor: bigint,
  rule: string,
  isFirst: boolean,
): NewEvent[] {
  const { id: depositId, currency } = deposit;
  const base = { customerId, depositId };
  const toppedUp: NewEvent = {
    ...base,
    type: 'balance.topped_up',
    detail: { ...amountDetail(currency, minor), matchRule: rule },
  };
  if (!isFirst) return [toppedUp];
  return [
    { ...base, type: 'deposit.received', detail: amountDetail(currency, deposit.amountMinor) },
    toppedUp,
  ];
}

export function takenBackEvent(deposit: DepositRecord, customerId: string, minor: bigint): NewEvent {
  return {
    customerId,
    type: 'deposit.unmatched',
    depositId: deposit.id,
    detail: { ...amountDetail(deposit.currency, minor), from: 'balance' },
  };
}
