import type { ExceptionType } from '@firmquote/api/operations/deposits';
import type { SuggestedCommand } from '@firmquote/api/operations/exceptions';
import { HOUSE_ACCOUNTS } from '@firmquote/api/operations/ledger';
import { canTransition, formatAmount, knownCurrency } from '@firmquote/fx';
import { isInBooks } from '../bank-statements/room.ts';
import type { Queryable } from '../database/pool.ts';
import { canGiveBack, hasExcess } from '../deposits/defund-transaction.ts';
import type { ExceptionRow } from '../deposits/exceptions.ts';
import { receivableOf } from '../deposits/funding.ts';
import { isExpecting, outstandingOf } from '../deposits/receivables.ts';
import { type DepositRecord, freeMinorOf, suspenseMinorOf } from '../deposits/record.ts';
import { hasHolds } from '../payments/operate.ts';
import { payoutState, refundState } from '../payments/payment-states.ts';
import { hasRefundable } from '../payments/refund-changes.ts';
import { typeId } from '../platform/ids.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { type ExceptionSubject, type SubjectEntry, subjectOf } from './exception-subject-store.ts';

/** Where to send a command, and what of its body is known. */
interface Found {
  readonly path: string;
  readonly body: Readonly<Record<string, string>>;
}
/** Whether a command is possible now, and how, perhaps in several ways; undefined when it is not. */
type Command = (subject: ExceptionSubject) => Found | readonly Found[] | undefined;

const at = (path: string, body: Found['body'] = {}): Found => ({ path: `/v1/operator/${path}`, body });

function ofDeposit(verb: string, isPossible: (deposit: DepositRecord) => boolean): Command {
  return ({ deposit }) =>
    deposit !== undefined && isPossible(deposit)
      ? at(`deposits/${typeId('dep', deposit.id)}/${verb}`)
      : undefined;
}

function ofEntry(verb: string, isPossible: (entry: SubjectEntry, isWaiting: boolean) => boolean): Command {
  return ({ row, entry, isWaiting }) =>
    entry !== undefined && isPossible(entry, isWaiting)
      ? at(`statement-entries/${typeId('ste', row.entry_id ?? '')}/${verb}`)
      : undefined;
}

function ofTransaction(verb: string, isPossible: (trade: TransactionRow) => boolean): Command {
  return ({ trade }) =>
    trade !== undefined && isPossible(trade)
      ? at(`transactions/${typeId('txn', trade.id)}/${verb}`)
      : undefined;
}

function ofWithdrawal(verb: string, ...statuses: readonly string[]): Command {
  return ({ row, withdrawal }) =>
    statuses.includes(withdrawal?.status ?? '')
      ? at(`withdrawals/${typeId('wdr', row.withdrawal_id ?? '')}/${verb}`)
      : undefined;
}

function ofReturn(verb: string): Command {
  return ({ depositReturn }) =>
    depositReturn?.status === 'pending'
      ? at(
          `deposits/${typeId('dep', depositReturn.depositId)}/returns/${typeId('dpr', depositReturn.id)}/${verb}`,
        )
      : undefined;
}

/** A person may say what an entry is until it is in the books. */
const isUndecided = ({ paymentState, direction, isDue }: SubjectEntry, isWaiting: boolean) =>
  paymentState === 'mismatch' ||
  (paymentState === 'unknown' && direction === 'debit') ||
  (isWaiting && (isDue || paymentState === 'due'));
const isBooked = (entry: SubjectEntry) => entry.depositId === null && isInBooks(entry);
/** So can what was reported of payments: what has to be said of these first, the refusal says. What is booked otherwise cannot. */
const canBeUndone = (entry: SubjectEntry) =>
  !isBooked(entry) ||
  entry.hasReports ||
  HOUSE_ACCOUNTS.some((each) => each === entry.bookedAs) ||
  entry.bookedFor !== null ||
  (entry.returnedDepositId !== null && entry.bookedAs !== 'deposit_return');
