import { type DateRules, extractReferences } from '@firmquote/fx';
import type { Connection } from '../database/pool.ts';
import { type JournalEntry, postEntries } from '../ledger/journal.ts';
import { changeTransactions } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { fundingChange, houseEntries, isLate, targetOf } from './fund-transaction.ts';
import {
  type Allocation,
  type DepositException,
  matchDeposit,
  outstandingOf,
  type Tolerance,
} from './matching.ts';
import type { AllocationRecord, DepositRecord } from './record.ts';
import { insertAllocations, lockByReference, updateDeposits } from './store.ts';

interface Pending {
  readonly deposit: DepositRecord;
  readonly references: readonly string[];
}

interface Matched {
  readonly deposit: DepositRecord;
  readonly allocation: Allocation;
}

/** Who decided, as allocations keep it. */
const MATCHER = 'matcher';

/**
 * Matches deposits that were just written, with all that follows: trades, ledger, events, allocations. They are taken
 * in waves, each of which gives a trade at most one deposit, in the order given.
 * @returns the deposits as they are now, by id
 */
export async function matchDeposits(
  connection: Connection,
  deposits: readonly DepositRecord[],
  now: number,
  dates: DateRules,
  tolerance: Tolerance,
): Promise<Map<string, DepositRecord>> {
  const settled = new Map<string, DepositRecord>();
  if (deposits.length === 0) return settled;
  let pending: readonly Pending[] = deposits.map((deposit) => ({
    deposit,
    references: extractReferences(deposit.remittanceText ?? ''),
  }));
  const references = [...new Set(pending.flatMap((each) => each.references))];
  const rows = new Map((await lockByReference(connection, references)).map((row) => [row.id, row]));
  const entries: JournalEntry[] = [];
  const allocations: AllocationRecord[] = [];
  while (pending.length > 0) {
    const wave = decideWave(pending, rows, tolerance);
    for (const { deposit, exception } of wave.unmatched) {
      settled.set(deposit.id, { ...deposit, exception });
      entries.push(...houseEntries(deposit, undefined));
    }
    for (const matched of wave.matched.values()) {
      const { deposit, allocation } = matched;
      settled.set(deposit.id, allocatedDeposit(matched, rowOf(rows, allocation), now));
      entries.push(...houseEntries(deposit, allocation));
      allocations.push(allocationRecord(matched, now, tolerance));
    }
    await fundTransactions(connection, wave.matched, rows, now, dates);
    pending = wave.rest;
  }
  await updateDeposits(connection, [...settled.values()]);
  await insertAllocations(connection, allocations);
  // Last, and all at once: the house's balances are what the deposits of a currency have in common.
  await postEntries(connection, entries, now);
  return settled;
}

interface Wave {
  /** By transaction id. */
  readonly matched: Map<string, Matched>;
  readonly unmatched: readonly { readonly deposit: DepositRecord; readonly exception: DepositException }[];
  /** For a trade that has its deposit of this wave: to be decided anew after it. */
  readonly rest: readonly Pending[];
}

function decideWave(
  pending: readonly Pending[],
  rows: ReadonlyMap<string, TransactionRow>,
  tolerance: Tolerance,
): Wave {
  const matched = new Map<string, Matched>();
  const unmatched: { deposit: DepositRecord; exception: DepositException }[] = [];
  const rest: Pending[] = [];
  const targets = [...rows.values()].map(targetOf);
  for (const each of pending) {
    const { deposit, references } = each;
    const byReference = targets.filter((target) => references.includes(target.reference));
    if (byReference.some((target) => matched.has(target.transactionId))) {
      rest.push(each);
      continue;
    }
    const found = matchDeposit({ ...deposit, references }, { byReference }, tolerance);
    if (found.outcome === 'exception') unmatched.push({ deposit, exception: found.exception });
    else matched.set(found.allocation.target.transactionId, { deposit, allocation: found.allocation });
  }
  return { matched, unmatched, rest };
}

async function fundTransactions(
  connection: Connection,
  matched: ReadonlyMap<string, Matched>,
  rows: Map<string, TransactionRow>,
  now: number,
  dates: DateRules,
): Promise<void> {
  const ids = [...matched.values()].map(({ allocation: { target } }) => ({
    customerId: target.customerId,
    id: target.transactionId,
  }));
  if (ids.length === 0) return;
  const changed = await changeTransactions(connection, ids, now, (row) => {
    const found = matched.get(row.id);
    // The rows have been locked since they were matched, so what was decided on still holds.
    if (found === undefined || row.version !== rows.get(row.id)?.version) {
      throw new Error(`transaction ${row.id} changed under its lock`);
    }
    return fundingChange(row, found.deposit, found.allocation, now, dates);
  });
  for (const row of changed) rows.set(row.id, row);
}

function rowOf(rows: ReadonlyMap<string, TransactionRow>, { target }: Allocation): TransactionRow {
  const row = rows.get(target.transactionId);
  if (row === undefined) throw new Error(`transaction ${target.transactionId} was matched but not read`);
  return row;
}

/** @param row the trade as it was before */
function allocatedDeposit({ deposit, allocation }: Matched, row: TransactionRow, now: number): DepositRecord {
  const { allocatedMinor, excessMinor } = allocation;
  return {
    ...deposit,
    status: excessMinor > 0n ? 'partially_matched' : 'matched',
    exception: exceptionOf(deposit, allocation, row, now),
    customerId: allocation.target.customerId,
    allocatedMinor,
    excessMinor,
  };
}

function exceptionOf(
  deposit: DepositRecord,
  { excessMinor }: Allocation,
  row: TransactionRow,
  now: number,
): DepositException | null {
  if (excessMinor > 0n) return { type: 'excess', reason: 'paid_too_much' };
  return isLate(row, deposit, now) ? { type: 'late', reason: 'after_funding_cutoff' } : null;
}

function allocationRecord(
  { deposit, allocation }: Matched,
  now: number,
  tolerance: Tolerance,
): AllocationRecord {
  const { target } = allocation;
  return {
    customerId: target.customerId,
    transactionId: target.transactionId,
    depositId: deposit.id,
    allocatedMinor: allocation.allocatedMinor,
    excessMinor: allocation.excessMinor,
    shortfallMinor: allocation.shortfallMinor,
    rule: allocation.rule,
    matchedBy: 'auto',
    actor: MATCHER,
    evidence: JSON.stringify({
      reference: target.reference,
      status: target.status,
      outstandingMinor: outstandingOf(target).toString(),
      depositMinor: deposit.amountMinor.toString(),
      toleranceUsdMinor: tolerance.usdMinor.toString(),
      toleranceBps: tolerance.bps.toString(),
    }),
    at: now,
  };
}
