import type { Connection, Queryable } from '../database/pool.ts';
import type { JournalEntry } from '../ledger/journal.ts';
import {
  type BookedTopUp,
  holdBankReferences,
  setTopUpReplaced,
  setTopUpsBack,
  topUpsLike,
  topUpsUnder,
} from './store.ts';

/**
 * A balance is topped up by hand before the bank tells of the money. When it does, the deposit takes the top-up's place: it is in the balance like
 * any other, and what follows of it (that it is taken back, or was never booked) is what follows of deposits.
 */

export type { BookedTopUp };

/** Banks use references again: what is further apart is the same money only where a person says so. */
export const TOLD_WITHIN_DAYS = 10; // limit: Days between a top-up by hand and an entry of its reference and amount that is taken for its money

/**
 * Holds entries with these bank references before anybody looks whose deposits they are, in the caller's transaction: nobody tops up a balance by
 * hand under one of them meanwhile. Taken after deposits, before trades.
 */
export async function holdAgainstTopUps(
  connection: Connection,
  bankReferences: readonly string[],
): Promise<void> {
  await holdBankReferences(connection, bankReferences, 'deposits');
}

/**
 * What operators have booked by hand under these bank references, and no deposit has the place of.
 * @param depositIds nor any but these
 */
export async function bookedByHand(
  connection: Queryable,
  bankReferences: readonly string[],
  depositIds: readonly string[] = [],
): Promise<BookedTopUp[]> {
  return bankReferences.length === 0 ? [] : topUpsUnder(connection, bankReferences, depositIds);
}

/** The same that may be this money: by its bank reference or its amount. */
export function mayBeTopUps(
  connection: Queryable,
  money: { readonly bankReference: string; readonly currency: string; readonly amountMinor: bigint },
  rowsMax: number,
): Promise<BookedTopUp[]> {
  return topUpsLike(connection, money, rowsMax);
}

/**
 * A deposit takes the place of a top-up, in the caller's transaction, which holds the balance.
 * @returns the entry that takes the top-up out of the balance, to be posted with those that put the deposit into it
 */
export async function replaceTopUp(
  connection: Connection,
  topUp: BookedTopUp,
  depositId: string,
): Promise<JournalEntry> {
  await setTopUpReplaced(connection, topUp, depositId);
  return replacedEntry(topUp, depositId, -1n);
}

/**
 * There was no such deposit: the top-ups of these customers whose place it had stand again, as if no bank had told of them.
 * @returns them, each with the entry that puts it into the balance again
 */
export async function restoreTopUps(
  connection: Connection,
  depositId: string,
  customerIds: readonly string[],
): Promise<{ readonly topUp: BookedTopUp; readonly entry: JournalEntry }[]> {
  const topUps = await setTopUpsBack(connection, depositId, customerIds);
  return topUps.map((topUp) => ({ topUp, entry: replacedEntry(topUp, depositId, 1n) }));
}

function replacedEntry(
  { customerId, currency, amountMinor }: BookedTopUp,
  depositId: string,
  sign: 1n | -1n,
): JournalEntry {
  return { ...topUpEntry(customerId, currency, sign * BigInt(amountMinor)), depositId };
}

/** @param minor positive: into the balance */
export function topUpEntry(customerId: string, currency: string, minor: bigint): JournalEntry {
  const postings = [
    { account: 'bank', currency, amount: minor },
    { account: 'customer_balance', currency, amount: -minor },
  ] as const;
  return { customerId, kind: 'balance_topped_up', postings };
}
