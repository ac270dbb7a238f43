import { isIban } from '@firmquote/bank-formats';
import { formatAmount, knownCurrency, parseAmount } from '@firmquote/fx';
import { worthOf } from '../approvals/do-or-propose.ts';
import { type AccountInput, readBankAccount } from '../customers/bank-account.ts';
import type { Connection } from '../database/pool.ts';
import { POSITIVE } from '../http/sentences.ts';
import { type JournalEntry, postEntries } from '../ledger/journal.ts';
import { isReturning, orderReturn } from '../payments/deposit-returns.ts';
import { newUuid } from '../platform/ids.ts';
import { type FieldError, Problem, validationProblem } from '../problems/problem.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { canGiveBack, hasExcess } from './defund-transaction.ts';
import { houseEntry } from './funding.ts';
import { holdDeposits } from './hold-deposits.ts';
import {
  approvalDetail,
  type DepositAction,
  heldBy,
  lockForWork,
  type ManualWork,
  requireNoLoss,
} from './operate-deposit.ts';
import type { DepositException } from './receivables.ts';
import {
  type AllocationRecord,
  type DepositRecord,
  freeMinorOf,
  isOfTransaction,
  remitterAccount,
  suspenseMinorOf,
  unlessTakenBack,
  withAmounts,
} from './record.ts';
import type { DepositsRoom } from './room.ts';
import { balancesCover, releaseExcess, takeAway, undoneDetail } from './unmatch-deposit.ts';
import { writeDeposits } from './write-deposits.ts';

interface ReturnRequest {
  /** `house`: we send money back that no trade has. `remitter_bank`: the remitter's bank has taken all of it back. */
  readonly returnedBy: 'house' | 'remitter_bank';
  /** Default: all that no trade has. Not with `remitter_bank`. */
  readonly amount?: string;
  /** The bank's reference of the return. */
  readonly bankReference?: string;
  /** Where the house sends it, when that is not the account that the deposit came from, or nobody knows that. */
  readonly account?: AccountInput & { readonly accountHolder?: string };
  /** The house has paid it without a settlement run. Two persons have to say so. */
  readonly paidOutside?: boolean;
}

/** Money goes back where it came from. */
export const returning: DepositAction<ReturnRequest> = {
  kind: 'deposit_return',
  needsTwo: ({ paidOutside }) => paidOutside === true,
  async worth(work, deposit, request) {
    // What the remitter's bank did is reported here, not decided.
    if (request.returnedBy === 'remitter_bank') return 0n;
    return worthOf(work.room, deposit.currency, wantedMinor(deposit, request));
  },
  async carryOut(work, deposit, request) {
    await requireNoLoss(work.connection, deposit, 'returned');
    return request.returnedBy === 'house'
      ? sendBack(work, deposit, request)
      : takenBack(work, deposit, request, work.actor);
  },
};

async function sendBack(
  work: ManualWork,
  before: DepositRecord,
  request: ReturnRequest,
): Promise<DepositRecord> {
  const minor = wantedMinor(before, request);
  const isShort = minor > suspenseMinorOf(before);
  const released = isShort ? await releaseExcess(work, before) : { deposit: before, entries: [] };
  const sent = await sending(work, before, request, minor);
  const entries = [...released.entries, sent];
  return close(work, before, released.deposit, entries, minor, request, [], work.actor);
}

/** The next settlement run pays it, unless it was paid without one. @returns the entry that takes it out of suspense */
async function sending(
  { connection, now, actor, approvedBy, reason }: ManualWork,
  deposit: DepositRecord,
  request: ReturnRequest,
  minor: bigint,
): Promise<JournalEntry> {
  if (request.paidOutside === true) {
    if (request.account !== undefined)
      throw wrongAccount('not_permitted', 'is only for returns that a settlement run pays');
    return houseEntry('deposit_returned', deposit, -minor);
  }
  const { id: depositId, currency } = deposit;
  const account = remitterOf(deposit, request.account);
  const by = { requestedBy: actor, approvedBy: approvedBy ?? null, reason };
  const wanted = { ...account, ...by, id: newUuid(now), depositId, currency, amountMinor: minor };
  return orderReturn(connection, wanted, now);
}

/**
 * The account that the deposit came from, as the bank reported it, or another one that the operator gives.
 * @throws Problem validation_failed when nobody knows where to send it
 */
