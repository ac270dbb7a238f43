import type { Connection } from '../database/pool.ts';
import { holdDeposits } from '../deposits/hold-deposits.ts';
import type { ManualWork } from '../deposits/operate-deposit.ts';
import { type DoubtOver, endUnclearReturns } from '../deposits/return-deposit.ts';
import { allocationsOf } from '../deposits/room.ts';
import { parseTypeId } from '../platform/ids.ts';
import type { EntryDecision } from './command-entry.ts';
import { doubtedDeposits, forgetDoubts } from './recall-doubt-store.ts';

/** Deposits that are held because a debit may have taken them back, until a person has said which it took, or that it is none. */

/** Holds the deposits of which these debits may have taken any, until the transaction ends. @returns their ids */
export async function holdDoubted(connection: Connection, detailIds: readonly string[]): Promise<string[]> {
  const doubted = await doubtedDeposits(connection, detailIds);
  return doubted.length === 0 ? [] : holdDeposits(connection, doubted, 'deposits');
}

/**
 * Of the deposits of which a debit may have taken any those that a decision on it is about; undefined where it leaves that open.
 * @param borneId of a loss: the deposit that it is of
 */
export async function meantOf(
  connection: Connection,
  doubted: readonly string[],
  decision: EntryDecision,
  borneId: string | null,
): Promise<readonly string[] | undefined> {
  if (decision.is === 'deposit_return') return [parseTypeId('dep', decision.depositId) ?? ''];
  if (decision.is !== 'payment') return borneId === null ? undefined : [borneId];
  const paid = parseTypeId('txn', decision.transactionId);
  const parts = await allocationsOf(connection, doubted);
  return parts.filter(({ transactionId }) => transactionId === paid).map(({ depositId }) => depositId);
}

/**
 * What these debits have taken is known: the deposits of which that is none, and no other debit may have taken any, are held no more. Before anything
 * is posted.
 */
export async function endDoubts(
  work: ManualWork,
  detailIds: readonly string[],
  meant: readonly string[],
  over: DoubtOver,
): Promise<void> {
  const known = await forgetDoubts(work.connection, detailIds);
  await endUnclearReturns(
    work,
    known.filter((id) => !meant.includes(id)),
    over,
  );
}
