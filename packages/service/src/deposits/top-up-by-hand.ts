import { formatAmount, knownCurrency, parseAmount } from '@firmquote/fx';
import { worthOf } from '../approvals/do-or-propose.ts';
import { isTakenIntoBalances, lockBalances } from '../balances/balances.ts';
import { type BookedTopUp, holdAgainstTopUps, replaceTopUp } from '../balances/replace-top-up.ts';
import { customerNotFound } from '../customers/records.ts';
import { requireCustomer } from '../customers/room.ts';
import { appendEvents } from '../events/append.ts';
import { POSITIVE } from '../http/sentences.ts';
import { postEntries } from '../ledger/journal.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import { allocationsOf, insertAllocations } from './allocation-store.ts';
import { announcedTo } from './announced.ts';
import { requireAnotherPayment, type SaidToBeAnother } from './another-payment.ts';
import { balanceAllocation, balanceEntries, topUpEvents } from './funding.ts';
import { learnRemitter } from './known-remitter-store.ts';
import { MANUAL_RULE } from './match-by-hand.ts';
import { approvalDetail, type DepositAction, type ManualWork } from './operate-deposit.ts';
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
import { releaseExcess } from './unmatch-deposit.ts';
import { writeDeposits } from './write-deposits.ts';

/** Whose balance a deposit is for. */
export interface BalanceShare {
  /** As the API writes it. */
  readonly customerId: string;
  /** Default: all that no trade has. */
  readonly amount?: string;
}

interface TopUpRequest extends BalanceShare, SaidToBeAnother {}

/** A person gives a deposit, or what trades have left of it, to a customer's balance. */
export const toppingUp: DepositAction<TopUpRequest> = {
  kind: 'deposit_top_up',
  async worth(work, deposit, request) {
    return worthOf(work.room, deposit.currency, (await planShare(work, deposit, request, '/balance')).minor);
  },
  async carryOut(work, before, request) {
    const share = await planShare(work, before, request, '/balance');
    await holdBalances(work, share);
    await requireAnotherPayment(work, before, request);
    return giveShare(work, before, share);
  },
};

/** What a balance is to have of a deposit. */
interface Share {
  /** UUID. */
  readonly customerId: string;
  readonly minor: bigint;
  /** What trades and balances have of it already. */
  readonly taken: readonly AllocationRecord[];
}

/**
 * What the balance is to have, of what nobody has; nobody books the deposit's entry by hand from then on.
 * @param pointer to the share in the body of the request
 * @throws Problem customer_not_found, validation_failed, currency_not_supported, invalid_state_transition
 */
export async function planShare(
  { connection, now }: ManualWork,
  deposit: DepositRecord,
  { customerId: given, amount }: BalanceShare,
  pointer: '' | '/balance',
): Promise<Share> {
  await holdAgainstTopUps(connection, [referenceOfBank(deposit)]);
  const customerId = parseTypeId('cus', given);
  if (customerId === undefined) throw customerNotFound();
  await requireCustomer(connection, customerId);
  const parts = await allocationsOf(connection, [deposit.id]);
  if (parts.some((each) => !isOfTransaction(each) && each.customerId === customerId)) {
    throw wrong(`${pointer}/customerId`, 'already_matched', 'has a part of this deposit; unmatch it first');
  }
  if (!isTakenIntoBalances(deposit.currency, now)) {
    throw new Problem('currency_not_supported', `${deposit.currency} is not a currency that is traded here.`);
  }
  // Excess may have to go from them: everybody takes trades first.
  await lockTransactions(
    connection,
    parts.filter(isOfTransaction).map((each) => each.transactionId),
  );
  return { customerId, minor: minorOf(deposit, amount, pointer), taken: parts };
}

/** Their feeds at once and in key order, before the excess of one of them is released. */
export async function holdBalances({ connection }: ManualWork, { customerId, taken }: Share): Promise<void> {
  await lockBalances(connection, [customerId, ...taken.map((each) => each.customerId)]);
}

/**
 * A balance, which is held, gets its share of a deposit.
 * @param replaced the top-up by hand that was for this money: only what it differs by is credited, or taken back
 */
export async function giveShare(
  work: ManualWork,
  before: DepositRecord,
  { customerId, minor, taken }: Share,
  replaced?: BookedTopUp,
): Promise<DepositRecord> {
  const { connection, now, reason } = work;
  const owner = onlyCustomer([...taken, { customerId }]);
  const isShort = minor > suspenseMinorOf(before);
  const released = isShort ? await releaseExcess(work, before) : { deposit: before, entries: [] };
  const isFirst = !(await announcedTo(connection, before, taken)).has(customerId);
  const underReference = replaced && { toppedUpUnder: replaced.bankReference };
  const evidence = JSON.stringify({
    ...{ depositMinor: before.amountMinor.toString(), reason },
    ...{ ...underReference, ...approvalDetail(work) },
  });
  const how = { rule: MANUAL_RULE, score: null, matchedBy: 'manual', actor: work.actor, at: now } as const;
  await insertAllocations(connection, [
    balanceAllocation(before, { customerId }, minor, { ...how, evidence }),
  ]);
  const after = allocatedByHand(released.deposit, { minor, customerId: owner }, now);
  await learnRemitter(work, after);
  const balance = {
    customerId: typeId('cus', customerId),
    allocatedMinor: minor.toString(),
    ...underReference,
  };
  const step = { before, after, actor: work.actor, action: 'matched', reason } as const;
  await writeDeposits(connection, [{ ...step, detail: { ...approvalDetail(work), balance } }], now);
  // What others have of a deposit is not announced.
  const reported = owner === null ? { ...after, amountMinor: minor } : after;
  const report = { minor, rule: MANUAL_RULE, isFirst, beforeMinor: BigInt(replaced?.amountMinor ?? 0) };
  await appendEvents(connection, topUpEvents(reported, customerId, report), now);
  const withdrawn = replaced === undefined ? [] : [await replaceTopUp(connection, replaced, before.id)];
  const entries = [...released.entries, ...withdrawn, ...balanceEntries(after, customerId, minor)];
  await postEntries(connection, entries, now);
  return after;
}

function minorOf(deposit: DepositRecord, amount: string | undefined, pointer: string): bigint {
  const free = freeMinorOf(deposit);
  if (free === 0n) {
    throw new Problem('invalid_state_transition', 'No part of the deposit is free. Unmatch it first.', {
      members: { from: deposit.status, to: 'matched' },
    });
  }
  if (amount === undefined) return free;
  const currency = knownCurrency(deposit.currency);
  const parsed = parseAmount(amount, currency);
  if (!parsed.ok) throw wrong(`${pointer}/amount`, 'wrong_format', `is not an amount of ${deposit.currency}`);
  if (parsed.minor > 0n && parsed.minor <= free) return parsed.minor;
  const detail = `${POSITIVE} and at most the free ${formatAmount(free, currency)}`;
  throw wrong(`${pointer}/amount`, 'out_of_range', detail);
}

function wrong(pointer: string, code: string, detail: string): Problem {
  return validationProblem([{ pointer, code, detail }]);
}
