import { worthOf } from '../approvals/do-or-propose.ts';
import { availableMinor, lockBalances } from '../balances/balances.ts';
import { restoreTopUps } from '../balances/replace-top-up.ts';
import type { Connection, Queryable } from '../database/pool.ts';
import { appendEvents } from '../events/append.ts';
import { type JournalEntry, postEntries } from '../ledger/journal.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { changeTransactions } from '../transactions/change.ts';
import { allocationsOf, clearAllocationExcess, deleteAllocations } from './allocation-store.ts';
import { backInSuspense, defundingChange, excessChange } from './defund-transaction.ts';
import { balanceEntries, balanceEvents } from './funding.ts';
import { forgetRemitterOf } from './known-remitter-store.ts';
import { approvalDetail, type DepositAction, type ManualWork, requireNoLoss } from './operate-deposit.ts';
import {
  type AllocationRecord,
  type DepositRecord,
  isOfTransaction,
  onlyCustomer,
  unlessTakenBack,
  withAmounts,
} from './record.ts';
import { lockTransactions } from './store.ts';
import { accountOwnerOf } from './virtual-account-store.ts';
import { writeDeposits } from './write-deposits.ts';

interface UnmatchRequest {
  /** As the API writes it; without it the deposit is taken from all that have it. */
  readonly transactionId?: string;
  /** Only from the balance. */
  readonly balance?: true;
}

