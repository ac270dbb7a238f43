import type { DepositSource, DepositStatus } from '@firmquote/api/operations/deposits';
import { cut, REFERENCE_MAX } from '@firmquote/bank-formats';
import type { Row } from '../database/rows.ts';
import type { DepositException } from './receivables.ts';

/** A deposit as it was reported. Amount in minor units, instants epoch milliseconds. */
export interface NewDeposit {
  /** The house's account that the money is on. */
  readonly account: string;
  /** The bank's own reference of the entry, unique on the account. */
  readonly bankReference: string;
  readonly source: DepositSource;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly remitterName: string | null;
  readonly remitterAccount: string | null;
  /** The virtual account that the bank says it came in on, where that is not `account` itself. */
  readonly virtualAccount?: string | null;
  readonly remittanceText: string | null;
  readonly valueDate: string;
  /** Day on which the bank booked it, where a statement says it. */
  readonly bookedOn?: string | null;
  readonly receivedAt: number;
  /** SHA-256 over the content as it was reported; see {@link NewDeposit.bankReference}. */
  readonly fingerprint: string;
}

/** A deposit as it is kept. */
export interface DepositRecord extends NewDeposit {
  readonly id: string;
  readonly status: DepositStatus;
  readonly exception: DepositException | null;
  /** Null also where several customers have parts of it; its allocations name them. */
  readonly customerId: string | null;
  readonly allocatedMinor: bigint;
  readonly excessMinor: bigint;
  /** Sent back to the remitter, or taken back by the remitter's bank. */
  readonly returnedMinor: bigint;
  /**
   * Account of the ledger that it was booked to, when it was the house's own money; then it counts as returned. Or why there was no such
   * money.
   */
  readonly bookedAs: string | null;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The part of a deposit that a trade took, or the customer's balance. */
export interface AllocationRecord {
  readonly customerId: string;
  /** Null: the balance. */
  readonly transactionId: string | null;
  readonly depositId: string;
  readonly allocatedMinor: bigint;
  readonly excessMinor: bigint;
  readonly shortfallMinor: bigint;
  readonly rule: string;
  /** 0 to 100, by rule; null where a person decided. */
  readonly score: number | null;
  readonly matchedBy: 'auto' | 'manual';
  readonly actor: string;
  /** What the rule saw, as JSON text. */
  readonly evidence: string;
  readonly at: number;
}

/** The part of a trade. */
export type TransactionAllocation = AllocationRecord & { readonly transactionId: string };

export function isOfTransaction(allocation: AllocationRecord): allocation is TransactionAllocation {
  return allocation.transactionId !== null;
}

/** A row of `deposits` as the driver gives it. */
export type DepositRow = Row<'deposits'>;

export function depositFromRow(row: DepositRow): DepositRecord {
  return {
    id: row.id,
    account: row.account,
    bankReference: row.bank_reference,
    fingerprint: row.fingerprint,
    source: row.source,
    amountMinor: BigInt(row.amount_minor),
    currency: row.currency,
    remitterName: row.remitter_name,
    remitterAccount: row.remitter_account,
    remittanceText: row.remittance_text,
    valueDate: row.value_date,
    bookedOn: row.booked_on,
    receivedAt: row.received_at,
    status: row.status,
    exception:
      row.exception_type === null ? null : { type: row.exception_type, reason: row.exception_reason ?? '' },
    customerId: row.customer_id,
    allocatedMinor: BigInt(row.allocated_minor),
    excessMinor: BigInt(row.excess_minor),
    returnedMinor: BigInt(row.returned_minor),
    virtualAccount: row.virtual_account,
    bookedAs: row.booked_as,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The customer, where there is just one. */
export function onlyCustomer(parts: Iterable<Pick<AllocationRecord, 'customerId'>>): string | null {
  const customers = new Set([...parts].map(({ customerId }) => customerId));
  const [first] = customers;
  return customers.size === 1 && first !== undefined ? first : null;
}

/** Minor units that no trade has: in suspense, or kept for the customer as excess. */
export function freeMinorOf(deposit: DepositRecord): bigint {
  return deposit.amountMinor - deposit.allocatedMinor - deposit.returnedMinor;
}

/** Minor units that lie in suspense. */
export function suspenseMinorOf(deposit: DepositRecord): bigint {
  return freeMinorOf(deposit) - deposit.excessMinor;
}

/** The deposit with other amounts, and the status that follows from them. */
export function withAmounts(
  deposit: DepositRecord,
  amounts: Partial<Pick<DepositRecord, 'allocatedMinor' | 'excessMinor' | 'returnedMinor'>>,
): DepositRecord {
  const after = { ...deposit, ...amounts };
  return { ...after, status: statusOf(after) };
}

/** What was paid too much has a place, too: it is kept for the customer, and its exception is the work that it makes. */
function statusOf(deposit: DepositRecord): DepositStatus {
  if (deposit.returnedMinor === deposit.amountMinor) return 'returned';
  const suspenseMinor = suspenseMinorOf(deposit);
  if (suspenseMinor === 0n) return 'matched';
  return suspenseMinor === deposit.amountMinor ? 'unmatched' : 'partially_matched';
}

/**
 * What its remitter's bank has taken back, and the house has all the same, is held until a person is done with just that, whatever else
 * becomes of the deposit: what is in suspense again can be given to the next one.
 * @param otherwise the exception that a deposit has after the work
 */
export function unlessTakenBack(
  { exception: before }: DepositRecord,
  { status }: DepositRecord,
  otherwise: DepositException | null,
): DepositException | null {
  return before?.type === 'returned' && status !== 'returned' ? before : otherwise;
}

/**
 * A deposit of which a person has given a part to a trade or a balance, and what is left to be done about it.
 * @param given `isLate`: to a trade after its funding cut-off
 */
export function allocatedByHand(
  deposit: DepositRecord,
  given: { readonly minor: bigint; readonly customerId: string | null; readonly isLate?: boolean },
  now: number,
): DepositRecord {
  const after = withAmounts(deposit, { allocatedMinor: deposit.allocatedMinor + given.minor });
  const exception =
    suspenseMinorOf(after) > 0n
      ? ({ type: 'unmatched', reason: 'rest_unmatched' } as const)
      : after.excessMinor > 0n
        ? deposit.exception
        : given.isLate === true
          ? ({ type: 'late', reason: 'after_funding_cutoff' } as const)
          : null;
  return {
    ...after,
    customerId: given.customerId,
    exception: unlessTakenBack(deposit, after, exception),
    version: deposit.version + 1,
    updatedAt: now,
  };
}

/** Between the bank's reference and the entry's own id, in the reference of a deposit whose entry has one that was taken. */
const OWN_ID = '#ste_';

/** A reference of its own for the deposit of an entry whose reference was taken. @param id of the entry, as the API writes it */
export function ownReference(bankReference: string, id: string, life: number): string {
  const own = `${OWN_ID}${id.replace(/^ste_/, '')}${life === 1 ? '' : `-${life}`}`;
  return `${cut(bankReference, REFERENCE_MAX - own.length)}${own}`;
}

/** What the bank calls a deposit, also where its entry's reference was taken. */
export function referenceOfBank({ bankReference }: Pick<NewDeposit, 'bankReference'>): string {
  return bankReference.split(OWN_ID, 1)[0] || bankReference;
}

/** An account as it is compared: capitals and digits only. */
export function plainAccount(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, '');
}

/** The house's account that a deposit came in on, and the virtual one, as they are compared. */
export function houseAccounts(deposit: DepositRecord): string[] {
  return [deposit.virtualAccount ?? '', deposit.account].map(plainAccount).filter((text) => text !== '');
}

export function remitterAccount(deposit: DepositRecord): string | undefined {
  return plainAccount(deposit.remitterAccount ?? '') || undefined;
}