function remitterOf(deposit: DepositRecord, given: ReturnRequest['account'] = {}) {
  const errors: FieldError[] = [];
  const accountHolder = given.accountHolder ?? deposit.remitterName;
  const isGiven = (given.iban ?? given.accountNumber ?? null) !== null;
  const reported = remitterAccount(deposit);
  if (!isGiven && reported === undefined) {
    throw wrongAccount('required', "the remitter's account is unknown: provide it, or set `paidOutside`");
  }
  const own = isIban(reported ?? '') ? { iban: reported ?? null } : { accountNumber: reported ?? null };
  const account = readBankAccount(isGiven ? given : { ...given, ...own }, errors);
  if (account.iban === null && account.bic === null && account.routingNumber === null) {
    errors.push({
      pointer: '/bic',
      code: 'required',
      detail: 'bic or routingNumber is required without an iban',
    });
  }
  if (accountHolder === null) {
    errors.push({
      pointer: '/accountHolder',
      code: 'required',
      detail: 'the account holder is unknown',
    });
  }
  if (errors.length > 0 || accountHolder === null) {
    throw validationProblem(errors.map((each) => ({ ...each, pointer: `/account${each.pointer}` })));
  }
  return { ...account, accountHolder };
}

function wrongAccount(code: string, detail: string): Problem {
  return validationProblem([{ pointer: '/account', code, detail }]);
}

interface Reported {
  /** UUID. */
  readonly depositId: string;
  /** Of the return. */
  readonly bankReference: string;
  readonly reason: string;
}

/**
 * For statements: their bank reports that the remitter's bank has taken a deposit back. In the caller's transaction.
 * @returns the deposit as it is then
 * @throws Problem deposit_not_found; invalid_state_transition when it was returned already
 */
export async function reportReturn(
  connection: Connection,
  room: DepositsRoom,
  reported: Reported,
  now: number,
): Promise<DepositRecord> {
  const before = await lockForWork(connection, reported.depositId);
  const { bankReference, reason } = reported;
  const work = { connection, room, now, actor: BANK_FEED, approvedBy: undefined, reason };
  return takenBack(work, before, { returnedBy: 'remitter_bank', bankReference }, BANK_FEED);
}

/** What a bank has taken back is not what the house still has of the deposit. */
type UnclearReturn =
  | 'returned_in_part'
  | 'other_amount_returned'
  | 'other_currency_returned'
  | typeof ONE_OF_SEVERAL;

/** A bank has taken back one of several deposits, and nobody knows which. */
const ONE_OF_SEVERAL = 'one_of_several_returned';

/**
 * For statements: a bank has taken back all of a deposit of which the house has sent a part back, or is about to, or another amount
 * or currency than the deposit's. No work on it makes up for that, so nothing is booked; what it paid for waits until a person decides. In the
 * caller's transaction.
 */
export async function reportUnclearReturn(
  connection: Connection,
  reported: Reported,
  why: UnclearReturn,
  now: number,
): Promise<void> {
  const before = await lockForWork(connection, reported.depositId);
  const { allocations, rows } = await heldBy(connection, before);
  const against = await againstTaking(connection, before, allocations, rows);
  // Nothing rests on it, nor will, and nothing is about to go back.
  if (against === undefined && before.status === 'returned') return;
  const { bankReference, reason } = reported;
  const work = { connection, now, reason };
  await leaveToPeople(
    work,
    before,
    against ?? why,
    { returnedBy: 'remitter_bank', bankReference },
    BANK_FEED,
  );
}

/**
 * For statements: a bank has taken back one of these deposits. Nothing is booked; what may still leave of any of them waits until a person
 * has decided on it. In the caller's transaction.
 */
export async function reportOneOfSeveral(
  connection: Connection,
  depositIds: readonly string[],
  reported: Omit<Reported, 'depositId'>,
  now: number,
): Promise<void> {
  await holdDeposits(connection, depositIds, 'parts');
  for (const depositId of depositIds) {
    const before = await lockForWork(connection, depositId);
    if (before.exception?.type === 'returned' || !(await mayLeave(connection, before))) continue;
    const { bankReference, reason } = reported;
    const how = { returnedBy: 'remitter_bank', bankReference } as const;
    await leaveToPeople({ connection, now, reason }, before, ONE_OF_SEVERAL, how, BANK_FEED);
  }
}

/** Why what was unclear is no more: the debit took another deposit, or none. */
export type DoubtOver = 'recall_of_another' | 'no_recall';

