import type { Account, JournalEntryKind } from '@firmquote/api/operations/ledger';
import type { Queryable } from '../database/pool.ts';
import { appendEvents } from '../events/append.ts';
import { isoInstant } from '../platform/clock.ts';
import { NIL_UUID, newUuid } from '../platform/ids.ts';
import { debtEvents } from './debt-events.ts';

/**
 * Accounts of the double-entry ledger, kept for each customer and currency (the house's own side too), so that a
 * trade touches the rows of one customer only. House totals are sums over customers.
 *
 * `bank` money of this customer at the house's bank; `customer_receivable` what the customer owes; `customer_payable`
 * what the house owes the customer; `position` the house's currency position from this customer's trades;
 * `markup_revenue` what the spread earned; `charges` what was forgiven of short payments; `customer_excess` what was
 * paid too much; `customer_balance` what a pre-funded customer has with the house; `close_out_result` what closing trades
 * out at the market brought or cost; `suspense` deposits without an owner; `returns_payable` what of them is to go back to remitters; `bank_charges`, `interest` and `house_funds` what
 * operators book of entries of bank accounts that are nobody else's (these five kept under the house's own id).
 */
export type { Account };

export interface Posting {
  readonly account: Account;
  readonly currency: string;
  /** Minor units; positive debits, negative credits. Zero postings are left out. */
  readonly amount: bigint;
}

/** The entry of an execution is made in SQL, with the trade. */
export type PostedKind = Exclude<JournalEntryKind, 'trade_executed'>;

export interface JournalEntry {
  /** Of what it books, where that has an id of the same instant; otherwise it gets a new one. */
  readonly id?: string;
  readonly customerId: string;
  readonly kind: PostedKind;
  readonly transactionId?: string;
  readonly depositId?: string;
  readonly withdrawalId?: string;
  readonly postings: readonly Posting[];
}

/** Owner of what belongs to no customer yet. */
export const HOUSE_ID = NIL_UUID;

/** @throws when an entry has fewer than two postings or does not balance in each currency: a fault, never input. */
export function assertBalanced(entry: JournalEntry): void {
  const sums = new Map<string, bigint>();
  let lines = 0;
  for (const { currency, amount } of entry.postings) {
    if (amount === 0n) continue;
    lines++;
    sums.set(currency, (sums.get(currency) ?? 0n) + amount);
  }
  if (lines < 2) throw new Error(`a journal entry needs two postings: ${entry.kind}`);
  for (const [currency, sum] of sums) {
    if (sum !== 0n) throw new Error(`journal entry ${entry.kind} is off by ${sum} in ${currency}`);
  }
}

/** Writes entries and moves the balances they touch, in the caller's transaction, and tells customers what they owe of it. */
export async function postEntries(
  connection: Queryable,
  entries: readonly JournalEntry[],
  at: number,
): Promise<void> {
  if (entries.length === 0) return;
  await appendEvents(connection, debtEvents(entries), at);
  const batch = entries.map((entry) => {
    assertBalanced(entry);
    const postings = entry.postings.filter((posting) => posting.amount !== 0n);
    return {
      customer_id: entry.customerId,
      id: entry.id ?? newUuid(at),
      kind: entry.kind,
      at: isoInstant(at),
      transaction_id: entry.transactionId,
      deposit_id: entry.depositId,
      withdrawal_id: entry.withdrawalId,
      accounts: postings.map((posting) => posting.account),
      currencies: postings.map((posting) => posting.currency),
      amounts: postings.map((posting) => posting.amount.toString()),
    };
  });
  await connection.query({
    name: 'post_entries',
    text: 'select post_entries($1)',
    values: [JSON.stringify(batch)],
  });
}
