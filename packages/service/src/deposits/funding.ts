import { type DateRules, formatAmount, knownCurrency } from '@firmquote/fx';
import { amountDetail } from '../balances/balances.ts';
import type { NewEvent } from '../events/append.ts';
import { type Account, HOUSE_ID, type JournalEntry, type Posting } from '../ledger/journal.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import type { TransactionChange, TransactionPatch } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import type { Allocation, BalanceTarget, OpenReceivable } from './receivables.ts';
import type { AllocationRecord, DepositRecord } from './record.ts';
import { completedPatch, partsOf, timelinessOf } from './timeliness.ts';

export function receivableOf(row: TransactionRow): OpenReceivable {
  return {
    customerId: row.customer_id,
    transactionId: row.id,
    reference: row.reference,
    status: row.status,
    currency: row.sell_currency,
    sellMinor: BigInt(row.sell_minor),
    receivedMinor: BigInt(row.received_minor),
    shortfallMinor: BigInt(row.shortfall_minor),
    usdMinor: BigInt(row.usd_minor),
    valueDate: row.value_date,
  };
}

/** Who matched: the rules, by which every match is reported to the customer together with its arrival, or a person. */
type Decider = 'matcher' | 'operator';

/** How a match is announced to the customer. */
interface MatchReport {
  readonly by: Decider;
  /** Nothing of the deposit has been announced to the customer before. */
  readonly isFirst: boolean;
  /** What of the deposit is the customer's, where others have a part of it: what those have is not announced. Default: all. */
  readonly reportedMinor?: bigint | undefined;
}

/**
 * What matching a deposit (its first part, or a further one) does to a trade (docs/interface.md#transactions, transitions 3, 4 and 6): received money, status, ledger and
 * events. Late money that completes the trade rolls its value date on; the original one stays in its own column.
 */
export function fundingChange(
  row: TransactionRow,
  deposit: DepositRecord,
  allocation: Allocation,
  now: number,
  dates: DateRules,
  how: MatchReport,
): TransactionChange {
  const { by } = how;
  const received = BigInt(row.received_minor) + allocation.allocatedMinor;
  const shortfall = BigInt(row.shortfall_minor) + allocation.shortfallMinor;
  const isCovered = received + shortfall >= BigInt(row.sell_minor);
  const parts = [...partsOf(row), deposit];
  const isLate = parts.some((part) => timelinessOf(row, part, dates).isLate);
  const to = isCovered ? 'funded' : row.status === 'awaiting_funds' ? 'partially_funded' : undefined;
  const patch: TransactionPatch = {
    receivedMinor: received,
    shortfallMinor: shortfall,
    excessMinor: BigInt(row.excess_minor) + allocation.excessMinor,
    deposits: JSON.stringify([
      ...(JSON.parse(row.deposits) as unknown[]),
      depositJson(deposit, allocation, how),
    ]),
    ...(isCovered ? completedPatch(row, parts, now, dates) : {}),
    ...(row.status === 'overdue' && !isCovered ? { statusReason: 'funding_short' } : {}),
  };
  return {
    ...(to === undefined ? {} : { to }),
    code: isCovered && isLate && row.status === 'overdue' ? 'late_deposit_matched' : 'deposit_matched',
    actor: by,
    patch,
    entries: [customerEntry(deposit, allocation)],
    events: depositEvents(row, deposit, allocation, how),
    detail: { depositId: typeId('dep', deposit.id), matchRule: allocation.rule },
  };
}

function depositJson(
  deposit: DepositRecord,
  allocation: Allocation,
  { by, reportedMinor }: MatchReport,
): Record<string, unknown> {
  const currency = knownCurrency(deposit.currency);
  return {
    depositId: typeId('dep', deposit.id),
    amount: formatAmount(reportedMinor ?? deposit.amountMinor, currency),
    receivedAt: isoInstant(deposit.receivedAt),
    ...(deposit.bookedOn ? { bookedOn: deposit.bookedOn } : {}),
    valueDate: deposit.valueDate,
    remitterName: deposit.remitterName,
    matchedBy: by === 'matcher' ? 'auto' : 'manual',
    matchRule: allocation.rule,
    allocatedAmount: formatAmount(allocation.allocatedMinor, currency),
  };
}

/** The customer's side: the money is at the bank, the debt goes down, what is forgiven is a charge of the house. */
function customerEntry(deposit: DepositRecord, allocation: Allocation): JournalEntry {
  const { currency } = deposit;
  const { allocatedMinor, excessMinor, shortfallMinor, target } = allocation;
  const postings: Posting[] = [
    { account: 'bank', currency, amount: allocatedMinor + excessMinor },
    { account: 'customer_receivable', currency, amount: -(allocatedMinor + shortfallMinor) },
    { account: 'charges', currency, amount: shortfallMinor },
    { account: 'customer_excess', currency, amount: -excessMinor },
  ];
  return {
    customerId: target.customerId,
    kind: 'deposit_allocated',
    transactionId: target.transactionId,
    depositId: deposit.id,
    postings,
  };
}

/** A deposit goes into suspense when it arrives. */
export function receivedEntry(deposit: DepositRecord): JournalEntry {
  return houseEntry('deposit_received', deposit, deposit.amountMinor);
}

