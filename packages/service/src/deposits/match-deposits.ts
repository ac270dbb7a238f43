import type { DateRules } from '@firmquote/fx';
import { lockBalances } from '../balances/balances.ts';
import type { Connection } from '../database/pool.ts';
import { appendEvents, type NewEvent } from '../events/append.ts';
import { type JournalEntry, postEntries } from '../ledger/journal.ts';
import { changeTransactions } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { insertAllocations } from './allocation-store.ts';
import { balanceCustomers, customersOf, lockTrades, originsOf, withBookedByHand } from './candidates.ts';
import { decideDeposit } from './decide-deposit.ts';
import { writeKeys } from './deposit-keys.ts';
import { balanceEntries, topUpEvents } from './fund-balance.ts';
import { allocatedEntry, fundingChange, receivedEntry, targetOf } from './fund-transaction.ts';
import { type Again, type Around, type Decided, partsOf, stepOf } from './match-records.ts';
import type { MatchingSettings } from './matching-settings.ts';
import { type AllocationRecord, type DepositRecord, withAmounts } from './record.ts';
import type { Allocation, DepositException } from './target.ts';
import { timelinessOf } from './timeliness.ts';
import { type DepositStep, writeDeposits } from './write-deposits.ts';

/**
 * Matches deposits that were just written, with all that follows: trades, balances, ledger, events, allocations, history
 * and exceptions. They are taken in waves, each of which gives a trade at most one deposit, in the order given. What
 * people do with a deposit afterwards is never undone by the rules: they look again only at what nobody has touched.
 * @param again the deposits are older; those that still find nothing stay as they are
 * @returns the deposits as they are now, by id
 */
export async function matchDeposits(
  connection: Connection,
  deposits: readonly DepositRecord[],
  now: number,
  dates: DateRules,
  settings: MatchingSettings,
  again?: Again,
): Promise<Map<string, DepositRecord>> {
  const settled = new Map<string, DepositRecord>();
  if (deposits.length === 0) return settled;
  const acceptsAnyPayer = again?.acceptsAnyPayer ?? false;
  const around = { ...(await lookAround(connection, deposits, settings)), acceptsAnyPayer, dates };
  const entries: JournalEntry[] = [];
  const allocations: AllocationRecord[] = [];
  const steps: DepositStep[] = [];
  let pending = deposits;
  while (pending.length > 0) {
    const wave = decideWave(pending, around);
    for (const each of wave.decided) {
      const decided = decidedDeposit(each, around);
      const deposit =
        again === undefined ? decided : { ...decided, version: decided.version + 1, updatedAt: now };
      if (again !== undefined && deposit.exception !== null && deposit.status === 'unmatched') continue;
      settled.set(deposit.id, deposit);
      if (again === undefined) entries.push(receivedEntry(deposit));
      entries.push(...each.allocations.map((part) => allocatedEntry(deposit, part)));
      allocations.push(...partsOf(each, { ...around, actor: again?.actor ?? 'matcher', now }));
      steps.push(stepOf(each, deposit, again));
      if (each.topUp !== undefined) {
        const { customerId } = each.topUp.target;
        entries.push(...balanceEntries(deposit, customerId, deposit.amountMinor));
      }
    }
    await fundTransactions(connection, wave.decided, around.rows, now, dates);
    await appendEvents(connection, wave.decided.flatMap(topUpEventsOf), now);
    pending = wave.rest;
  }
  await writeDeposits(connection, steps, now);
  await insertAllocations(connection, allocations);
  if (again === undefined) await writeKeys(connection, [...settled.values()], around.origins, true);
  // Last, and all at once: the house's balances are what the deposits of a currency have in common.
  await postEntries(connection, entries, now);
  return settled;
}

async function lookAround(
  connection: Connection,
  deposits: readonly DepositRecord[],
  settings: MatchingSettings,
): Promise<Omit<Around, 'acceptsAnyPayer' | 'dates'>> {
  const origins = await originsOf(connection, deposits);
  const rows = new Map((await lockTrades(connection, deposits, origins)).map((row) => [row.id, row]));
  const customers = await customersOf(connection, rows.values(), origins.values());
  // Balances are taken together with the feeds of the trades' customers, so that two batches take them in one order.
  if (balanceCustomers(origins.values()).length === 0) return { origins, rows, customers, settings };
  await lockBalances(connection, [...customers.keys()]);
  // Looked at again, now that nobody can book by hand any more.
  return { origins: await withBookedByHand(connection, deposits, origins), rows, customers, settings };
}