const UNCLEAR: ReadonlySet<string> = new Set<UnclearReturn>([
  'returned_in_part',
  'other_amount_returned',
  'other_currency_returned',
  ONE_OF_SEVERAL,
]);

/** Ends the exceptions of deposits that statements were unclear about. They are held, and what is in suspense of them is a person's work again. */
export async function endUnclearReturns(
  work: ManualWork,
  depositIds: readonly string[],
  over: DoubtOver,
): Promise<void> {
  const { connection, now, actor, reason } = work;
  for (const depositId of await holdDeposits(connection, depositIds, 'deposits')) {
    const before = await lockForWork(connection, depositId);
    const { exception: held } = before;
    if (held?.type !== 'returned' || !UNCLEAR.has(held.reason)) continue;
    const after: DepositRecord = {
      ...before,
      exception: workLeft(before),
      version: before.version + 1,
      updatedAt: now,
    };
    const step = { before, after, actor, action: over, reason, detail: approvalDetail(work) };
    await writeDeposits(connection, [step], now);
  }
}

function workLeft(deposit: DepositRecord): DepositException | null {
  if (suspenseMinorOf(deposit) > 0n) return { type: 'unmatched', reason: 'return_never_booked' };
  return deposit.excessMinor > 0n ? { type: 'excess', reason: 'paid_too_much' } : null;
}

/** Whether anything of it is with the house, or what it paid for: all but what a trade has been paid out for. */
async function mayLeave(connection: Connection, deposit: DepositRecord): Promise<boolean> {
  const { allocations, rows } = await heldBy(connection, deposit);
  if (freeMinorOf(deposit) > 0n || allocations.some((each) => !isOfTransaction(each))) return true;
  return rows.some((row) => !isPaidOut(row)) || (await isReturning(connection, deposit.id));
}

/** What it bought has left the house. */
const isPaidOut = ({ status, proceeds }: TransactionRow) => status === 'settled' && proceeds !== 'balance';

/**
 * The debit by which the remitter's bank took a deposit back is booked on an account of the house, or as a customer's debt: what the deposit
 * has paid for stays paid. That ends its exception, unless something of it is still here, or may still leave.
 * @param before locked
 */
export async function noteRecallBorne(
  work: ManualWork,
  before: DepositRecord,
  bookedAs: string,
): Promise<void> {
  const { connection, now, actor, reason } = work;
  if (before.exception?.type !== 'returned' || before.returnedMinor > 0n || freeMinorOf(before) > 0n) return;
  const { rows } = await heldBy(connection, before);
  if (!rows.every(isPaidOut) || (await isReturning(connection, before.id))) return;
  const after: DepositRecord = { ...before, exception: null, version: before.version + 1, updatedAt: now };
  const detail = { ...approvalDetail(work), as: bookedAs };
  await writeDeposits(connection, [{ before, after, actor, action: 'recall_borne', reason, detail }], now);
}

/** What was paid too much has gone back to the customer, or is about to: the customer owes it. */
export const EXCESS_REFUNDED = 'excess_refunded';
/** The money went into the customer's balance and is no longer there: the customer owes it. */
const BALANCE_SPENT = 'balance_spent';
/** The house is sending a part of it back as well: until that is cancelled or paid, nobody knows what is left to be taken. */
export const RETURN_UNDER_WAY = 'return_under_way';

/** Who did it, as history keeps it. */
const BANK_FEED = 'bank_feed';

/**
 * The remitter's bank has taken the whole deposit back. Trades
 * that have it are without it again (transition 14), a balance goes down by it; where a payout has begun, the balance
 * does not cover it, or the house is sending a part back, nothing is booked, and the deposit is an exception of type `returned` for a
 * person.
 */
async function takenBack(
  work: ManualWork,
  before: DepositRecord,
  request: ReturnRequest,
  actor: string,
): Promise<DepositRecord> {
  const { allocations, rows } = await heldBy(work.connection, before);
  const against = await againstTaking(work.connection, before, allocations, rows);
  if (against !== undefined) return leaveToPeople(work, before, against, request, actor);
  const free = await takeAway(work, before, allocations, { by: 'bank_feed' });
  const minor = freeMinorOf(free.deposit);
  if (minor === 0n) throw nothingLeft(before);
  return close(
    work,
    before,
    // It was the customer's, who still sees what became of it.
    { ...free.deposit, customerId: before.customerId },
    [...free.entries, houseEntry('deposit_returned', free.deposit, -minor)],
    minor,
    request,
    allocations.map(undoneDetail),
    actor,
  );
}

