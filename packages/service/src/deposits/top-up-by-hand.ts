import { formatAmount, knownCurrency, parseAmount } from '@firmquote/fx';
import { worthOf } from '../approvals/do-or-propose.ts';
import { bookedByHand, isTakenIntoBalances, lockBalances } from '../balances/balances.ts';
import { customerNotFound } from '../customers/records.ts';
import { requireCustomer } from '../customers/room.ts';
import { appendEvents } from '../events/append.ts';
import { POSITIVE } from '../http/sentences.ts';
import { postEntries } from '../ledger/journal.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import { allocationsOf, insertAllocations } from './allocation-store.ts';
import { announcedTo } from './announced.ts';
import { balanceAllocation, balanceEntries, topUpEvents } from './funding.ts';
import { learnRemitter } from './known-remitter-store.ts';
import { MANUAL_RULE } from './match-by-hand.ts';
import { isSameMoney } from './match-context.ts';
import { approvalDetail, type DepositAction, type ManualWork } from './operate-deposit.ts';
import {
  type AllocationRecord,
  allocatedByHand,
  type DepositRecord,
  freeMinorOf,
  isOfTransaction,
  onlyCustomer,
  suspenseMinorOf,
} from './record.ts';
import { lockTransactions } from './store.ts';
import { releaseExcess } from './unmatch-deposit.ts';
import { writeDeposits } from './write-deposits.ts';

/** Whose balance a deposit is for. */
export interface TopUpRequest {
  /** As the API writes it. */
  readonly customerId: string;
  /** Default: all that no trade has. */
  readonly amount?: string;
  /** It is not the payment that somebody has booked to the balance by hand under the same reference. */
  readonly isAnotherPayment?: boolean;
}

/** A person gives a deposit, or what trades have left of it, to a customer's balance. */
export const toppingUp: DepositAction<TopUpRequest> = {
  kind: 'deposit_top_up',
  async worth(work, deposit, request) {
    return worthOf(work.room, deposit.currency, (await plan(work, deposit, request)).minor);
  },
  async carryOut(work, before, request) {
    const { connection, now, reason } = work;
    const { customerId, minor, taken } = await plan(work, before, request);
    const owner = onlyCustomer([...taken, { customerId }]);
    // Their feeds at once and in key order, before the excess of one of them is released.
    await lockBalances(connection, [customerId, ...taken.map((each) => each.customerId)]);
    if (request.isAnotherPayment !== true) await refuseIfBooked(work, before, customerId);
    const isShort = minor > suspenseMinorOf(before);
    const released = isShort ? await releaseExcess(work, before) : { deposit: before, entries: [] };
    const isFirst = !(await announcedTo(connection, before, taken)).has(customerId);
    const evidence = JSON.stringify({
      depositMinor: before.amountMinor.toString(),
      reason,
      ...approvalDetail(work),
    });
    const how = { rule: MANUAL_RULE, score: null, matchedBy: 'manual', actor: work.actor, at: now } as const;
    await insertAllocations(connection, [
      balanceAllocation(before, { customerId }, minor, { ...how, evidence }),
    ]);
    const after = allocatedByHand(released.deposit, { minor, customerId: owner }, now);
    await learnRemitter(work, after);
    const balance = { customerId: typeId('cus', customerId), allocatedMinor: minor.toString() };
    const detail = { ...approvalDetail(work), balance };
    await writeDeposits(
      connection,
      [{ before, after, actor: work.actor, action: 'matched', reason, detail }],
      now,
    );
    // What others have of a deposit is not announced.
    const reported = owner === null ? { ...after, amountMinor: minor } : after;
    await appendEvents(connection, topUpEvents(reported, customerId, minor, MANUAL_RULE, isFirst), now);
    await postEntries(connection, [...released.entries, ...balanceEntries(after, customerId, minor)], now);
    return after;
  },
};

async function plan(
  { connection, now }: ManualWork,
  deposit: DepositRecord,
  { customerId: given, amount }: TopUpRequest,
): Promise<{ customerId: string; minor: bigint; taken: readonly AllocationRecord[] }> {
  const customerId = parseTypeId('cus', given);
  if (customerId === undefined) throw customerNotFound();
  await requireCustomer(connection, customerId);
  const parts = await allocationsOf(connection, [deposit.id]);
  if (parts.some((each) => !isOfTransaction(each) && each.customerId === customerId)) {
    throw wrong('customerId', 'already_matched', 'has a part of this deposit; unmatch it first');
  }
  if (!isTakenIntoBalances(deposit.currency, now)) {
    throw new Problem('currency_not_supported', `${deposit.currency} is not a currency that is traded here.`);
  }
  // Excess may have to go from them: everybody takes trades first.
  await lockTransactions(
    connection,
    parts.filter(isOfTransaction).map((each) => each.transactionId),
  );
  return { customerId, minor: minorOf(deposit, amount), taken: parts };
}

/** What was booked by hand is not credited a second time, unless a person says that both are there: an exception alone says nothing. */
async function refuseIfBooked(
  { connection }: ManualWork,
  deposit: DepositRecord,
  customerId: string,
): Promise<void> {
  const booked = await bookedByHand(connection, [customerId], [deposit.bankReference]);
  if (!booked.some((each) => isSameMoney(each, deposit))) return;
  throw new Problem(
    'already_exists',
    'This entry was credited to the balance by hand. If it is another payment, set `isAnotherPayment`.',
    { members: { customerId: typeId('cus', customerId), bankReference: deposit.bankReference } },
  );
}

function minorOf(deposit: DepositRecord, amount: string | undefined): bigint {
  const free = freeMinorOf(deposit);
  if (free === 0n) {
    throw new Problem('invalid_state_transition', 'No part of the deposit is free. Unmatch it first.', {
      members: { from: deposit.status, to: 'matched' },
    });
  }
  if (amount === undefined) return free;
  const currency = knownCurrency(deposit.currency);
  const parsed = parseAmount(amount, currency);
  if (!parsed.ok) throw wrong('amount', 'wrong_format', `is not an amount of ${deposit.currency}`);
  if (parsed.minor > 0n && parsed.minor <= free) return parsed.minor;
  throw wrong('amount', 'out_of_range', `${POSITIVE} and at most the free ${formatAmount(free, currency)}`);
}

function wrong(field: string, code: string, detail: string): Problem {
  return validationProblem([{ pointer: `/balance/${field}`, code, detail }]);
}
