import type { Connection } from '../database/pool.ts';
import type { JournalEntry } from '../ledger/journal.ts';
import { keepPaid, lockReturns, returnsAmong } from '../payments/deposit-returns.ts';
import { typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { allocationsOf } from './allocation-store.ts';
import { lessenLoss } from './bear-loss.ts';
import { lossInHistory } from './history-store.ts';
import { approvalDetail, lockForWork, type ManualWork } from './operate-deposit.ts';
import { type DepositRecord, suspenseMinorOf, unlessTakenBack, withAmounts } from './record.ts';
import { writeDeposits } from './write-deposits.ts';

/**
 * What the house had sent back of deposits came back by an entry that the bank has never booked: it stays paid, and leaves suspense again. Of a
 * deposit whose loss somebody bears it is lost again.
 * @param returnIds of others than returns of deposits nothing is done
 * @param what of what is not in suspense any more: to be refused, or to be left as it is
 * @returns the house's entries, to be posted last
 * @throws Problem invalid_state_transition when it is not in suspense any more
 */
export async function keepReturnsPaid(
  work: ManualWork,
  returnIds: readonly string[],
  what: 'all' | 'what is there',
): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for (const { id, depositId } of await returnsAmong(work.connection, returnIds)) {
    entries.push(...(await keepOnePaid(work, depositId, id, what)));
  }
  return entries;
}

/** Customers of the deposits that these returns are of, and of what has been done with them since. */
export async function ownersOfReturns(
  connection: Connection,
  returnIds: readonly string[],
): Promise<(string | null)[]> {
  const returns = await returnsAmong(connection, returnIds);
  const owners: (string | null)[] = [];
  for (const { depositId } of returns) owners.push((await lockForWork(connection, depositId)).customerId);
  const parts = await allocationsOf(
    connection,
    returns.map(({ depositId }) => depositId),
  );
  return [...owners, ...parts.map(({ customerId }) => customerId)];
}

async function keepOnePaid(
  work: ManualWork,
  depositId: string,
  returnId: string,
  what: 'all' | 'what is there',
): Promise<readonly JournalEntry[]> {
  const { connection, now, actor, reason } = work;
  const before = await lockForWork(connection, depositId);
  const [row] = await lockReturns(connection, [returnId]);
  if (row?.failure !== 'returned') return [];
  const minor = BigInt(row.amount_minor);
  const isBack = row.reopened_at !== null;
  const isLost =
    before.bookedAs === 'never_booked' && (await lossInHistory(connection, before.id)) !== undefined;
  if (isBack && !isLost && what === 'what is there' && suspenseMinorOf(before) < minor) return [];
  const after = isBack && !isLost ? outOfSuspense(before, minor) : before;
  const entries = await keepPaid(connection, row, now);
  const detail = { ...approvalDetail(work), returnId: typeId('dpr', row.id) };
  const changed = { ...after, version: before.version + 1, updatedAt: now };
  const step = { before, after: changed, actor, action: 'return_kept_paid', reason, detail };
  await writeDeposits(connection, [step], now);
  return isBack && isLost ? [...(await lessenLoss(connection, before, -minor)), ...entries] : entries;
}

function outOfSuspense(before: DepositRecord, minor: bigint): DepositRecord {
  if (suspenseMinorOf(before) < minor) {
    const why =
      'What came back of the deposit is not in suspense any more: unmatch it, or cancel its return, first; or say in `as` who bears the loss.';
    const members = { from: before.status, to: 'returned', depositId: typeId('dep', before.id) };
    throw new Problem('invalid_state_transition', why, { members });
  }
  const after = withAmounts(before, { returnedMinor: before.returnedMinor + minor });
  const isDone = suspenseMinorOf(after) === 0n && after.excessMinor === 0n;
  return { ...after, exception: unlessTakenBack(before, after, isDone ? null : before.exception) };
}
