import type { DateRules } from '@firmquote/fx';
import type { Connection } from '../database/pool.ts';
import { type JournalEntry, postEntries } from '../ledger/journal.ts';
import { typeId } from '../platform/ids.ts';
import { changeTransactions } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { insertAllocations } from './allocation-store.ts';
import type { PayingCustomer } from './candidate-store.ts';
import { customersOf, lockTrades, type Origin, originsOf } from './candidates.ts';
import { decideDeposit } from './decide-deposit.ts';
import { allocatedEntry, fundingChange, isLate, receivedEntry, targetOf } from './fund-transaction.ts';
import type { MatchingSettings } from './matching-settings.ts';
import { type AllocationRecord, type DepositRecord, withAmounts } from './record.ts';
import { type Allocation, type DepositException, outstandingOf } from './target.ts';
import { type DepositStep, writeDeposits } from './write-deposits.ts';

interface Matched {
  readonly deposit: DepositRecord;
  readonly allocations: readonly Allocation[];
}

interface Around {
  readonly origins: ReadonlyMap<string, Origin>;
  readonly customers: ReadonlyMap<string, PayingCustomer>;
  /** By id, as they are now. */
  readonly rows: Map<string, TransactionRow>;
  readonly settings: MatchingSettings;
}

/** Who decided, as allocations and history keep it. */
const MATCHER = 'matcher';

/**
 * Matches deposits that were just written, with all that follows: trades, ledger, events, allocations, history and
 * exceptions. They are taken in waves, each of which gives a trade at most one deposit, in the order given. The rules
 * see each deposit once, here: what people do with it afterwards is never undone by them.
 * @returns the deposits as they are now, by id
 */
export async function matchDeposits(
  connection: Connection,
  deposits: readonly DepositRecord[],
  now: number,
  dates: DateRules,
  settings: MatchingSettings,
): Promise<Map<string, DepositRecord>> {
  const settled = new Map<string, DepositRecord>();
  if (deposits.length === 0) return settled;
  const around = await lookAround(connection, deposits, settings);
  const entries: JournalEntry[] = [];
  const allocations: AllocationRecord[] = [];
  const steps: DepositStep[] = [];
  let pending = deposits;
  while (pending.length > 0) {
    const wave = decideWave(pending, around);
    for (const each of wave.decided) {
      const deposit = decidedDeposit(each, around, now);
      settled.set(deposit.id, deposit);
      entries.push(receivedEntry(deposit), ...each.allocations.map((part) => allocatedEntry(deposit, part)));
      allocations.push(...each.allocations.map((part) => allocationRecord(deposit, part, now, settings)));
      steps.push(arrival(deposit, each.allocations));
    }
    await fundTransactions(connection, wave.decided, around.rows, now, dates);
    pending = wave.rest;
  }
  await writeDeposits(connection, steps, now);
  await insertAllocations(connection, allocations);
  // Last, and all at once: the house's balances are what the deposits of a currency have in common.
  await postEntries(connection, entries, now);
  return settled;
}

async function lookAround(
  connection: Connection,
  deposits: readonly DepositRecord[],
  settings: MatchingSettings,
): Promise<Around> {
  const origins = await originsOf(connection, deposits);
  const rows = new Map((await lockTrades(connection, deposits, origins)).map((row) => [row.id, row]));
  return { origins, rows, customers: await customersOf(connection, rows.values()), settings };
}

interface Decided extends Matched {
  readonly exception: DepositException | null;
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
      decided.push({ deposit, allocations: [], exception: match.exception });
      continue;
    }
    for (const { target } of match.allocations) taken.add(target.transactionId);
    decided.push({ deposit, allocations: match.allocations, exception: null });
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
function decidedDeposit(
  { deposit, allocations, exception }: Decided,
  around: Around,
  now: number,
): DepositRecord {
  const [first] = allocations;
  if (first === undefined) {
    const customerId = around.origins.get(deposit.id)?.accountOwner ?? null;
    return { ...deposit, exception, customerId };
  }
  const sum = (of: (part: Allocation) => bigint) => allocations.reduce((total, part) => total + of(part), 0n);
  const excessMinor = sum((part) => part.excessMinor);
  const late = allocations.some(({ target }) => {
    const row = around.rows.get(target.transactionId);
    return row !== undefined && isLate(row, deposit, now);
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

function arrival(deposit: DepositRecord, allocations: readonly Allocation[]): DepositStep {
  return {
    before: undefined,
    after: deposit,
    actor: MATCHER,
    action: 'received',
    reason: null,
    detail: {
      source: deposit.source,
      matches: allocations.map(({ target, rule, score, ...amounts }) => ({
        transactionId: typeId('txn', target.transactionId),
        rule,
        score,
        allocatedMinor: amounts.allocatedMinor.toString(),
      })),
    },
  };
}

function allocationRecord(
  deposit: DepositRecord,
  allocation: Allocation,
  now: number,
  { version, tolerance }: MatchingSettings,
): AllocationRecord {
  const { target, rule, score, allocatedMinor, excessMinor, shortfallMinor } = allocation;
  return {
    customerId: target.customerId,
    transactionId: target.transactionId,
    depositId: deposit.id,
    allocatedMinor,
    excessMinor,
    shortfallMinor,
    rule,
    score,
    matchedBy: 'auto',
    actor: MATCHER,
    evidence: JSON.stringify({
      reference: target.reference,
      status: target.status,
      outstandingMinor: outstandingOf(target).toString(),
      depositMinor: deposit.amountMinor.toString(),
      rulesVersion: version,
      toleranceUsdMinor: tolerance.usdMinor.toString(),
      toleranceBps: tolerance.bps.toString(),
      remitterAccount: deposit.remitterAccount,
      virtualAccount: deposit.virtualAccount ?? null,
    }),
    at: now,
  };
}
