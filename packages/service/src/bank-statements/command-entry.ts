import { HOUSE_ACCOUNTS, type HouseAccount } from '@firmquote/api/operations/ledger';
import { doOrPropose, type Outcome, worthOf } from '../approvals/do-or-propose.ts';
import { customerNotFound } from '../customers/records.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import { closeEntryException } from '../deposits/exceptions.ts';
import { bankEntry } from '../deposits/funding.ts';
import { lockForWork, type ManualWork } from '../deposits/operate-deposit.ts';
import { suspenseMinorOf } from '../deposits/record.ts';
import { noteRecallBorne } from '../deposits/return-deposit.ts';
import { payersOf, payingCustomers, rulesInForce } from '../deposits/room.ts';
import { HOUSE_ID, type JournalEntry, postEntries } from '../ledger/journal.ts';
import { applyPaymentReport } from '../payments/bank-payment-report.ts';
import { returnsOf } from '../payments/deposit-returns.ts';
import { applyMatchedPayment } from '../payments/match-payment.ts';
import { parseTypeId, typeId, uuidOf } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { failureOf } from './apply-failure-store.ts';
import { reportOf } from './apply-payments.ts';
import { wordsOf } from './book-credits.ts';
import {
  type DueDetail,
  isToBeWoken,
  lockDetail,
  signedMinor,
  takenBackMinor,
  writeByHand,
} from './due-entry-store.ts';
import { reportStillMissing } from './follow-statement.ts';
import { type EntryJudgement, isJudgement, judgeEntry } from './judge-entry.ts';
import { endDoubts, holdDoubted, meantOf } from './recall-doubts.ts';
import { isToBeTold } from './return-candidate-store.ts';
import type { StatementsRoom } from './room.ts';
import { lockImports } from './statement-store.ts';

/** What an operator declares an entry to be. Ids as the API writes them. */
export type EntryDecision =
  | ({ readonly is: 'house'; readonly account: HouseAccount } & OfDeposit)
  | ({ readonly is: 'customer_debt'; readonly customerId: string } & OfDeposit)
  | { readonly is: 'deposit' }
  | { readonly is: 'payment'; readonly transactionId: string; readonly purpose: 'payout' | 'refund' }
  | { readonly is: 'deposit_return'; readonly depositId: string }
  | EntryJudgement;

/** Which deposit a debit took back, where it may have taken back several. */
interface OfDeposit {
  readonly depositId?: string | undefined;
}

/** An operator's decision on an entry that no rule could decide. */
interface EntryCommand {
  /** UUID. */
  readonly entryId: string;
  /** Person or OAuth client (UUID). */
  readonly actor: string;
  readonly reason: string;
  /** Runs in the same transaction; what it throws undoes everything. */
  readonly inCommit?: (connection: Connection, outcome: EntryOutcome) => Promise<void>;
}

/** What became of it, with the entry's UUID. */
export type EntryOutcome = Outcome<string>;

type EntryWork = ManualWork;

/** Name of proposals. */
export const ENTRY_KIND = 'statement_entry';

/** What a second person gets to see. */
export interface ProposedEntry {
  readonly entryId: string;
  readonly amountMinor: string;
  readonly currency: string;
  readonly worthUsdMinor: string | null;
  readonly order: EntryDecision;
}

/**
 * Books an entry as an operator has decided, in one commit, or proposes it to a second one when it is worth more than the
 * limit of the matching rules.
 * @throws Problem statement_entry_not_found, transaction_not_found, deposit_not_found, customer_not_found;
 *   invalid_state_transition when the entry is already booked or cannot be that; already_exists when a proposal is pending
 */
export async function decideEntry(
  room: StatementsRoom,
  command: EntryCommand,
  decision: EntryDecision,
): Promise<EntryOutcome> {
  const now = room.clock.now();
  return inTransaction(room.pool, async (connection) => {
    const detail = await lockFor(connection, command.entryId, decision);
    const { actor, reason } = command;
    const work: EntryWork = { connection, room, now, actor, approvedBy: undefined, reason };
    const worth = worthOf(room, detail.currency, detail.amountMinor);
    const { fourEyesFromUsdMinor } = await rulesInForce(connection);
    const subject = typeId('ste', detail.id);
    const proposed: ProposedEntry = {
      entryId: subject,
      amountMinor: detail.amountMinor.toString(),
      currency: detail.currency,
      worthUsdMinor: worth?.toString() ?? null,
      order: decision,
    };
    let customerId: string | undefined;
    const outcome = await doOrPropose(
      connection,
      {
        needsTwo: false,
        act: async () => ({
          kind: 'deposit_work',
          actorId: actor,
          amounts: [{ customerId, usdMinor: worth }],
          formerLimit: { fromUsdMinor: fourEyesFromUsdMinor },
        }),
        carryOut: async () => {
          customerId = await carryOut(work, detail, decision);
          return detail.id;
        },
        proposal: () => ({ kind: ENTRY_KIND, subject, request: proposed, reason, proposedBy: actor }),
      },
      now,
    );
    await command.inCommit?.(connection, outcome);
    return outcome;
  });
}

