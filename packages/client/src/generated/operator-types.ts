// Made by `node scripts/generate-client.ts` from @firmquote/api. Change that, not this file.
import type { Open } from '../open.ts';
import type {
  Amount,
  BasisPoints,
  CalendarDate,
  ClientKey,
  ClientSecret,
  CloseOut,
  CurrencyCode,
  DpopBoundTokens,
  EstimatedCurrencies,
  EvidenceVerification,
  FixedSide,
  FundingSummary,
  Instant,
  IpAllowList,
  MarketSnapshot,
  MarketState,
  Money,
  PairCode,
  Payout,
  PayoutFailure,
  PayoutHold,
  Pricing,
  QuotedRate,
  QuoteEvidence,
  QuoteNumbers,
  QuoteSettlement,
  Rate,
  RateQuotas,
  ReferenceRate,
  Refund,
  RoundingStep,
  SpreadBreakdown,
  TransactionFunding,
  TransactionSettlement,
  TransactionStatus,
  TransactionStatusReason,
  UsedLimit,
  WebhookAttempt,
  WebhookOrdering,
} from './types.ts';

export type * from './types.ts';

export interface AcceptedPrice {
  readonly pair: PairCode;
  /** Counted for each pair. */
  readonly number: number;
  readonly price: string;
  /** The last good mid before it. */
  readonly previousPrice: string | null;
  readonly reason: string;
  readonly acceptedAt: Instant;
  /** Person or OAuth client. */
  readonly acceptedBy: string;
}

/** Two operators accepted it although its figures do not agree. */
export interface AcceptedStatementRefusal {
  readonly reason: StatementRefusalReason;
  readonly line: number | null;
  readonly detail: string;
  /** Why the operators accepted it. */
  readonly note: string;
  readonly acceptedBy: string;
  readonly approvedBy: string;
  readonly acceptedAt: Instant;
}

/** A person, or a program with an OAuth client. */
export interface Actor {
  readonly actorId: string;
  readonly type: Open<'person' | 'client'>;
  readonly name: string;
}

export interface AmountLimit {
  readonly customerId: string | null;
  readonly groupName: string | null;
  readonly pair: PairCode | null;
  readonly minimum: Amount | null;
  readonly maximum: Amount | null;
}

export interface AmountLimits {
  /** The number in the `ETag`. */
  readonly version: number;
  readonly limits: readonly AmountLimit[];
}

export interface AmountLimitsVersion {
  /** The number in the `ETag`. */
  readonly version: number;
  readonly changedAt: Instant;
  /** Person or OAuth client. */
  readonly changedBy: string;
  readonly limits: readonly AmountLimit[];
}

/** A proposal for a second person to decide. */
export interface Approval {
  readonly approvalId: string;
  /** What is proposed. */
  readonly kind: Open<
    | 'settlement_instruction'
    | 'account_released'
    | 'house_account'
    | 'customer_client'
    | 'operator_client'
    | 'person'
    | 'role'
    | 'service_key'
    | 'customer_terms'
    | 'halt_lifted'
    | 'hold_released'
    | 'limits'
    | 'thresholds'
    | 'pricing'
    | 'calendar'
    | 'balance_top_up'
    | 'recorded_deposit'
    | 'payment_confirmed'
    | 'payment_failed'
    | 'payment_retried'
    | 'payment_released'
    | 'payment_file'
    | 'payment_file_out'
    | 'statement_import'
    | 'unwinding'
    | 'four_eyes_policy'
    | 'calendar_import'
    | 'settlement_run_cancel'
    | 'deposit_match'
    | 'deposit_top_up'
    | 'deposit_unmatch'
    | 'deposit_return'
    | 'deposit_release'
    | 'deposit_ignore'
    | 'deposit_book_as'
    | 'shortfall_forgive'
    | 'top_up_replace'
    | 'statement_entry'
    | 'import_statement_file'
    | 'accept_statement_file'
    | 'withdraw_statement_file'
    | 'balance_withdrawal'
    | 'debt_end'
    | 'unwind_transaction'
  >;
  /** Id of what it is about. */
  readonly subject: string;
  /** The command as it was proposed. */
  readonly request: unknown;
  readonly reason: string;
  /** Why it needs two people. */
  readonly why: readonly string[];
  readonly effects: CommandEffects;
  /** Digest of `effects`, to send when you approve. */
  readonly effectsDigest: string | null;
  /** Who else it affects. */
  readonly affected: readonly string[];
  /** The result once approved, without secrets. */
  readonly result: unknown;
  /** For the person; shown only once, to the approver. */
  readonly invitationLink?: string | undefined;
  /** Shown only once, to the proposer; works after the approval. */
  readonly clientSecret?: string | undefined;
  /** `withdrawn`: rejected by its proposer. `expired`: not decided in time. */
  readonly status: Open<'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired'>;
  /** Person or OAuth client. */
  readonly proposedBy: string;
  readonly proposedByPerson: string | null;
  readonly proposedAt: Instant;
  readonly decidedBy: string | null;
  readonly decidedByPerson: string | null;
  readonly decidedAt: Instant | null;
  readonly note: string | null;
  /** What you may do with it. Present only when you read proposals. */
  readonly deciding?:
    | {
        readonly mayApprove: boolean;
        /** Or withdraw, if you proposed it. */
        readonly mayReject: boolean;
        readonly whyNot: Open<
          'decided' | 'own' | 'maker' | 'insufficient_scope' | 'nobody_answers' | 'outdated'
        > | null;
        /** The missing scope, with `insufficient_scope`. */
        readonly requiredScope: string | null;
      }
    | undefined;
}

/** An action, committed together with its changes. */
export interface AuditEntry {
  /** Ascending, possibly with gaps. */
  readonly number: string;
  readonly at: Instant;
  readonly kind: Open<'change' | 'read' | 'sign_in' | 'refusal'>;
  /** Operation id, or `command:…` or `sweep:…`. */
  readonly operation: string;
  /** Path of what it acted on. */
  readonly resource: string;
  /** Ids in the path and in the changes, as UUIDs. */
  readonly subjects: readonly string[];
  /** `done`, or the problem code. */
  readonly outcome: string;
  readonly actor: {
    readonly type: Open<'client' | 'person' | 'command' | 'service' | 'unknown'>;
    readonly id: string | null;
    readonly personId: string | null;
    readonly customerId: string | null;
    readonly tokenId: string | null;
    readonly address: string | null;
  };
  readonly requestId: string | null;
  readonly approvalId: string | null;
  /** Equal reads or refusals in a minute are merged. */
  readonly count: number;
  /** Rows that changed, with the columns that differ. */
  readonly changes: readonly {
    readonly table: string;
    readonly key?: unknown | undefined;
    readonly before?: unknown | undefined;
    readonly after?: unknown | undefined;
  }[];
}

/** On this instance, until the sources agree again. */
export interface AutomaticHalt {
  readonly pair: PairCode;
  readonly reason: 'sources_disagree';
  readonly since: Instant;
  /** The one with the lowest price, then the one with the highest. */
  readonly sources: readonly string[];
}

export interface BankReconciliation {
  readonly at: Instant;
  /** Whether every difference is explained. */
  readonly balanced: boolean;
  readonly currencies: readonly {
    readonly currency: CurrencyCode;
    readonly accounts: readonly {
      readonly account: string;
      readonly opening: string | null;
      readonly openingDate: CalendarDate | null;
      readonly closing: string | null;
      readonly closingDate: CalendarDate | null;
      readonly statementNumber: string | null;
      readonly toldSince: string;
    }[];
    /** Opening balances of the first statements; not in the ledger. */
    readonly opening: string;
    /** Closing balances of the last statements. */
    readonly closing: string;
    /** Booked, but not yet in a statement with a balance. */
    readonly toldSince: string;
    /** Reported before the first statement, so it is in its opening balance. */
    readonly toldBefore: string;
    /** closing + toldSince */
    readonly bank: string;
    /** The ledger account `bank` of all owners. */
    readonly ledger: string;
    /** bank − ledger = opening − toldBefore + items + unexplained */
    readonly difference: string;
    /** What only one side has, by kind; listed by `…/bank-reconciliation/items`. */
    readonly items: readonly {
      readonly kind: Open<
        | 'entry_not_booked'
        | 'entry_not_in_statement'
        | 'payment_not_told'
        | 'payment_return_not_told'
        | 'deposit_not_told'
        | 'deposit_return_not_told'
        | 'top_up_not_told'
        | 'other_not_told'
      >;
      readonly count: number;
      readonly amount: string;
    }[];
    /** Zero, unless statements are missing. */
    readonly unexplained: string;
  }[];
}

export interface BankReconciliationItem {
  readonly kind: Open<
    | 'entry_not_booked'
    | 'entry_not_in_statement'
    | 'payment_not_told'
    | 'payment_return_not_told'
    | 'deposit_not_told'
    | 'deposit_return_not_told'
    | 'top_up_not_told'
    | 'other_not_told'
  >;
  readonly currency: CurrencyCode;
  /** How far it puts the bank above the ledger. */
  readonly amount: string;
  readonly entryId: string | null;
  readonly depositId: string | null;
  readonly transactionId: string | null;
  readonly withdrawalId: string | null;
  readonly journalEntryId: string | null;
  readonly customerId: string | null;
  readonly since: Instant;
}

export interface BankStatement {
  readonly statementId: string;
  readonly kind: Open<'statement' | 'report' | 'notification'>;
  readonly line: number;
  readonly account: string;
  /** Whether it is a registered account of the house. Others create no deposits. */
  readonly ownAccount: boolean;
  readonly currency: CurrencyCode;
  readonly reference: string | null;
  readonly number: string | null;
  readonly page: number | null;
  readonly from: CalendarDate | null;
  readonly to: CalendarDate | null;
  readonly opening: StatementBalance | null;
  readonly closing: StatementBalance | null;
  readonly entries: number;
  readonly newEntries: number;
  readonly missing: {
    readonly from: string;
    readonly to: string;
  } | null;
  /** Whether its opening balance is the previous closing balance. */
  readonly openingMatches: boolean | null;
  /** The statement of the same number and day that replaces it. */
  readonly correctedBy: string | null;
  readonly setAside: StatementSetAside | null;
}

/** Open, high, low and close are of the mid; bid and ask are the last ones. */
export interface Bar {
  readonly at: Instant;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly bid: string;
  readonly ask: string;
  /** Number of prices in it. */
  readonly ticks: number;
}

export interface BooksCheck {
  readonly at: Instant;
  readonly ok: boolean;
  readonly unbalancedCurrencies: readonly {
    readonly currency: CurrencyCode;
    readonly difference: string;
  }[];
  /** Up to 50. */
  readonly differences: readonly {
    /** A customer, or "house" for what belongs to no customer. */
    readonly customerId: string;
    readonly account: string;
    readonly currency: CurrencyCode;
    readonly balance: ExactAmount;
    readonly journal: ExactAmount;
  }[];
  /** Stored sums that differ when recomputed, in minor units and counts. Up to 50. */
  readonly keptDifferences: readonly {
    readonly rows: Open<
      'customer_position' | 'house_position' | 'pair_position' | 'open_quotes' | 'settlement_ladder'
    >;
    readonly key: string;
    readonly kept: string | null;
    readonly recomputed: string | null;
  }[];
}

export interface CalendarChange {
  /** The number in the `ETag`; 1 is built in. */
  readonly version: number;
  readonly reason: string;
  /** Person or OAuth client. */
  readonly changedBy: string;
  readonly changedAt: Instant;
}

export interface CalendarDay {
  readonly date: CalendarDate;
  readonly state: Open<'closed' | 'open'>;
  readonly name: string;
  readonly origin: Open<'built_in' | 'operator'>;
  /** Calculated; not yet announced. */
  readonly estimated: boolean;
  /** False on a weekly day off, which is closed anyway. */
  readonly inWorkingWeek: boolean;
}

export interface CalendarImport {
  readonly importId: string;
  readonly source: string;
  /** Of the file as sent, in hex. */
  readonly fileSha256: string;
  readonly fromYear: number;
  readonly toYear: number;
  /** Days in the file. */
  readonly lines: number;
  readonly leftOut: {
    /** Lines of years not asked for. */
    readonly otherYears: number;
    /** Lines of currencies or centres not asked for. */
    readonly notAskedFor: number;
  };
  readonly calendars: readonly {
    readonly currency: CurrencyCode;
    readonly years: readonly {
      readonly year: number;
      /** The version that it replaces; 1 is built in. */
      readonly replaces: number;
      /** False if no calendar covers the year: all its days are added. */
      readonly known: boolean;
    }[];
    /** Open days that will be closed. */
    readonly added: readonly {
      readonly date: CalendarDate;
      readonly name: string;
    }[];
    /** Closed days that will be open. */
    readonly removed: readonly {
      readonly date: CalendarDate;
      readonly name: string;
    }[];
    /** Days that stay closed under a new name. */
    readonly renamed: readonly {
      readonly date: CalendarDate;
      readonly name: string;
      readonly formerName: string;
    }[];
    /** Transactions with an added day as value date that were neither settled nor cancelled when it was proposed. They keep their date. For USD, all pairs count. */
    readonly openTransactions: number;
  }[];
  readonly approval: Approval;
  readonly appliedAt: Instant | null;
}

export interface CalendarRange {
  readonly from: CalendarDate;
  readonly to: CalendarDate;
  readonly estimatedFrom: CalendarDate | null;
  /** Where the built-in days come from. */
  readonly source: string | null;
  /** It ends less than 13 months from now. */
  readonly runsShort: boolean;
}

