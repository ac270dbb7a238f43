import { formatAmount, knownCurrency, parseAmount } from '@firmquote/fx';
import { lockBalances } from '../balances/balances.ts';
import { holdAgainstTopUps } from '../balances/replace-top-up.ts';
import { POSITIVE } from '../http/sentences.ts';
import { postEntries } from '../ledger/journal.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { inWords, Problem, validationProblem } from '../problems/problem.ts';
import { changeTransactions } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { allocationsOf, insertAllocations } from './allocation-store.ts';
import { announcedTo } from './announced.ts';
import { requireAnotherPayment, type SaidToBeAnother } from './another-payment.ts';
import { allocatedEntry, fundingChange, receivableOf } from './funding.ts';
import { learnRemitter } from './known-remitter-store.ts';
import { approvalDetail, type DepositAction, type ManualWork } from './operate-deposit.ts';
import { type Allocation, isExpecting, outstandingOf } from './receivables.ts';
import {
  type AllocationRecord,
  allocatedByHand,
  type DepositRecord,
  freeMinorOf,
  isOfTransaction,
  onlyCustomer,
  referenceOfBank,
  suspenseMinorOf,
} from './record.ts';
import { lockTransactions } from './store.ts';
import { timelinessEvidence, timelinessOf } from './timeliness.ts';
import { releaseExcess } from './unmatch-deposit.ts';
import { writeDeposits } from './write-deposits.ts';

/** Which trades a deposit is for, and with how much of it each. */
interface MatchRequest extends SaidToBeAnother {
  readonly allocations: readonly {
    /** As the API writes it. */
    readonly transactionId: string;
    /** Default: what the trade still expects, or what is left of the deposit. */
    readonly amount?: string;
    /** The trade is complete with it; what is missing is a charge of the house. */
    readonly forgiveShortfall?: boolean;
  }[];
}

export const MANUAL_RULE = 'manual';

/** A deposit is matched by a person, to one trade or split over several, whosever they are. */
export const matchingByHand: DepositAction<MatchRequest> = {
  kind: 'deposit_match',
  async worth(work, deposit, request) {
    const { allocations } = await plan(work, deposit, request);
    // At the price of the trade itself, rounded up; money that is forgiven counts too.
    return allocations.reduce((sum, { target, allocatedMinor, shortfallMinor }) => {
      const worth = (allocatedMinor + shortfallMinor) * target.usdMinor;
      return sum + (worth + target.sellMinor - 1n) / target.sellMinor;
    }, 0n);
  },
  async carryOut(work, before, request) {
    const { connection, room, now, reason } = work;
    const { allocations, rows, taken } = await plan(work, before, request);
    await requireAnotherPayment(work, before, request);
    const reported = reportedParts(allocations, taken);
    // Their feeds at once and in key order, before the excess of one of them is released.
    if (reported.size > 1) await lockBalances(connection, [...reported.keys()]);
    const wanted = allocations.reduce((sum, each) => sum + each.allocatedMinor, 0n);
    const isShort = wanted > suspenseMinorOf(before);
    const released = isShort ? await releaseExcess(work, before) : { deposit: before, entries: [] };
    const announced = await announcedTo(connection, before, taken);
    const parts = new Map(allocations.map((each, index) => [each.target.transactionId, { each, index }]));
    const ids = allocations.map(({ target }) => ({
      customerId: target.customerId,
      id: target.transactionId,
    }));
    await changeTransactions(connection, ids, now, (row) => {
      const part = parts.get(row.id);
      if (part === undefined) return undefined;
      const isFirst =
        !announced.has(row.customer_id) &&
        allocations.findIndex(({ target }) => target.customerId === row.customer_id) === part.index;
      const how = { by: 'operator', isFirst, reportedMinor: reported.get(row.customer_id) } as const;
      return fundingChange(row, released.deposit, part.each, now, room.dates.current, how);
    });
    await insertAllocations(
      connection,
      allocations.map((each) =>
        allocationRecord(
          work,
          before,
          each,
          rows.find((row) => row.id === each.target.transactionId),
        ),
      ),
    );
    const late = rows.some((row) => timelinessOf(row, before, room.dates.current).isLate);
    const customerId = onlyCustomer([...taken, ...allocations.map(({ target }) => target)]);
    const after = allocatedByHand(released.deposit, { minor: wanted, customerId, isLate: late }, now);
    await learnRemitter(work, after);
    const detail = {
      ...approvalDetail(work),
      matches: allocations.map(({ target, ...amounts }) => ({
        transactionId: typeId('txn', target.transactionId),
        allocatedMinor: amounts.allocatedMinor.toString(),
        shortfallMinor: amounts.shortfallMinor.toString(),
      })),
    };
    await writeDeposits(
      connection,
      [{ before, after, actor: work.actor, action: 'matched', reason, detail }],
      now,
    );
    const entries = allocations.map((each) => allocatedEntry(after, each));
    await postEntries(connection, [...released.entries, ...entries], now);
    return after;
  },
};

