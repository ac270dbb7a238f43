import { HOUSE_ACCOUNTS, type HouseAccount } from '@firmquote/api/operations/ledger';
import { lockBalances } from '../balances/balances.ts';
import type { Connection } from '../database/pool.ts';
import type { JournalEntry } from '../ledger/journal.ts';
import { isReturning } from '../payments/deposit-returns.ts';
import { typeId } from '../platform/ids.ts';
import { inWords, Problem } from '../problems/problem.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { allocationsOf } from './allocation-store.ts';
import { bankEntry, houseEntry } from './funding.ts';
import { takenBackInHistory } from './history-store.ts';
import { approvalDetail, type ManualWork } from './operate-deposit.ts';
import { type DepositRecord, freeMinorOf, isOfTransaction, withAmounts } from './record.ts';
import { lockTransactions, setBookedAs } from './store.ts';
import { canBeWithout, withoutChange } from './take-back.ts';
import { takeAway, undoneDetail } from './unmatch-deposit.ts';
import { writeDeposits } from './write-deposits.ts';

/** Why a deposit was none: another entry is its money, or the bank has never had it. */
export const NO_DEPOSIT = ['same_entry', 'never_booked'] as const;
export type NoDeposit = (typeof NO_DEPOSIT)[number];

/** Whether it was taken back as none; what the house has booked as its own was money. */
export function isNoDeposit({ bookedAs }: Pick<DepositRecord, 'bookedAs'>): boolean {
  return NO_DEPOSIT.some((each) => each === bookedAs);
}

/**
 * Holds what several locked deposits are taken from, before the first of them is: the trades that have them, and the feeds of their
 * customers. One after the other they would be taken while somebody else has one of the next, and waits for one of these.
 */
export async function holdPlaces(connection: Connection, depositIds: readonly string[]): Promise<void> {
  const allocations = await allocationsOf(connection, depositIds);
  await lockTransactions(
    connection,
    allocations.filter(isOfTransaction).map((each) => each.transactionId),
  );
  await lockBalances(connection, [...new Set(allocations.map(({ customerId }) => customerId))]);
}

/**
 * Takes a deposit back that was no money of its own: trades and balances are without it again, and it leaves the bank's
 * account in the ledger as if it had been returned. Nothing goes out for it. Where somebody has said that the remitter's bank took it back, neither
 * has happened.
 * @param before locked
 * @param how `wordMinor`: what the remitter's bank took back of it by somebody's word alone, and not at all where there was no deposit;
 *   `restoresTopUps`: the report of it is withdrawn, and says nothing any more: what it has replaced of top-ups by hand stands again
 * @returns the house's entries, to be posted last
 * @throws Problem invalid_state_transition, with the transactions, when its money has moved on
 */
export async function cancelDeposit(
  work: ManualWork,
  before: DepositRecord,
  as: NoDeposit,
  { wordMinor = 0n, restoresTopUps = false }: { wordMinor?: bigint; restoresTopUps?: boolean } = {},
): Promise<JournalEntry[]> {
  const { connection, now, actor, reason } = work;
  const account = HOUSE_ACCOUNTS.find((each) => each === before.bookedAs);
  if (account !== undefined) return notOfHouse(work, before, as, account);
  const allocations = await allocationsOf(connection, [before.id]);
  const ofTrades = allocations.filter(isOfTransaction);
  const rows = await lockTransactions(
    connection,
    ofTrades.map((each) => each.transactionId),
  );
  const gone: TransactionRow[] = [];
  for (const row of rows) {
    const part = ofTrades.find((each) => each.transactionId === row.id);
    if (part === undefined || !(await canBeWithout(connection, row, part))) gone.push(row);
  }
  await requireNoReturn(connection, before, as);
  if (gone.length > 0 || before.returnedMinor > wordMinor) throw movedOn(before, as, gone);
  const how = { by: 'operator', change: withoutChange, restoresTopUps } as const;
  const free = await takeAway(work, before, allocations, how);
  const minor = freeMinorOf(free.deposit);
  const after: DepositRecord = {
    ...withAmounts(free.deposit, { returnedMinor: free.deposit.returnedMinor + minor, excessMinor: 0n }),
    bookedAs: as,
    exception: null,
    // There was no money of anybody's.
    customerId: null,
    version: before.version + 1,
    updatedAt: now,
  };
  const matches = allocations.map(undoneDetail);
  const detail = { ...approvalDetail(work), bookedAs: as, ...(matches.length === 0 ? {} : { matches }) };
  await writeDeposits(connection, [{ before, after, actor, action: 'cancelled', reason, detail }], now);
  await setBookedAs(connection, before.id, as);
  const left = minor === 0n ? [] : [houseEntry('deposit_returned', after, -minor)];
  return [...free.entries, ...left];
}

/**
 * What of a deposit its remitter's bank is said to have taken back.
 * @param toldMinor without what entries have told of that
 */
export async function saidToBeTakenBack(
  connection: Connection,
  depositId: string,
  toldMinor: bigint,
): Promise<bigint> {
  const minor = (await takenBackInHistory(connection, depositId)) - toldMinor;
  return minor > 0n ? minor : 0n;
}

/** @throws Problem invalid_state_transition while a part of it is on its way back to its remitter */
export async function requireNoReturn(
  connection: Connection,
  deposit: DepositRecord,
  to: NoDeposit,
): Promise<void> {
  if (!(await isReturning(connection, deposit.id))) return;
  const why = 'A part of the deposit is being returned: cancel that first, or wait until it is paid.';
  throw new Problem('invalid_state_transition', why, {
    members: { from: deposit.status, to, depositId: typeId('dep', deposit.id), transactions: [] },
  });
}

function movedOn(before: DepositRecord, as: NoDeposit, gone: readonly TransactionRow[]): Problem {
  const transactions = gone.map((row) => ({ transactionId: typeId('txn', row.id), status: row.status }));
  const why =
    gone.length > 0
      ? `Its money has moved on: ${transactions.map((each) => `${each.transactionId} is ${inWords(each.status)}`).join(', ')}.`
      : before.bookedAs !== null
        ? `The deposit was booked as ${inWords(before.bookedAs)}.`
        : 'A part of the deposit has been returned.';
  const how = as === 'never_booked' && before.bookedAs === null ? ' Say in `as` who bears the loss.' : '';
  return new Problem('invalid_state_transition', `${why}${how}`, {
    members: { from: before.status, to: as, depositId: typeId('dep', before.id), transactions },
  });
}

/** What the house had booked as its own was no money. It left suspense then, so that account alone is without it. */
async function notOfHouse(
  work: ManualWork,
  before: DepositRecord,
  as: NoDeposit,
  account: HouseAccount,
): Promise<JournalEntry[]> {
  const { connection, now, actor, reason } = work;
  const after = { ...before, bookedAs: as, exception: null, version: before.version + 1, updatedAt: now };
  const detail = { ...approvalDetail(work), bookedAs: as, previouslyBookedAs: account };
  await writeDeposits(connection, [{ before, after, actor, action: 'cancelled', reason, detail }], now);
  await setBookedAs(connection, before.id, as);
  return [bankEntry(before.currency, -before.amountMinor, account, before.id)];
}