export interface CalendarYear {
  readonly currency: CurrencyCode;
  readonly year: number;
  /** The number in the `ETag`; 1 is built in. */
  readonly version: number;
  /** False if no calendar covers the year: nothing is priced in it. */
  readonly known: boolean;
  readonly range: CalendarRange | null;
  /** Whether `changes` lists all closing days of the year; if so, built-in days do not count. */
  readonly complete: boolean;
  /** Built-in days with the changes applied. */
  readonly days: readonly CalendarDay[];
  /** The operator's changes; a PUT replaces them. */
  readonly changes: readonly CorrectedDay[];
  readonly lastChange: CalendarChange | null;
}

export interface CalendarYearVersion {
  /** The number in the `ETag`; 1 is built in. */
  readonly version: number;
  readonly reason: string;
  /** Person or OAuth client. */
  readonly changedBy: string;
  readonly changedAt: Instant;
  /** For an import, the second person, or their OAuth client. */
  readonly approvedBy: string | null;
  /** The file import that the year came from. */
  readonly importId: string | null;
  readonly complete: boolean;
  readonly changes: readonly CorrectedDay[];
}

export interface ChangedCalendarYear {
  readonly currency: CurrencyCode;
  readonly year: number;
  /** The number in the `ETag`; 1 is built in. */
  readonly version: number;
  /** False if no calendar covers the year: nothing is priced in it. */
  readonly known: boolean;
  readonly range: CalendarRange | null;
  /** Whether `changes` lists all closing days of the year; if so, built-in days do not count. */
  readonly complete: boolean;
  /** Built-in days with the changes applied. */
  readonly days: readonly CalendarDay[];
  /** The operator's changes; a PUT replaces them. */
  readonly changes: readonly CorrectedDay[];
  readonly lastChange: CalendarChange | null;
  /** Days that this change closed or opened. Existing quotes and transactions keep their dates. */
  readonly turnedDays: readonly {
    readonly date: CalendarDate;
    /** `unknown`: no calendar covers the day any more; listed only if transactions are open. */
    readonly state: Open<'closed' | 'open' | 'unknown'>;
    /** Transactions with this value date that are neither settled nor cancelled. They keep their date. For USD, all pairs count. */
    readonly openTransactions: number;
  }[];
}

export interface CollectionAccount {
  readonly currency: CurrencyCode;
  readonly accountHolder: string;
  readonly bankName: string | null;
  readonly bic: string | null;
  /** Spaces are removed. */
  readonly iban: string | null;
  readonly accountNumber: string | null;
  readonly routingNumber: string | null;
  readonly rails: readonly string[];
  readonly holderAddress: PostalAddress | null;
  readonly holderLei: string | null;
  readonly updatedAt: Instant;
  readonly next: {
    readonly accountHolder: string;
    readonly bankName: string | null;
    readonly bic: string | null;
    /** Spaces are removed. */
    readonly iban: string | null;
    readonly accountNumber: string | null;
    readonly routingNumber: string | null;
    readonly rails: readonly string[];
    readonly holderAddress: PostalAddress | null;
    readonly holderLei: string | null;
    readonly usableFrom: Instant;
  } | null;
}

/** What changes. Ids and times assigned on execution are `(new)`. */
export type CommandEffects = readonly {
  /** JSON Pointer into what the command changes; empty: all of it. */
  readonly at: string;
  /** Null: did not exist. */
  readonly before: unknown;
  /** Null: removed. */
  readonly after: unknown;
}[];

export interface CorrectedDay {
  readonly date: CalendarDate;
  /** `closed` adds a closing day; `open` removes one, or opens a day off. */
  readonly state: 'closed' | 'open';
  /** For a closed day, the holiday's name, which customers see. */
  readonly reason: string;
  /** Its source: the announcement or the settlement system's calendar. */
  readonly source: string;
}

export interface CreatedOperatorClient {
  readonly clientId: string;
  readonly name: string;
  readonly status: Open<'active' | 'suspended'>;
  readonly scopes: readonly OperatorClientScope[];
  readonly audiences: readonly string[];
  readonly ipAllowList: IpAllowList;
  readonly responsible: Responsible | null;
  readonly roles: RoleNames;
  readonly secrets: readonly ClientSecret[];
  readonly keys: readonly ClientKey[];
  readonly expiresAt: Instant | null;
  readonly dpopBoundTokens: DpopBoundTokens;
  readonly lastUsedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly secretId: string;
  /** Shown only once; only its hash is kept. `fqs_live_` (`fqs_test_` in the sandbox), then 49 letters and digits. */
  readonly clientSecret: string;
}

/** How to read a bank's CSV files. */
export interface CsvMapping {
  /** Names of the files that use this mapping; `*` stands for any characters. They also select the mapping in the watched folder. */
  readonly fileNames?: readonly string[] | undefined;
  readonly encoding?: 'utf-8' | 'windows-1252' | 'iso-8859-15' | undefined;
  readonly delimiter: ',' | ';' | '\t' | '|';
  readonly decimalMark: '.' | ',';
  readonly groupMark?: '.' | ',' | "'" | ' ' | undefined;
  readonly dateFormat:
    | 'YYYY-MM-DD'
    | 'YYYYMMDD'
    | 'DD.MM.YYYY'
    | 'DD.MM.YY'
    | 'DD/MM/YYYY'
    | 'DD-MM-YYYY'
    | 'MM/DD/YYYY';
  /** Lines before the headings. */
  readonly linesBefore?: number | undefined;
  readonly account?: string | undefined;
  readonly currency?: CurrencyCode | undefined;
  /** Headings of the columns. */
  readonly columns: {
    /** Booking date. */
    readonly bookingDate: string;
    /** Value date; by default the booking date. */
    readonly valueDate?: string | undefined;
    /** Signed amount, or unsigned with `direction`. */
    readonly amount?: string | undefined;
    /** Amount of money in, otherwise empty. Needs `debit`. */
    readonly credit?: string | undefined;
    /** Amount of money out. */
    readonly debit?: string | undefined;
    /** Whether the money came in or went out. */
    readonly direction?: string | undefined;
    /** Account of the house, unless the mapping sets `account`. */
    readonly account?: string | undefined;
    /** Currency, unless the mapping sets `currency`. */
    readonly currency?: string | undefined;
    /** The bank's reference of the entry. */
    readonly bankReference?: string | undefined;
    /** End-to-end id. */
    readonly endToEndId?: string | undefined;
    /** UETR. */
    readonly uetr?: string | undefined;
    /** Who paid or was paid. */
    readonly counterpartyName?: string | undefined;
    /** Account of that party. */
    readonly counterpartyAccount?: string | undefined;
    /** For credits: the account paid into, such as a virtual one. */
    readonly creditedAccount?: string | undefined;
    /** Remittance texts, in order. */
    readonly remittance?: readonly string[] | undefined;
  };
  /** Values of the column `direction` that mean money in. Needs `debitWords`. */
  readonly creditWords?: readonly string[] | undefined;
  readonly debitWords?: readonly string[] | undefined;
}

export type CurrencyExposureLimits = readonly {
  readonly currency: CurrencyCode;
  /** Largest position in US dollars. */
  readonly limit: Amount;
}[];

export interface CurrencyPosition {
  readonly currency: CurrencyCode;
  /** Positive: long. */
  readonly position: string;
  readonly bought: ExactAmount | null;
  /** Dollars for one unit: eight decimals, more for six digits. */
  readonly averageBoughtUsd: string | null;
  readonly sold: ExactAmount | null;
  readonly averageSoldUsd: string | null;
  readonly mid: {
    readonly pair: PairCode;
    readonly value: string;
    readonly asOf: Instant;
    readonly stale: boolean;
  } | null;
  /** US dollars. */
  readonly valueUsd: string | null;
  /** US dollars. */
  readonly realisedUsd: string;
  /** US dollars. */
  readonly unrealisedUsd: string | null;
}