const MONEY_OF_ONE_SUM = ['sum_of_details', 'part_of_sum'];

/** Each command with the states in which it is possible. A name may stand for several: then the subject decides. */
const COMMANDS: Readonly<Record<SuggestedCommand, readonly Command[]>> = {
  match: [ofDeposit('match', (deposit) => suspenseMinorOf(deposit) > 0n), ofEntry('match', isUndecided)],
  replace_top_up: [topUpReplaced],
  return: [returned, takenBack, unwound],
  ignore: [ofDeposit('ignore', (deposit) => deposit.status === 'unmatched')],
  book: [
    ofDeposit(
      'book',
      (deposit) => deposit.exception?.type !== 'returned' && suspenseMinorOf(deposit) === deposit.amountMinor,
    ),
    ofEntry('book', isUndecided),
    recallBooked,
  ],
  release: [ofDeposit('release', ({ exception }) => exception?.type === 'third_party')],
  unmatch: [unmatched],
  refund_excess: [excessRefunded],
  another: [
    ofEntry(
      'another',
      ({ sameAs, maybeSameAs, sameReason }) =>
        (sameAs ?? maybeSameAs) !== null && !MONEY_OF_ONE_SUM.includes(sameReason ?? ''),
    ),
  ],
  same: [sameAsNamed],
  never_booked: [ofEntry('never-booked', (entry) => entry.isMissing && canBeUndone(entry))],
  forgive_shortfall: [forgiven],
  roll_value_date: [rolled],
  redirect: [
    ofTransaction('redirect-payout', (trade) => trade.status === 'funded' || payoutState(trade) === 'sent'),
    ofWithdrawal('redirect', 'pending'),
  ],
  paid: [
    ofTransaction('payout-confirmed', (trade) => payoutState(trade) === 'sent'),
    ofTransaction('refund-paid', (trade) => refundState(trade) === 'sent'),
    ofWithdrawal('paid', 'pending'),
    ofReturn('paid'),
  ],
  failed: [
    ofTransaction('payout-failed', (trade) => ['sent', 'paid'].includes(payoutState(trade))),
    ofTransaction('refund-failed', (trade) => ['sent', 'paid'].includes(refundState(trade))),
    ofWithdrawal('failed', 'pending', 'paid'),
    ofReturn('failed'),
  ],
  cancel: [ofWithdrawal('cancel', 'pending'), ofReturn('cancel')],
  retry_payout: [
    ofTransaction(
      'retry-payout',
      (trade) => trade.status === 'settlement_failed' && trade.proceeds !== 'balance' && !hasHolds(trade),
    ),
  ],
  retry_refund: [
    ofTransaction(
      'retry-refund',
      (trade) => ['rejected', 'returned'].includes(refundState(trade)) && hasRefundable(trade),
    ),
  ],
  retry: [({ row, isWaiting }) => (isWaiting ? ofException(row, 'retry') : undefined)],
  resolve: [resolved],
  assign: [({ row }) => ofException(row, 'assign')],
};

const MONEY = ['replace_top_up', 'match', 'return', 'ignore', 'book'] as const;
const ENTRY = ['another', 'same', 'never_booked'] as const;
const PAYMENT = ['redirect', 'retry_payout', 'retry_refund', 'paid', 'failed', 'cancel'] as const;