interface Wave {
  readonly decided: readonly Decided[];
  /** For a trade that has its deposit of this wave: to be decided anew after it. */
  readonly rest: readonly DepositRecord[];
}

function decideWave(pending: readonly DepositRecord[], around: Around): Wave {
  const decided: Decided[] = [];
  const rest: DepositRecord[] = [];
  const taken = new Set<string>();
  const targets = [...around.rows.values()].map(targetOf);
  for (const deposit of pending) {
    const origin = around.origins.get(deposit.id);
    if (origin === undefined) throw new Error(`deposit ${deposit.id} has no origin`);
    const { match, candidates } = decideDeposit(deposit, { ...around, origin, targets });
    const seen = [candidates.byReference, candidates.byVirtualAccount, candidates.byRemitter].flat();
    if (seen.some((target) => taken.has(target.transactionId))) {
      rest.push(deposit);
      continue;
    }
    if (match.outcome === 'exception') {
      decided.push({ deposit, allocations: [], topUp: undefined, exception: match.exception });
      continue;
    }
    if (match.outcome === 'topped_up') {
      decided.push({ deposit, allocations: [], topUp: match.topUp, exception: null });
      continue;
    }
    for (const { target } of match.allocations) taken.add(target.transactionId);
    decided.push({ deposit, allocations: match.allocations, topUp: undefined, exception: null });
  }
  return { decided, rest };
}

async function fundTransactions(
  connection: Connection,
  decided: readonly Decided[],
  rows: Map<string, TransactionRow>,
  now: number,
  dates: DateRules,
): Promise<void> {
  const parts = new Map(
    decided.flatMap(({ deposit, allocations }) =>
      allocations.map((allocation, index) => {
        const how = { by: 'matcher', isFirst: index === 0 } as const;
        return [allocation.target.transactionId, { deposit, allocation, how }] as const;
      }),
    ),
  );
  if (parts.size === 0) return;
  const ids = [...parts.values()].map(({ allocation: { target } }) => ({
    customerId: target.customerId,
    id: target.transactionId,
  }));
  const changed = await changeTransactions(connection, ids, now, (row) => {
    const part = parts.get(row.id);
    // The rows have been locked since they were matched, so what was decided on still holds.
    if (part === undefined || row.version !== rows.get(row.id)?.version) {
      throw new Error(`transaction ${row.id} changed under its lock`);
    }
    return fundingChange(row, part.deposit, part.allocation, now, dates, part.how);
  });
  for (const row of changed) rows.set(row.id, row);
}

/** The deposit as it is with its match; `rows` are as they were before it. */
function decidedDeposit({ deposit, allocations, topUp, exception }: Decided, around: Around): DepositRecord {
  if (topUp !== undefined) {
    const matched = withAmounts(deposit, { allocatedMinor: deposit.amountMinor });
    return { ...matched, exception: null, customerId: topUp.target.customerId };
  }
  const [first] = allocations;
  if (first === undefined) {
    const customerId = around.origins.get(deposit.id)?.accountOwner ?? null;
    return { ...deposit, exception, customerId };
  }
  const sum = (of: (part: Allocation) => bigint) => allocations.reduce((total, part) => total + of(part), 0n);
  const excessMinor = sum((part) => part.excessMinor);
  const late = allocations.some(({ target }) => {
    const row = around.rows.get(target.transactionId);
    return row !== undefined && timelinessOf(row, deposit, around.dates).isLate;
  });
  const matched = withAmounts(deposit, { allocatedMinor: sum((part) => part.allocatedMinor), excessMinor });
  const why: DepositException | null =
    excessMinor > 0n
      ? { type: 'excess', reason: 'paid_too_much' }
      : late
        ? { type: 'late', reason: 'after_funding_cutoff' }
        : null;
  return { ...matched, exception: why, customerId: first.target.customerId };
}

function topUpEventsOf({ deposit, topUp }: Decided): NewEvent[] {
  if (topUp === undefined) return [];
  return topUpEvents(deposit, topUp.target.customerId, deposit.amountMinor, topUp.rule, true);
}