async function plan(
  { connection }: ManualWork,
  deposit: DepositRecord,
  { allocations: wanted }: MatchRequest,
): Promise<{ allocations: Allocation[]; rows: TransactionRow[]; taken: readonly AllocationRecord[] }> {
  await holdAgainstTopUps(connection, [referenceOfBank(deposit)]);
  const ids = wanted.map((each) => parseTypeId('txn', each.transactionId));
  if (new Set(ids).size !== ids.length) throw wrong(0, 'transactionId', 'repeated', 'must be listed once');
  const parts = await allocationsOf(connection, [deposit.id]);
  const taken = new Set(parts.filter(isOfTransaction).map((each) => each.transactionId));
  const named = ids.filter((id) => id !== undefined);
  // With those whose excess may have to go, so that everybody takes trades in one order.
  const locked = await lockTransactions(connection, [...named, ...taken]);
  const rows = locked.filter((row) => named.includes(row.id));
  let free = freeMinorOf(deposit);
  const allocations = wanted.map((each, index) => {
    const row = rows.find((found) => found.id === ids[index]);
    if (row === undefined)
      throw wrong(index, 'transactionId', 'transaction_not_found', 'is not a transaction');
    if (taken.has(row.id)) {
      throw wrong(index, 'transactionId', 'already_matched', 'has a part of this deposit; unmatch it first');
    }
    const allocation = divide(row, deposit, each, index, free);
    free -= allocation.allocatedMinor;
    return allocation;
  });
  return { allocations, rows, taken: parts };
}

/**
 * What each customer learns of a deposit that several share, by customer: its own parts alone. Empty where one customer
 * has all of it.
 */
function reportedParts(
  allocations: readonly Allocation[],
  taken: readonly AllocationRecord[],
): Map<string, bigint> {
  const reported = new Map<string, bigint>();
  const all = [...taken, ...allocations.map((each) => ({ ...each, customerId: each.target.customerId }))];
  for (const { customerId, allocatedMinor } of all) {
    reported.set(customerId, (reported.get(customerId) ?? 0n) + allocatedMinor);
  }
  return reported.size > 1 ? reported : new Map();
}

function divide(
  row: TransactionRow,
  deposit: DepositRecord,
  { amount, forgiveShortfall }: MatchRequest['allocations'][number],
  index: number,
  free: bigint,
): Allocation {
  const target = receivableOf(row);
  if (target.currency !== deposit.currency) {
    throw wrong(
      index,
      'transactionId',
      'wrong_currency',
      `expects ${target.currency}, not ${deposit.currency}`,
    );
  }
  if (!isExpecting(row.status)) {
    throw new Problem(
      'invalid_state_transition',
      `A transaction that is ${inWords(row.status)} accepts no deposit.`,
      {
        members: { from: row.status, to: 'funded', transactionId: typeId('txn', row.id) },
      },
    );
  }
  const outstanding = outstandingOf(target);
  const allocatedMinor = amount === undefined ? min(free, outstanding) : minorOf(amount, deposit, index);
  if (allocatedMinor > free || allocatedMinor <= 0n) {
    throw wrong(index, 'amount', 'out_of_range', `${POSITIVE} and at most the free ${text(free, deposit)}`);
  }
  if (allocatedMinor > outstanding) {
    throw wrong(
      index,
      'amount',
      'out_of_range',
      `is more than the ${text(outstanding, deposit)} that it expects`,
    );
  }
  const shortfallMinor = forgiveShortfall === true ? outstanding - allocatedMinor : 0n;
  return { target, rule: MANUAL_RULE, score: null, allocatedMinor, excessMinor: 0n, shortfallMinor };
}

function allocationRecord(
  work: ManualWork,
  deposit: DepositRecord,
  allocation: Allocation,
  row: TransactionRow | undefined,
): AllocationRecord {
  const { target, ...parts } = allocation;
  return {
    ...parts,
    customerId: target.customerId,
    transactionId: target.transactionId,
    depositId: deposit.id,
    matchedBy: 'manual',
    actor: work.actor,
    evidence: JSON.stringify({
      reference: target.reference,
      status: target.status,
      outstandingMinor: outstandingOf(target).toString(),
      depositMinor: deposit.amountMinor.toString(),
      reason: work.reason,
      ...(row && { timeliness: timelinessEvidence(row, deposit, work.room.dates.current) }),
      ...approvalDetail(work),
    }),
    at: work.now,
  };
}

function minorOf(amount: string, deposit: DepositRecord, index: number): bigint {
  const parsed = parseAmount(amount, knownCurrency(deposit.currency));
  if (parsed.ok) return parsed.minor;
  throw wrong(index, 'amount', 'wrong_format', `is not an amount of ${deposit.currency}`);
}

function text(minor: bigint, deposit: DepositRecord): string {
  return formatAmount(minor, knownCurrency(deposit.currency));
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function wrong(index: number, field: string, code: string, detail: string): Problem {
  return validationProblem([{ pointer: `/allocations/${index}/${field}`, code, detail }]);
}
