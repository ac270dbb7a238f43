import type { DateRules } from '@firmquote/fx';
import { replaceTopUp } from '../balances/replace-top-up.ts';
import type { Connection } from '../database/pool.ts';
import { appendEvents, type NewEvent } from '../events/append.ts';
import { type JournalEntry, postEntries } from '../ledger/journal.ts';
import { typeId } from '../platform/ids.ts';
import { changeTransactions } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { insertAllocations } from './allocation-store.ts';
import type { Decided } from './decide-match.ts';
import { writeKeys } from './deposit-key-store.ts';
import {
  allocatedEntry,
  balanceAllocation,
  balanceEntries,
  fundingChange,
  receivedEntry,
  topUpEvents,
} from './funding.ts';
import { evidenceFor, type MatchContext } from './match-context.ts';
import type { Match } from './matching-rules.ts';
import { type Allocation, type DepositException, outstandingOf, type TopUp } from './receivables.ts';
import { type AllocationRecord, type DepositRecord, withAmounts } from './record.ts';
import { timelinessEvidence, timelinessOf } from './timeliness.ts';
import { type DepositStep, writeDeposits } from './write-deposits.ts';

/** Why deposits are looked at that were here before, as allocations and history keep it. */
export interface Again {
  /** `system`: the engine looks again by itself. Or the person or OAuth client (UUID) that wants it. */
  readonly actor: string;
  /** In the operator's words. */
  readonly reason: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  /** The operator has said that it does not matter who pays. */
  readonly acceptsAnyPayer?: boolean;
}

interface How {
  readonly now: number;
  readonly dates: DateRules;
  readonly again: Again | undefined;
}

/** Writes what was decided, wave by wave; what deposits have in common is written once, at the end. */
export class MatchWriter {
  readonly #connection: Connection;
  readonly #how: How;
  readonly #written = new Map<string, DepositRecord>();
  readonly #entries: JournalEntry[] = [];
  readonly #allocations: AllocationRecord[] = [];
  readonly #steps: DepositStep[] = [];

  constructor(connection: Connection, how: How) {
    this.#connection = connection;
    this.#how = how;
  }