/** A match is undone, until the payout begins (transition 14). The money is in suspense again. */
export const unmatching: DepositAction<UnmatchRequest> = {
  kind: 'deposit_unmatch',
  async worth(work, deposit, request) {
    const undone = await chosen(work, deposit, request);
    return worthOf(
      work.room,
      deposit.currency,
      undone.reduce((sum, each) => sum + each.allocatedMinor + each.excessMinor, 0n),
    );
  },
  async carryOut(work, before, request) {
    const { connection, now, reason } = work;
    const undone = await chosen(work, before, request);
    const taken = await takeAway(work, before, undone, { by: 'operator' });
    const after: DepositRecord = {
      ...taken.deposit,
      exception: unlessTakenBack(before, taken.deposit, {
        type: 'unmatched',
        reason: 'unmatched_by_operator',
      }),
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
  { transactionId, balance }: UnmatchRequest,
): Promise<AllocationRecord[]> {
  await requireNoLoss(connection, deposit, 'unmatched');
  const all = await allocationsOf(connection, [deposit.id]);
  const id = transactionId === undefined ? undefined : parseTypeId('txn', transactionId);
  const isMeant = (each: AllocationRecord) =>
    balance === true ? each.transactionId === null : id === undefined || each.transactionId === id;
  const some = transactionId !== undefined && id === undefined ? [] : all.filter(isMeant);
  if (some.length === 0) {
    throw new Problem('invalid_state_transition', 'The deposit has no such match.', {
      members: { from: deposit.status, to: 'unmatched' },
    });
  }
  return some;
}

/** How parts of a deposit are taken away. */
interface TakenHow {
  readonly by: 'operator' | 'bank_feed';
  /** What that does to a trade. */
  readonly change?: typeof defundingChange;
  /** Top-ups by hand whose place the deposit has stand again: nobody says that their money is not there. */
  readonly restoresTopUps?: boolean;
}

/**
 * Takes parts of a deposit away from their trades and from the balance, and puts the money back into suspense.
 * @returns the deposit without them, and the house's entries, to be posted last
 * @throws Problem invalid_state_transition when a payout has begun, or the balance does not cover it
 */
export async function takeAway(
  { connection, now }: ManualWork,
  deposit: DepositRecord,
  undone: readonly AllocationRecord[],
  { by, change = defundingChange, restoresTopUps = false }: TakenHow,
): Promise<{ deposit: DepositRecord; entries: JournalEntry[] }> {
  const trades = undone.filter(isOfTransaction);
  const ids = trades.map((each) => ({ customerId: each.customerId, id: each.transactionId }));
  if (new Set(undone.map(({ customerId }) => customerId)).size > 1) {
    await lockTransactions(
      connection,
      ids.map(({ id }) => id),
    );
    await lockBalances(connection, [...new Set(undone.map(({ customerId }) => customerId))]);
  }
  await changeTransactions(connection, ids, now, (row) => {
    const allocation = trades.find((each) => each.transactionId === row.id);
    return allocation === undefined ? undefined : change(row, deposit, allocation, by);
  });
  await deleteAllocations(connection, deposit.id, undone);
  const others = await allocationsOf(connection, [deposit.id]);
  // What was learnt from a match that was wrong is wrong.
  await forgetRemitterOf(connection, deposit.id);
  const sum = (of: (each: AllocationRecord) => bigint) =>
    undone.reduce((total, each) => total + of(each), 0n);
  const left = withAmounts(deposit, {
    allocatedMinor: deposit.allocatedMinor - sum((each) => each.allocatedMinor),
    excessMinor: deposit.excessMinor - sum((each) => each.excessMinor),
  });
  const customerId = others.length === 0 ? await accountOwnerOf(connection, deposit) : onlyCustomer(others);
  return {
    deposit: { ...left, customerId },
    entries: [
      ...trades.map((each) =>
        backInSuspense(deposit, each.allocatedMinor + each.excessMinor, each.transactionId),
      ),
      ...(await outOfBalance(connection, deposit, undone, restoresTopUps, now)),
    ],
  };
}

async function outOfBalance(
  connection: Connection,
  deposit: DepositRecord,
  undone: readonly AllocationRecord[],
  restoresTopUps: boolean,
  now: number,
): Promise<JournalEntry[]> {
  const parts = undone.filter((each) => !isOfTransaction(each));
  if (parts.length === 0) return [];
  const customers = parts.map(({ customerId }) => customerId);
  await lockBalances(connection, customers);
  const restored = restoresTopUps ? await restoreTopUps(connection, deposit.id, customers) : [];
  const lost = parts.map((part) => {
    const topUp = restored.find((each) => each.topUp.customerId === part.customerId)?.topUp;
    return { ...part, allocatedMinor: part.allocatedMinor - BigInt(topUp?.amountMinor ?? 0) };
  });
  if (!(await balancesCover(connection, deposit, lost))) {
    throw new Problem('invalid_state_transition', 'The balance no longer covers the deposit.', {
      members: { from: deposit.status, to: 'unmatched' },
    });
  }
  await appendEvents(
    connection,
    lost.flatMap(({ customerId, allocatedMinor }) => balanceEvents(deposit, customerId, -allocatedMinor)),
    now,
  );
  return [
    ...restored.map(({ entry }) => entry),
    ...parts.flatMap((part) => balanceEntries(deposit, part.customerId, -part.allocatedMinor)),
  ];
}

/** Whether the customers' balances still have the parts of the deposit that went into them; they are held from then on. */
export async function balancesCover(
  connection: Connection,
  deposit: DepositRecord,
  allocations: readonly AllocationRecord[],
): Promise<boolean> {
  if (allocations.every(isOfTransaction)) return true;
  const customers = [...new Set(allocations.map(({ customerId }) => customerId))];
  // With the feeds of those whose trades have a part, which are taken later: everybody takes them in one order.
  await lockBalances(connection, customers);
  return areCovered(connection, deposit, allocations);
}

/** The same for who only looks. */
export async function areCovered(
  connection: Queryable,
  { currency }: DepositRecord,
  allocations: readonly AllocationRecord[],
): Promise<boolean> {
  for (const { customerId, allocatedMinor } of allocations.filter((each) => !isOfTransaction(each))) {
    if ((await availableMinor(connection, customerId, currency)) < allocatedMinor) return false;
  }
  return true;
}

export function undoneDetail(each: AllocationRecord): Record<string, string> {
  return {
    ...(each.transactionId === null
      ? { balanceOf: typeId('cus', each.customerId) }
      : { transactionId: typeId('txn', each.transactionId) }),
    rule: each.rule,
    allocatedMinor: each.allocatedMinor.toString(),
    excessMinor: each.excessMinor.toString(),
    shortfallMinor: each.shortfallMinor.toString(),
  };
}

interface Released {
  readonly deposit: DepositRecord;
  /** The house's entries, to be posted last. */
  readonly entries: readonly JournalEntry[];
}

/** Puts what was paid too much back into suspense, so that it can go elsewhere. The trades stay funded. */
export async function releaseExcess(work: ManualWork, deposit: DepositRecord): Promise<Released> {
  if (deposit.excessMinor === 0n) return { deposit, entries: [] };
  const { connection, now } = work;
  const parts = (await allocationsOf(connection, [deposit.id])).filter(isOfTransaction);
  const held = parts.filter((each) => each.excessMinor > 0n);
  const ids = held.map((each) => ({ customerId: each.customerId, id: each.transactionId }));
  await changeTransactions(connection, ids, now, (row) => {
    const allocation = held.find((each) => each.transactionId === row.id);
    return allocation === undefined ? undefined : excessChange(row, deposit, allocation);
  });
  await clearAllocationExcess(connection, deposit.id);
  const entries = held.map((each) => backInSuspense(deposit, each.excessMinor, each.transactionId));
  return { deposit: { ...deposit, excessMinor: 0n }, entries };
}