/** What each type of exception is about; of these commands those are shown that its subject permits. */
const OF_TYPES: Readonly<Record<ExceptionType, readonly SuggestedCommand[]>> = {
  unmatched: MONEY,
  ambiguous: MONEY,
  wrong_currency: MONEY,
  implausible_date: MONEY,
  third_party: ['release', ...MONEY],
  short: ['forgive_shortfall', 'roll_value_date', 'return'],
  excess: ['refund_excess', 'unmatch', ...MONEY],
  late: ['unmatch'],
  duplicate: [...ENTRY, ...MONEY],
  returned: ['match', 'return', 'unmatch', 'book'],
  payout_mismatch: [...PAYMENT, ...ENTRY, 'match', 'book'],
  not_applied: ['retry', 'match', 'book'],
  // What is to be done is done elsewhere: docs/runbooks.md.
  log_fault: [],
  report_failed: [],
};
/** Where the reason leaves fewer, or puts another first. */
const OF_REASONS: Readonly<Record<string, readonly SuggestedCommand[]>> = {
  // No trade and no balance takes such money.
  currency_not_tradable: ['return', 'ignore', 'book'],
  not_in_statement: ['never_booked', 'another'],
  // What the house sends back of it is cancelled, or paid, before it can be taken.
  return_under_way: ['cancel', 'paid', 'return', 'unmatch', 'book'],
  // The first report stands; or they are two payments.
  told_differently: ['another', 'match', 'book'],
};
const ALWAYS = ['resolve', 'assign'] as const;

/** Something that a person can do about an exception. */
interface CommandSuggestion extends Found {
  readonly order: SuggestedCommand;
}

/** What can be done about an exception now; nothing once it is resolved. */
export async function suggestedCommands(
  connection: Queryable,
  row: ExceptionRow,
): Promise<CommandSuggestion[]> {
  if (row.status !== 'open') return [];
  return permittedCommands(await subjectOf(connection, row));
}

/** What the state of everything that an open exception is about permits. */
export function permittedCommands(subject: ExceptionSubject): CommandSuggestion[] {
  const { row } = subject;
  const names = [...(OF_REASONS[row.reason] ?? OF_TYPES[row.type]), ...ALWAYS];
  return names.flatMap((name) =>
    COMMANDS[name].flatMap((command: Command) =>
      [command(subject) ?? []].flat().map((found) => ({ order: name, ...found })),
    ),
  );
}

function ofException(row: ExceptionRow, verb: string): Found {
  return at(`exceptions/${typeId('exc', row.id)}/${verb}`);
}

/** Money in suspense, and an entry that is not in the books, cannot be resolved away. */
function resolved({ row, deposit, entry }: ExceptionSubject): Found | undefined {
  const hasMoney = deposit !== undefined && suspenseMinorOf(deposit) > 0n;
  const isOpen =
    entry !== undefined && (entry.isDue || ['mismatch', 'unknown', 'due'].includes(entry.paymentState));
  return hasMoney || isOpen ? undefined : ofException(row, 'resolve');
}

/** A customer has one part of a deposit in its balance. */
function topUpReplaced({ deposit, allocations, topUps }: ExceptionSubject): readonly Found[] {
  if (deposit === undefined) return [];
  const hasPart = (id: string) =>
    allocations.some(({ customerId, transactionId }) => customerId === id && transactionId === null);
  return topUps
    .filter(({ customerId }) => !hasPart(customerId))
    .map(({ customerId, bankReference }) =>
      at(`deposits/${typeId('dep', deposit.id)}/replace-top-up`, {
        customerId: typeId('cus', customerId),
        bankReference,
      }),
    );
}

/** What is in suspense goes back, and what was paid too much as long as no trade owes it to its customer, or has paid it. */
function returned({ deposit, allocations, funded, recall }: ExceptionSubject): Found | undefined {
  if (deposit === undefined || freeMinorOf(deposit) === 0n || isBorne(recall)) return undefined;
  const isFree = allocations.every(({ transactionId, excessMinor }) => {
    const trade = excessMinor > 0n ? funded.find(({ id }) => id === transactionId) : undefined;
    return trade === undefined || (trade.status !== 'cancelled' && hasExcess(trade, excessMinor));
  });
  if (suspenseMinorOf(deposit) === 0n && !isFree) return undefined;
  return at(`deposits/${typeId('dep', deposit.id)}/return`);
}