/** The house's side of a match: out of suspense, with both parts that the customer has of it. */
export function allocatedEntry(deposit: DepositRecord, { target, ...parts }: Allocation): JournalEntry {
  const taken = parts.allocatedMinor + parts.excessMinor;
  return houseEntry('deposit_allocated', deposit, -taken, target.transactionId);
}

/** @param minor positive: into suspense and the bank; negative: out of both */
export function houseEntry(
  kind: JournalEntry['kind'],
  { id, currency }: DepositRecord,
  minor: bigint,
  transactionId?: string,
): JournalEntry {
  return {
    customerId: HOUSE_ID,
    kind,
    depositId: id,
    ...(transactionId === undefined ? {} : { transactionId }),
    postings: [
      { account: 'bank', currency, amount: minor },
      { account: 'suspense', currency, amount: -minor },
    ],
  };
}

/**
 * Money on an account of the house that is neither a deposit nor a payment.
 * @param minor positive: it came in
 */
export function bankEntry(
  currency: string,
  minor: bigint,
  account: Account,
  depositId?: string,
): JournalEntry {
  return {
    customerId: HOUSE_ID,
    kind: 'bank_entry_booked',
    ...(depositId === undefined ? {} : { depositId }),
    postings: [
      { account: 'bank', currency, amount: minor },
      { account, currency, amount: -minor },
    ],
  };
}

function depositEvents(
  row: TransactionRow,
  deposit: DepositRecord,
  allocation: Allocation,
  { isFirst, reportedMinor }: MatchReport,
): NewEvent[] {
  const currency = knownCurrency(deposit.currency);
  const base = {
    customerId: row.customer_id,
    quoteId: row.quote_id,
    transactionId: row.id,
    depositId: deposit.id,
    clientReference: row.client_reference,
  };
  const amount = formatAmount(reportedMinor ?? deposit.amountMinor, currency);
  const matched: NewEvent = {
    ...base,
    type: 'deposit.matched',
    detail: {
      amount,
      currency: deposit.currency,
      allocatedAmount: formatAmount(allocation.allocatedMinor, currency),
      matchRule: allocation.rule,
    },
  };
  // Until it is matched a deposit has no customer whose feed it could be announced in.
  if (!isFirst) return [matched];
  return [{ ...base, type: 'deposit.received', detail: { amount, currency: deposit.currency } }, matched];
}

/** The part of a deposit that a balance takes; who decided and what they saw are the caller's. */
export function balanceAllocation(
  deposit: DepositRecord,
  { customerId }: Pick<BalanceTarget, 'customerId'>,
  minor: bigint,
  how: Pick<AllocationRecord, 'rule' | 'score' | 'matchedBy' | 'actor' | 'evidence' | 'at'>,
): AllocationRecord {
  return {
    ...how,
    customerId,
    transactionId: null,
    depositId: deposit.id,
    allocatedMinor: minor,
    excessMinor: 0n,
    shortfallMinor: 0n,
  };
}

/**
 * Both sides of what goes from suspense into a balance.
 * @param minor negative: out of the balance, into suspense again
 */
export function balanceEntries(deposit: DepositRecord, customerId: string, minor: bigint): JournalEntry[] {
  const { currency } = deposit;
  const kind = minor > 0n ? 'deposit_allocated' : 'deposit_deallocated';
  const postings = [
    { account: 'bank', currency, amount: minor },
    { account: 'customer_balance', currency, amount: -minor },
  ] as const;
  return [{ customerId, kind, depositId: deposit.id, postings }, houseEntry(kind, deposit, -minor)];
}

/** How a balance's part of a deposit is announced to the customer. */
interface TopUpReport {
  readonly minor: bigint;
  readonly rule: string;
  /** Nothing of the deposit has been announced to the customer before. */
  readonly isFirst: boolean;
  /** What of it a top-up by hand has brought into the balance before, and announced. Default: nothing. */
  readonly beforeMinor?: bigint;
}

export function topUpEvents(
  deposit: DepositRecord,
  customerId: string,
  { minor, rule, isFirst, beforeMinor = 0n }: TopUpReport,
): NewEvent[] {
  const { id: depositId, currency, amountMinor } = deposit;
  const detail = amountDetail(currency, amountMinor);
  return [
    ...(isFirst ? [{ customerId, depositId, type: 'deposit.received', detail } as const] : []),
    ...balanceEvents(deposit, customerId, minor - beforeMinor, { matchRule: rule }),
  ];
}

/** @param gainedMinor what a balance has more since, negative: less */
export function balanceEvents(
  { id: depositId, currency }: DepositRecord,
  customerId: string,
  gainedMinor: bigint,
  how: { readonly matchRule?: string } = {},
): NewEvent[] {
  const base = { customerId, depositId };
  if (gainedMinor > 0n) {
    const detail = { ...amountDetail(currency, gainedMinor), ...how };
    return [{ ...base, type: 'balance.topped_up', detail }];
  }
  if (gainedMinor === 0n) return [];
  const detail = { ...amountDetail(currency, -gainedMinor), from: 'balance' };
  return [{ ...base, type: 'deposit.unmatched', detail }];
}
