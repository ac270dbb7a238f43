import { HOUSE_ACCOUNTS, type HouseAccount } from '@firmquote/api/operations/ledger';
import type { Connection } from '../database/pool.ts';
import type { JournalEntry } from '../ledger/journal.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { allocationsOf } from './allocation-store.ts';
import { requireNoReturn } from './cancel-deposit.ts';
import { hasExcess } from './defund-transaction.ts';
import { bankEntry, houseEntry } from './funding.ts';
import { lossInHistory } from './history-store.ts';
import { approvalDetail, type ManualWork } from './operate-deposit.ts';
import {
  type AllocationRecord,
  type DepositRecord,
  isOfTransaction,
  suspenseMinorOf,
  unlessTakenBack,
  withAmounts,
} from './record.ts';
import { lockTransactions, setBookedAs } from './store.ts';
import { canBeWithout, withoutChange } from './take-back.ts';
import { balancesCover, releaseExcess, takeAway, undoneDetail } from './unmatch-deposit.ts';
import { writeDeposits } from './write-deposits.ts';

/** Who bears it that money never came which was paid on: an account of the house, or a customer (as the API writes it). */
export type Loss =
  | { readonly as: HouseAccount }
  | { readonly as: 'customer_debt'; readonly customerId: string };

/**
 * The bank has never had a deposit, and its money has moved on. What can be taken back is; what has left, or is about to, stays paid, and the
 * house bears it, or a customer owes it.
 * @param seen locked
 * @param wordMinor what the remitter's bank took back of it by somebody's word alone: as little of that has gone as has come
 * @returns the entries, to be posted last
 * @throws Problem invalid_state_transition when nothing of it has moved on, or a part is on its way back to the remitter
 */
export async function bearLoss(
  work: ManualWork,
  seen: DepositRecord,
  loss: Loss,
  wordMinor: bigint,
): Promise<JournalEntry[]> {
  const { connection, now, actor, reason } = work;
  const allocations = await allocationsOf(connection, [seen.id]);
  const rows = await lockTrades(connection, allocations);
  await requireNoReturn(connection, seen, 'never_booked');
  const isFree = allocations.every((each) => isExcessFree(each, rows));
  const { deposit, entries } = isFree ? await releaseExcess(work, seen) : { deposit: seen, entries: [] };
  const [undone, kept] = await divided(connection, deposit, rows);
  if (seen.bookedAs !== null || (kept.length === 0 && deposit.returnedMinor <= wordMinor)) {
    throw refuse(seen, 'Nothing of the deposit has been paid on: leave out `as`.');
  }
  const free = await takeAway(work, deposit, undone, { by: 'operator', change: withoutChange });
  const minor = suspenseMinorOf(free.deposit);
  const lossMinor = seen.amountMinor - minor - wordMinor;
  const left = withAmounts(free.deposit, { returnedMinor: free.deposit.returnedMinor + minor });
  const exception = left.excessMinor > 0n ? seen.exception : null;
  const after: DepositRecord = {
    ...left,
    bookedAs: 'never_booked',
    exception: unlessTakenBack(seen, left, exception),
    version: seen.version + 1,
    updatedAt: now,
  };
  const borne = lossEntry(after, lossMinor, loss, [
    ...kept.map(({ customerId }) => customerId),
    seen.customerId,
  ]);
  if (borne === undefined) throw refuse(seen, 'The customer has no part of the deposit.');
  const matches = undone.map(undoneDetail);
  const detail = {
    ...approvalDetail(work),
    ...loss,
    lossMinor: lossMinor.toString(),
    ...(matches.length === 0 ? {} : { matches }),
  };
  const step = { before: seen, after, actor, action: 'loss_borne', reason, detail };
  await writeDeposits(connection, [step], now);
  await setBookedAs(connection, seen.id, 'never_booked');
  const gone = minor === 0n ? [] : [houseEntry('deposit_returned', after, -minor)];
  return [...entries, ...free.entries, ...gone, borne];
}

/**
 * A part of it that the house had sent back, and that was lost with it, has come back: whoever bears the loss is without so much of it, and
 * the deposit stays what it was.
 * @param lost the deposit, whose loss is borne
 * @returns the entries that take it out of suspense, to be posted last
 */
export async function lessenLoss(
  connection: Connection,
  lost: DepositRecord,
  minor: bigint,
): Promise<JournalEntry[]> {
  const borne = await undoLoss(connection, lost, minor);
  if (borne === undefined) throw new Error(`nobody bears the loss of deposit ${lost.id}`);
  return [houseEntry('deposit_returned', lost, -minor), borne];
}

/** So much less is lost of a deposit. @returns the entry; undefined if nobody bears a loss of it */
export async function undoLoss(
  connection: Connection,
  { id, currency }: Pick<DepositRecord, 'id' | 'currency'>,
  minor: bigint,
): Promise<JournalEntry | undefined> {
  const loss = await lossInHistory(connection, id);
  const account = HOUSE_ACCOUNTS.find((each) => each === loss?.as);
  if (account !== undefined) return bankEntry(currency, minor, account, id);
  const customerId = parseTypeId('cus', loss?.customerId ?? '');
  if (customerId === undefined) return undefined;
  return { ...bankEntry(currency, minor, 'customer_receivable', id), customerId };
}

/** Whether what was paid too much is still kept for the customer. */
function isExcessFree(
  { transactionId, excessMinor }: AllocationRecord,
  rows: readonly TransactionRow[],
): boolean {
  const row = excessMinor > 0n ? rows.find(({ id }) => id === transactionId) : undefined;
  return row === undefined || (row.status !== 'cancelled' && hasExcess(row, excessMinor));
}

function lockTrades(
  connection: Connection,
  allocations: readonly AllocationRecord[],
): Promise<TransactionRow[]> {
  const ids = allocations.filter(isOfTransaction).map(({ transactionId }) => transactionId);
  return lockTransactions(connection, ids);
}

/** Parts of a deposit that can be taken back, and those that have left. */
async function divided(
  connection: Connection,
  deposit: DepositRecord,
  rows: readonly TransactionRow[],
): Promise<[undone: AllocationRecord[], kept: AllocationRecord[]]> {
  const [undone, kept]: [AllocationRecord[], AllocationRecord[]] = [[], []];
  for (const each of await allocationsOf(connection, [deposit.id])) {
    const row = rows.find(({ id }) => id === each.transactionId);
    const isFree =
      row === undefined
        ? await balancesCover(connection, deposit, [each])
        : await canBeWithout(connection, row, each);
    (isFree ? undone : kept).push(each);
  }
  return [undone, kept];
}

/**
 * It leaves the bank's account in the ledger, for which nothing has come.
 * @param owners the customers who may owe it
 * @returns undefined when the customer who is to owe it is none of these
 */
export function lossEntry(
  { id, currency }: { readonly id?: string; readonly currency: string },
  minor: bigint,
  loss: Loss,
  owners: readonly (string | null)[],
): JournalEntry | undefined {
  if (loss.as !== 'customer_debt') return bankEntry(currency, -minor, loss.as, id);
  const customerId = parseTypeId('cus', loss.customerId);
  if (customerId === undefined || !owners.includes(customerId)) return undefined;
  return { ...bankEntry(currency, -minor, 'customer_receivable', id), customerId };
}

function refuse({ id, status }: Pick<DepositRecord, 'id' | 'status'>, why: string): Problem {
  return new Problem('invalid_state_transition', why, {
    members: { from: status, to: 'never_booked', depositId: typeId('dep', id) },
  });
}
