/** What all statement formats are read into. Amounts are minor units, dates `YYYY-MM-DD`, lines count from 1. */

export const STATEMENT_FORMATS = ['camt', 'mt940', 'csv', 'json', 'pain.002'] as const;
export type StatementFormat = (typeof STATEMENT_FORMATS)[number];

/** Messages that a bank sends of an account and of payments, by their ISO 20022 names. */
export const BANK_FILE_KINDS = ['camt.054', 'camt.053', 'pain.002'] as const;
export type BankFileKind = (typeof BANK_FILE_KINDS)[number];

/** `statement`: booked, end of day (camt.053, MT940). The others come in between and may repeat each other. */
export type StatementKind = 'statement' | 'report' | 'notification';

/** The effect on the account, whatever the entry reverses. */
export type Direction = 'credit' | 'debit';

export type EntryStatus = 'booked' | 'pending' | 'information';

/** `return`: a payment that came back; `reversal`: an entry of the bank that takes an earlier one back. */
export type TransactionKind = 'payment' | 'return' | 'reversal';

export interface Balance {
  /** Negative when the account is overdrawn. */
  readonly minor: bigint;
  readonly currency: string;
  readonly date: string;
  /** Between two pages of a statement. */
  readonly isInterim?: boolean;
}

/** Group header of a message that is written. */
export interface MessageHeader {
  /** At most 35 characters. */
  readonly id: string;
  /** RFC 3339. */
  readonly createdAt: string;
}

/** An account with its owner and the bank that keeps it. */
export interface CashAccount {
  readonly currency: string;
  /** IBAN, or number. */
  readonly account: string;
  readonly isIban: boolean;
  readonly holder: string;
  readonly bic: string | null;
}

/** One payment. An entry of the bank holds one or, as a batch, several. */
export interface TransactionDetails {
  readonly kind: TransactionKind;
  readonly amountMinor: bigint;
  readonly endToEndId: string | null;
  readonly uetr: string | null;
  /** What the house called it when it ordered the payment: of the payment, and of the order that held it. */
  readonly instructionId: string | null;
  readonly paymentInformationId: string | null;
  /** The bank's own reference of this payment, where it has one beside that of the entry. */
  readonly detailReference: string | null;
  /** Payment reference that is given apart from the text, such as ISO 11649. */
  readonly structuredReferences: readonly string[];
  readonly remittanceText: string | null;
  readonly counterpartyName: string | null;
  readonly counterpartyAccount: string | null;
  /** Of a credit: the account that it was paid to, where that is said; a virtual account is another than the statement's. */
  readonly creditedAccount: string | null;
  /** Reason of a return, such as `AC04`, and what is known of the payment that came back. */
  readonly returnReason: string | null;
  readonly originalReference: string | null;
  readonly exchange: CurrencyExchange | null;
}

/** The bank's own conversion, as it says it. */
export interface CurrencyExchange {
  readonly sourceCurrency: string | null;
  readonly targetCurrency: string | null;
  readonly unitCurrency: string | null;
  readonly rate: string | null;
  /** Amount before the conversion, as the bank writes it. */
  readonly originalAmount: string | null;
  readonly originalCurrency: string | null;
}

/** An entry of the account, as the bank booked it. */
export interface StatementEntry {
  readonly line: number;
  readonly direction: Direction;
  readonly status: EntryStatus;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly bookingDate: string;
  readonly valueDate: string;
  /** The account servicer's reference of the entry. */
  readonly bankReference: string | null;
  /** The bank's code of the kind of transaction, as it writes it. */
  readonly transactionCode: string | null;
  /** At least one. Their amounts add up to the entry's. */
  readonly details: readonly TransactionDetails[];
}

export interface StatementBegin {
  readonly line: number;
  readonly kind: StatementKind;
  /** The account as the bank writes it. */
  readonly account: string;
  readonly currency: string | null;
  readonly reference: string | null;
}

export interface StatementEnd {
  readonly line: number;
  readonly currency: string;
  /** Number of the statement on the account, and page; undefined parts are null. */
  readonly number: bigint | null;
  readonly page: number | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly opening: Balance | null;
  readonly closing: Balance | null;
  /** Of a page without balances of its own. */
  readonly whole?: WholeStatement | undefined;
  /** What the bank says will be there on later days (camt `FWAV`, MT940 tag 65), by its entries of now. */
  readonly forward: readonly Balance[];
  /** Told by the check: the closing balance leaves out what is valued after this day. */
  readonly closesWithout?: string;
  /** What the bank says the entries add up to, where it says so (MT942, tags 90D and 90C). */
  readonly totals: readonly StatementTotal[];
}

/** What a page says of the statement that it is a page of. */
export interface WholeStatement {
  readonly isLastPage: boolean;
  readonly opening: Balance | null;
  readonly closing: Balance | null;
}

/** A statement of which nothing can be booked, in place of its begin, entries and end. */
export interface SetAside extends StatementBegin {
  readonly currency: string;
  /** Nobody can say what the minor unit of its currency is. */
  readonly reason: SetAsideReason;
  readonly entries: number;
}

export const SET_ASIDE_REASONS = ['currency_unknown'] as const;
export type SetAsideReason = (typeof SET_ASIDE_REASONS)[number];

export interface StatementTotal {
  readonly direction: Direction;
  readonly count: number;
  readonly minor: bigint;
  readonly currency: string;
}

/** What a bank says of payments of ours in a status report. */
export interface PaymentStatus {
  readonly line: number;
  /** Of a whole file of ours, of a block in it, or of one payment. */
  readonly level: 'file' | 'block' | 'payment';
  /** ISO external code, as the bank writes it. */
  readonly status: string;
  readonly reasonCode: string | null;
  readonly reasonText: string | null;
  /** What the file or the block was called. */
  readonly originalId: string | null;
  readonly endToEndId: string | null;
  readonly instructionId: string | null;
  readonly uetr: string | null;
  readonly amountMinor: bigint | null;
  readonly currency: string | null;
}

export type StatementEvent =
  | { readonly type: 'begin'; readonly statement: StatementBegin }
  | { readonly type: 'entry'; readonly entry: StatementEntry }
  | { readonly type: 'end'; readonly statement: StatementEnd }
  | { readonly type: 'set_aside'; readonly statement: SetAside }
  | { readonly type: 'payment_status'; readonly payment: PaymentStatus };

/** Takes a file piece by piece and tells what it has found. Throws StatementRefusal on what it does not read. */
export interface StatementReader {
  write(text: string): void;
  end(): void;
}

export type Emit = (event: StatementEvent) => void;

/** A payment of which nothing but its amount is known. */
export const NO_DETAILS: Omit<TransactionDetails, 'amountMinor'> = {
  kind: 'payment',
  endToEndId: null,
  uetr: null,
  instructionId: null,
  paymentInformationId: null,
  detailReference: null,
  structuredReferences: [],
  remittanceText: null,
  counterpartyName: null,
  counterpartyAccount: null,
  creditedAccount: null,
  returnReason: null,
  originalReference: null,
  exchange: null,
};