/** Carries out what a second person has approved. */
export async function carryOutProposed(work: EntryWork, { entryId, order }: ProposedEntry): Promise<void> {
  await carryOut(work, await lockFor(work.connection, uuidOf('ste', entryId), order), order);
}

/** Sameness is decided under the lock of imports, which decide it too. */
async function lockFor(connection: Connection, entryId: string, decision: EntryDecision): Promise<DueDetail> {
  if (!isJudgement(decision)) return lockOpenDetail(connection, entryId);
  await lockImports(connection);
  const detail = await lockDetail(connection, entryId);
  if (detail === undefined) throw entryNotFound();
  return detail;
}

async function lockOpenDetail(connection: Connection, entryId: string): Promise<DueDetail> {
  const detail = await lockDetail(connection, entryId);
  if (detail === undefined) throw entryNotFound();
  const isOpen = detail.state === 'mismatch' || (detail.state === 'unknown' && detail.direction === 'debit');
  // Its failure is forgotten a moment after it was applied, and may be that of completing a deposit, which is booked.
  const isDue = detail.state === 'due' || detail.depositState === 'due';
  if (isOpen || (isDue && (await failureOf(connection, entryId)) !== undefined)) return detail;
  throw refuse(detail, 'The entry is already booked, or about to be.');
}

export function entryNotFound(): Problem {
  return new Problem('statement_entry_not_found', 'There is no statement entry with this id.');
}

/** @returns the customer that it is for, where one is known */
async function carryOut(
  work: EntryWork,
  detail: DueDetail,
  decision: EntryDecision,
): Promise<string | undefined> {
  const { connection, now, actor, reason } = work;
  if (isJudgement(decision)) {
    await judgeEntry(work, detail.id, decision);
    await reportStillMissing(connection, [detail.id], now);
    const loss = decision.is === 'never_booked' ? decision.loss : undefined;
    return loss?.as === 'customer_debt' ? parseTypeId('cus', loss.customerId) : undefined;
  }
  const doubted = await holdDoubted(connection, [detail.id]);
  const recalledId = await bearRecall(work, detail, decision, doubted);
  await requireNotToBeWoken(connection, detail, decision);
  const meant = await meantOf(connection, doubted, decision, recalledId);
  if (meant !== undefined) await endDoubts(work, [detail.id], meant, 'recall_of_another');
  const { bookedAs, customerId } = await book(work, detail, decision);
  const depositId =
    decision.is === 'deposit_return' ? (parseTypeId('dep', decision.depositId) ?? null) : recalledId;
  const debtorId = decision.is === 'customer_debt' ? (customerId ?? null) : null;
  await writeByHand(connection, detail.id, bookedAs, depositId, debtorId);
  await closeEntryException(
    connection,
    detail.id,
    { actor, resolution: `booked_as_${bookedAs}`, note: reason },
    now,
  );
  await reportStillMissing(connection, [detail.id], now);
  return customerId;
}

/**
 * The house or a customer bears that the entry took a deposit back. Deposits and trades are locked before anything is posted.
 * @returns the deposit, where it is that
 */
async function bearRecall(
  work: EntryWork,
  detail: DueDetail,
  decision: EntryDecision,
  doubted: readonly string[],
): Promise<string | null> {
  if (decision.is !== 'house' && decision.is !== 'customer_debt') return null;
  const depositId = recalledBy(detail, decision, doubted);
  if (depositId === null) return null;
  // A person has recorded meanwhile that the deposit went: the entry tells of just that, and is about to be looked at again.
  const deposit = await lockForWork(work.connection, depositId);
  if (await isToBeTold(work.connection, depositId))
    throw refuse(detail, 'The deposit is recorded as returned since, and this entry will be matched to it.');
  if (depositId !== detail.returnedDepositId && suspenseMinorOf(deposit) > 0n)
    throw refuse(
      detail,
      'Money of the deposit is in suspense. Record its return, and match the entry to it.',
    );
  await noteRecallBorne(work, deposit, decision.is === 'house' ? decision.account : 'customer_receivable');
  return depositId;
}

function recalledBy(detail: DueDetail, { depositId }: OfDeposit, doubted: readonly string[]): string | null {
  const { returnedDepositId: known } = detail;
  if (depositId === undefined) return known;
  const named = parseTypeId('dep', depositId);
  if (named !== undefined && (named === known || doubted.includes(named))) return named;
  throw refuse(detail, 'The entry did not take this deposit back.');
}

/**
 * What the entry did not fit has changed, and may be in the books by somebody's word. Whoever matches the entry is held against that; what it is
 * booked as otherwise is held against nothing.
 */
async function requireNotToBeWoken(
  connection: Connection,
  detail: DueDetail,
  { is }: EntryDecision,
): Promise<void> {
  if (is === 'payment' || is === 'deposit_return' || !(await isToBeWoken(connection, detail.id))) return;
  throw refuse(detail, 'What the entry tells of has changed since: it is about to be matched again.');
}

/** What an entry was booked as, and for whom. */
interface Booked {
  readonly bookedAs: string;
  readonly customerId?: string | undefined;
}

