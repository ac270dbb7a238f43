import { type JournalEntry, postEntries } from '../ledger/journal.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { changeTransactions } from '../transactions/change.ts';
import { allocationsOf, deleteAllocations } from './allocation-store.ts';
import { backInSuspense, defundingChange } from './defund-transaction.ts';
import { forgetRemitterOf } from './known-remitters.ts';
import { approvalDetail, type Manual, type ManualWork } from './operate-deposit.ts';
import { type AllocationRecord, type DepositRecord, withAmounts } from './record.ts';
import { writeDeposits } from './write-deposits.ts';

export interface UnmatchRequest {
  /** As the API writes it; without it the deposit is taken from all its trades. */
  readonly transactionId?: string;
}

/** Contract §14: a match is undone, until the payout begins (transition 14). The money is in suspense again. */
export const unmatching: Manual<UnmatchRequest> = {
  kind: 'deposit_unmatch',
  async worth(work, deposit, request) {
    const undone = await chosen(work, deposit, request);
    return worthOf(
      work,
      deposit,
      undone.reduce((sum, each) => sum + each.allocatedMinor + each.excessMinor, 0n),
    );
  },
  async carryOut(work, before, request) {
    const { connection, now, reason } = work;
    const undone = await chosen(work, before, request);
    const taken = await takeAway(work, before, undone, 'operator');
    const after: DepositRecord = {
      ...taken.deposit,
      exception: { type: 'unmatched', reason: 'unmatched_by_operator' },
      version: before.version + 1,
      updatedAt: now,
    };
    const detail = { ...approvalDetail(work), matches: undone.map(undoneDetail) };
    await writeDeposits(
      connection,
      [{ before, after, actor: work.actor, action: 'unmatched', reason, detail }],
      now,
    );
    await postEntries(connection, taken.entries, now);
    return after;
  },
};

async function chosen(
  { connection }: ManualWork,
  deposit: DepositRecord,
  { transactionId }: UnmatchRequest,
): Promise<AllocationRecord[]> {
  const all = await allocationsOf(connection, [deposit.id]);
  const id = transactionId === undefined ? undefined : parseTypeId('txn', transactionId);
  const some = transactionId === undefined ? all : all.filter((each) => each.transactionId === id);
  if (some.length === 0) {
    throw new Problem('invalid_state_transition', 'The deposit is not matched to it.', {
      members: { from: deposit.status, to: 'unmatched' },
    });
  }
  return some;
}

/**
 * Takes parts of a deposit away from their trades and puts the money back into suspense.
 * @returns the deposit without them, and the house's entries, to be posted last
 * @throws Problem invalid_state_transition when a payout has begun
 */
export async function takeAway(
  { connection, now }: ManualWork,
  deposit: DepositRecord,
  undone: readonly AllocationRecord[],
  by: 'operator' | 'bank_feed',
): Promise<{ deposit: DepositRecord; entries: JournalEntry[] }> {
  const ids = undone.map((each) => ({ customerId: each.customerId, id: each.transactionId }));
  await changeTransactions(connection, ids, now, (row) => {
    const allocation = undone.find((each) => each.transactionId === row.id);
    return allocation === undefined ? undefined : defundingChange(row, deposit, allocation, by);
  });
  await deleteAllocations(
    connection,
    deposit.id,
    undone.map((each) => each.transactionId),
  );
  // What was learnt from a match that was wrong is wrong.
  await forgetRemitterOf(connection, deposit.id);
  const sum = (of: (each: AllocationRecord) => bigint) =>
    undone.reduce((total, each) => total + of(each), 0n);
  const left = withAmounts(deposit, {
    allocatedMinor: deposit.allocatedMinor - sum((each) => each.allocatedMinor),
    excessMinor: deposit.excessMinor - sum((each) => each.excessMinor),
  });
  const isFree = left.allocatedMinor + left.excessMinor === 0n;
  return {
    deposit: { ...left, customerId: isFree ? null : left.customerId },
    entries: undone.map((each) =>
      backInSuspense(deposit, each.allocatedMinor + each.excessMinor, each.transactionId),
    ),
  };
}

export function undoneDetail(each: AllocationRecord): Record<string, string> {
  return {
    transactionId: typeId('txn', each.transactionId),
    rule: each.rule,
    allocatedMinor: each.allocatedMinor.toString(),
    excessMinor: each.excessMinor.toString(),
    shortfallMinor: each.shortfallMinor.toString(),
  };
}

/** US dollar cents of a part of a deposit; undefined without a price, and then two persons have to look. */
export function worthOf(
  { room }: Pick<ManualWork, 'room'>,
  { currency }: Pick<DepositRecord, 'currency'>,
  minor: bigint,
): bigint | undefined {
  if (minor === 0n) return 0n;
  return currency === 'USD' ? minor : room.usdValueOf?.(currency, minor);
}