/** The remitter's bank has taken a deposit back: to be recorded again once what kept it from being booked is over. */
function takenBack({ row, deposit, ...subject }: ExceptionSubject): Found | undefined {
  if (row.type !== 'returned' || deposit === undefined) return undefined;
  const isWaiting = deposit.allocatedMinor > 0n && freeMinorOf(deposit) === 0n;
  const isReturning = subject.depositReturn !== undefined;
  if (!isWaiting || isReturning || !canBeTaken(subject)) return undefined;
  return at(`deposits/${typeId('dep', deposit.id)}/return`, { returnedBy: 'remitter_bank' });
}

/** What the deposit paid for has not left, and nobody bears that it was taken back. */
function canBeTaken({
  funded,
  isCovered,
  recall,
}: Pick<ExceptionSubject, 'funded' | 'isCovered' | 'recall'>): boolean {
  return funded.every(canGiveBack) && isCovered && !isBorne(recall);
}

const isBorne = (recall: ExceptionSubject['recall']) => (recall?.bookedAs ?? null) !== null;

/** What the remitter's bank took back is gone for good: the house bears it, or the customer owes it. */
function recallBooked({ row, recall, deposit }: ExceptionSubject): Found | undefined {
  const entryId = recall?.entryId ?? null;
  if (row.type !== 'returned' || entryId === null || deposit === undefined || isBorne(recall))
    return undefined;
  // Of one of several what is still there is taken back, and nobody bears it.
  const isDoubtful = recall?.isDoubtful === true;
  if (isDoubtful && suspenseMinorOf(deposit) > 0n) return undefined;
  const which = isDoubtful ? { depositId: typeId('dep', deposit.id) } : {};
  return at(`statement-entries/${typeId('ste', entryId)}/book`, which);
}

function unwound({ row, trade }: ExceptionSubject): Found | undefined {
  if (row.type !== 'short' || trade === undefined) return undefined;
  const canEnd = canTransition(trade.status, 'cancelled', 'operator') && refundState(trade) !== 'sent';
  if (!canEnd) return undefined;
  return at(`transactions/${typeId('txn', trade.id)}/unwind`);
}

/** To the day on which the rest will come, as the customer has agreed. */
function rolled({ trade }: ExceptionSubject): Found | undefined {
  if (trade?.status !== 'overdue') return undefined;
  return at(`transactions/${typeId('txn', trade.id)}/roll-value-date`, { reason: 'late_funding' });
}

/** A match is undone until a payout begins. */
function unmatched({ deposit, ...subject }: ExceptionSubject): Found | undefined {
  if (deposit === undefined || subject.allocations.length === 0 || !canBeTaken(subject)) return undefined;
  return at(`deposits/${typeId('dep', deposit.id)}/unmatch`);
}

/** What was paid too much goes back to the customer whose trade has it. */
function excessRefunded({ funded }: ExceptionSubject): Found | undefined {
  const trade = funded.find(
    (each) => BigInt(each.excess_minor) > 0n && each.status !== 'cancelled' && refundState(each) !== 'sent',
  );
  return trade && at(`transactions/${typeId('txn', trade.id)}/refund-excess`);
}

function sameAsNamed({ row, entry }: ExceptionSubject): Found | undefined {
  const as = entry?.maybeSameAs ?? null;
  if (entry === undefined || as === null || entry.sameAs !== null || isBooked(entry)) return undefined;
  return at(`statement-entries/${typeId('ste', row.entry_id ?? '')}/same`, { as: typeId('ste', as) });
}

function forgiven({ trade, newestDepositId: depositId }: ExceptionSubject): Found | undefined {
  if (trade === undefined || depositId === undefined) return undefined;
  const target = receivableOf(trade);
  // The sweep closes the exception a moment after the trade has its money or has ended.
  if (!isExpecting(target.status)) return undefined;
  const amount = formatAmount(outstandingOf(target), knownCurrency(target.currency));
  return at(`deposits/${typeId('dep', depositId)}/forgive`, {
    transactionId: typeId('txn', trade.id),
    amount,
  });
}
