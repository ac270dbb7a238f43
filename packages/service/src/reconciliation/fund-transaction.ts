import { type DateRules, formatAmount } from '@firmquote/fx';
import type { NewEvent } from '../events/append.ts';
import type { JournalEntry, Posting } from '../ledger/journal.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { knownCurrency } from '../quotes/record.ts';
import { nextValueDate } from '../settlement/value-dates.ts';
import type { TransactionChange, TransactionPatch } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import type { Allocation, Target } from './matching.ts';
import type { DepositRecord } from './record.ts';

export function targetOf(row: TransactionRow): Target {
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
  };
}

/** Money that came after the funding cut-off, or whose own value date is later than the trade's. */
export function isLate(row: TransactionRow, deposit: DepositRecord, now: number): boolean {
  return row.status === 'overdue' || now >= row.funding_cutoff_at || deposit.valueDate > row.value_date;
}

/**
 * What matching a deposit does to a trade (contract §8, transitions 3, 4 and 6): received money, status, ledger and
 * events. Late money that completes the trade rolls its value date on; the original one stays in its own column.
 */
export function fundingChange(
  row: TransactionRow,
  deposit: DepositRecord,
  allocation: Allocation,
  now: number,
  dates: DateRules,
): TransactionChange {
  const received = BigInt(row.received_minor) + allocation.allocatedMinor;
  const shortfall = BigInt(row.shortfall_minor) + allocation.shortfallMinor;
  const isCovered = received + shortfall >= BigInt(row.sell_minor);
  const to = isCovered ? 'funded' : row.status === 'awaiting_funds' ? 'partially_funded' : undefined;
  const patch: TransactionPatch = {
    receivedMinor: received,
    shortfallMinor: shortfall,
    excessMinor: BigInt(row.excess_minor) + allocation.excessMinor,
    deposits: JSON.stringify([...(JSON.parse(row.deposits) as unknown[]), depositJson(deposit, allocation)]),
    ...(isCovered ? { statusReason: null } : {}),
    ...(row.status === 'overdue' && !isCovered ? { statusReason: 'funding_short' } : {}),
  };
  if (isCovered && isLate(row, deposit, now)) {
    const rolled = nextValueDate([row.sell_currency, row.buy_currency], now, deposit.valueDate, dates);
    if (rolled !== undefined && rolled > row.value_date) patch.valueDate = rolled;
  }
  return {
    ...(to === undefined ? {} : { to }),
    code: isCovered && row.status === 'overdue' ? 'late_deposit_matched' : 'deposit_matched',
    actor: 'matcher',
    patch,
    entries: [customerEntry(deposit, allocation)],
    events: depositEvents(row, deposit, allocation),
    detail: { depositId: typeId('dep', deposit.id), matchRule: allocation.rule },
  };
}

function depositJson(deposit: DepositRecord, allocation: Allocation): Record<string, unknown> {
  const currency = knownCurrency(deposit.currency);
  return {
    depositId: typeId('dep', deposit.id),
    amount: formatAmount(deposit.amountMinor, currency),
    receivedAt: isoInstant(deposit.receivedAt),
    valueDate: deposit.valueDate,
    remitterName: deposit.remitterName,
    matchedBy: 'auto',
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

/** The house's side of a deposit: into suspense when it arrives, and out of it when it has found its trade. */
export function houseEntries(deposit: DepositRecord, allocation: Allocation | undefined): JournalEntry[] {
  const { currency, amountMinor } = deposit;
  const received: JournalEntry = {
    customerId: HOUSE_ID,
    kind: 'deposit_received',
    depositId: deposit.id,
    postings: [
      { account: 'bank', currency, amount: amountMinor },
      { account: 'suspense', currency, amount: -amountMinor },
    ],
  };
  if (allocation === undefined) return [received];
  const taken = allocation.allocatedMinor + allocation.excessMinor;
  const allocated: JournalEntry = {
    customerId: HOUSE_ID,
    kind: 'deposit_allocated',
    transactionId: allocation.target.transactionId,
    depositId: deposit.id,
    postings: [
      { account: 'suspense', currency, amount: taken },
      { account: 'bank', currency, amount: -taken },
    ],
  };
  return [received, allocated];
}

function depositEvents(row: TransactionRow, deposit: DepositRecord, allocation: Allocation): NewEvent[] {
  const currency = knownCurrency(deposit.currency);
  const base = {
    customerId: row.customer_id,
    quoteId: row.quote_id,
    transactionId: row.id,
    depositId: deposit.id,
    clientReference: row.client_reference,
  };
  const amount = formatAmount(deposit.amountMinor, currency);
  return [
    { ...base, type: 'deposit.received', detail: { amount, currency: deposit.currency } },
    {
      ...base,
      type: 'deposit.matched',
      detail: {
        amount,
        currency: deposit.currency,
        allocatedAmount: formatAmount(allocation.allocatedMinor, currency),
        matchRule: allocation.rule,
      },
    },
  ];
}