async function book(
  work: EntryWork,
  detail: DueDetail,
  decision: Exclude<EntryDecision, EntryJudgement>,
): Promise<Booked> {
  const { connection, now } = work;
  switch (decision.is) {
    case 'house':
      if (!HOUSE_ACCOUNTS.includes(decision.account))
        throw new Error('the schema lets through house accounts only');
      await postEntries(connection, [bankEntry(detail.currency, signedMinor(detail), decision.account)], now);
      return { bookedAs: decision.account };
    case 'customer_debt':
      await postEntries(connection, [await debtEntry(connection, detail, decision.customerId)], now);
      return { bookedAs: 'customer_receivable', customerId: parseTypeId('cus', decision.customerId) };
    case 'deposit':
      if (detail.direction === 'debit') throw refuse(detail, 'Only incoming money can be a deposit.');
      return { bookedAs: 'deposit', customerId: await payerOf(connection, detail) };
    case 'payment':
      return { bookedAs: decision.purpose, customerId: await matchPayment(work, detail, decision) };
    case 'deposit_return':
      return matchReturn(work, detail, decision.depositId);
  }
}

/** The one customer that a credit names, which becomes a deposit only later. */
async function payerOf(connection: Connection, detail: DueDetail): Promise<string | undefined> {
  const payment = { ...wordsOf(detail), remitterAccount: detail.counterpartyAccount };
  const [customers = []] = await payersOf(connection, [payment]);
  return customers.length === 1 ? customers[0] : undefined;
}

/** The difference between entry and payment is a bank charge. */
async function matchPayment(
  { connection, now }: EntryWork,
  detail: DueDetail,
  { transactionId, purpose }: Extract<EntryDecision, { is: 'payment' }>,
): Promise<string> {
  const isOut = detail.direction === 'debit';
  const { at, bankReference, sourceId, detail: text } = reportOf(detail, now);
  const { paidMinor, customerId } = await applyMatchedPayment(
    connection,
    {
      kind: isOut ? 'paid' : 'returned',
      transactionId: parseTypeId('txn', transactionId),
      purpose,
      currency: detail.currency,
      ...{ at, bankReference, sourceId, detail: text },
    },
    now,
  );
  const difference = signedMinor(detail) - (isOut ? -paidMinor : paidMinor);
  if (difference !== 0n)
    await postEntries(connection, [bankEntry(detail.currency, difference, 'bank_charges')], now);
  return customerId;
}

/** The house has sent a deposit back, or its remitter's bank has taken it, and an operator has recorded it before. */
async function matchReturn(
  { connection, now }: EntryWork,
  detail: DueDetail,
  depositId: string,
): Promise<Booked> {
  const deposit = await lockForWork(connection, uuidOf('dep', depositId));
  const customerId = deposit.customerId ?? undefined;
  if (detail.direction === 'debit' && detail.currency === deposit.currency) {
    // A return that a settlement run was to pay, and that the bank reports under another name.
    const due = (await returnsOf(connection, [deposit.id])).filter((each) => each.status === 'pending');
    const [exact] = due.filter((each) => BigInt(each.amount_minor) === detail.amountMinor);
    // Kept as what a bank has reported: a second debit for it is one too many.
    if (exact !== undefined && (await payReturn(connection, exact.id, detail, now)))
      return { bookedAs: 'deposit_return', customerId };
  }
  // What the house has booked as its own, or what was no deposit, counts as returned and has not gone.
  const gone = deposit.bookedAs === null ? deposit.returnedMinor : 0n;
  const left = gone - (await takenBackMinor(connection, deposit.id));
  const isOut = detail.direction === 'debit' && detail.currency === deposit.currency;
  if (isOut && detail.amountMinor <= left) return { bookedAs: 'deposit', customerId };
  throw refuse(detail, 'The deposit has no return of this amount that is still without an entry.');
}

/** @returns whether it was still to be paid */
async function payReturn(
  connection: Connection,
  subjectId: string,
  detail: DueDetail,
  now: number,
): Promise<boolean> {
  const { amountMinor, currency } = detail;
  const { at, bankReference, sourceId } = reportOf(detail, now);
  const target = {
    customerId: HOUSE_ID,
    subjectId,
    purpose: 'deposit_return',
    attempt: 1,
    amountMinor,
  } as const;
  const report = {
    kind: 'paid',
    targets: [target],
    amountMinor,
    currency,
    at,
    bankReference,
    sourceId,
  } as const;
  return (await applyPaymentReport(connection, report, now)).outcome === 'applied';
}

async function debtEntry(connection: Connection, detail: DueDetail, customer: string): Promise<JournalEntry> {
  const customerId = parseTypeId('cus', customer);
  const known = customerId === undefined ? [] : await payingCustomers(connection, [customerId]);
  if (customerId === undefined || known.length === 0) {
    throw customerNotFound();
  }
  if (detail.direction === 'credit') throw refuse(detail, 'Incoming money cannot be a customer debt.');
  return { ...bankEntry(detail.currency, signedMinor(detail), 'customer_receivable'), customerId };
}

function refuse(detail: DueDetail, why: string): Problem {
  return new Problem('invalid_state_transition', why, { members: { from: detail.state, to: 'by_hand' } });
}