  /** Gives trades and balances their money. @returns the trades as they are then */
  async write(decided: readonly Decided[], context: MatchContext): Promise<TransactionRow[]> {
    for (const each of decided) {
      this.#applyMatch(each, context);
      await this.#replaceTopUp(each);
    }
    const funded = await this.#fundTransactions(decided, context);
    await appendEvents(this.#connection, decided.flatMap(topUpEventsOf), this.#how.now);
    return [...new Map([...context.rows.values(), ...funded].map((row) => [row.id, row])).values()];
  }

  /** @returns the deposits as they are then, by id; older ones that found nothing are left out */
  async end({ evidence }: MatchContext): Promise<ReadonlyMap<string, DepositRecord>> {
    const { now, again } = this.#how;
    await writeDeposits(this.#connection, this.#steps, now);
    await insertAllocations(this.#connection, this.#allocations);
    if (again === undefined) await writeKeys(this.#connection, [...this.#written.values()], evidence, true);
    // Last, and all at once: the house's balances are what the deposits of a currency have in common.
    await postEntries(this.#connection, this.#entries, now);
    return this.#written;
  }

  #applyMatch({ deposit: before, match }: Decided, context: MatchContext): void {
    const { again, now, dates } = this.#how;
    // An older one that still finds nothing stays as it is.
    if (again !== undefined && match.outcome === 'exception') return;
    const matched = matchedDeposit(before, match, context, dates);
    const deposit =
      again === undefined ? matched : { ...matched, version: before.version + 1, updatedAt: now };
    this.#written.set(deposit.id, deposit);
    if (again === undefined) this.#entries.push(receivedEntry(deposit));
    const how = { matchedBy: 'auto', actor: again?.actor ?? 'matcher', at: now } as const;
    if (match.outcome === 'matched') {
      this.#entries.push(...match.allocations.map((part) => allocatedEntry(deposit, part)));
      for (const part of match.allocations) {
        const evidence = transactionEvidence(deposit, part, context, dates);
        this.#allocations.push(allocationRecord(deposit, part, { ...how, evidence }));
      }
    } else if (match.outcome === 'topped_up') {
      const { target, rule, score, replaced } = match.topUp;
      const saw = {
        reference: target.reference,
        ...(replaced && { toppedUpUnder: replaced.bankReference }),
      };
      const evidence = evidenceOf(deposit, saw, context);
      const balance = { ...how, rule, score, evidence };
      this.#allocations.push(balanceAllocation(deposit, target, deposit.amountMinor, balance));
      this.#entries.push(...balanceEntries(deposit, target.customerId, deposit.amountMinor));
    }
    this.#steps.push(stepOf(before, deposit, match, again));
  }

  /** Nothing is credited twice: what a person had topped up is the deposit's from now on. */
  async #replaceTopUp({ deposit, match }: Decided): Promise<void> {
    if (match.outcome !== 'topped_up' || match.topUp.replaced === undefined) return;
    this.#entries.push(await replaceTopUp(this.#connection, match.topUp.replaced, deposit.id));
  }

  async #fundTransactions(decided: readonly Decided[], { rows }: MatchContext): Promise<TransactionRow[]> {
    const { now, dates } = this.#how;
    const parts = new Map(
      decided.flatMap(({ deposit, match }) =>
        allocationsIn(match).map((allocation, index) => {
          const how = { by: 'matcher', isFirst: index === 0 } as const;
          return [allocation.target.transactionId, { deposit, allocation, how }] as const;
        }),
      ),
    );
    if (parts.size === 0) return [];
    const ids = [...parts.values()].map(({ allocation: { target } }) => ({
      customerId: target.customerId,
      id: target.transactionId,
    }));
    return changeTransactions(this.#connection, ids, now, (row) => {
      const part = parts.get(row.id);
      // The rows have been locked since they were matched, so what was decided on still holds.
      if (part === undefined || row.version !== rows.get(row.id)?.version) {
        throw new Error(`transaction ${row.id} changed under its lock`);
      }
      return fundingChange(row, part.deposit, part.allocation, now, dates, part.how);
    });
  }
}

function allocationsIn(match: Match): readonly Allocation[] {
  return match.outcome === 'matched' ? match.allocations : [];
}

/** The deposit as it is with its match; the trades are as they were before it. */
function matchedDeposit(
  deposit: DepositRecord,
  match: Match,
  context: MatchContext,
  dates: DateRules,
): DepositRecord {
  if (match.outcome === 'topped_up') {
    const matched = withAmounts(deposit, { allocatedMinor: deposit.amountMinor });
    return { ...matched, exception: null, customerId: match.topUp.target.customerId };
  }
  if (match.outcome === 'exception') {
    const { accountOwner } = evidenceFor(deposit, context);
    return { ...deposit, exception: match.exception, customerId: accountOwner };
  }
  const { allocations } = match;
  const sum = (of: (part: Allocation) => bigint) => allocations.reduce((total, part) => total + of(part), 0n);
  const excessMinor = sum((part) => part.excessMinor);
  const late = allocations.some(({ target }) => {
    const row = context.rows.get(target.transactionId);
    return row !== undefined && timelinessOf(row, deposit, dates).isLate;
  });
  const matched = withAmounts(deposit, { allocatedMinor: sum((part) => part.allocatedMinor), excessMinor });
  const why: DepositException | null =
    excessMinor > 0n
      ? { type: 'excess', reason: 'paid_too_much' }
      : late
        ? { type: 'late', reason: 'after_funding_cutoff' }
        : null;
  return { ...matched, exception: why, customerId: allocations[0]?.target.customerId ?? null };
}

function topUpEventsOf({ deposit, match }: Decided): NewEvent[] {
  if (match.outcome !== 'topped_up') return [];
  const { target, rule, replaced } = match.topUp;
  const beforeMinor = BigInt(replaced?.amountMinor ?? 0);
  return topUpEvents(deposit, target.customerId, {
    ...{ minor: deposit.amountMinor, rule, beforeMinor },
    isFirst: true,
  });
}

/** The step of the history. */
function stepOf(
  before: DepositRecord,
  after: DepositRecord,
  match: Match,
  again: Again | undefined,
): DepositStep {
  const matches = allocationsIn(match).map(({ target, rule, score, allocatedMinor }) => ({
    transactionId: typeId('txn', target.transactionId),
    rule,
    score,
    allocatedMinor: allocatedMinor.toString(),
  }));
  const balance = match.outcome === 'topped_up' && { balance: balanceDetail(match.topUp, after) };
  const detail = { ...again?.detail, source: after.source, matches, ...balance };
  const isArrival = again === undefined;
  return {
    before: isArrival ? undefined : before,
    after,
    actor: again?.actor ?? 'matcher',
    action: isArrival ? 'received' : 'matched',
    reason: again?.reason ?? null,
    detail,
  };
}

function balanceDetail({ target, rule, score }: TopUp, deposit: DepositRecord): Record<string, unknown> {
  const allocatedMinor = deposit.amountMinor.toString();
  return { customerId: typeId('cus', target.customerId), rule, score, allocatedMinor };
}

/** The part that a trade has of a deposit. */
function allocationRecord(
  deposit: DepositRecord,
  { target, ...part }: Allocation,
  how: Pick<AllocationRecord, 'matchedBy' | 'actor' | 'evidence' | 'at'>,
): AllocationRecord {
  const { customerId, transactionId } = target;
  return { ...how, ...part, customerId, transactionId, depositId: deposit.id };
}

function transactionEvidence(
  deposit: DepositRecord,
  { target }: Allocation,
  context: MatchContext,
  dates: DateRules,
): string {
  const { reference, status, transactionId } = target;
  const row = context.rows.get(transactionId);
  const saw = {
    reference,
    status,
    outstandingMinor: outstandingOf(target).toString(),
    ...(row && { timeliness: timelinessEvidence(row, deposit, dates) }),
  };
  return evidenceOf(deposit, saw, context);
}

/** What the rules saw, as JSON text. */
function evidenceOf(
  deposit: DepositRecord,
  target: Readonly<Record<string, unknown>>,
  { settings: { version, tolerance } }: MatchContext,
): string {
  return JSON.stringify({
    ...target,
    depositMinor: deposit.amountMinor.toString(),
    rulesVersion: version,
    toleranceUsdMinor: tolerance.usdMinor.toString(),
    toleranceBps: tolerance.bps.toString(),
    remitterAccount: deposit.remitterAccount,
    virtualAccount: deposit.virtualAccount ?? null,
  });
}