/** Nothing is booked. @returns the deposit with an exception */
async function leaveToPeople(
  { connection, now, reason }: Pick<ManualWork, 'connection' | 'now' | 'reason'>,
  before: DepositRecord,
  against: string,
  { returnedBy, bankReference = null }: Pick<ReturnRequest, 'returnedBy'> & { bankReference?: string | null },
  actor: string,
): Promise<DepositRecord> {
  const exception = { type: 'returned', reason: against } as const;
  const after = { ...before, exception, version: before.version + 1, updatedAt: now };
  const step = { before, after, actor, action: 'return_reported', reason } as const;
  await writeDeposits(connection, [{ ...step, detail: { returnedBy, bankReference } }], now);
  return after;
}

/** Why a deposit cannot be taken away from what has it. */
async function againstTaking(
  connection: Connection,
  deposit: DepositRecord,
  allocations: readonly AllocationRecord[],
  rows: readonly TransactionRow[],
): Promise<string | undefined> {
  const gone = rows.find((row) => !canGiveBack(row));
  if (gone !== undefined) return `transaction_${gone.status}`;
  const isRefunded = rows.some((row) =>
    allocations.some((each) => each.transactionId === row.id && !hasExcess(row, each.excessMinor)),
  );
  if (isRefunded) return EXCESS_REFUNDED;
  if (!(await balancesCover(connection, deposit, allocations))) return BALANCE_SPENT;
  return (await isReturning(connection, deposit.id)) ? RETURN_UNDER_WAY : undefined;
}

async function close(
  work: ManualWork,
  before: DepositRecord,
  free: DepositRecord,
  entries: readonly JournalEntry[],
  minor: bigint,
  request: ReturnRequest,
  undone: readonly Record<string, string>[],
  actor: string,
): Promise<DepositRecord> {
  const { connection, now, reason } = work;
  const returned = withAmounts(free, { returnedMinor: free.returnedMinor + minor });
  const isPlaced = freeMinorOf(returned) === 0n;
  const exception = unlessTakenBack(before, returned, isPlaced ? null : leftOver(before, returned));
  const after: DepositRecord = {
    ...returned,
    exception: isToBePaid(request) && before.exception?.type === 'returned' ? before.exception : exception,
    version: before.version + 1,
    updatedAt: now,
  };
  const detail = {
    ...approvalDetail(work),
    returnedBy: request.returnedBy,
    returnedMinor: minor.toString(),
    bankReference: request.bankReference ?? null,
    ...(undone.length === 0 ? {} : { matches: undone }),
  };
  await writeDeposits(connection, [{ before, after, actor, action: 'returned', reason, detail }], now);
  await postEntries(connection, entries, now);
  return after;
}

/** By a run that comes yet: what may be gone already waits for a person who says so. */
function isToBePaid({ returnedBy, paidOutside }: ReturnRequest): boolean {
  return returnedBy === 'house' && paidOutside !== true;
}

/** What is still to be done about the rest; of what was paid too much no trade keeps it any more. */
function leftOver(before: DepositRecord, { excessMinor }: DepositRecord): DepositException {
  const isReleased = before.excessMinor > excessMinor;
  return (isReleased ? null : before.exception) ?? { type: 'unmatched', reason: 'rest_unmatched' };
}

function wantedMinor(deposit: DepositRecord, { amount, returnedBy }: ReturnRequest): bigint {
  const free = freeMinorOf(deposit);
  if (free === 0n) throw nothingLeft(deposit);
  if (amount === undefined) return free;
  const currency = knownCurrency(deposit.currency);
  if (returnedBy !== 'house') throw wrong('not_permitted', 'is only for returns by the house');
  const parsed = parseAmount(amount, currency);
  if (!parsed.ok) throw wrong('wrong_format', `is not an amount of ${deposit.currency}`);
  if (parsed.minor > 0n && parsed.minor <= free) return parsed.minor;
  throw wrong('out_of_range', `${POSITIVE} and at most the free ${formatAmount(free, currency)}`);
}

function nothingLeft(deposit: DepositRecord): Problem {
  return new Problem(
    'invalid_state_transition',
    'No part of the deposit is free to return. Unmatch it first.',
    { members: { from: deposit.status, to: 'returned' } },
  );
}

function wrong(code: string, detail: string): Problem {
  return validationProblem([{ pointer: '/amount', code, detail }]);
}
