import type { CashAccount } from '@firmquote/bank-formats';

/** The house's account at the simulated bank, as customers are told to pay to and as files name it. */
export type HouseAccount = CashAccount;

/** `return`: a payment that comes back, in either direction; the last two are the bank's own. */
export const ENTRY_KINDS = ['payment', 'return', 'charge', 'interest'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** Something that is to happen on an account of the house. */
export interface Movement {
  /** What brings it about. The bank books one entry for it, however often it is asked to. */
  readonly source: string;
  readonly account: HouseAccount;
  readonly direction: 'credit' | 'debit';
  readonly kind: EntryKind;
  readonly amountMinor: bigint;
  readonly endToEndId: string | null;
  readonly uetr: string | null;
  readonly paymentInformationId: string | null;
  readonly remittanceText: string | null;
  readonly counterpartyName: string | null;
  readonly counterpartyAccount: string | null;
  /** Of a return: number of the entry that comes back, and why (ISO external return reason). */
  readonly originalId: bigint | null;
  readonly returnReason: string | null;
}

/** An entry in the bank's books, as its files tell of it. */
export interface BankEntry extends Omit<Movement, 'account' | 'source'> {
  readonly id: bigint;
  readonly bookingDate: string;
  readonly valueDate: string;
}

const NOTHING = {
  endToEndId: null,
  uetr: null,
  paymentInformationId: null,
  remittanceText: null,
  counterpartyName: null,
  counterpartyAccount: null,
  originalId: null,
  returnReason: null,
} as const;

export function movement(
  given: Pick<Movement, 'source' | 'account' | 'direction' | 'kind' | 'amountMinor'> & Partial<Movement>,
): Movement {
  return { ...NOTHING, ...given };
}

/** An entry with the account that it is on. */
export interface BookedEntry extends BankEntry {
  readonly account: HouseAccount;
}

/** A payment goes back where it came from, with the references that it came with. */
export function returnOf(original: BookedEntry, reason: string): Movement {
  const { bookingDate: _, valueDate: __, id, ...facts } = original;
  const direction = original.direction === 'credit' ? 'debit' : 'credit';
  return { ...facts, ...asReturn(`entry:${id}`, direction, reason), originalId: id };
}

/** What makes a movement one that comes back. @param source of the movement that it brings back */
export function asReturn(source: string, direction: 'credit' | 'debit', reason: string) {
  return { source: `return:${source}`, direction, kind: 'return', returnReason: reason } as const;
}

/** The bank's reference of an entry. */
export function bankReferenceOf(id: bigint): string {
  return `SBX${id.toString().padStart(12, '0')}`;
}

/** The number of the entry that a reference is of; undefined for one of another bank. */
export function entryIdOf(bankReference: string): bigint | undefined {
  return /^SBX\d{12,18}$/.test(bankReference) ? BigInt(bankReference.slice(3)) : undefined;
}

interface AccountDetails {
  readonly accountHolder?: string;
  readonly bic?: string | null;
  readonly iban?: string | null;
  readonly accountNumber?: string | null;
}

/**
 * The account in a collection account's details, or in a trade's instructions, which have the same form.
 * @param details JSON text
 */
export function houseAccountOf(currency: string, details: string): HouseAccount | undefined {
  const { accountHolder, bic, iban, accountNumber } = JSON.parse(details) as AccountDetails;
  const account = iban ?? accountNumber ?? undefined;
  if (account === undefined) return undefined;
  const isIban = iban !== null && iban !== undefined;
  return { currency, account, isIban, holder: accountHolder ?? 'Firmquote', bic: bic ?? null };
}