export interface Customer {
  readonly customerId: CustomerId;
  readonly name: string;
  readonly groupName: string | null;
  readonly externalReference: string | null;
  readonly status: Open<'active' | 'suspended'>;
  /** Why it was suspended. */
  readonly statusReason: string | null;
  readonly settings: CustomerSettings;
  /** The number in the `ETag`. */
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type CustomerId = string;

/** In the form in which you set them. */
export interface CustomerLimits {
  readonly currency: CurrencyCode;
  /** Volume that may be executed in one trade day. */
  readonly dailyVolume: Amount;
  /** Total of trades neither settled nor cancelled. */
  readonly openPosition: Amount;
  /** Largest single trade. */
  readonly singleTrade: Amount;
  readonly maxOpenQuotes: number;
  readonly rates: RateQuotas;
}

export interface CustomerSettings {
  /** How much of a price's make-up is shown: components and market side, the total, or neither. */
  readonly pricingDisclosure: Open<'full' | 'total' | 'none'>;
  /** `execute` without `If-Match` is refused with 428. */
  readonly requireStatusCheck: boolean;
  /** Every POST that changes something needs an `Idempotency-Key`. */
  readonly requireIdempotencyKey: boolean;
  /** Values that `validitySeconds` of a quote may take. */
  readonly permittedValidities: readonly number[];
  /** How derived amounts are rounded. */
  readonly amountRounding: Open<'half_up' | 'house'>;
  /** Combines payouts of one settlement run to the same account into one payment. */
  readonly paymentNetting: boolean;
  /** What happens to deposits not known to come from the customer: matched like others, or held for an operator. */
  readonly thirdPartyPayments: Open<'accept' | 'hold'>;
  /** Other names that the customer pays under, such as a trade name; deposits from them are not held. */
  readonly payerNames: readonly string[];
  /** Pays after execution, or from its balance at execution. Applies to new quotes. */
  readonly fundingMode: Open<'post_funded' | 'pre_funded'>;
  /** Credits what is bought to the balance on the value date instead of paying it out. */
  readonly proceedsToBalance: boolean;
}

/** Only the given settings change. */
export interface CustomerSettingsChange {
  /** How much of a price's make-up is shown: components and market side, the total, or neither. */
  readonly pricingDisclosure?: 'full' | 'total' | 'none' | undefined;
  /** `execute` without `If-Match` is refused with 428. */
  readonly requireStatusCheck?: boolean | undefined;
  /** Every POST that changes something needs an `Idempotency-Key`. */
  readonly requireIdempotencyKey?: boolean | undefined;
  /** Values that `validitySeconds` of a quote may take. */
  readonly permittedValidities?: readonly number[] | undefined;
  /** How derived amounts are rounded. */
  readonly amountRounding?: 'half_up' | 'house' | undefined;
  /** Combines payouts of one settlement run to the same account into one payment. */
  readonly paymentNetting?: boolean | undefined;
  /** What happens to deposits not known to come from the customer: matched like others, or held for an operator. */
  readonly thirdPartyPayments?: 'accept' | 'hold' | undefined;
  /** Other names that the customer pays under, such as a trade name; deposits from them are not held. */
  readonly payerNames?: readonly string[] | undefined;
  /** Pays after execution, or from its balance at execution. Applies to new quotes. */
  readonly fundingMode?: 'post_funded' | 'pre_funded' | undefined;
  /** Credits what is bought to the balance on the value date instead of paying it out. */
  readonly proceedsToBalance?: boolean | undefined;
}

export interface CutOff {
  readonly currency: CurrencyCode;
  readonly time: string;
  readonly zone: string;
  readonly origin: Open<'built_in' | 'operator'>;
  readonly source: string | null;
  /** The number in the `ETag`; 1 is built in. */
  readonly version: number;
  readonly cutOffAt: Instant;
  readonly lastChange: CalendarChange | null;
}

export interface CutOffVersion {
  /** The number in the `ETag`; 1 is built in. */
  readonly version: number;
  readonly reason: string;
  /** Person or OAuth client. */
  readonly changedBy: string;
  readonly changedAt: Instant;
  readonly time: string;
  readonly zone: string;
  readonly source: string;
}

export interface Deposit {
  readonly depositId: string;
  readonly status: Open<'unmatched' | 'partially_matched' | 'matched' | 'returned' | 'ignored'>;
  readonly exception: DepositException | null;
  /** The number in the `ETag`. */
  readonly version: number;
  readonly account: string;
  readonly bankReference: string;
  readonly amount: string;
  readonly currency: CurrencyCode;
  readonly allocatedAmount: string;
  readonly excessAmount: string;
  readonly returnedAmount: string;
  /** Ledger account, if it was the house’s own money; it then counts as returned. Or why there was no such money: `same_entry`, `never_booked`. */
  readonly bookedAs: string | null;
  readonly remitterName: string | null;
  readonly remitterAccount: string | null;
  readonly virtualAccount: string | null;
  readonly remittanceText: string | null;
  readonly valueDate: CalendarDate;
  /** Day on which the bank booked it, if a statement says so; lateness is judged by it. */
  readonly bookedOn: string | null;
  /** Since when it is missing from the statements of its day although a notification reported it; payouts that depend on it are held back. */
  readonly missingSince: string | null;
  readonly receivedAt: Instant;
  readonly source: Open<'operator' | 'sandbox' | 'statement'>;
  /** Also null if several customers share it; see `allocations`. */
  readonly customerId: string | null;
  readonly allocations: readonly DepositAllocation[];
  /** What the house sends back, in settlement runs. */
  readonly returns: readonly DepositReturn[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface DepositAllocation {
  readonly to: Open<'transaction' | 'balance'>;
  readonly customerId: string;
  /** Null: into the customer's balance. */
  readonly transactionId: string | null;
  readonly allocatedAmount: string;
  readonly excessAmount: string;
  /** What was forgiven of a short payment. */
  readonly shortfallAmount: string;
  readonly matchRule: string;
  /** 0 to 100, by rule; null if a person decided. */
  readonly score: number | null;
  readonly matchedBy: Open<'auto' | 'manual'>;
  readonly actor: string;
  readonly evidence: MatchEvidence;
  readonly at: Instant;
}

export interface DepositCount {
  readonly status: Open<'unmatched' | 'partially_matched' | 'ignored'>;
  /** Minimum age in hours. */
  readonly ageFromHours: number;
  /** Upper limit in hours, exclusive; null: none. */
  readonly ageToHours: number | null;
  /** Counted up to 1,000. */
  readonly count: number;
  /** Whether there are more. */
  readonly isMore: boolean;
}

export interface DepositException {
  readonly type: ExceptionType;
  /** Stable code. */
  readonly reason: string;
}

export interface DepositOutcome {
  readonly depositId: string;
  /** `proposed`: a second person must approve it. `failed`: you can retry it. */
  readonly outcome: Open<'done' | 'refused' | 'failed' | 'proposed'>;
  readonly approvalId: string | null;
  /** Its status afterwards. */
  readonly status: string | null;
  readonly version: number | null;
  readonly problem: ItemProblem | null;
}

export interface DepositReturn {
  readonly returnId: string;
  /** `sent`: the bank has the file of its run. `failed`: the money is back in suspense. */
  readonly status: Open<'pending' | 'in_run' | 'sent' | 'paid' | 'failed' | 'cancelled'>;
  readonly amount: string;
  readonly reference: string;
  readonly accountHolder: string;
  readonly destinationMasked: string;
  readonly runId: string | null;
  readonly bankReference: string | null;
  readonly paidAt: Instant | null;
  readonly failure: Open<'rejected' | 'returned'> | null;
  readonly detail: string | null;
  readonly createdAt: Instant;
}

/** What a command would do. */
export interface DryRun {
  readonly kind: Open<
    | 'settlement_instruction'
    | 'account_released'
    | 'house_account'
    | 'customer_client'
    | 'operator_client'
    | 'person'
    | 'role'
    | 'service_key'
    | 'customer_terms'
    | 'halt_lifted'
    | 'hold_released'
    | 'limits'
    | 'thresholds'
    | 'pricing'
    | 'calendar'
    | 'balance_top_up'
    | 'recorded_deposit'
    | 'deposit_work'
    | 'withdrawal'
    | 'customer_debt'
    | 'payment_confirmed'
    | 'payment_failed'
    | 'payment_retried'
    | 'payment_released'
    | 'payment_file'
    | 'payment_file_out'
    | 'statement_import'
    | 'unwinding'
    | 'four_eyes_policy'
    | 'calendar_import'
    | 'settlement_run_cancel'
    | 'statement_file'
  >;
  readonly needsTwo: boolean;
  readonly why: readonly string[];
  readonly effects: CommandEffects;
  readonly affected: readonly string[];
}

/** Why; kept with the exception. */
export type EntryReason = string;

/** Exact amount with the decimals of its currency. */
export type ExactAmount = string;

export interface ExceptionCount {
  readonly type: ExceptionType;
  /** Minimum age in hours. */
  readonly ageFromHours: number;
  /** Upper limit in hours, exclusive; null: none. */
  readonly ageToHours: number | null;
  /** Counted up to 1,000. */
  readonly count: number;
  /** Whether there are more. */
  readonly isMore: boolean;
}

export interface ExceptionOutcome {
  readonly exceptionId: string;
  /** `failed`: you can retry it. */
  readonly outcome: Open<'done' | 'refused' | 'failed'>;
  /** Its status afterwards. */
  readonly status: string | null;
  readonly version: number | null;
  readonly problem: ItemProblem | null;
}

/** The scheduled report that it is about. */
export interface ExceptionReport {
  readonly scheduleId: string;
  /** The scheduled day without a report. */
  readonly slot: CalendarDate;
  /** The run that failed; null if none could start. */
  readonly reportId: string | null;
}

/** Kind of exception. */
export type ExceptionType = Open<
  | 'unmatched'
  | 'ambiguous'
  | 'short'
  | 'excess'
  | 'wrong_currency'
  | 'third_party'
  | 'late'
  | 'duplicate'
  | 'returned'
  | 'payout_mismatch'
  | 'implausible_date'
  | 'not_applied'
  | 'log_fault'
  | 'report_failed'
>;

export interface Exposure {
  readonly asOf: Instant;
  readonly openQuotes: number;
  readonly positions: readonly HousePosition[];
  readonly total: {
    readonly longUsd: string;
    readonly shortUsd: string;
    /** The greater of the two; the dollar itself does not count. */
    readonly netOpenUsd: string;
    readonly limitUsd: string | null;
    /** False when a position is in no sum, because it has no price. */
    readonly complete: boolean;
  };
}

export interface ExposureLimits {
  /** The number in the `ETag`. */
  readonly version: number;
  readonly total: Amount | null;
  readonly perCurrency: Amount | null;
  readonly currencies: CurrencyExposureLimits;
  readonly hedges: Hedges;
}

export interface ExposureLimitsVersion {
  /** The number in the `ETag`. */
  readonly version: number;
  readonly changedAt: Instant;
  /** Person or OAuth client. */
  readonly changedBy: string;
  readonly total: Amount | null;
  readonly perCurrency: Amount | null;
  readonly currencies: CurrencyExposureLimits;
  readonly hedges: Hedges;
}

export interface FourEyesPolicy {
  /** The number in the `ETag`. */
  readonly version: number;
  /** All kinds. */
  readonly rules: readonly {
    readonly kind: Open<
      | 'settlement_instruction'
      | 'account_released'
      | 'house_account'
      | 'customer_client'
      | 'operator_client'
      | 'person'
      | 'role'
      | 'service_key'
      | 'customer_terms'
      | 'halt_lifted'
      | 'hold_released'
      | 'limits'
      | 'thresholds'
      | 'pricing'
      | 'calendar'
      | 'balance_top_up'
      | 'recorded_deposit'
      | 'deposit_work'
      | 'withdrawal'
      | 'customer_debt'
      | 'payment_confirmed'
      | 'payment_failed'
      | 'payment_retried'
      | 'payment_released'
      | 'payment_file'
      | 'payment_file_out'
      | 'statement_import'
      | 'unwinding'
    >;
    /** When it needs two people; `amount`: for more than `fromUsd`. */
    readonly needs: Open<'never' | 'always' | 'amount'>;
    /** US dollars, with `amount`; null otherwise. */
    readonly fromUsd: string | null;
  }[];
  /** Amounts that one person moves alone, or that move for one customer, add up over this many hours. 0: each amount by itself. */
  readonly rollingHours: number;
  /** How long a new account waits before money goes there. */
  readonly accountWaitHours: number;
  /** Kinds that always need two people. */
  readonly fixed: readonly string[];
}

export interface FourEyesPolicyDocument {
  /** Omitted kinds use the defaults. */
  readonly rules: readonly {
    readonly kind:
      | 'settlement_instruction'
      | 'account_released'
      | 'house_account'
      | 'customer_client'
      | 'operator_client'
      | 'person'
      | 'role'
      | 'service_key'
      | 'customer_terms'
      | 'halt_lifted'
      | 'hold_released'
      | 'limits'
      | 'thresholds'
      | 'pricing'
      | 'calendar'
      | 'balance_top_up'
      | 'recorded_deposit'
      | 'deposit_work'
      | 'withdrawal'
      | 'customer_debt'
      | 'payment_confirmed'
      | 'payment_failed'
      | 'payment_retried'
      | 'payment_released'
      | 'payment_file'
      | 'payment_file_out'
      | 'statement_import'
      | 'unwinding';
    /** When it needs two people; `amount`: for more than `fromUsd`. */
    readonly needs: 'never' | 'always' | 'amount';
    /** US dollars, with `amount`; null otherwise. */
    readonly fromUsd: string | null;
  }[];
  /** Amounts that one person moves alone, or that move for one customer, add up over this many hours. 0: each amount by itself. */
  readonly rollingHours: number;
  /** How long a new account waits before money goes there. */
  readonly accountWaitHours: number;
}

export interface FourEyesPolicyVersion {
  /** The number in the `ETag`. */
  readonly version: number;
  readonly changedAt: Instant;
  /** Person or OAuth client. */
  readonly changedBy: string;
  /** Omitted kinds used the defaults. */
  readonly rules: readonly {
    readonly kind: Open<
      | 'settlement_instruction'
      | 'account_released'
      | 'house_account'
      | 'customer_client'
      | 'operator_client'
      | 'person'
      | 'role'
      | 'service_key'
      | 'customer_terms'
      | 'halt_lifted'
      | 'hold_released'
      | 'limits'
      | 'thresholds'
      | 'pricing'
      | 'calendar'
      | 'balance_top_up'
      | 'recorded_deposit'
      | 'deposit_work'
      | 'withdrawal'
      | 'customer_debt'
      | 'payment_confirmed'
      | 'payment_failed'
      | 'payment_retried'
      | 'payment_released'
      | 'payment_file'
      | 'payment_file_out'
      | 'statement_import'
      | 'unwinding'
    >;
    /** When it needs two people; `amount`: for more than `fromUsd`. */
    readonly needs: Open<'never' | 'always' | 'amount'>;
    /** US dollars, with `amount`; null otherwise. */
    readonly fromUsd: string | null;
  }[];
  /** Amounts that one person moves alone, or that move for one customer, add up over this many hours. 0: each amount by itself. */
  readonly rollingHours: number;
  /** How long a new account waits before money goes there. */
  readonly accountWaitHours: number;
}

export interface Halt {
  readonly haltId: string;
  readonly scope: Open<'all' | 'pair' | 'customer'>;
  readonly pair: PairCode | null;
  /** Begins with cus_. */
  readonly customerId: string | null;
  readonly reason: string;
  readonly openQuotes: Open<'withdraw' | 'keep'>;
  readonly haltedAt: Instant;
  /** Person or OAuth client. */
  readonly haltedBy: string;
  readonly resumedAt: Instant | null;
  /** Person or OAuth client. */
  readonly resumedBy: string | null;
  readonly resumeReason: string | null;
}

/** What the house has dealt elsewhere, by currency; added to the position. */
export type Hedges = readonly {
  readonly currency: CurrencyCode;
  /** Positive: the house is long. */
  readonly amount: string;
}[];

/** Why; kept in the history. */
export type HistoryReason = string;

export interface HistoryStep {
  readonly version: number;
  readonly at: Instant;
  /** `matcher`, `bank_feed`, `system`, or a person or OAuth client. */
  readonly actor: string;
  readonly action: string;
  readonly reason: string | null;
  /** Members that depend on the action. */
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface HousePosition {
  readonly currency: CurrencyCode;
  /** Booked, without hedges. Positive: the house is long. */
  readonly position: string;
  readonly hedged: string;
  /** `position` and `hedged` together. */
  readonly net: string;
  /** Added to the position if all open quotes that increase it are executed. */
  readonly openLong: string;
  /** Subtracted if all open quotes that reduce it are executed. */
  readonly openShort: string;
  /** `net` in US dollars at the mid; null without a price. */
  readonly netUsd: string | null;
  /** The larger side with the open quotes, in US dollars, without sign. */
  readonly worstUsd: string | null;
  readonly limitUsd: string | null;
}

export interface InterestRate {
  readonly currency: CurrencyCode;
  /** Percent a year paid for deposits; not above the ask. */
  readonly bid: string;
  /** Percent a year asked for loans. */
  readonly ask: string;
  /** How the currency counts interest days. */
  readonly dayCount: 'ACT/360' | 'ACT/365';
  readonly asOf: CalendarDate;
  /** Where the rate is from. */
  readonly source: string;
}

export interface InvitedPerson {
  readonly personId: string;
  readonly email: string;
  readonly name: string;
  readonly status: Open<'invited' | 'active' | 'suspended' | 'ended'>;
  readonly roles: readonly string[];
  readonly invitationEndsAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Shown only once; whoever uses it signs in as the person. Null where persons sign in with the provider. */
  readonly invitationLink: string | null;
}

export interface ItemProblem {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
}

export interface JournalEntry {
  readonly entryId: string;
  /** A customer, or "house" for what belongs to no customer. */
  readonly customerId: string;
  readonly kind: JournalEntryKind;
  readonly at: Instant;
  readonly date: CalendarDate;
  readonly transactionId: string | null;
  readonly depositId: string | null;
  readonly withdrawalId: string | null;
  readonly postings: readonly {
    readonly account: string;
    readonly currency: CurrencyCode;
    readonly debit: ExactAmount | null;
    readonly credit: ExactAmount | null;
  }[];
}

export type JournalEntryKind =
  | 'trade_executed'
  | 'trade_cancelled'
  | 'deposit_received'
  | 'deposit_allocated'
  | 'deposit_deallocated'
  | 'deposit_returned'
  | 'payout_sent'
  | 'payout_returned'
  | 'refund_paid'
  | 'refund_returned'
  | 'balance_topped_up'
  | 'proceeds_credited'
  | 'close_out'
  | 'withdrawal_requested'
  | 'withdrawal_paid'
  | 'withdrawal_undone'
  | 'withdrawal_returned'
  | 'bank_entry_booked'
  | 'return_ordered'
  | 'return_paid'
  | 'return_undone'
  | 'return_reopened'
  | 'debt_paid'
  | 'debt_written_off'
  | 'top_up_reversed';

export interface LedgerAccount {
  readonly account: Open<
    | 'bank'
    | 'customer_receivable'
    | 'customer_payable'
    | 'customer_excess'
    | 'suspense'
    | 'returns_payable'
    | 'position'
    | 'markup_revenue'
    | 'customer_balance'
    | 'close_out_result'
    | 'charges'
    | 'bank_charges'
    | 'interest'
    | 'house_funds'
  >;
  readonly type: Open<'asset' | 'liability' | 'equity' | 'income' | 'expense'>;
  /** The side on which the account grows. */
  readonly normalSide: Open<'debit' | 'credit'>;
  readonly title: string;
  readonly meaning: string;
  /** The name in exports, before owner and currency. */
  readonly exportName: string;
}

export interface LedgerStatementLine {
  readonly entryId: string;
  readonly at: Instant;
  readonly kind: JournalEntryKind;
  readonly transactionId: string | null;
  readonly depositId: string | null;
  readonly withdrawalId: string | null;
  readonly debit: ExactAmount | null;
  readonly credit: ExactAmount | null;
  readonly balance: ExactAmount;
}

export interface LimitUsage {
  readonly currency: CurrencyCode;
  readonly tradeDate: CalendarDate;
  /** When `dailyVolume` resets: 17:00 New York. */
  readonly resetsAt: Instant;
  readonly dailyVolume: UsedLimit;
  readonly openPosition: UsedLimit;
}

/** The signed head of a log. */
export interface LogHead {
  readonly log: Open<'audit' | 'journal'>;
  /** Number of rows. */
  readonly size: number;
  /** Root of the tree of row hashes (RFC 9162), in hex. */
  readonly root: string;
  readonly signedAt: Instant;
  /** Log, size and root, signed by a key in `/.well-known/jwks.json`. */
  readonly jws: string;
}

export interface LogProof {
  readonly head: LogHead;
  /** Hashes of the proof, in hex. */
  readonly hashes: readonly string[];
  readonly earlier?: LogHead | undefined;
  /** Index of the row, from 0. */
  readonly index?: number | undefined;
  /** The hashed text of the row. */
  readonly line?: string | undefined;
}

export interface MarketHealth {
  readonly market: MarketState;
  readonly sources: readonly PriceSourceHealth[];
  readonly pairs: {
    readonly total: number;
    readonly fresh: number;
    readonly stale: number;
    /** Without a price: for example, none is trusted. */
    readonly missing: number;
    readonly halted: number;
  };
  readonly ticks: {
    readonly accepted: number;
    readonly rejected: RejectedTicks;
  };
  readonly at: Instant;
}

export interface MarketHoursWindow {
  readonly pair: PairCode | null;
  /** IANA zone. */
  readonly zone: string;
  /** Days on which the window begins, in the zone. */
  readonly days: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
  /** Wall-clock time, inclusive. */
  readonly from: string;
  /** Wall-clock time, exclusive; on the next day if not after `from`. */
  readonly to: string;
  /** Added while the window is open. Of several windows the widest applies. */
  readonly bps: BasisPoints;
}

/** What the rule or the person saw. */
export interface MatchEvidence {
  /** Amount received, in minor units. */
  readonly depositMinor: string;
  readonly reference?: string | null | undefined;
  /** Status of the transaction before the match. */
  readonly status?: string | undefined;
  /** Amount it awaited, in minor units. */
  readonly outstandingMinor?: string | undefined;
  /** Bank reference of the top-up by hand whose place it has. */
  readonly toppedUpUnder?: string | undefined;
  readonly timeliness?:
    | {
        readonly isLate: boolean;
        readonly judgedBy: Open<'booking_date' | 'received_at' | 'value_date'>;
        /** The day or instant that it was judged by. */
        readonly moneyOf: string | null;
        readonly fundingCutoffAt: Instant;
      }
    | undefined;
  readonly rulesVersion?: number | undefined;
  /** US dollar cents. */
  readonly toleranceUsdMinor?: string | undefined;
  readonly toleranceBps?: string | undefined;
  readonly remitterAccount?: string | null | undefined;
  readonly virtualAccount?: string | null | undefined;
  /** Given by whoever matched it. */
  readonly reason?: string | undefined;
  /** The second person, if one was needed. */
  readonly approvedBy?: string | undefined;
}

export interface MatchSuggestion {
  readonly transactionId: string;
  readonly customerId: string;
  readonly reference: string;
  readonly status: string;
  readonly currency: string;
  readonly outstandingAmount: string;
  /** 0 to 100. */
  readonly score: number;
  readonly reasonsFor: readonly string[];
  readonly reasonsAgainst: readonly string[];
}

export interface MatchingOutcome {
  readonly outcome: Open<'matched' | 'exception'>;
  readonly exception: DepositException | null;
  readonly allocations: readonly {
    /** Null: into the balance. */
    readonly transactionId: string | null;
    readonly matchRule: string;
    readonly allocatedAmount: string;
    readonly excessAmount: string;
    readonly shortfallAmount: string;
  }[];
}

export interface MatchingRules {
  /** The number in the `ETag`. */
  readonly version: number;
  /** US dollars. */
  readonly toleranceUsd: string;
  /** A payment short by at most this and at most `toleranceUsd` counts as complete; the house bears the rest. */
  readonly toleranceBps: number;
  /** Rules that only suggest a match. */
  readonly suggestOnly: readonly Open<
    | 'references_split'
    | 'reference_short_tolerated'
    | 'reference_partial'
    | 'reference_excess'
    | 'virtual_account_exact'
    | 'virtual_account_group'
    | 'balance_top_up'
    | 'virtual_account_top_up'
  >[];
  /** How many trades one deposit on a virtual account may pay. */
  readonly groupSizeMax: number;
  /** Manual work on more than this needs two operators. Null: never. */
  readonly fourEyesFromUsd: string | null;
}

export interface MatchingRulesDocument {
  /** US dollars. */
  readonly toleranceUsd: string;
  /** A payment short by at most this and at most `toleranceUsd` counts as complete; the house bears the rest. */
  readonly toleranceBps: number;
  /** Rules that only suggest a match. */
  readonly suggestOnly: readonly (
    | 'references_split'
    | 'reference_short_tolerated'
    | 'reference_partial'
    | 'reference_excess'
    | 'virtual_account_exact'
    | 'virtual_account_group'
    | 'balance_top_up'
    | 'virtual_account_top_up'
  )[];
  /** How many trades one deposit on a virtual account may pay. */
  readonly groupSizeMax: number;
  /** Manual work on more than this needs two operators. Null: never. */
  readonly fourEyesFromUsd: string | null;
}

export interface MatchingRulesPreview {
  /** The rules in force that the draft is compared with. */
  readonly rulesVersion: number;
  readonly depositsTried: number;
  readonly unchanged: number;
  readonly changes: readonly {
    readonly depositId: string;
    readonly status: Open<'unmatched' | 'partially_matched' | 'matched' | 'returned' | 'ignored'>;
    readonly amount: string;
    readonly currency: string;
    readonly receivedAt: Instant;
    readonly inForce: MatchingOutcome;
    readonly draft: MatchingOutcome;
  }[];
}

export interface MatchingRulesVersion {
  /** The number in the `ETag`. */
  readonly version: number;
  readonly changedAt: Instant;
  /** Person or OAuth client. */
  readonly changedBy: string;
  /** US dollars. */
  readonly toleranceUsd: string;
  /** A payment short by at most this and at most `toleranceUsd` counts as complete; the house bears the rest. */
  readonly toleranceBps: number;
  /** Rules that only suggest a match. */
  readonly suggestOnly: readonly Open<
    | 'references_split'
    | 'reference_short_tolerated'
    | 'reference_partial'
    | 'reference_excess'
    | 'virtual_account_exact'
    | 'virtual_account_group'
    | 'balance_top_up'
    | 'virtual_account_top_up'
  >[];
  /** How many trades one deposit on a virtual account may pay. */
  readonly groupSizeMax: number;
  /** Manual work on more than this needs two operators. Null: never. */
  readonly fourEyesFromUsd: string | null;
}

export interface OperatorClient {
  readonly clientId: string;
  readonly name: string;
  readonly status: Open<'active' | 'suspended'>;
  readonly scopes: readonly OperatorClientScope[];
  readonly audiences: readonly string[];
  readonly ipAllowList: IpAllowList;
  readonly responsible: Responsible | null;
  readonly roles: RoleNames;
  readonly secrets: readonly ClientSecret[];
  readonly keys: readonly ClientKey[];
  readonly expiresAt: Instant | null;
  readonly dpopBoundTokens: DpopBoundTokens;
  readonly lastUsedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type OperatorClientScope =
  | 'operator:*'
  | 'operator:self'
  | 'operator:clients'
  | 'operator:clients:read'
  | 'operator:roles'
  | 'operator:keys'
  | 'operator:people'
  | 'operator:people:read'
  | 'operator:customers'
  | 'operator:customers:read'
  | 'operator:credentials'
  | 'operator:settlement-instructions'
  | 'operator:house-accounts'
  | 'operator:spreads'
  | 'operator:limits'
  | 'operator:market'
  | 'operator:prices'
  | 'operator:calendars'
  | 'operator:pricing:read'
  | 'operator:deposits'
  | 'operator:funding'
  | 'operator:statements'
  | 'operator:entries'
  | 'operator:deposits:read'
  | 'operator:trades'
  | 'operator:transactions'
  | 'operator:holds'
  | 'operator:payouts'
  | 'operator:transactions:read'
  | 'operator:ledger'
  | 'operator:reports'
  | 'operator:reports:read'
  | 'operator:approvals'
  | 'operator:approvals:read'
  | 'operator:webhooks'
  | 'operator:introspection'
  | 'operator:audit'
  | 'operator:sandbox';

export interface OperatorEvent {
  /** An event type, or `webhook.test`. */
  readonly type: string;
  readonly timestamp: Instant;
  readonly data: {
    readonly eventId: string;
    readonly sequence: number;
    readonly exceptionId?: string | undefined;
    readonly exceptionType?: string | undefined;
    readonly customerId?: string | null | undefined;
    readonly approvalId?: string | undefined;
    readonly kind?: string | undefined;
    readonly subject?: string | undefined;
    readonly status?: string | undefined;
    readonly source?: string | undefined;
    readonly currency?: string | undefined;
    readonly endsOn?: string | undefined;
    readonly sweep?: string | undefined;
    readonly reportId?: string | undefined;
    readonly scheduleId?: string | null | undefined;
    readonly log?: string | undefined;
    readonly webhookId?: string | undefined;
    readonly personId?: string | undefined;
    readonly reason?: string | undefined;
    readonly purpose?: string | undefined;
    readonly transactionId?: string | undefined;
    readonly withdrawalId?: string | undefined;
    readonly returnId?: string | undefined;
  };
}

export type OperatorEventType =
  | 'exception.opened'
  | 'approval.requested'
  | 'approval.decided'
  | 'payment.failed'
  | 'price_source.down'
  | 'price_source.up'
  | 'calendar.ending'
  | 'sweep.failing'
  | 'log.fault'
  | 'report.failed'
  | 'webhook.disabled'
  | 'sign_in.unusual';

export interface OperatorQuote {
  readonly customerId: CustomerId;
  /** The customer's OAuth client, or who dealt for the customer. */
  readonly requestedBy: string;
  readonly quoteId: string;
  readonly type: 'firm';
  readonly status: Open<'open' | 'executed' | 'cancelled' | 'expired' | 'withdrawn'>;
  readonly statusReason: Open<'customer_suspended' | 'market_halt' | 'sandbox_scenario'> | null;
  readonly version: number;
  readonly sellCurrency: CurrencyCode;
  readonly buyCurrency: CurrencyCode;
  readonly fixedSide: FixedSide;
  readonly sellAmount: string;
  readonly buyAmount: string;
  readonly rate: QuotedRate;
  readonly pricing: Pricing;
  readonly settlement: QuoteSettlement;
  readonly validitySeconds: number;
  /** Milliseconds left when this response was written. */
  readonly validForMs: number;
  readonly validityTruncated: boolean;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly executedAt: Instant | null;
  readonly cancelledAt: Instant | null;
  readonly transactionId: string | null;
  readonly clientReference: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface OperatorQuoteExplanation {
  readonly customerId: string;
  readonly quoteId: string;
  readonly status: Open<'open' | 'executed' | 'cancelled' | 'expired' | 'withdrawn'>;
  readonly transactionId: string | null;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  /** How much is shown: no more than the quote itself, and no more than the customer may see now. */
  readonly disclosure: Open<'full' | 'total' | 'none'>;
  readonly pair: PairCode;
  readonly sellCurrency: CurrencyCode;
  readonly buyCurrency: CurrencyCode;
  readonly fixedSide: FixedSide;
  readonly tradeDate: CalendarDate;
  readonly valueDate: CalendarDate;
  readonly estimatedCurrencies?: EstimatedCurrencies | undefined;
  readonly market: MarketSnapshot;
  readonly spread?: SpreadBreakdown | undefined;
  readonly numbers: QuoteNumbers;
  readonly reference: ReferenceRate | null;
  readonly steps: readonly RoundingStep[];
  readonly evidence?: QuoteEvidence | undefined;
  readonly verification: EvidenceVerification;
}

/** A change, with the members of its `code`. */
export interface OperatorTimelineEntry {
  readonly sequence: number;
  readonly at: Instant;
  readonly status: TransactionStatus;
  readonly actor: Open<'client' | 'operator' | 'risk' | 'matcher' | 'bank_feed' | 'system'>;
  readonly code: string;
  readonly depositId?: string | undefined;
  readonly matchRule?: string | undefined;
  readonly amount?: string | undefined;
  readonly currency?: CurrencyCode | undefined;
  readonly reason?: string | undefined;
  readonly valueDate?: CalendarDate | undefined;
  readonly previousValueDate?: CalendarDate | undefined;
  readonly destinationMasked?: string | undefined;
  readonly holdId?: string | undefined;
  readonly kind?: Open<'screening' | 'review' | 'documents'> | undefined;
  readonly closeOut?: CloseOut | undefined;
  /** The person or client who did or proposed it. Absent if the service did it, and for changes made before this was recorded. */
  readonly by?: string | undefined;
  /** Who approved it, where it took two. */
  readonly approvedBy?: string | undefined;
}

export interface OperatorTransaction {
  readonly customerId: CustomerId;
  /** The customer's OAuth client, or who dealt for the customer. */
  readonly executedBy: string | null;
  /** Since when bank statements lack money that was notified and that paid for this: no payout is released, and no settlement run takes it. */
  readonly fundsMissingSince: string | null;
  readonly transactionId: string;
  readonly quoteId: string;
  /** ISO 11649; give it with the payment. */
  readonly reference: string;
  readonly status: TransactionStatus;
  readonly statusReason: TransactionStatusReason | null;
  readonly version: number;
  /** Place of the newest change in the customer's event feed. */
  readonly changeSequence: number;
  readonly sellCurrency: CurrencyCode;
  readonly buyCurrency: CurrencyCode;
  readonly fixedSide: Open<'sell' | 'buy'>;
  readonly sellAmount: string;
  readonly buyAmount: string;
  readonly rate: QuotedRate;
  readonly pricing: Pricing;
  readonly settlement: TransactionSettlement;
  readonly payout: Payout;
  readonly refund: Refund | null;
  /** What the payout waits for. */
  readonly holds: readonly PayoutHold[];
  readonly failure: PayoutFailure | null;
  readonly clientReference: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly funding: TransactionFunding;
  /** What happened, oldest first. */
  readonly timeline: readonly OperatorTimelineEntry[];
  /** When to look again; null when nothing will change. */
  readonly nextPollAfterSeconds: number | null;
}

export interface OperatorTransactionSummary {
  readonly customerId: CustomerId;
  /** The customer's OAuth client, or who dealt for the customer. */
  readonly executedBy: string | null;
  /** Since when bank statements lack money that was notified and that paid for this: no payout is released, and no settlement run takes it. */
  readonly fundsMissingSince: string | null;
  readonly transactionId: string;
  readonly quoteId: string;
  /** ISO 11649; give it with the payment. */
  readonly reference: string;
  readonly status: TransactionStatus;
  readonly statusReason: TransactionStatusReason | null;
  readonly version: number;
  /** Place of the newest change in the customer's event feed. */
  readonly changeSequence: number;
  readonly sellCurrency: CurrencyCode;
  readonly buyCurrency: CurrencyCode;
  readonly fixedSide: Open<'sell' | 'buy'>;
  readonly sellAmount: string;
  readonly buyAmount: string;
  readonly rate: QuotedRate;
  readonly pricing: Pricing;
  readonly settlement: TransactionSettlement;
  readonly payout: Payout;
  readonly refund: Refund | null;
  /** What the payout waits for. */
  readonly holds: readonly PayoutHold[];
  readonly failure: PayoutFailure | null;
  readonly clientReference: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly funding: FundingSummary;
}

export interface OperatorWebhook {
  readonly webhookId: string;
  readonly url: string;
  readonly description: string | null;
  /** Empty: all. */
  readonly types: readonly OperatorEventType[];
  readonly ordering: WebhookOrdering;
  readonly status: Open<'enabled' | 'disabled'>;
  readonly disabledReason: Open<'by_owner' | 'gone' | 'attempts_exhausted'> | null;
  readonly disabledAt: Instant | null;
  /** For `v1a` signatures: `whpk_…`. */
  readonly publicKey: string | null;
  readonly previousSecretUntil: Instant | null;
  /** The last event of the feed read for it. */
  readonly lastSequence: number;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface OperatorWebhookDelivery {
  /** Also the `webhook-id`. */
  readonly eventId: string;
  readonly type: string;
  readonly status: Open<'pending' | 'delivered' | 'failed'>;
  /** Since the last replay. */
  readonly attemptCount: number;
  readonly nextAttemptAt: Instant | null;
  /** The latest ones, oldest first. */
  readonly attempts: readonly WebhookAttempt[];
  readonly message: OperatorEvent | null;
}

export interface OperatorWebhookWithSecret {
  readonly webhookId: string;
  readonly url: string;
  readonly description: string | null;
  /** Empty: all. */
  readonly types: readonly OperatorEventType[];
  readonly ordering: WebhookOrdering;
  readonly status: Open<'enabled' | 'disabled'>;
  readonly disabledReason: Open<'by_owner' | 'gone' | 'attempts_exhausted'> | null;
  readonly disabledAt: Instant | null;
  /** For `v1a` signatures: `whpk_…`. */
  readonly publicKey: string | null;
  readonly previousSecretUntil: Instant | null;
  /** The last event of the feed read for it. */
  readonly lastSequence: number;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Shown only once: `whsec_…`. */
  readonly secret: string;
}

export interface OperatorWithdrawal {
  readonly withdrawalId: string;
  /** ISO 11649; the payment carries it as EndToEndId. */
  readonly reference: string;
  readonly status: Open<'pending' | 'paid' | 'failed' | 'cancelled'>;
  readonly currency: CurrencyCode;
  readonly amount: string;
  /** The settlement instruction that it is paid to. */
  readonly destinationId: string;
  readonly destinationMasked: string;
  readonly clientReference: string | null;
  readonly bankReference: string | null;
  readonly paidAt: Instant | null;
  readonly failure: Open<'rejected' | 'returned'> | null;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly customerId: string;
  readonly requestedAs: Open<'customer' | 'operator'>;
  /** Person or OAuth client. */
  readonly requestedBy: string;
  /** The second person, if one was needed. */
  readonly approvedBy: string | null;
  readonly reason: string | null;
  /** Explanation by the bank or by whoever cancelled it. */
  readonly detail: string | null;
}

export interface OwnerBalance {
  /** A customer, or "house" for what belongs to no customer. */
  readonly customerId: string;
  readonly debit: ExactAmount | null;
  readonly credit: ExactAmount | null;
}

export interface PaidTransaction {
  /** Of a withdrawal or the return of a deposit: its own id. */
  readonly transactionId: string;
  readonly customerId: string;
  readonly purpose: string;
}

export interface PairPosition {
  readonly pair: PairCode;
  /** Without cancelled trades. */
  readonly trades: number;
  /** Of the base currency. Positive: long. */
  readonly position: ExactAmount;
  /** Of the quote currency: what was received less what was paid. */
  readonly quotePosition: ExactAmount;
  readonly bought: ExactAmount;
  readonly averageBought: Rate | null;
  readonly sold: ExactAmount;
  readonly averageSold: Rate | null;
  readonly mid: {
    readonly value: string;
    readonly asOf: Instant;
    readonly stale: boolean;
  } | null;
  /** In the quote currency. */
  readonly realised: ExactAmount;
  /** US dollars. */
  readonly realisedUsd: string | null;
  /** US dollars. */
  readonly unrealisedUsd: string | null;
  /** US dollars. */
  readonly resultUsd: string | null;
}

export interface PairSettings {
  readonly pair: PairCode;
  /** 1 until somebody sets it. */
  readonly version: number;
  /** False: not quoted (403 `pair_not_enabled`). */
  readonly enabled: boolean;
  readonly stalenessMs: number;
  readonly composite: Open<'best' | 'priority'>;
  /** Sources, first choice first. */
  readonly priority: readonly string[];
  /** Whether a bid may equal the ask. */
  readonly lockedPrices: Open<'accept' | 'refuse'>;
  readonly outlierBps: BasisPoints | null;
  readonly jumpTicks: number;
  readonly jumpMs: number;
  readonly frozenMs: number | null;
  readonly deviationBps: BasisPoints | null;
  readonly agreementMs: number;
  readonly maxWidthBps: PriceWidthLimit;
  readonly bandBps: PriceWidthLimit;
  /** Basis points of the mid price, more than 0, at most 9000.00. Default: by the pair's class. */
  readonly referenceBps: string;
  /** The limits that were set for this pair. The others follow its class. */
  readonly ownLimits: readonly Open<'maxWidthBps' | 'bandBps' | 'referenceBps'>[];
  readonly classLimits: {
    readonly maxWidthBps: PriceWidthLimit;
    readonly bandBps: PriceWidthLimit;
    /** Basis points of the mid price, more than 0, at most 9000.00. Default: by the pair's class. */
    readonly referenceBps: string;
  };
  readonly changedAt: Instant | null;
  /** Person or OAuth client. */
  readonly changedBy: string | null;
}

export interface Passkey {
  readonly passkeyId: string;
  readonly name: string;
  readonly createdAt: Instant;
  readonly lastUsedAt: Instant | null;
}

export interface PaymentStatus {
  readonly position: number;
  readonly line: number;
  /** Whether it is about a whole payment file, a block in it, or one payment. */
  readonly level: Open<'file' | 'block' | 'payment'>;
  /** As the bank writes it: RJCT, ACCP, ACSC, … */
  readonly status: string;
  readonly reasonCode: string | null;
  readonly reasonText: string | null;
  /** Identifier of that file or block. */
  readonly originalId: string | null;
  readonly endToEndId: string | null;
  readonly instructionId: string | null;
  readonly uetr: string | null;
  readonly amount: string | null;
  readonly currency: CurrencyCode | null;
  /** `noted` changes nothing; `unknown`: no payment has this identifier. */
  readonly state: Open<'due' | 'noted' | 'applied' | 'known' | 'mismatch' | 'unknown'>;
  readonly mismatchReason: string | null;
  /** Those whose payouts or refunds it rejected. */
  readonly transactions: readonly PaidTransaction[];
}

export interface Person {
  readonly personId: string;
  readonly email: string;
  readonly name: string;
  readonly status: Open<'invited' | 'active' | 'suspended' | 'ended'>;
  readonly roles: readonly string[];
  readonly invitationEndsAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Town and country have their own members, as banks require. */
export interface PostalAddress {
  readonly streetName?: string | undefined;
  readonly buildingNumber?: string | undefined;
  readonly postBox?: string | undefined;
  readonly postalCode?: string | undefined;
  readonly townName: string;
  readonly countrySubDivision?: string | undefined;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** Street and so on, instead of separate fields (hybrid address). */
  readonly addressLines?: readonly string[] | undefined;
}

export interface PreviewedPayment {
  readonly line: number;
  readonly account: string;
  readonly direction: Open<'credit' | 'debit'>;
  readonly kind: Open<'payment' | 'return' | 'reversal'>;
  readonly status: Open<'booked' | 'pending' | 'information'>;
  readonly amount: string;
  readonly currency: CurrencyCode;
  readonly bookingDate: CalendarDate;
  readonly valueDate: CalendarDate;
  readonly bankReference: string | null;
  readonly endToEndId: string | null;
  readonly uetr: string | null;
  readonly structuredReferences: readonly string[];
  readonly remittanceText: string | null;
  readonly counterpartyName: string | null;
  readonly counterpartyAccount: string | null;
  readonly creditedAccount: string | null;
}

export interface PreviewedStatement {
  readonly kind: Open<'statement' | 'report' | 'notification'>;
  readonly line: number;
  readonly account: string;
  readonly ownAccount: boolean;
  readonly currency: CurrencyCode | null;
  readonly reference: string | null;
  readonly number: string | null;
  readonly page: number | null;
  readonly from: CalendarDate | null;
  readonly to: CalendarDate | null;
  readonly opening: StatementBalance | null;
  readonly closing: StatementBalance | null;
  readonly entries: number;
  readonly setAside: StatementSetAside | null;
  /** What is booked, by currency. */
  readonly sums: readonly StatementSums[];
  /** The file that brought it before, by its last day and its balances. */
  readonly importedIn: string | null;
}

export interface PriceForDate {
  readonly valueDate: CalendarDate | null;
  /** Why it is not priced. */
  readonly reason: string | null;
  /** From spot back to the date. */
  readonly legs: readonly SwapPointLeg[];
  /** The price for the date, from the current spot price. */
  readonly bid: string | null;
  readonly ask: string | null;
}

export interface PriceOfPair {
  readonly pair: PairCode;
  /** Its limits apply where none are set. */
  readonly class: Open<'major' | 'minor' | 'exotic'>;
  readonly status: Open<'fresh' | 'stale' | 'missing'>;
  readonly bid?: string | undefined;
  readonly ask?: string | undefined;
  readonly mid?: string | undefined;
  readonly source?: string | undefined;
  readonly asOf?: Instant | undefined;
  readonly ageMs?: number | undefined;
  readonly bidFrom?:
    | {
        readonly source: string;
        readonly asOf: Instant;
      }
    | undefined;
  readonly askFrom?:
    | {
        readonly source: string;
        readonly asOf: Instant;
      }
    | undefined;
  /** For a cross. */
  readonly legs?:
    | readonly {
        readonly pair: PairCode;
        readonly bid: string;
        readonly ask: string;
        readonly source: string;
        readonly asOf: Instant;
      }[]
    | undefined;
  readonly enabled: boolean;
  readonly market: MarketState;
  readonly halts: readonly {
    readonly haltId: string;
    readonly scope: Open<'all' | 'pair' | 'customer'>;
    readonly reason: string;
  }[];
  readonly disagreement?:
    | {
        readonly since: Instant;
        readonly sources: readonly string[];
      }
    | undefined;
  /** There is no price until an operator accepts one. */
  readonly awaitingAcceptance: boolean;
  readonly lastGood: {
    readonly price: string;
    readonly asOf: Instant;
  } | null;
  /** The reference rate that prices are checked against. */
  readonly reference: string | null;
  readonly heldBySandbox: boolean;
  /** Times that the prices of two sources crossed. */
  readonly crossings: number;
  readonly composite: Open<'best' | 'priority'> | null;
  readonly sources: readonly PriceOfSource[];
}

export interface PriceOfSource {
  readonly source: string;
  readonly state: Open<
    | 'fresh'
    | 'stale'
    | 'withdrawn'
    | 'held_back'
    | 'refused'
    | 'set_aside'
    | 'frozen'
    | 'disabled'
    | 'missing'
  >;
  readonly bid?: string | undefined;
  readonly ask?: string | undefined;
  readonly asOf?: Instant | undefined;
  readonly ageMs?: number | undefined;
  readonly heldBack: {
    readonly ticks: number;
    readonly since: Instant;
  } | null;
  readonly refused: {
    readonly reason: Open<'too_wide' | 'outside_band' | 'outside_reference' | 'unconfirmed'>;
    readonly bid: string;
    readonly ask: string;
    readonly asOf: Instant;
    readonly since: Instant;
    readonly ticks: number;
  } | null;
  readonly setAside: {
    readonly since: Instant;
  } | null;
}

export interface PriceSourceHealth {
  readonly source: string;
  readonly enabled: boolean;
  readonly reason: string | null;
  readonly changedAt: Instant | null;
  /** Person or OAuth client. */
  readonly changedBy: string | null;
  /** Of the connection in this process; `absent`: there is none. */
  readonly state: string;
  readonly ticks: number;
  readonly lastTickAt: Instant | null;
  readonly ageMs: number | null;
  /** Lines or messages that could not be read. */
  readonly skippedLines?: number | undefined;
  readonly lastSkipReason?: string | undefined;
  /** The last fault; it stays after the source has recovered. */
  readonly error?: string | undefined;
  readonly errorAt?: Instant | undefined;
  readonly connectedSince?: Instant | undefined;
  readonly reconnects?: number | undefined;
  readonly lastHeartbeatAt?: Instant | undefined;
  readonly nextAttemptAt?: Instant | undefined;
  /** Prices that the vendor marked as not tradable. */
  readonly untradable?: number | undefined;
  /** From the vendor's timestamp to arrival. */
  readonly lastDelayMs?: number | undefined;
  readonly referenceDate?: string | undefined;
  /** What the FIX gateway refused, by reason. */
  readonly refused?: Readonly<Record<string, number>> | undefined;
  readonly conflated?: number | undefined;
  /** MsgSeqNum of the next FIX message to the venue. */
  readonly nextSent?: number | undefined;
  readonly nextReceived?: number | undefined;
  readonly sequenceReset: {
    readonly nextSent: number;
    readonly nextReceived: number;
    readonly reason: string;
    readonly resetAt: Instant;
    /** Person or OAuth client. */
    readonly resetBy: string;
  } | null;
  readonly accepted: number;
  readonly locked: number;
  readonly rejected: RejectedTicks;
  /** Prices that it withdrew, or lost with its connection. */
  readonly withdrawn: number;
  readonly lastAcceptedAt: Instant | null;
  readonly lastRejected: {
    readonly pair: string;
    readonly bid: string;
    readonly ask: string;
    readonly asOf: Instant | null;
    readonly reason: RejectReason;
  } | null;
}

/** Units of the quote currency for one of the base currency, a decimal string. */
export type PriceText = string;

/** Basis points of the mid price, more than 0, at most 5000.00. Default: by the pair's class. */
export type PriceWidthLimit = string;

export interface PricingPolicy {
  /** The number in the `ETag`. */
  readonly version: number;
  readonly validityPremium: ValidityPremium;
  readonly marketHours: readonly MarketHoursWindow[];
  readonly settlementIncrements?: SettlementIncrements | undefined;
}

export interface PricingPolicyVersion {
  /** The number in the `ETag`. */
  readonly version: number;
  readonly changedAt: Instant;
  /** Person or OAuth client. */
  readonly changedBy: string;
  readonly validityPremium: ValidityPremium;
  readonly marketHours: readonly MarketHoursWindow[];
  readonly settlementIncrements?: SettlementIncrements | undefined;
}

export interface PushedSwapPoints {
  readonly source: string;
  readonly receivedAt: Instant;
  readonly accepted: number;
  readonly refused: number;
  /** One for each, in the order of the request. */
  readonly results: readonly {
    readonly pair: string;
    readonly leg: Open<'on' | 'tn'>;
    readonly outcome: Open<'accepted' | 'refused'>;
    /** `old`: for a trade date that is over. `backwards`: older than the source's previous points. `out_of_range`: beyond `maxBpsPerDay`. */
    readonly reason?:
      | Open<
          | 'unknown_pair'
          | 'not_a_number'
          | 'crossed'
          | 'not_a_time'
          | 'future'
          | 'old'
          | 'backwards'
          | 'out_of_range'
        >
      | undefined;
  }[];
}

export interface ReconciliationException {
  readonly exceptionId: string;
  readonly type: ExceptionType;
  readonly reason: string;
  readonly status: Open<'open' | 'resolved'>;
  /** The number in the `ETag`. */
  readonly version: number;
  readonly depositId: string | null;
  readonly transactionId: string | null;
  readonly withdrawalId: string | null;
  /** The deposit return that it is about. */
  readonly returnId: string | null;
  readonly customerId: string | null;
  /** The statement entry that it is about. */
  readonly entryId: string | null;
  readonly sum: Money | null;
  /** The row of a sealed log that it is about. */
  readonly logFault: string | null;
  readonly report: ExceptionReport | null;
  readonly assignee: string | null;
  readonly openedAt: Instant;
  /** Whole hours from opening to now, or to the resolution. */
  readonly ageHours: number;
  readonly resolvedAt: Instant | null;
  /** What ended it: `matched`, `returned`, `ignored`, `acknowledged`, … */
  readonly resolution: string | null;
}

export interface ReconciliationExceptionDetail {
  readonly exceptionId: string;
  readonly type: ExceptionType;
  readonly reason: string;
  readonly status: Open<'open' | 'resolved'>;
  /** The number in the `ETag`. */
  readonly version: number;
  readonly depositId: string | null;
  readonly transactionId: string | null;
  readonly withdrawalId: string | null;
  /** The deposit return that it is about. */
  readonly returnId: string | null;
  readonly customerId: string | null;
  /** The statement entry that it is about. */
  readonly entryId: string | null;
  readonly sum: Money | null;
  /** The row of a sealed log that it is about. */
  readonly logFault: string | null;
  readonly report: ExceptionReport | null;
  readonly assignee: string | null;
  readonly openedAt: Instant;
  /** Whole hours from opening to now, or to the resolution. */
  readonly ageHours: number;
  readonly resolvedAt: Instant | null;
  /** What ended it: `matched`, `returned`, `ignored`, `acknowledged`, … */
  readonly resolution: string | null;
  /** Transactions that the deposit may be for, the likeliest first. Only while it is open. */
  readonly suggestions: readonly MatchSuggestion[];
  /** What you can do about it now. Only while it is open. */
  readonly orders: readonly {
    readonly order: Open<
      | 'match'
      | 'replace_top_up'
      | 'return'
      | 'ignore'
      | 'book'
      | 'release'
      | 'unmatch'
      | 'refund_excess'
      | 'another'
      | 'same'
      | 'never_booked'
      | 'forgive_shortfall'
      | 'roll_value_date'
      | 'redirect'
      | 'paid'
      | 'failed'
      | 'cancel'
      | 'retry_payout'
      | 'retry_refund'
      | 'retry'
      | 'resolve'
      | 'assign'
    >;
    /** Where to POST it. */
    readonly path: string;
    /** The known part of its body; add the reason and what you decide. */
    readonly body: Readonly<Record<string, string>>;
  }[];
  readonly failure: {
    readonly attempts: number;
    readonly reason: string;
    readonly detail: string | null;
    readonly firstAt: Instant;
    readonly lastAt: Instant;
    readonly nextAt: Instant;
  } | null;
  readonly history: readonly HistoryStep[];
}

export type RejectReason = Open<
  | 'unknown_pair'
  | 'source_disabled'
  | 'too_many_sources'
  | 'not_positive'
  | 'crossed'
  | 'locked'
  | 'wrong_clock'
  | 'future'
  | 'backwards'
  | 'too_wide'
  | 'outside_band'
  | 'outside_reference'
  | 'unconfirmed'
  | 'outlier'
  | 'frozen'
  | 'sandbox_hold'
>;

export interface RejectedTicks {
  readonly unknown_pair: number;
  readonly source_disabled: number;
  readonly too_many_sources: number;
  readonly not_positive: number;
  readonly crossed: number;
  readonly locked: number;
  readonly wrong_clock: number;
  readonly future: number;
  readonly backwards: number;
  readonly too_wide: number;
  readonly outside_band: number;
  readonly outside_reference: number;
  readonly unconfirmed: number;
  readonly outlier: number;
  readonly frozen: number;
  readonly sandbox_hold: number;
}

export interface Remitter {
  readonly remitterId: string;
  readonly account: string;
  readonly name: string | null;
  readonly learntAt: Instant;
  /** The person or client. */
  readonly learntBy: string;
  /** The deposit that it was learnt from. */
  readonly depositId: string;
}

export interface Report {
  readonly reportId: string;
  readonly report: ReportName;
  readonly format: Open<'json' | 'csv'>;
  readonly parameters: ReportParameters;
  readonly status: Open<'queued' | 'running' | 'completed' | 'failed'>;
  /** The person or client. */
  readonly requestedBy: string;
  readonly createdAt: Instant;
  readonly startedAt: Instant | null;
  readonly completedAt: Instant | null;
  readonly expiresAt: Instant;
  /** Rows written so far. */
  readonly rows: number;
  /** Bytes written so far. */
  readonly bytes: number;
  /** Of the whole file, in hex. */
  readonly sha256: string | null;
  readonly balanced: boolean | null;
  readonly failure: string | null;
  /** Where the file is, once complete. */
  readonly contentUrl: string | null;
  /** For a scheduled report whose schedule still exists. */
  readonly scheduleId: string | null;
  readonly slot: CalendarDate | null;
  readonly dueAt: Instant | null;
}

/** For a report that must add up: whether it does; `alarm` says what does not. */
export type ReportBalanced = boolean;

export type ReportCell = string | number | boolean | null;

export type ReportName =
  | 'blotter'
  | 'settlement-ladder'
  | 'exposure'
  | 'pair-positions'
  | 'spread-revenue'
  | 'reconciliation'
  | 'overdue'
  | 'suspense'
  | 'exceptions'
  | 'deposits'
  | 'journal'
  | 'trial-balance';

/** What was asked for, with `to` filled in. */
export interface ReportParameters {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly customerId?: string | undefined;
  readonly currency?: string | undefined;
}

export interface ReportSchedule {
  readonly scheduleId: string;
  /** The number in the `ETag`. */
  readonly version: number;
  /** Shown to people. */
  readonly name: string;
  readonly report: ReportName;
  readonly format: Open<'json' | 'csv'>;
  readonly every: Open<'day' | 'week' | 'month'>;
  /** For `week` the ISO weekday, 1 is Monday; for `month` the day, or the last day of a shorter month; for `day` null. */
  readonly on: number | null;
  readonly at: string;
  /** IANA zone of `at`. */
  readonly zone: string;
  /** When `calendar` is closed: `run` anyway, run on the `following` open day, or `skip` it. */
  readonly holidays: Open<'run' | 'following' | 'skip'>;
  /** Currency whose calendar counts; null with `run`. */
  readonly calendar: string | null;
  /** If the report takes it. */
  readonly customerId: string | null;
  /** If the report takes it. */
  readonly currency: string | null;
  /** Days to keep each file. */
  readonly keepDays: number;
  /** Runs that fall due meanwhile are not made up. */
  readonly paused: boolean;
  readonly nextRunAt: Instant | null;
  readonly nextRunFor: CalendarDate | null;
  /** Slots missed while the service was down and not made up. */
  readonly leftOut: number;
  readonly lastRun: Report | null;
  readonly createdBy: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface ReportScheduleInput {
  /** Shown to people. */
  readonly name: string;
  readonly report: ReportName;
  readonly format: 'json' | 'csv';
  readonly every: 'day' | 'week' | 'month';
  /** For `week` the ISO weekday, 1 is Monday; for `month` the day, or the last day of a shorter month; for `day` null. */
  readonly on: number | null;
  readonly at: string;
  /** IANA zone of `at`. */
  readonly zone: string;
  /** When `calendar` is closed: `run` anyway, run on the `following` open day, or `skip` it. */
  readonly holidays: 'run' | 'following' | 'skip';
  /** Currency whose calendar counts; null with `run`. */
  readonly calendar: string | null;
  /** If the report takes it. */
  readonly customerId: string | null;
  /** If the report takes it. */
  readonly currency: string | null;
  /** Days to keep each file. */
  readonly keepDays: number;
  /** Runs that fall due meanwhile are not made up. */
  readonly paused: boolean;
}

/** Responsible for the client; it counts as this person for approvals. */
export interface Responsible {
  readonly personId: string;
  readonly name: string;
  readonly email: string;
}

export interface Role {
  readonly role: string;
  readonly description: string;
  readonly scopes: readonly OperatorClientScope[];
  /** Every service has it, and it cannot be changed. */
  readonly builtIn: boolean;
  /** The number in the `ETag`. */
  readonly version: number | null;
  readonly createdAt: Instant | null;
  readonly updatedAt: Instant | null;
}

/** Each role grants its current scopes. */
export type RoleNames = readonly string[];

export interface ServiceKey {
  readonly kid: string;
  readonly purpose: Open<'tokens' | 'evidence'>;
  readonly algorithm: Open<'ES256' | 'EdDSA'>;
  /** `next` is published and will sign, `active` signs, `retired` only verifies what it signed, `revoked` verifies nothing. */
  readonly state: Open<'next' | 'active' | 'retired' | 'revoked'>;
  readonly publishedAt: Instant;
  readonly activatedAt: Instant | null;
  readonly rotatesAt: Instant | null;
  readonly retiredAt: Instant | null;
  readonly revokedAt: Instant | null;
  readonly revocationReason: string | null;
  /** Why it was activated early. */
  readonly rotationReason: string | null;
  /** Fingerprint of the key-encryption key; null once the private key is gone. */
  readonly encryptedUnder: string | null;
}

export interface Session {
  readonly sessionId: string;
  readonly personId: string;
  /** How the person signed in, such as `provider`. */
  readonly method: string;
  readonly startedAt: Instant;
  readonly lastUsedAt: Instant;
  readonly signedInAt: Instant;
  readonly endsAt: Instant;
  readonly address: string;
  readonly userAgent: string | null;
  readonly isThisOne?: boolean | undefined;
}

/** Amounts of quotes are multiples of it, such as 1.00 for whole forints. */
export type SettlementIncrements = readonly {
  readonly currency: CurrencyCode;
  readonly increment: Amount;
}[];

export interface SettlementInstruction {
  readonly settlementInstructionId: string;
  readonly customerId: CustomerId;
  readonly currency: CurrencyCode;
  readonly accountHolder: string;
  readonly bankName: string | null;
  readonly bankCountry: string | null;
  readonly lei: string | null;
  readonly bic: string | null;
  readonly accountType: Open<'iban' | 'account_number'>;
  readonly accountMasked: string;
  readonly routingNumber: string | null;
  readonly status: Open<'active' | 'retired'>;
  readonly usableFrom: Instant | null;
  readonly createdAt: Instant;
}

export interface SettlementRun {
  readonly runId: string;
  readonly currency: CurrencyCode;
  readonly valueDate: CalendarDate;
  readonly executionDate: CalendarDate;
  readonly sendBefore: Instant | null;
  readonly chargeBearer: Open<'shared' | 'debtor' | 'creditor'>;
  readonly status: Open<'created' | 'sent' | 'cancelled'>;
  /** MsgId of the payment file. */
  readonly messageId: string;
  readonly paymentCount: number;
  readonly total: string;
  readonly files: readonly {
    readonly format: Open<'pain.001' | 'csv'>;
    readonly sha256: string;
    readonly bytes: number;
    readonly url: string;
  }[];
  /** Who downloaded a file. After that, cancelling needs two operators. */
  readonly downloads: readonly {
    readonly format: Open<'pain.001' | 'csv'>;
    /** The person or client. */
    readonly by: string;
    readonly count: number;
    readonly firstAt: Instant;
    readonly lastAt: Instant;
  }[];
  readonly version: number;
  readonly createdBy: string;
  readonly createdAt: Instant;
  /** Who marked it sent or cancelled it; for a proposal, who approved it. */
  readonly endedBy: string | null;
  readonly endedAt: Instant | null;
}

export interface SettlementRunPayment {
  readonly endToEndId: string;
  readonly uetr: string;
  readonly customerId: string | null;
  readonly currency: CurrencyCode;
  readonly amount: string;
  readonly scheme: Open<'sepa' | 'instant' | 'urgent' | 'plain'>;
  readonly payeeName: string | null;
  /** IBAN or account number. */
  readonly payeeAccount: string | null;
  readonly destinationMasked: string;
  /** Changed to fit the banks' character set or length. */
  readonly adjustments: readonly {
    readonly field: string;
    readonly given: string;
    readonly sent: string;
  }[];
  readonly bankStatus: {
    readonly code: string;
    readonly reason: string | null;
    readonly at: Instant;
  } | null;
  readonly items: readonly {
    readonly transactionId: string | null;
    readonly withdrawalId: string | null;
    /** The return of a deposit. */
    readonly returnId: string | null;
    readonly purpose: Open<'payout' | 'refund' | 'withdrawal' | 'deposit_return'>;
    readonly attempt: number;
    readonly amount: string;
    /** Of this attempt, derived from the transaction. */
    readonly state: Open<'sent' | 'paid' | 'rejected' | 'returned' | 'cancelled' | 'ended'>;
  }[];
}

export interface SettlementRunPreview {
  readonly currency: CurrencyCode;
  readonly valueDate: CalendarDate;
  readonly executionDate: CalendarDate;
  readonly paymentCount: number;
  readonly total: string;
  /** More is due than one run holds. */
  readonly hasMore: boolean;
  /** Of everything that the run would pay, to whom and when: its `previewDigest`. */
  readonly digest: string;
  /** The first 200. */
  readonly payments: readonly {
    readonly customerId: string | null;
    readonly amount: string;
    readonly scheme: Open<'sepa' | 'instant' | 'urgent' | 'plain'>;
    readonly payeeName: string | null;
    /** IBAN or account number. */
    readonly payeeAccount: string | null;
    readonly destinationMasked: string;
    /** Changed to fit the banks' character set or length. */
    readonly adjustments: readonly {
      readonly field: string;
      readonly given: string;
      readonly sent: string;
    }[];
    readonly items: readonly {
      readonly transactionId: string | null;
      readonly withdrawalId: string | null;
      /** The return of a deposit. */
      readonly returnId: string | null;
      readonly customerId: string | null;
      readonly purpose: Open<'payout' | 'refund' | 'withdrawal' | 'deposit_return'>;
      readonly amount: string;
    }[];
  }[];
  /** Due but not payable: the first 200. */
  readonly excluded: readonly {
    readonly transactionId: string | null;
    readonly withdrawalId: string | null;
    /** The return of a deposit. */
    readonly returnId: string | null;
    readonly customerId: string | null;
    readonly purpose: Open<'payout' | 'refund' | 'withdrawal' | 'deposit_return'>;
    readonly amount: string;
    /** The account it was to go to. */
    readonly destinationMasked: string | null;
    readonly reason: Open<
      | 'customer_suspended'
      | 'not_in_statement'
      | 'deposit_returned'
      | 'no_account'
      | 'instruction_retired'
      | 'account_waits'
      | 'bank_unknown'
      | 'bank_country_differs'
      | 'name_not_representable'
    >;
  }[];
}

export interface SpreadPreview {
  readonly customerId: string | null;
  readonly groupName: string | null;
  readonly tenor: string;
  readonly valueDate: CalendarDate;
  readonly validitySeconds: number;
  readonly market: {
    readonly bid: Rate;
    readonly ask: Rate;
    readonly asOf: Instant;
    readonly fresh: boolean;
    readonly source: string;
  };
  readonly live: SpreadPreviewSide;
  readonly draft: SpreadPreviewSide | null;
}

export interface SpreadPreviewSide {
  /** `priced`, or the code of the problem that a customer would get. */
  readonly outcome: string;
  readonly detail: string | null;
  readonly sellAmount: string | null;
  readonly buyAmount: string | null;
  readonly rate: QuotedRate | null;
  readonly pricing: Pricing | null;
  readonly rule: {
    readonly ruleId: string | null;
    readonly version: number | null;
    /** Place in the draft, from 0; null for rules in force. */
    readonly place: number | null;
    readonly terms: SpreadRuleTerms;
  } | null;
  /** Rules that could price the request but did not, strongest first, with the reason; 100 at most. */
  readonly others: readonly {
    readonly ruleId: string | null;
    readonly version: number | null;
    /** Place in the draft, from 0; null for rules in force. */
    readonly place: number | null;
    readonly lost: Open<
      | 'not_for_this_customer'
      | 'not_for_this_group'
      | 'not_for_this_pair'
      | 'not_yet_valid'
      | 'no_longer_valid'
      | 'other_tenor'
      | 'validity_longer_than_tier'
      | 'amount_below_tier'
      | 'less_specific_target'
      | 'less_specific_tenor'
      | 'wider_validity_tier'
      | 'lower_amount_tier'
      | 'earlier_valid_from'
      | 'lower_id'
    >;
  }[];
  /** Rules for other customers, groups or pairs. */
  readonly elsewhere: number;
}

export interface SpreadRule {
  readonly ruleId: string;
  /** The number in the `ETag`. */
  readonly version: number;
  readonly customerId: CustomerId | null;
  /** Customers of a group share spread rules. */
  readonly groupName: string | null;
  readonly pair: PairCode | null;
  readonly tenor: Open<'today' | 'tom' | 'spot'> | null;
  /** Only for validities of at most this many seconds; null is any. */
  readonly validityUpToSeconds: number | null;
  readonly minSpreadBps: BasisPoints | null;
  readonly maxSpreadBps: BasisPoints | null;
  readonly validFrom: Instant | null;
  readonly validTo: Instant | null;
  /** Only for fixed amounts worth this many US dollars or more; "0.00" is any. */
  readonly amountFrom: Amount;
  readonly spreadBps: BasisPoints;
  readonly createdAt: Instant;
}

export interface SpreadRuleDraft {
  /** The number in the `ETag`. */
  readonly version: number;
  /** Version of the rules in force that the draft replaces; null without a draft. */
  readonly basedOn: number | null;
  readonly rules: readonly SpreadRuleInput[] | null;
  /** The earlier version that it restores. */
  readonly restores: number | null;
  readonly changedAt: Instant | null;
}

export interface SpreadRuleInput {
  /** Absent for a new rule. */
  readonly ruleId?: string | null | undefined;
  readonly customerId?: string | null | undefined;
  /** Customers of a group share spread rules. */
  readonly groupName?: string | null | undefined;
  readonly pair?: PairCode | null | undefined;
  readonly tenor?: 'today' | 'tom' | 'spot' | null | undefined;
  /** Only for validities of at most this many seconds; null is any. */
  readonly validityUpToSeconds?: number | null | undefined;
  readonly amountFrom?: Amount | null | undefined;
  readonly spreadBps: BasisPoints;
  readonly minSpreadBps?: BasisPoints | null | undefined;
  readonly maxSpreadBps?: BasisPoints | null | undefined;
  readonly validFrom?: Instant | null | undefined;
  readonly validTo?: Instant | null | undefined;
}

export interface SpreadRuleTerms {
  readonly customerId: CustomerId | null;
  /** Customers of a group share spread rules. */
  readonly groupName: string | null;
  readonly pair: PairCode | null;
  readonly tenor: Open<'today' | 'tom' | 'spot'> | null;
  /** Only for validities of at most this many seconds; null is any. */
  readonly validityUpToSeconds: number | null;
  readonly minSpreadBps: BasisPoints | null;
  readonly maxSpreadBps: BasisPoints | null;
  readonly validFrom: Instant | null;
  readonly validTo: Instant | null;
  /** Only for fixed amounts worth this many US dollars or more; "0.00" is any. */
  readonly amountFrom: Amount;
  readonly spreadBps: BasisPoints;
}

export interface SpreadRuleVersion {
  /** The number in the `ETag`. */
  readonly version: number;
  readonly inForceFrom: Instant;
  readonly inForceUntil: Instant | null;
  readonly ruleCount: number;
  /** Rules added by this version. */
  readonly added: number;
  /** Rules changed by this version. */
  readonly changed: number;
  /** Rules removed by this version. */
  readonly removed: number;
  /** Who changed them, or proposed it; null for the service. */
  readonly changedBy: string | null;
  readonly reason: string | null;
  /** If it took two persons. */
  readonly approvalId: string | null;
  readonly approvedBy: string | null;
  /** The earlier version that it restored. */
  readonly restores: number | null;
}

export interface SpreadRuleVersionDetail {
  /** The number in the `ETag`. */
  readonly version: number;
  readonly inForceFrom: Instant;
  readonly inForceUntil: Instant | null;
  readonly ruleCount: number;
  /** Rules added by this version. */
  readonly added: number;
  /** Rules changed by this version. */
  readonly changed: number;
  /** Rules removed by this version. */
  readonly removed: number;
  /** Who changed them, or proposed it; null for the service. */
  readonly changedBy: string | null;
  readonly reason: string | null;
  /** If it took two persons. */
  readonly approvalId: string | null;
  readonly approvedBy: string | null;
  /** The earlier version that it restored. */
  readonly restores: number | null;
  readonly rules: readonly SpreadRule[];
  /** The version compared with; null if none. */
  readonly against: number | null;
  /** What differs, by target and conditions: an unchanged rule under another id is no difference. */
  readonly differences: readonly {
    readonly before: SpreadRuleTerms | null;
    readonly after: SpreadRuleTerms | null;
  }[];
}

export interface SpreadRules {
  /** The number in the `ETag`. */
  readonly version: number;
  readonly rules: readonly SpreadRule[];
}

export interface StatementBalance {
  readonly amount: string;
  readonly currency: CurrencyCode;
  readonly date: CalendarDate;
}

/** An entry of a bank statement (`Ntry` in ISO 20022). An entry with several payments (`TxDtls`) is listed payment by payment, each with an id of its own; `position` and `entryAmount` are the same for all of them. */
export interface StatementEntry {
  readonly entryId: string;
  /** Place of the entry in the file, from 0. */
  readonly position: number;
  /** Place of the payment in the entry, from 1. */
  readonly paymentNumber: number;
  readonly line: number;
  /** Whether this file reports a payment of the entry that no earlier file had reported. */
  readonly new: boolean;
  readonly account: string;
  readonly direction: Open<'credit' | 'debit'>;
  readonly kind: Open<'payment' | 'return' | 'reversal'>;
  readonly status: Open<'booked' | 'pending' | 'information'>;
  readonly amount: string;
  readonly currency: CurrencyCode;
  /** Amount of the whole entry, which may hold several payments. */
  readonly entryAmount: string;
  readonly bookingDate: CalendarDate;
  readonly valueDate: CalendarDate;
  readonly bankReference: string | null;
  readonly detailReference: string | null;
  readonly transactionCode: string | null;
  readonly endToEndId: string | null;
  readonly uetr: string | null;
  readonly instructionId: string | null;
  readonly paymentInformationId: string | null;
  readonly structuredReferences: readonly string[];
  readonly remittanceText: string | null;
  readonly counterpartyName: string | null;
  readonly counterpartyAccount: string | null;
  readonly creditedAccount: string | null;
  readonly returnReason: string | null;
  readonly originalReference: string | null;
  readonly exchange: {
    readonly sourceCurrency: string | null;
    readonly targetCurrency: string | null;
    readonly unitCurrency: string | null;
    readonly rate: string | null;
    readonly originalAmount: string | null;
    readonly originalCurrency: string | null;
  } | null;
  readonly depositState: Open<'none' | 'due' | 'booked' | 'unknown_account'>;
  readonly depositId: string | null;
  /** Whether an entry that is no deposit is a payment of the house. */
  readonly paymentState: Open<
    'none' | 'due' | 'unknown_account' | 'applied' | 'known' | 'mismatch' | 'unknown' | 'by_hand'
  >;
  /** Why it is a mismatch: `amount`, `currency`, `state`, `paid_twice`, … */
  readonly paymentReason: string | null;
  /** What an operator booked it as: a ledger account, `payout`, `refund`, `deposit`, `deposit_return`, or `never_booked`. A sum whose payments a statement lists one by one is `never_booked` too. */
  readonly bookedAs: string | null;
  readonly payment: {
    readonly runId: string;
    readonly endToEndId: string;
  } | null;
  /** Whose payouts or refunds it has paid or returned. */
  readonly transactions: readonly PaidTransaction[];
  /** The deposit that it took back; of a `mismatch`, that it would take back; of one booked as a debt or on an account of the house, that somebody bears. */
  readonly returnedDepositId: string | null;
  /** The open exception about it. */
  readonly exceptionId: string | null;
  /** The earlier entry of this payment, which carries its money: states, deposit and payment are those of that entry. */
  readonly sameAs: string | null;
  readonly sameReason: Open<
    | 'uetr'
    | 'bank_reference'
    | 'end_to_end_id'
    | 'entry_reference'
    | 'content'
    | 'same_statement'
    | 'day_and_amount'
    | 'sum_of_details'
    | 'part_of_sum'
    | 'operator'
  > | null;
  /** Fields that differ from `sameAs`. */
  readonly differs: readonly string[];
  /** The entry that it may repeat: an exception until an operator decides. */
  readonly maybeSameAs: string | null;
  /** Fields that it lacked and a later entry supplied, with that entry's id. */
  readonly completed: readonly {
    readonly field: string;
    readonly by: string;
  }[];
  /** The entry of a statement with balances that lists it again. */
  readonly listedBy: string | null;
  readonly missingSince: Instant | null;
}

export interface StatementFile {
  readonly fileId: string;
  readonly name: string;
  readonly status: Open<'accepted' | 'refused' | 'held'>;
  readonly refusal: StatementRefusal | null;
  readonly format: Open<'camt' | 'mt940' | 'csv' | 'json' | 'pain.002'> | null;
  readonly mapping: string | null;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly source: Open<'api' | 'command' | 'folder' | 'sandbox'>;
  readonly receivedAt: Instant;
  /** How often these bytes were sent. */
  readonly attempts: number;
  readonly lastAttemptAt: Instant;
  readonly statements: number;
  /** Entries (`Ntry`) of its statements. */
  readonly entries: number;
  /** Those that no earlier file reported. */
  readonly newEntries: number;
  /** Payment statuses in a status report. */
  readonly paymentStatuses: number;
  readonly withdrawn: StatementWithdrawal | null;
  readonly acceptedDespite: AcceptedStatementRefusal | null;
}

export interface StatementFilePreview {
  readonly name: string;
  readonly format: Open<'camt' | 'mt940' | 'csv' | 'json' | 'pain.002'> | null;
  /** Kept mapping that read it. */
  readonly mapping: string | null;
  readonly refusal: StatementRefusal | null;
  readonly receivedBefore: StatementFile | null;
  readonly statements: number;
  readonly entries: number;
  readonly paymentStatuses: number;
  /** What is booked, by currency. */
  readonly sums: readonly StatementSums[];
  /** At most 50. */
  readonly firstStatements: readonly PreviewedStatement[];
  /** At most 50, in file order. */
  readonly firstPayments: readonly PreviewedPayment[];
}

export interface StatementFileReport {
  readonly fileId: string;
  readonly name: string;
  readonly status: Open<'accepted' | 'refused' | 'held'>;
  readonly refusal: StatementRefusal | null;
  readonly format: Open<'camt' | 'mt940' | 'csv' | 'json' | 'pain.002'> | null;
  readonly mapping: string | null;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly source: Open<'api' | 'command' | 'folder' | 'sandbox'>;
  readonly receivedAt: Instant;
  /** How often these bytes were sent. */
  readonly attempts: number;
  readonly lastAttemptAt: Instant;
  readonly statements: number;
  /** Entries (`Ntry`) of its statements. */
  readonly entries: number;
  /** Those that no earlier file reported. */
  readonly newEntries: number;
  /** Payment statuses in a status report. */
  readonly paymentStatuses: number;
  readonly withdrawn: StatementWithdrawal | null;
  readonly acceptedDespite: AcceptedStatementRefusal | null;
  /** What an operator should check in the first 200 statements. */
  readonly warnings: readonly StatementWarning[];
}

export interface StatementMapping {
  readonly name: string;
  readonly version: number;
  readonly mapping: CsvMapping;
  readonly updatedAt: Instant;
}

export interface StatementRefusal {
  readonly reason: StatementRefusalReason;
  readonly line: number | null;
  readonly detail: string;
}

export type StatementRefusalReason = Open<
  | 'format_unknown'
  | 'encoding_invalid'
  | 'not_well_formed'
  | 'doctype_refused'
  | 'too_large'
  | 'too_deep'
  | 'too_many_entries'
  | 'text_too_long'
  | 'no_statement'
  | 'statement_incomplete'
  | 'statement_repeated'
  | 'field_missing'
  | 'field_invalid'
  | 'amount_invalid'
  | 'amount_precision_invalid'
  | 'currency_unknown'
  | 'date_invalid'
  | 'date_implausible'
  | 'balance_mismatch'
  | 'totals_mismatch'
  | 'mapping_missing'
>;

/** Why none of its entries is booked, and how many it has. */
export interface StatementSetAside {
  readonly reason: 'currency_unknown';
  readonly entries: number;
}

export interface StatementSums {
  readonly currency: CurrencyCode;
  readonly credits: {
    readonly count: number;
    readonly amount: string;
  };
  readonly debits: {
    readonly count: number;
    readonly amount: string;
  };
}

export interface StatementWarning {
  readonly code: Open<
    | 'unknown_account'
    | 'sequence_gap'
    | 'opening_differs'
    | 'unknown_payment'
    | 'not_booked'
    | 'set_aside'
    | 'accepted_despite'
  >;
  /** Null for the whole file. */
  readonly statementId: string | null;
  readonly account: string | null;
  readonly detail: string;
}

/** What only this file reported is no longer booked. */
export interface StatementWithdrawal {
  readonly reason: string;
  readonly by: string;
  readonly approvedBy: string | null;
  readonly at: Instant;
}

export interface SwapPointLeg {
  readonly leg: Open<'on' | 'tn' | 'broken'>;
  readonly from: CalendarDate;
  readonly to: CalendarDate;
  readonly origin: Open<'operator' | 'pushed' | 'interest_rates' | 'worse_side'> | null;
  /** In pips. */
  readonly bid: string | null;
  readonly ask: string | null;
  readonly source: string | null;
  /** An instant, or the date of interest rates. */
  readonly asOf: string | null;
}

export interface SwapPointPolicy {
  /** The number in the `ETag`; 1: never set. */
  readonly version: number;
  /** `refuse`: a date before spot is not priced without points. `worse_side`: it is priced with `worseSideBpsPerDay` of the price as points for each day, on the side that is worse for the customer. */
  readonly withoutPoints: Open<'refuse' | 'worse_side'>;
  readonly worseSideBpsPerDay: BasisPoints | null;
  /** Points older than this are not used. None are used after their trade date. */
  readonly pointsMaxAgeSeconds: number;
  /** The most that points may move the price by a day. Default: 25.00. */
  readonly maxBpsPerDay?: BasisPoints | undefined;
  /** Days from `asOf` of an interest rate to the last trade date that uses it. */
  readonly ratesMaxAgeDays: number;
  /** Where nobody gives points, they follow from the rates of both currencies. */
  readonly interestRates: readonly InterestRate[];
  /** The sandbox's own rates, for currencies that `interestRates` leaves out; empty in production. */
  readonly builtInRates: readonly InterestRate[];
}

export interface SwapPointPolicyVersion {
  /** The number in the `ETag`. */
  readonly version: number;
  readonly changedAt: Instant;
  /** Person or OAuth client. */
  readonly changedBy: string;
  /** `refuse`: a date before spot is not priced without points. `worse_side`: it is priced with `worseSideBpsPerDay` of the price as points for each day, on the side that is worse for the customer. */
  readonly withoutPoints: Open<'refuse' | 'worse_side'>;
  readonly worseSideBpsPerDay: BasisPoints | null;
  /** Points older than this are not used. None are used after their trade date. */
  readonly pointsMaxAgeSeconds: number;
  /** The most that points may move the price by a day. Default: 25.00. */
  readonly maxBpsPerDay?: BasisPoints | undefined;
  /** Days from `asOf` of an interest rate to the last trade date that uses it. */
  readonly ratesMaxAgeDays: number;
  /** Where nobody gives points, they follow from the rates of both currencies. */
  readonly interestRates: readonly InterestRate[];
}

export interface SwapPoints {
  readonly pair: PairCode;
  /** The number in the `ETag`; 1: never set. */
  readonly version: number;
  readonly tradeDate: CalendarDate;
  readonly spotDate: CalendarDate | null;
  readonly set: {
    readonly on: SwapPointsOfLeg | null;
    readonly tn: SwapPointsOfLeg | null;
    readonly tradeDate: CalendarDate;
    readonly source: string;
    readonly reason: string;
    readonly changedBy: string;
    readonly changedAt: Instant;
  } | null;
  readonly pushed: readonly {
    readonly source: string;
    readonly leg: Open<'on' | 'tn'>;
    readonly bid: string;
    readonly ask: string;
    readonly tradeDate: CalendarDate;
    readonly madeAt: Instant;
  }[];
  readonly today: PriceForDate;
  readonly tom: PriceForDate;
}

export interface SwapPointsOfLeg {
  /** In pips with their sign; not above the ask. */
  readonly bid: string;
  /** In pips with their sign. */
  readonly ask: string;
}

export interface SwapPointsVersion {
  /** The number in the `ETag`. */
  readonly version: number;
  readonly changedAt: Instant;
  /** Person or OAuth client. */
  readonly changedBy: string;
  readonly on: SwapPointsOfLeg | null;
  readonly tn: SwapPointsOfLeg | null;
  readonly tradeDate: CalendarDate;
  readonly source: string;
  readonly reason: string;
}

export interface TopUp {
  readonly bankReference: string;
  readonly currency: CurrencyCode;
  readonly amount: string;
  /** `replaced`: a deposit has its place since the bank told of the money. */
  readonly status: Open<'booked' | 'replaced' | 'reversed'>;
  readonly bookedAt: Instant;
  /** Person or OAuth client. */
  readonly bookedBy: string | null;
  /** The deposit that has its place. */
  readonly depositId: string | null;
  readonly reversedAt: Instant | null;
  readonly reversedBy: string | null;
  /** Why it was reversed. */
  readonly reason: string | null;
  /** What the balance did not cover of the reversal, and the customer owes. */
  readonly owedAmount: string | null;
}

export interface TrialBalance {
  readonly at: Instant;
  /** A customer, or "house" for what belongs to no customer. */
  readonly customerId: string | null;
  /** Whether debits and credits are equal in each currency. */
  readonly balanced: boolean;
  readonly currencies: readonly {
    readonly currency: CurrencyCode;
    readonly accounts: readonly {
      readonly account: string;
      readonly debit: ExactAmount;
      readonly credit: ExactAmount;
    }[];
    readonly debit: ExactAmount;
    readonly credit: ExactAmount;
    readonly difference: ExactAmount;
  }[];
}

/** What would be booked now. */
export interface UnwindQuote {
  readonly transactionId: string;
  readonly status: TransactionStatus;
  readonly version: number;
  readonly reason: string;
  readonly needs: string | null;
  readonly closeOutAt: Open<'market' | 'trade'>;
  readonly closeOut: CloseOut | null;
  readonly received: string;
  readonly refund: Refund | null;
  readonly postings: readonly {
    readonly entry: string;
    readonly account: string;
    readonly currency: string;
    /** Debits are positive, credits negative. */
    readonly amount: string;
  }[];
}

export interface ValidityPremium {
  /** `volatility` falls back to the table while there is too little data. */
  readonly method: 'none' | 'table' | 'volatility';
  /** Ascending in seconds, and never descending in basis points. */
  readonly table: readonly {
    readonly upToSeconds: number;
    /** Added for validities up to `upToSeconds`; the last row also for longer ones. */
    readonly bps: BasisPoints;
  }[];
  readonly volatility: {
    /** `k` of k × σ × √T. */
    readonly multiplier: string;
    /** How far back to look at prices. */
    readonly windowSeconds: number;
    /** With fewer returns in the window the table is used. */
    readonly minimumReturns: number;
    /** Minimum premium. */
    readonly floorBps: BasisPoints;
    /** Maximum premium. */
    readonly capBps: BasisPoints;
  } | null;
}

export interface VirtualAccount {
  readonly virtualAccountId: string;
  readonly customerId: CustomerId;
  readonly currency: CurrencyCode;
  readonly number: string;
  readonly status: Open<'active' | 'closed'>;
  readonly createdAt: Instant;
  readonly usableFrom: Instant | null;
  readonly closedAt: Instant | null;
}
