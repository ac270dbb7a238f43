// Made by `node scripts/generate-client.ts` from @firmquote/api. Change that, not this file.
import type { Open } from '../open.ts';
import type {
  Actor,
  AmountLimit,
  AutomaticHalt,
  CalendarRange,
  CollectionAccount,
  CorrectedDay,
  CurrencyExposureLimits,
  CurrencyPosition,
  CustomerId,
  CustomerSettingsChange,
  CutOff,
  DepositCount,
  DepositOutcome,
  EntryReason,
  ExceptionCount,
  ExceptionOutcome,
  Hedges,
  HistoryReason,
  HistoryStep,
  InterestRate,
  ItemProblem,
  JournalEntryKind,
  LedgerAccount,
  MarketHoursWindow,
  MatchingRulesDocument,
  OperatorClient,
  OperatorClientScope,
  OperatorEventType,
  PairPosition,
  PairSettings,
  Passkey,
  PostalAddress,
  PriceOfPair,
  PriceText,
  PriceWidthLimit,
  Remitter,
  ReportBalanced,
  ReportCell,
  ReportName,
  ReportParameters,
  ReportSchedule,
  Role,
  RoleNames,
  ServiceKey,
  Session,
  SettlementIncrements,
  SpreadRuleInput,
  StatementMapping,
  SwapPoints,
  SwapPointsOfLeg,
  ValidityPremium,
} from './operator-types.ts';
import type {
  Amount,
  BasisPoints,
  CalendarDate,
  ClientReference,
  Credential,
  CredentialScope,
  CurrencyCode,
  DpopBoundTokens,
  Instant,
  IpAllowList,
  Line,
  PairCode,
  RateQuota,
  StreamedPrice,
  TransactionStatus,
  WebhookOrdering,
  WebhookUrl,
} from './types.ts';

export type * from './call-types.ts';

export interface AcceptPriceBody {
  /** The correct mid price. */
  readonly price: string;
  readonly reason: string;
}

export interface AcceptStatementFileBody {
  /** Why the file should be accepted anyway; stored with it. */
  readonly reason: string;
}

export interface AddCredentialSecretBody {
  /** Default: never. RFC 3339, in real time. */
  readonly expiresAt?: Instant | undefined;
  /** When the client's existing secrets expire. Default: unchanged. */
  readonly othersExpireAt?: Instant | undefined;
}

export interface AddDepositNoteBody {
  readonly note: HistoryReason;
}

export interface AddOperatorClientSecretBody {
  /** Default: never. RFC 3339, in real time. */
  readonly expiresAt?: Instant | undefined;
  /** When the client's existing secrets expire. Default: unchanged. */
  readonly othersExpireAt?: Instant | undefined;
}

/** Needs exactly one of `iban` and `accountNumber`. */
export interface AddSettlementInstructionBody {
  readonly currency: CurrencyCode;
  readonly accountHolder: string;
  /** Must match the IBAN and the BIC. */
  readonly bankCountry?: string | null | undefined;
  /** Legal entity identifier of the account holder. */
  readonly lei?: string | null | undefined;
  readonly bankName?: string | null | undefined;
  readonly bic?: string | null | undefined;
  /** Spaces are removed. */
  readonly iban?: string | null | undefined;
  readonly accountNumber?: string | null | undefined;
  readonly routingNumber?: string | null | undefined;
}

export interface AddVirtualAccountBody {
  readonly currency: CurrencyCode;
  /** IBAN or number, as the bank names it in its statements. Blanks and punctuation do not matter. */
  readonly number: string;
}

export interface ApproveBody {
  readonly note?: string | undefined;
  /** Digest of the effects that you saw. Default: that of the proposal. If the effects differ by now, nothing is done. */
  readonly effectsDigest?: string | undefined;
}

export interface AssignDepositBody {
  /** A person or a team; null: nobody. */
  readonly assignee: string | null;
  readonly note?: HistoryReason | undefined;
}

export interface AssignExceptionBody {
  /** A person or a team; null: nobody. */
  readonly assignee: string | null;
  readonly note?: HistoryReason | undefined;
}

export interface BookDepositBody {
  /** Ledger account to book the money to. */
  readonly as: 'bank_charges' | 'interest' | 'house_funds';
  readonly reason: HistoryReason;
}

export interface BookStatementEntryBody {
  /** `bank_charges`, `interest`, `house_funds`: an account of the ledger. `customer_debt`: the customer in `customerId` owes it. `deposit`: money received, to be matched as a deposit. */
  readonly as: 'bank_charges' | 'interest' | 'house_funds' | 'customer_debt' | 'deposit';
  readonly customerId?: string | undefined;
  /** Which deposit it took back, where that may be one of several. The others are held no more. */
  readonly depositId?: string | undefined;
  readonly reason: EntryReason;
}

export interface CancelAnyWithdrawalBody {
  /** Why. */
  readonly detail?: string | undefined;
}

export interface CancelDepositReturnBody {
  readonly reason: HistoryReason;
}

export interface CancelSettlementRunBody {
  /** For the second person, where one is needed. */
  readonly reason?: string | undefined;
}

export interface CommandDepositsAnswer {
  /** In the order of the request. */
  readonly items: readonly DepositOutcome[];
}

export interface CommandDepositsBody {
  /** Name of the command on one deposit. */
  readonly command: 'return' | 'release' | 'ignore' | 'book' | 'unmatch' | 'assign' | 'note';
  /** Why; kept in the history of each. */
  readonly reason: string;
  /** Required for `book`. */
  readonly as?: 'bank_charges' | 'interest' | 'house_funds' | undefined;
  /** For `release`. */
  readonly remember?: boolean | undefined;
  /** For `assign`: a person or a team; null: nobody. */
  readonly assignee?: string | null | undefined;
  readonly items: readonly {
    readonly depositId: string;
    /** Only if it has this version. */
    readonly version?: number | undefined;
  }[];
}

export interface CommandExceptionsAnswer {
  /** In the order of the request. */
  readonly items: readonly ExceptionOutcome[];
}

export interface CommandExceptionsBody {
  /** Name of the command on one exception. */
  readonly command: 'assign' | 'resolve' | 'retry';
  /** Kept in the history of each. */
  readonly note: string;
  /** Required for `resolve`. */
  readonly resolution?: 'acknowledged' | 'settled_outside' | undefined;
  /** For `assign`: a person or a team; null: nobody. */
  readonly assignee?: string | null | undefined;
  readonly items: readonly {
    readonly exceptionId: string;
    /** Only if it has this version. */
    readonly version?: number | undefined;
  }[];
}

export interface CommandTransactionsAnswer {
  /** In the order of the request. */
  readonly items: readonly {
    readonly transactionId: string;
    /** `failed`: not because of the transaction; try again. */
    readonly outcome: Open<'done' | 'refused' | 'failed'>;
    /** Its status afterwards. */
    readonly status: string | null;
    readonly version: number | null;
    readonly problem: ItemProblem | null;
  }[];
}

export interface CommandTransactionsBody {
  /** As in the paths of the commands on one transaction. */
  readonly command:
    | 'settle'
    | 'payout-confirmed'
    | 'payout-failed'
    | 'retry-payout'
    | 'redirect-payout'
    | 'refund-paid'
    | 'refund-failed'
    | 'retry-refund';
  readonly items: readonly {
    readonly transactionId: string;
    /** Only if the transaction has this version. */
    readonly version?: number | undefined;
    /** For payout-confirmed and refund-paid. */
    readonly bankReference?: string | undefined;
    /** For payout-failed. */
    readonly reason?: 'payout_rejected' | 'payout_returned' | 'beneficiary_invalid' | undefined;
    /** For payout-failed and refund-failed: what the bank said. */
    readonly detail?: string | undefined;
  }[];
}

export interface ConfirmDepositReturnBody {
  readonly bankReference: string;
  readonly reason: HistoryReason;
}

export interface ConfirmPayoutBody {
  /** The bank's payment reference. */
  readonly bankReference?: string | undefined;
}

export interface ConfirmRefundBody {
  /** The bank's payment reference. */
  readonly bankReference?: string | undefined;
}

export interface ConfirmWithdrawalBody {
  /** The bank's reference of the payment. */
  readonly bankReference?: string | undefined;
}

export interface CountDepositsAnswer {
  readonly items: readonly DepositCount[];
}

export interface CountExceptionsAnswer {
  readonly items: readonly ExceptionCount[];
}

export interface CountTransactionWorkAnswer {
  readonly items: readonly {
    readonly work: Open<
      | 'awaiting_funds'
      | 'partially_funded'
      | 'funded'
      | 'overdue'
      | 'settling'
      | 'settlement_failed'
      | 'refund_pending'
      | 'withdrawal_pending'
    >;
    /** Counted up to 1,000. */
    readonly count: number;
    /** There are more than were counted. */
    readonly isMore: boolean;
  }[];
}

export interface CreateCredentialBody {
  readonly name: Line;
  /** Default: all but `credentials:write`. */
  readonly scopes?: readonly CredentialScope[] | undefined;
  /** Default: never. */
  readonly expiresAt?: Instant | undefined;
  readonly dpopBoundTokens?: DpopBoundTokens | undefined;
  readonly ipAllowList?: IpAllowList | undefined;
}

export interface CreateCustomerBody {
  readonly name: Line;
  /** Customers of a group share spread rules. */
  readonly groupName?: string | null | undefined;
  /** The operator's own reference; not unique. */
  readonly externalReference?: string | null | undefined;
  readonly settings?: CustomerSettingsChange | undefined;
}

export interface CreateOperatorClientBody {
  readonly name: Line;
  /** Default: `operator:*`, or none with roles. */
  readonly scopes?: readonly OperatorClientScope[] | undefined;
  readonly roles?: RoleNames | undefined;
  /** Default: never. */
  readonly expiresAt?: Instant | undefined;
  readonly dpopBoundTokens?: DpopBoundTokens | undefined;
  readonly ipAllowList?: IpAllowList | undefined;
}

export interface CreateOperatorWebhookBody {
  readonly url: WebhookUrl;
  readonly description?: string | null | undefined;
  /** Empty: all. */
  readonly types?: readonly OperatorEventType[] | undefined;
  readonly ordering?: WebhookOrdering | undefined;
  /** Also sign with Ed25519 (`v1a`). */
  readonly asymmetric?: boolean | undefined;
}

export interface CreateSettlementRunBody {
  readonly currency: CurrencyCode;
  /** Payouts of this value date and earlier ones. */
  readonly valueDate: CalendarDate;
  /** For payments outside SEPA. Default: shared. */
  readonly chargeBearer?: 'shared' | 'debtor' | 'creditor' | undefined;
  /** `instant`: SEPA payments as instant ones, others as usual. `urgent`: all, with high priority (`URGP`). Default: normal; euro amounts above the SEPA maximum are always urgent. */
  readonly speed?: 'normal' | 'instant' | 'urgent' | undefined;
  /** `digest` of the preview that you saw. If the run would pay anything else by now: 412 `version_mismatch`. */
  readonly previewDigest?: string | undefined;
}

export interface DisableSourceBody {
  readonly reason: string;
}

export interface DryRunCommandBody {
  readonly operationId: string;
  /** Path parameters. */
  readonly params?: Readonly<Record<string, string>> | undefined;
  /** As the command takes it. */
  readonly body?: unknown | undefined;
  /** As the command takes it. */
  readonly ifMatch?: string | undefined;
}

export interface EnableSourceBody {
  readonly reason: string;
}

export interface ExplainAnyQuoteQuery {
  /** Makes the lookup faster. */
  readonly customerId?: CustomerId | undefined;
}

export interface ExportJournalQuery {
  /** Only `hledger`. */
  readonly format?: 'hledger' | undefined;
}

export interface ExportLogQuery {
  /** The audit trail or the journal. */
  readonly log?: 'audit' | 'journal' | undefined;
  /** Sealed at or after this instant. */
  readonly from?: string | undefined;
  /** Sealed before this instant. */
  readonly to?: string | undefined;
  /** Begin after this many rows. */
  readonly fromSize?: number | undefined;
  /** End after this many rows. */
  readonly toSize?: number | undefined;
}

export interface FailDepositReturnBody {
  readonly reason: HistoryReason;
}

export interface FailPayoutBody {
  /** Default: payout_returned for a settled transaction, else payout_rejected. */
  readonly reason?: 'payout_rejected' | 'payout_returned' | 'beneficiary_invalid' | undefined;
  /** What the bank said. */
  readonly detail?: string | undefined;
}

export interface FailRefundBody {
  /** What the bank said. */
  readonly detail?: string | undefined;
}

export interface FailWithdrawalBody {
  /** Why. */
  readonly detail?: string | undefined;
}

export interface ForgiveShortfallBody {
  /** A transaction that uses part of the deposit. */
  readonly transactionId: string;
  /** The exact shortfall; other amounts are refused. */
  readonly amount: Amount;
  readonly reason: HistoryReason;
}

export interface GetAnyConfirmationQuery {
  readonly format?: 'json' | 'csv' | 'pdf' | undefined;
}

export interface GetAnyQuoteQuery {
  /** Makes the lookup faster. */
  readonly customerId?: CustomerId | undefined;
}

export interface GetBankReconciliationQuery {
  /** Only this currency. */
  readonly currency?: string | undefined;
}

export interface GetBlotterReportAnswer {
  readonly report: ReportName;
  readonly generatedAt: Instant;
  readonly parameters: ReportParameters;
  readonly items: readonly {
    readonly executedAt: ReportCell;
    readonly transactionId: ReportCell;
    readonly customerId: ReportCell;
    readonly customerName: ReportCell;
    readonly quoteId: ReportCell;
    readonly reference: ReportCell;
    readonly clientReference: ReportCell;
    readonly pair: ReportCell;
    readonly side: ReportCell;
    readonly sellCurrency: ReportCell;
    readonly sellAmount: ReportCell;
    readonly buyCurrency: ReportCell;
    readonly buyAmount: ReportCell;
    readonly rate: ReportCell;
    readonly markupCurrency: ReportCell;
    readonly markupAmount: ReportCell;
    readonly usdEquivalent: ReportCell;
    readonly tradeDate: ReportCell;
    readonly valueDate: ReportCell;
    readonly status: ReportCell;
    readonly statusReason: ReportCell;
  }[];
  readonly rowCount: number;
  readonly balanced?: ReportBalanced | undefined;
  readonly alarm?: string | undefined;
}

export interface GetBlotterReportQuery {
  readonly format?: 'json' | 'csv' | undefined;
  /** Inclusive. */
  readonly from: string;
  /** Exclusive. Default: now. */
  readonly to?: string | undefined;
  /** Only this customer. */
  readonly customerId?: CustomerId | undefined;
}

export interface GetCustomerStatementQuery {
  readonly format?: 'json' | 'csv' | undefined;
  /** Only this currency. */
  readonly currency?: string | undefined;
  /** Inclusive. */
  readonly from: string;
  /** Exclusive. Default, and at most: now. */
  readonly to?: string | undefined;
}

export interface GetDepositHistoryAnswer {
  readonly items: readonly HistoryStep[];
}

export interface GetDepositsReportAnswer {
  readonly report: ReportName;
  readonly generatedAt: Instant;
  readonly parameters: ReportParameters;
  readonly items: readonly {
    readonly depositId: ReportCell;
    readonly receivedAt: ReportCell;
    readonly bookedOn: ReportCell;
    readonly valueDate: ReportCell;
    readonly account: ReportCell;
    readonly bankReference: ReportCell;
    readonly currency: ReportCell;
    readonly amount: ReportCell;
    readonly allocated: ReportCell;
    readonly excess: ReportCell;
    readonly returned: ReportCell;
    readonly status: ReportCell;
    readonly exceptionType: ReportCell;
    readonly exceptionReason: ReportCell;
    readonly customerId: ReportCell;
    readonly remitterName: ReportCell;
    readonly remitterAccount: ReportCell;
    readonly isLate: ReportCell;
    readonly judgedBy: ReportCell;
  }[];
  readonly rowCount: number;
  readonly balanced?: ReportBalanced | undefined;
  readonly alarm?: string | undefined;
}

export interface GetDepositsReportQuery {
  readonly format?: 'json' | 'csv' | undefined;
  /** Inclusive. */
  readonly from: string;
  /** Exclusive. Default: now. */
  readonly to?: string | undefined;
  /** Only this customer. */
  readonly customerId?: CustomerId | undefined;
  /** Only this currency. */
  readonly currency?: string | undefined;
}

export interface GetExceptionsReportAnswer {
  readonly report: ReportName;
  readonly generatedAt: Instant;
  readonly parameters: ReportParameters;
  readonly items: readonly {
    readonly exceptionId: ReportCell;
    readonly type: ReportCell;
    readonly reason: ReportCell;
    readonly openedAt: ReportCell;
    readonly ageHours: ReportCell;
    readonly assignee: ReportCell;
    readonly customerId: ReportCell;
    readonly depositId: ReportCell;
    readonly transactionId: ReportCell;
    readonly withdrawalId: ReportCell;
    readonly entryId: ReportCell;
    readonly currency: ReportCell;
    readonly inSuspense: ReportCell;
  }[];
  readonly rowCount: number;
  readonly balanced?: ReportBalanced | undefined;
  readonly alarm?: string | undefined;
}

export interface GetExceptionsReportQuery {
  readonly format?: 'json' | 'csv' | undefined;
  /** Only this customer. */
  readonly customerId?: CustomerId | undefined;
}

export interface GetExposureReportAnswer {
  readonly report: ReportName;
  readonly generatedAt: Instant;
  readonly parameters: ReportParameters;
  readonly items: readonly {
    readonly currency: ReportCell;
    readonly position: ReportCell;
    readonly pair: ReportCell;
    readonly mid: ReportCell;
    readonly midStale: ReportCell;
    readonly valueUsd: ReportCell;
    readonly realisedUsd: ReportCell;
    readonly unrealisedUsd: ReportCell;
    readonly bank: ReportCell;
    readonly owedByCustomers: ReportCell;
    readonly owedToCustomers: ReportCell;
    readonly overpaid: ReportCell;
    readonly suspense: ReportCell;
    readonly markup: ReportCell;
    readonly charges: ReportCell;
    readonly customerBalances: ReportCell;
    readonly owedToRemitters: ReportCell;
    readonly closeOutResult: ReportCell;
    readonly bankCharges: ReportCell;
    readonly interest: ReportCell;
    readonly houseFunds: ReportCell;
  }[];
  readonly rowCount: number;
  readonly balanced?: ReportBalanced | undefined;
  readonly alarm?: string | undefined;
}

export interface GetExposureReportQuery {
  readonly format?: 'json' | 'csv' | undefined;
  /** What was booked before this instant, at the last mid of then. Default: now. */
  readonly to?: string | undefined;
}

export interface GetJournalReportAnswer {
  readonly report: ReportName;
  readonly generatedAt: Instant;
  readonly parameters: ReportParameters;
  readonly items: readonly {
    readonly date: ReportCell;
    readonly bookedAt: ReportCell;
    readonly entryId: ReportCell;
    readonly line: ReportCell;
    readonly kind: ReportCell;
    readonly customerId: ReportCell;
    readonly customerName: ReportCell;
    readonly account: ReportCell;
    readonly currency: ReportCell;
    readonly debit: ReportCell;
    readonly credit: ReportCell;
    readonly transactionId: ReportCell;
    readonly depositId: ReportCell;
    readonly withdrawalId: ReportCell;
    readonly reference: ReportCell;
    readonly bankReference: ReportCell;
  }[];
  readonly rowCount: number;
  readonly balanced?: ReportBalanced | undefined;
  readonly alarm?: string | undefined;
}

export interface GetJournalReportQuery {
  readonly format?: 'json' | 'csv' | undefined;
  /** Inclusive. */
  readonly from: string;
  /** Exclusive. Default: now. */
  readonly to?: string | undefined;
  /** Only this customer. */
  readonly customerId?: CustomerId | undefined;
  /** Only this currency. */
  readonly currency?: string | undefined;
}

export interface GetOverdueReportAnswer {
  readonly report: ReportName;
  readonly generatedAt: Instant;
  readonly parameters: ReportParameters;
  readonly items: readonly {
    readonly transactionId: ReportCell;
    readonly customerId: ReportCell;
    readonly customerName: ReportCell;
    readonly reference: ReportCell;
    readonly clientReference: ReportCell;
    readonly sellCurrency: ReportCell;
    readonly sellAmount: ReportCell;
    readonly received: ReportCell;
    readonly outstanding: ReportCell;
    readonly buyCurrency: ReportCell;
    readonly buyAmount: ReportCell;
    readonly usdEquivalent: ReportCell;
    readonly valueDate: ReportCell;
    readonly fundingCutoffAt: ReportCell;
    readonly overdueHours: ReportCell;
    readonly statusReason: ReportCell;
  }[];
  readonly rowCount: number;
  readonly balanced?: ReportBalanced | undefined;
  readonly alarm?: string | undefined;
}

export interface GetOverdueReportQuery {
  readonly format?: 'json' | 'csv' | undefined;
  /** Only this customer. */
  readonly customerId?: CustomerId | undefined;
}

export interface GetOwnSessionAnswer {
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
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly isSandbox: boolean;
  /** Business time minus real time; 0 unless a sandbox clock was moved. */
  readonly clockOffsetMs: number;
  /** Send as `X-CSRF-Token` with changes. New after each sign-in. */
  readonly csrfToken: string;
  readonly idleEndsAt: Instant;
  readonly freshUntil: Instant;
}

export interface GetPairPositionsAnswer {
  readonly at: Instant;
  readonly valuationCurrency: 'USD';
  readonly pairs: readonly PairPosition[];
  readonly total: {
    /** US dollars. */
    readonly realisedUsd: string | null;
    /** US dollars. */
    readonly unrealisedUsd: string | null;
    /** US dollars. */
    readonly resultUsd: string | null;
    /** False when a pair with a position has a currency without a price. */
    readonly complete: boolean;
  };
}

export interface GetPairPositionsReportAnswer {
  readonly report: ReportName;
  readonly generatedAt: Instant;
  readonly parameters: ReportParameters;
  readonly items: readonly {
    readonly pair: ReportCell;
    readonly trades: ReportCell;
    readonly position: ReportCell;
    readonly quotePosition: ReportCell;
    readonly bought: ReportCell;
    readonly averageBought: ReportCell;
    readonly sold: ReportCell;
    readonly averageSold: ReportCell;
    readonly mid: ReportCell;
    readonly midStale: ReportCell;
    readonly realised: ReportCell;
    readonly realisedUsd: ReportCell;
    readonly unrealisedUsd: ReportCell;
    readonly resultUsd: ReportCell;
  }[];
  readonly rowCount: number;
  readonly balanced?: ReportBalanced | undefined;
  readonly alarm?: string | undefined;
}

export interface GetPairPositionsReportQuery {
  readonly format?: 'json' | 'csv' | undefined;
}

export interface GetPositionsAnswer {
  readonly at: Instant;
  readonly valuationCurrency: 'USD';
  readonly positions: readonly CurrencyPosition[];
  readonly total: {
    /** US dollars. */
    readonly realisedUsd: string;
    /** US dollars. */
    readonly unrealisedUsd: string | null;
    /** US dollars. */
    readonly resultUsd: string | null;
    /** False when a currency with a position has no price. */
    readonly complete: boolean;
  };
}

export interface GetPositionsQuery {
  /** Positions before this instant, at the last mid of then; null where no bars of prices are kept. Default: now. */
  readonly at?: string | undefined;
  /** Only the position from this customer’s trades. Default: the house’s. */
  readonly customerId?: string | undefined;
}

export interface GetPostalAddressAnswer {
  readonly postalAddress: PostalAddress | null;
}

export interface GetReconciliationReportAnswer {
  readonly report: ReportName;
  readonly generatedAt: Instant;
  readonly parameters: ReportParameters;
  readonly items: readonly {
    readonly check: ReportCell;
    readonly account: ReportCell;
    readonly currency: ReportCell;
    readonly deposits: ReportCell;
    readonly received: ReportCell;
    readonly matched: ReportCell;
    readonly returned: ReportCell;
    readonly inExceptions: ReportCell;
    readonly ofWhichExcess: ReportCell;
    readonly difference: ReportCell;
    readonly bookedInLedger: ReportCell;
    readonly ledgerDifference: ReportCell;
    readonly result: ReportCell;
    readonly bankBalance: ReportCell;
    readonly bankOpening: ReportCell;
    readonly openItems: ReportCell;
    readonly unexplained: ReportCell;
  }[];
  readonly rowCount: number;
  readonly balanced?: ReportBalanced | undefined;
  readonly alarm?: string | undefined;
}

export interface GetReconciliationReportQuery {
  readonly format?: 'json' | 'csv' | undefined;
  /** Inclusive. */
  readonly from: string;
  /** Exclusive. Default: now. */
  readonly to?: string | undefined;
  /** Only this currency. */
  readonly currency?: string | undefined;
}

export interface GetSettlementLadderReportAnswer {
  readonly report: ReportName;
  readonly generatedAt: Instant;
  readonly parameters: ReportParameters;
  readonly items: readonly {
    readonly valueDate: ReportCell;
    readonly currency: ReportCell;
    readonly tradesIn: ReportCell;
    readonly expected: ReportCell;
    readonly received: ReportCell;
    readonly outstanding: ReportCell;
    readonly tradesOut: ReportCell;
    readonly toPay: ReportCell;
    readonly toBalances: ReportCell;
    readonly otherPayments: ReportCell;
    readonly otherToPay: ReportCell;
    readonly net: ReportCell;
  }[];
  readonly rowCount: number;
  readonly balanced?: ReportBalanced | undefined;
  readonly alarm?: string | undefined;
}

export interface GetSettlementLadderReportQuery {
  readonly format?: 'json' | 'csv' | undefined;
  /** First value date. */
  readonly from?: string | undefined;
  /** Last value date, inclusive. */
  readonly to?: string | undefined;
  /** Only this currency. */
  readonly currency?: string | undefined;
}

export interface GetSpreadRevenueReportAnswer {
  readonly report: ReportName;
  readonly generatedAt: Instant;
  readonly parameters: ReportParameters;
  readonly items: readonly {
    readonly date: ReportCell;
    readonly customerId: ReportCell;
    readonly customerName: ReportCell;
    readonly pair: ReportCell;
    readonly currency: ReportCell;
    readonly trades: ReportCell;
    readonly volumeUsd: ReportCell;
    readonly earned: ReportCell;
    readonly cancelled: ReportCell;
    readonly net: ReportCell;
  }[];
  readonly rowCount: number;
  readonly balanced?: ReportBalanced | undefined;
  readonly alarm?: string | undefined;
}

export interface GetSpreadRevenueReportQuery {
  readonly format?: 'json' | 'csv' | undefined;
  /** Inclusive. */
  readonly from: string;
  /** Exclusive. Default: now. */
  readonly to?: string | undefined;
  /** Only this customer. */
  readonly customerId?: CustomerId | undefined;
  /** Only this currency. */
  readonly currency?: string | undefined;
}

export interface GetSpreadRuleVersionQuery {
  /** The version to compare it with. Default: the previous one. */
  readonly against?: number | undefined;
}

export interface GetSuspenseReportAnswer {
  readonly report: ReportName;
  readonly generatedAt: Instant;
  readonly parameters: ReportParameters;
  readonly items: readonly {
    readonly currency: ReportCell;
    readonly ageFromHours: ReportCell;
    readonly ageToHours: ReportCell;
    readonly deposits: ReportCell;
    readonly amount: ReportCell;
    readonly check: ReportCell;
  }[];
  readonly rowCount: number;
  readonly balanced?: ReportBalanced | undefined;
  readonly alarm?: string | undefined;
}

export interface GetSuspenseReportQuery {
  readonly format?: 'json' | 'csv' | undefined;
  /** Only this currency. */
  readonly currency?: string | undefined;
}

export interface GetTrialBalanceQuery {
  /** Balances before this instant. Default: as they are now. */
  readonly at?: string | undefined;
  /** Only accounts of this customer, or of "house". Default: totals of all. */
  readonly customerId?: string | undefined;
  /** Only this currency. */
  readonly currency?: string | undefined;
}

export interface GetTrialBalanceReportAnswer {
  readonly report: ReportName;
  readonly generatedAt: Instant;
  readonly parameters: ReportParameters;
  readonly items: readonly {
    readonly currency: ReportCell;
    readonly account: ReportCell;
    readonly debit: ReportCell;
    readonly credit: ReportCell;
  }[];
  readonly rowCount: number;
  readonly balanced?: ReportBalanced | undefined;
  readonly alarm?: string | undefined;
}

export interface GetTrialBalanceReportQuery {
  readonly format?: 'json' | 'csv' | undefined;
  /** What was booked before this instant, at the last mid of then. Default: now. */
  readonly to?: string | undefined;
  /** Only this customer. */
  readonly customerId?: CustomerId | undefined;
  /** Only this currency. */
  readonly currency?: string | undefined;
}

export interface HaltMarketAnswer {
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
  /** Open quotes that this call withdrew; other instances withdraw some too. */
  readonly withdrawnQuotes: number;
}

export interface HaltMarketBody {
  /** With `pair`, name the pair; with `customer`, the customer. */
  readonly scope: 'all' | 'pair' | 'customer';
  readonly pair?: PairCode | undefined;
  /** Begins with cus_. */
  readonly customerId?: string | undefined;
  /** Whether open quotes are withdrawn, or stay valid until they expire. */
  readonly openQuotes?: 'withdraw' | 'keep' | undefined;
  readonly reason: string;
}

export interface IgnoreDepositBody {
  readonly reason: HistoryReason;
}

export interface ImportStatementFileQuery {
  /** Name of the file. Default: `statement`. */
  readonly name?: string | undefined;
  /** Default: detected. */
  readonly format?: 'camt' | 'mt940' | 'csv' | 'json' | 'pain.002' | undefined;
  /** CSV mapping to use. Default: the one whose `fileNames` match. */
  readonly mapping?: string | undefined;
}

export interface InvitePersonBody {
  readonly email: string;
  readonly name?: Line | undefined;
  readonly roles: readonly string[];
}

export interface ListAcceptedPricesQuery {
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListAccountBalancesQuery {
  /** ISO 4217 code. */
  readonly currency: string;
  /** Balances before this instant. Default: as they are now. */
  readonly at?: string | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListAccountEntriesQuery {
  /** Account of the house as statements name it: an IBAN or a number. */
  readonly account: string;
  /** First day. */
  readonly from: string;
  /** Last day, at most 92 days after the first. By default the first. */
  readonly to?: string | undefined;
  readonly direction?: 'credit' | 'debit' | readonly ('credit' | 'debit')[] | undefined;
  readonly depositState?:
    | 'none'
    | 'due'
    | 'booked'
    | 'unknown_account'
    | readonly ('none' | 'due' | 'booked' | 'unknown_account')[]
    | undefined;
  readonly paymentState?:
    | 'none'
    | 'due'
    | 'unknown_account'
    | 'applied'
    | 'known'
    | 'mismatch'
    | 'unknown'
    | 'by_hand'
    | readonly (
        | 'none'
        | 'due'
        | 'unknown_account'
        | 'applied'
        | 'known'
        | 'mismatch'
        | 'unknown'
        | 'by_hand'
      )[]
    | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListAccountPostingsExtra {
  readonly account: string;
  /** A customer, or "house" for what belongs to no customer. */
  readonly customerId: string;
  readonly currency: CurrencyCode;
  /** Before the first line of this page; debits positive. */
  readonly openingBalance: string;
  /** After the last line of this page. */
  readonly closingBalance: string;
}

export interface ListAccountPostingsQuery {
  /** Whose account: a customer, or "house". */
  readonly customerId: string;
  /** ISO 4217 code. */
  readonly currency: string;
  /** Inclusive. Default: the beginning. */
  readonly from?: string | undefined;
  /** Exclusive. */
  readonly to?: string | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListAccountStatementsQuery {
  /** Account of the house as statements name it: an IBAN or a number. */
  readonly account: string;
  /** First day. */
  readonly from: string;
  /** Last day, at most 92 days after the first. By default the first. */
  readonly to?: string | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListActorsAnswer {
  readonly items: readonly Actor[];
}

export interface ListActorsQuery {
  /** Ids of persons or clients, at most 50. */
  readonly ids: string | readonly string[];
}

export interface ListAllQuotesQuery {
  /** Only quotes of this customer. */
  readonly customerId?: CustomerId | undefined;
  readonly status?:
    | 'open'
    | 'executed'
    | 'cancelled'
    | 'expired'
    | 'withdrawn'
    | readonly ('open' | 'executed' | 'cancelled' | 'expired' | 'withdrawn')[]
    | undefined;
  /** Inclusive. */
  readonly createdFrom?: string | undefined;
  /** Exclusive. */
  readonly createdTo?: string | undefined;
  /** Six letters in market order. */
  readonly pair?: string | undefined;
  /** ISO 4217 code. */
  readonly sellCurrency?: string | undefined;
  /** ISO 4217 code. */
  readonly buyCurrency?: string | undefined;
  /** Exact. */
  readonly clientReference?: string | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListAllTransactionsQuery {
  readonly status?: TransactionStatus | readonly TransactionStatus[] | undefined;
  /** Only trades of this customer. */
  readonly customerId?: CustomerId | undefined;
  /** The payment reference. */
  readonly reference?: string | undefined;
  /** The customer's own reference. */
  readonly clientReference?: string | undefined;
  /** Sold or bought. */
  readonly currency?: string | undefined;
  /** With currency: minimum sold or bought. */
  readonly minAmount?: string | undefined;
  /** With currency: maximum sold or bought. */
  readonly maxAmount?: string | undefined;
  /** First trade date. */
  readonly tradeDateFrom?: string | undefined;
  /** Last trade date. */
  readonly tradeDateTo?: string | undefined;
  /** First value date. */
  readonly valueDateFrom?: string | undefined;
  /** Last value date. */
  readonly valueDateTo?: string | undefined;
  /** `true`: the payout is on hold; `false`: it is not. */
  readonly held?: 'true' | 'false' | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListAllWithdrawalsQuery {
  readonly status?:
    | 'pending'
    | 'paid'
    | 'failed'
    | 'cancelled'
    | readonly ('pending' | 'paid' | 'failed' | 'cancelled')[]
    | undefined;
  /** ISO 4217 code. */
  readonly currency?: string | undefined;
  /** Of this customer only. */
  readonly customerId?: CustomerId | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListAmountLimitVersionsQuery {
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListApprovalsQuery {
  readonly status?:
    | 'pending'
    | 'approved'
    | 'rejected'
    | 'withdrawn'
    | 'expired'
    | readonly ('pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired')[]
    | undefined;
  /** What is proposed. */
  readonly kind?:
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
    | undefined;
  /** Id of what it is about. */
  readonly subject?: string | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListAuditQuery {
  /** Kind of entry. */
  readonly kind?: 'change' | 'read' | 'sign_in' | 'refusal' | undefined;
  /** Id of an operation. */
  readonly operation?: string | undefined;
  /** Id of a client or a person. */
  readonly actor?: string | undefined;
  /** Id of what was changed or read. */
  readonly subject?: string | undefined;
  /** The `X-Request-Id`. */
  readonly requestId?: string | undefined;
  /** Inclusive. */
  readonly from?: string | undefined;
  /** Exclusive. */
  readonly to?: string | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListBankReconciliationItemsQuery {
  /** Only this currency. */
  readonly currency?: string | undefined;
  readonly kind?:
    | 'entry_not_booked'
    | 'entry_not_in_statement'
    | 'payment_not_told'
    | 'payment_return_not_told'
    | 'deposit_not_told'
    | 'deposit_return_not_told'
    | 'top_up_not_told'
    | 'other_not_told'
    | readonly (
        | 'entry_not_booked'
        | 'entry_not_in_statement'
        | 'payment_not_told'
        | 'payment_return_not_told'
        | 'deposit_not_told'
        | 'deposit_return_not_told'
        | 'top_up_not_told'
        | 'other_not_told'
      )[]
    | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListBarsExtra {
  readonly pair: PairCode;
  readonly interval: Open<'1s' | '1m'>;
}

export interface ListBarsQuery {
  /** Six letters in market order. */
  readonly pair: string;
  readonly interval?: '1s' | '1m' | undefined;
  /** Inclusive. */
  readonly from?: string | undefined;
  /** Exclusive. */
  readonly to?: string | undefined;
  /** Bars on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListCalendarYearVersionsQuery {
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListCalendarsAnswer {
  readonly items: readonly {
    readonly currency: CurrencyCode;
    readonly range: CalendarRange | null;
  }[];
  /** Currencies whose calendar ends less than 13 months from now. */
  readonly runningShort: readonly CurrencyCode[];
}

export interface ListCollectionAccountsAnswer {
  readonly items: readonly CollectionAccount[];
}

export interface ListCredentialsAnswer {
  readonly credentials: readonly Credential[];
}

export interface ListCustomerPricesAnswer {
  readonly items: readonly StreamedPrice[];
}

export interface ListCustomerPricesQuery {
  /** In market order; 40 at most. */
  readonly pairs: string | readonly string[];
}

export interface ListCustomersQuery {
  readonly status?: 'active' | 'suspended' | undefined;
  readonly groupName?: string | undefined;
  /** Part of the name or of `externalReference`, ignoring case. */
  readonly search?: string | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListCutOffVersionsQuery {
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListCutOffsAnswer {
  readonly items: readonly CutOff[];
}

export interface ListDepositsQuery {
  readonly status?:
    | 'unmatched'
    | 'partially_matched'
    | 'matched'
    | 'returned'
    | 'ignored'
    | readonly ('unmatched' | 'partially_matched' | 'matched' | 'returned' | 'ignored')[]
    | undefined;
  /** ISO 4217 codes. */
  readonly currency?: string | readonly string[] | undefined;
  /** Received at or after this instant. */
  readonly from?: string | undefined;
  /** Received before this instant. */
  readonly to?: string | undefined;
  /** Exact amount; needs one currency. */
  readonly amount?: string | undefined;
  /** Minimum amount; needs one currency. */
  readonly minAmount?: string | undefined;
  /** Maximum amount; needs one currency. */
  readonly maxAmount?: string | undefined;
  /** Matched to this customer, at least in part. */
  readonly customerId?: CustomerId | undefined;
  /** The house's account. */
  readonly account?: string | undefined;
  /** The bank's reference. */
  readonly bankReference?: string | undefined;
  /** Payment reference of a trade that it pays, or that an open deposit names. */
  readonly reference?: string | undefined;
  /** The account that it came from. */
  readonly remitterAccount?: string | undefined;
  /** Part of the remitter's name, ignoring case. */
  readonly remitter?: string | undefined;
  /** Part of the remittance text, ignoring case. */
  readonly text?: string | undefined;
  /** Booked by the bank on or after this date. */
  readonly bookedFrom?: string | undefined;
  /** Booked by the bank on or before this date. */
  readonly bookedTo?: string | undefined;
  /** First value date. */
  readonly valueDateFrom?: string | undefined;
  /** Last value date. */
  readonly valueDateTo?: string | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListEntriesOfFileQuery {
  /** `true`: only what no earlier file reported; `false`: only what one did. */
  readonly new?: 'true' | 'false' | undefined;
  readonly direction?: 'credit' | 'debit' | readonly ('credit' | 'debit')[] | undefined;
  readonly depositState?:
    | 'none'
    | 'due'
    | 'booked'
    | 'unknown_account'
    | readonly ('none' | 'due' | 'booked' | 'unknown_account')[]
    | undefined;
  readonly paymentState?:
    | 'none'
    | 'due'
    | 'unknown_account'
    | 'applied'
    | 'known'
    | 'mismatch'
    | 'unknown'
    | 'by_hand'
    | readonly (
        | 'none'
        | 'due'
        | 'unknown_account'
        | 'applied'
        | 'known'
        | 'mismatch'
        | 'unknown'
        | 'by_hand'
      )[]
    | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListExceptionsQuery {
  readonly type?:
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
    | readonly (
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
      )[]
    | undefined;
  /** Open for at least this many hours. */
  readonly age?: number | undefined;
  /** Who works on it; `none`: nobody. */
  readonly assignee?: string | undefined;
  readonly status?: 'open' | 'resolved' | 'all' | undefined;
  /** Of this customer. */
  readonly customerId?: CustomerId | undefined;
  /** About this deposit. */
  readonly depositId?: string | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListExposureLimitVersionsQuery {
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListFourEyesPolicyVersionsQuery {
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListHaltsExtra {
  readonly automatic: readonly AutomaticHalt[];
}

export interface ListHaltsQuery {
  /** Default: both. */
  readonly status?: 'active' | 'resumed' | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListHoldsAnswer {
  readonly items: readonly {
    readonly holdId: string;
    readonly kind: Open<'screening' | 'review' | 'documents'>;
    readonly reason: string;
    /** The person or client. */
    readonly placedBy: string;
    readonly placedAt: Instant;
    readonly releasedBy: string | null;
    readonly releasedAt: Instant | null;
    readonly releaseReason: string | null;
  }[];
}

export interface ListJournalEntriesQuery {
  /** Only entries of this customer, or of "house". */
  readonly customerId?: string | undefined;
  readonly kind?: JournalEntryKind | undefined;
  /** Needs `customerId`. */
  readonly transactionId?: string | undefined;
  /** Needs `customerId`. */
  readonly depositId?: string | undefined;
  /** Needs `customerId`. */
  readonly withdrawalId?: string | undefined;
  /** Inclusive. Default: the beginning. */
  readonly from?: string | undefined;
  /** Exclusive. */
  readonly to?: string | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListKeysAnswer {
  readonly keys: readonly ServiceKey[];
}

export interface ListLedgerAccountsAnswer {
  readonly items: readonly LedgerAccount[];
}

export interface ListLogHeadsQuery {
  /** The audit trail or the journal. */
  readonly log?: 'audit' | 'journal' | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListMatchingRuleVersionsQuery {
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListOperatorClientsAnswer {
  readonly clients: readonly OperatorClient[];
}

export interface ListOperatorWebhookDeliveriesQuery {
  readonly status?:
    | 'pending'
    | 'delivered'
    | 'failed'
    | readonly ('pending' | 'delivered' | 'failed')[]
    | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListOperatorWebhooksQuery {
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListOwnSessionsAnswer {
  readonly personId: string;
  readonly sessions: readonly Session[];
}

export interface ListPairSettingsAnswer {
  readonly items: readonly PairSettings[];
}

export interface ListPairSettingsVersionsQuery {
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListPasskeysAnswer {
  readonly passkeys: readonly Passkey[];
  readonly recoveryCodesLeft: number;
}

export interface ListPaymentStatusesOfFileQuery {
  readonly state?:
    | 'due'
    | 'noted'
    | 'applied'
    | 'known'
    | 'mismatch'
    | 'unknown'
    | readonly ('due' | 'noted' | 'applied' | 'known' | 'mismatch' | 'unknown')[]
    | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListPersonsQuery {
  readonly status?:
    | 'invited'
    | 'active'
    | 'suspended'
    | 'ended'
    | readonly ('invited' | 'active' | 'suspended' | 'ended')[]
    | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListPricesAnswer {
  readonly items: readonly PriceOfPair[];
}

export interface ListPricesQuery {
  /** Default: every pair that has sources. */
  readonly pair?: string | readonly string[] | undefined;
}

export interface ListPricingPolicyVersionsQuery {
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListRemittersAnswer {
  readonly items: readonly Remitter[];
}

export interface ListReportScheduleRunsQuery {
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListReportSchedulesAnswer {
  readonly items: readonly ReportSchedule[];
}

export interface ListReportsQuery {
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListRolesAnswer {
  readonly roles: readonly Role[];
}

export interface ListSessionsQuery {
  readonly personId?: string | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListSettlementInstructionsQuery {
  /** ISO 4217 code. */
  readonly currency?: string | undefined;
  readonly status?: 'active' | 'retired' | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListSettlementRunPaymentsQuery {
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListSettlementRunsQuery {
  /** ISO 4217 code. */
  readonly currency?: string | undefined;
  readonly status?:
    | 'created'
    | 'sent'
    | 'cancelled'
    | readonly ('created' | 'sent' | 'cancelled')[]
    | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListSpreadRuleVersionsQuery {
  /** Only the version that was in force then. */
  readonly at?: string | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListStatementFilesQuery {
  readonly status?:
    | 'accepted'
    | 'refused'
    | 'held'
    | readonly ('accepted' | 'refused' | 'held')[]
    | undefined;
  /** Received at or after this instant. */
  readonly from?: string | undefined;
  /** Received before this instant. */
  readonly to?: string | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListStatementMappingsAnswer {
  readonly items: readonly StatementMapping[];
}

export interface ListStatementsOfFileQuery {
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListSwapPointPolicyVersionsQuery {
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListSwapPointVersionsQuery {
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListSwapPointsAnswer {
  readonly items: readonly SwapPoints[];
}

export interface ListTopUpsQuery {
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListVirtualAccountsQuery {
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface MarkStatementEntryDistinctBody {
  readonly reason: EntryReason;
}

export interface MarkStatementEntryDuplicateBody {
  /** The entry that carries the money, or one that is the same as it. */
  readonly as: string;
  readonly reason: EntryReason;
}

export interface MarkStatementEntryNeverBookedBody {
  /** Who bears the loss of money that has been paid on: an account of the house, or `customer_debt`, the customer in `customerId`, which must have a part of what came in. Without it, nothing is undone once money has moved on. */
  readonly as?: 'bank_charges' | 'interest' | 'house_funds' | 'customer_debt' | undefined;
  readonly customerId?: string | undefined;
  readonly reason: EntryReason;
}

export interface MatchDepositBody {
  /** One or more transactions. */
  readonly allocations?:
    | readonly {
        readonly transactionId: string;
        readonly amount?: Amount | undefined;
        /** The house bears what is missing. */
        readonly forgiveShortfall?: boolean | undefined;
      }[]
    | undefined;
  /** Instead of transactions: the balance to top up. */
  readonly balance?:
    | {
        readonly customerId: string;
        readonly amount?: Amount | undefined;
      }
    | undefined;
  /** It is not the payment with which a balance was topped up by hand under the same bank reference; if it is, use `replaceTopUp`. */
  readonly isAnotherPayment?: boolean | undefined;
  readonly reason: HistoryReason;
}

/** With `transactionId` the entry has paid its payout or refund, or returned it; any difference is a bank charge. With `depositId` it is a return of that deposit recorded before. */
export interface MatchStatementEntryBody {
  readonly transactionId?: string | undefined;
  /** Of the transaction; by default `payout`. */
  readonly purpose?: 'payout' | 'refund' | undefined;
  readonly depositId?: string | undefined;
  readonly reason: EntryReason;
}

export interface PayDebtFromBalanceBody {
  readonly currency: CurrencyCode;
  readonly amount: Amount;
  /** Why; kept with it. */
  readonly reason: string;
}

export interface PlaceHoldBody {
  /** Shown to the customer. */
  readonly kind: 'screening' | 'review' | 'documents';
  /** For operators only; the customer never sees it. */
  readonly reason: string;
}

export interface PreviewMatchingRulesBody {
  readonly rules: MatchingRulesDocument;
  /** How many of the newest deposits to run the rules against. Default 50. */
  readonly deposits?: number | undefined;
}

export interface PreviewSettlementRunQuery {
  /** ISO 4217 code. */
  readonly currency: string;
  readonly valueDate: string;
  readonly speed?: 'normal' | 'instant' | 'urgent' | undefined;
}

/** Without `rules` the stored draft is previewed, if there is one. Nothing is kept. */
export interface PreviewSpreadRulesBody {
  readonly customerId?: string | undefined;
  /** A customer of this group without rules of its own. Not together with customerId. */
  readonly groupName?: string | undefined;
  readonly sellCurrency: CurrencyCode;
  readonly buyCurrency: CurrencyCode;
  readonly fixedSide?: 'sell' | 'buy' | undefined;
  readonly amount?: Amount | undefined;
  readonly tenor?: 'today' | 'tom' | 'spot' | undefined;
  readonly valueDate?: CalendarDate | undefined;
  readonly validitySeconds?: number | undefined;
  readonly rules?: readonly SpreadRuleInput[] | undefined;
}

export interface PreviewStatementFileQuery {
  /** Name of the file. Default: `statement`. */
  readonly name?: string | undefined;
  /** Default: detected. */
  readonly format?: 'camt' | 'mt940' | 'csv' | 'json' | 'pain.002' | undefined;
  /** CSV mapping to use. Default: the one whose `fileNames` match. */
  readonly mapping?: string | undefined;
  /** In place of `mapping`: a `CsvMapping` in JSON, which is not kept. */
  readonly draftMapping?: string | undefined;
}

export interface ProposeCalendarImportQuery {
  /** Source of the days: the vendor and its file. Stored with each day. */
  readonly source: string;
  /** Why the calendars are changed, for their history. */
  readonly reason: string;
  /** First year to set, 2000 to 2099. Days of other years are left out. */
  readonly fromYear: number;
  /** Last year to set; at most ten years in all. */
  readonly toYear: number;
  /** From a file with a column `currency`, take only these. */
  readonly currencies?: string | readonly string[] | undefined;
  /** For a file with a column `centre`: the currency of each centre, such as `TGT:EUR,NYB:USD`. Others are left out. */
  readonly centres?: string | readonly string[] | undefined;
}

export interface ProveLogGrowthQuery {
  /** The audit trail or the journal. */
  readonly log?: 'audit' | 'journal' | undefined;
  /** Size of the first head. */
  readonly earlier: number;
  /** Size of the second head; default: the latest. */
  readonly size?: number | undefined;
}

export interface ProveLogRowQuery {
  /** The audit trail or the journal. */
  readonly log?: 'audit' | 'journal' | undefined;
  /** `number` (audit) or `entryId` (journal). */
  readonly row: string;
  /** Size of the head; default: the latest. */
  readonly size?: number | undefined;
}

export interface PushPricesAnswer {
  readonly source: string;
  readonly receivedAt: Instant;
  readonly accepted: number;
  readonly refused: number;
  /** One for each price, in the order of the request. */
  readonly results: readonly {
    readonly pair: string;
    readonly outcome: Open<'accepted' | 'refused'>;
    /** Why it was refused. */
    readonly reason?: string | undefined;
  }[];
}

export interface PushPricesBody {
  /** Which of the configured push sources they come from. Default: `push`. */
  readonly source?: string | undefined;
  /** Six letters in market order. */
  readonly pair?: string | undefined;
  readonly bid?: PriceText | undefined;
  readonly ask?: PriceText | undefined;
  /** When the price was made, RFC 3339. Default: now. */
  readonly at?: string | undefined;
  /** A batch, instead of the fields of a single price. */
  readonly prices?:
    | readonly {
        /** Six letters in market order. */
        readonly pair: string;
        readonly bid: PriceText;
        readonly ask: PriceText;
        /** When the price was made, RFC 3339. Default: now. */
        readonly at?: string | undefined;
      }[]
    | undefined;
}

export interface PushSwapPointsBody {
  /** Who makes the points. `operator` is reserved. */
  readonly source: string;
  readonly points: readonly {
    /** Six letters in market order. */
    readonly pair: string;
    /** on: today to tomorrow; tn: tomorrow to spot. */
    readonly leg: 'on' | 'tn';
    /** In pips with their sign. */
    readonly bid: string;
    readonly ask: string;
    /** When they were made, RFC 3339. Default: now. */
    readonly at?: string | undefined;
  }[];
}

export interface QuoteUnwindingQuery {
  /** As for the unwinding itself. */
  readonly closeOutAt?: 'market' | 'trade' | undefined;
  /** Whether the customer bears a loss. */
  readonly chargeCustomer?: 'true' | 'false' | undefined;
}

/** `valueDate` defaults to the UTC date of `receivedAt`, which defaults to now. */
export interface RecordDepositBody {
  /** The house's account. Default: the account that customers pay this currency into. */
  readonly account?: string | undefined;
  /** The bank's own reference of the entry; unique on the account. */
  readonly bankReference: string;
  readonly amount: Amount;
  readonly currency: CurrencyCode;
  /** Who sent the money. */
  readonly remitterName: string;
  /** Account that the money came from. */
  readonly remitterAccount?: string | undefined;
  /** Virtual account that it arrived on, if not `account` itself. */
  readonly virtualAccount?: string | undefined;
  /** Payment reference, if the bank gives it apart from the text. */
  readonly reference?: string | undefined;
  /** Free text of the payment; searched for references. */
  readonly remittanceText?: string | undefined;
  readonly valueDate?: CalendarDate | undefined;
  readonly receivedAt?: Instant | undefined;
}

export interface RejectApprovalBody {
  readonly note?: string | undefined;
}

export interface ReleaseDepositBody {
  /** Treats this account as the customer’s own from now on. Default: only this once. */
  readonly remember?: boolean | undefined;
  readonly reason: HistoryReason;
}

export interface ReleaseHoldBody {
  /** For operators only. */
  readonly reason?: string | undefined;
}

export interface RenamePasskeyBody {
  readonly name: string;
}

export interface RenewRecoveryCodesAnswer {
  readonly recoveryCodes: readonly string[];
}

export interface ReplaceTopUpBody {
  /** The customer whose balance was topped up. */
  readonly customerId: string;
  /** The bank reference under which it was topped up by hand. */
  readonly bankReference: string;
  /** How much of the deposit is for the balance. Default: all that is free. */
  readonly amount?: Amount | undefined;
  readonly reason: HistoryReason;
}

export interface ReplayOperatorWebhookQuery {
  /** Events from then on. */
  readonly from?: string | undefined;
  /** Events before then. */
  readonly to?: string | undefined;
  /** Only deliveries with this status. */
  readonly status?: 'pending' | 'delivered' | 'failed' | undefined;
  /** Go on after this event: `lastEventId` of the previous call. */
  readonly after?: string | undefined;
}

export interface RequestReportBody {
  readonly report: ReportName;
  readonly format?: 'json' | 'csv' | undefined;
  /** As in the report's own operation. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly customerId?: string | undefined;
  readonly currency?: string | undefined;
}

export interface ResetSourceSequenceBody {
  readonly reason: string;
  readonly nextSent?: number | undefined;
  readonly nextReceived?: number | undefined;
}

export interface ResolveExceptionBody {
  /** Refused while money is in suspense: match, return or ignore its deposit. */
  readonly resolution: 'acknowledged' | 'settled_outside';
  readonly note: string;
}

export interface ResumeMarketBody {
  readonly scope: 'all' | 'pair' | 'customer';
  readonly pair?: PairCode | undefined;
  /** Begins with cus_. */
  readonly customerId?: string | undefined;
  readonly reason?: string | undefined;
}

export interface RetryExceptionBody {
  readonly note?: string | undefined;
}

export interface ReturnDepositBody {
  /** `house` (default): the house sends back what no transaction uses. `remitter_bank`: the remitter’s bank took all of it back. */
  readonly returnedBy?: 'house' | 'remitter_bank' | undefined;
  readonly amount?: Amount | undefined;
  readonly bankReference?: string | undefined;
  /** Where the house sends it. Default: the account that it came from; required if that is unknown. */
  readonly account?:
    | {
        readonly accountHolder?: string | undefined;
        readonly iban?: string | undefined;
        readonly accountNumber?: string | undefined;
        readonly bic?: string | undefined;
        readonly routingNumber?: string | undefined;
      }
    | undefined;
  /** The house already paid it without a settlement run; needs two operators. Default: the next run pays it. */
  readonly paidOutside?: boolean | undefined;
  readonly reason: HistoryReason;
}

export interface ReverseTopUpBody {
  /** Under which the balance was topped up. */
  readonly bankReference: string;
  /** Why; kept with it. */
  readonly reason: string;
  /** The customer owes what the balance no longer covers. */
  readonly owesRest?: true | undefined;
}

export interface RevokeCredentialTokensBody {
  /** Default: all tokens issued so far. */
  readonly jti?: string | undefined;
}

export interface RevokeKeyBody {
  readonly reason: Line;
}

export interface RevokeOperatorClientTokensBody {
  /** Default: all tokens issued so far. */
  readonly jti?: string | undefined;
}

export interface RollValueDateBody {
  readonly valueDate: CalendarDate;
  /** Shown to the customer in the timeline. */
  readonly reason: 'client_request' | 'holiday' | 'late_funding' | 'bank_closed' | 'operational';
}

export interface RotateKeyBody {
  readonly purpose: 'tokens' | 'evidence';
  readonly reason: Line;
}

export interface RotateOperatorWebhookSecretBody {
  /** How long messages carry signatures of both secrets. Default: 24. */
  readonly overlapHours?: number | undefined;
}

export interface SetAmountLimitsBody {
  readonly limits: readonly AmountLimit[];
}

export interface SetCalendarYearBody {
  /** Whether `changes` lists all closing days of the year. A complete year extends an adjoining calendar or starts one. */
  readonly complete: boolean;
  readonly changes: readonly CorrectedDay[];
  /** Why the year is changed, for its history. */
  readonly reason: string;
}

/** Needs `iban` or `accountNumber`, or both. */
export interface SetCollectionAccountBody {
  readonly accountHolder: string;
  readonly bankName?: string | null | undefined;
  readonly bic?: string | null | undefined;
  /** Spaces are removed. */
  readonly iban?: string | null | undefined;
  readonly accountNumber?: string | null | undefined;
  readonly routingNumber?: string | null | undefined;
  /** Payment rails that it accepts. */
  readonly rails?: readonly string[] | undefined;
  readonly holderAddress?: PostalAddress | null | undefined;
  /** Legal entity identifier of the account holder. */
  readonly holderLei?: string | null | undefined;
}

export interface SetCredentialIpAllowListBody {
  readonly ipAllowList: IpAllowList;
}

export interface SetCustomerLimitsBody {
  readonly currency: 'USD';
  /** Volume that may be executed in one trade day. */
  readonly dailyVolume: Amount;
  /** Total of trades neither settled nor cancelled. */
  readonly openPosition: Amount;
  /** Largest single trade. */
  readonly singleTrade: Amount;
  readonly maxOpenQuotes: number;
  /** Quotas by policy. Omitted ones follow the defaults. */
  readonly rates?:
    | {
        readonly indicative?: RateQuota | undefined;
        readonly quotes?: RateQuota | undefined;
        readonly execute?: RateQuota | undefined;
        readonly reads?: RateQuota | undefined;
        readonly revalidation?: RateQuota | undefined;
        readonly all?: RateQuota | undefined;
      }
    | undefined;
}

export interface SetCutOffBody {
  /** HH:MM, 24 hours. */
  readonly time: string;
  /** IANA time zone, such as Europe/London. */
  readonly zone: string;
  /** Source of the time. */
  readonly source: string;
  /** Why it is changed, for its history. */
  readonly reason: string;
}

export interface SetExposureLimitsBody {
  readonly total: Amount | null;
  readonly perCurrency: Amount | null;
  readonly currencies: CurrencyExposureLimits;
  readonly hedges: Hedges;
}

export interface SetOperatorClientIpAllowListBody {
  readonly ipAllowList: IpAllowList;
}

export interface SetPairSettingsBody {
  /** False: not quoted (403 `pair_not_enabled`). */
  readonly enabled: boolean;
  readonly stalenessMs: number;
  readonly composite: 'best' | 'priority';
  /** Sources, first choice first. */
  readonly priority: readonly string[];
  /** Whether a bid may equal the ask. */
  readonly lockedPrices: 'accept' | 'refuse';
  readonly outlierBps: BasisPoints | null;
  readonly jumpTicks: number;
  readonly jumpMs: number;
  readonly frozenMs: number | null;
  readonly deviationBps: BasisPoints | null;
  readonly agreementMs: number;
  readonly maxWidthBps?: PriceWidthLimit | undefined;
  readonly bandBps?: PriceWidthLimit | undefined;
  /** Basis points of the mid price, more than 0, at most 9000.00. Default: by the pair's class. */
  readonly referenceBps?: string | undefined;
}

export interface SetPersonRolesBody {
  readonly roles: readonly string[];
}

export interface SetPostalAddressAnswer {
  readonly postalAddress: PostalAddress | null;
}

/** Null removes the address. */
export interface SetPostalAddressBody {
  readonly postalAddress: PostalAddress | null;
}

export interface SetPricingPolicyBody {
  readonly validityPremium: ValidityPremium;
  readonly marketHours: readonly MarketHoursWindow[];
  readonly settlementIncrements?: SettlementIncrements | undefined;
}

export interface SetRoleBody {
  readonly description: Line;
  readonly scopes: readonly OperatorClientScope[];
}

/** The whole set. Rules without `ruleId` are new; rules left out are removed. */
export interface SetSpreadRuleDraftBody {
  readonly rules: readonly SpreadRuleInput[];
}

/** The whole set. Rules without `ruleId` are new; rules left out are removed. */
export interface SetSpreadRulesBody {
  readonly rules: readonly SpreadRuleInput[];
}

export interface SetSwapPointPolicyBody {
  /** `refuse`: a date before spot is not priced without points. `worse_side`: it is priced with `worseSideBpsPerDay` of the price as points for each day, on the side that is worse for the customer. */
  readonly withoutPoints: 'refuse' | 'worse_side';
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

/** `on`: overnight, from today to tomorrow; `tn`: tom-next, from tomorrow to spot. null leaves the leg to sources and interest rates. They apply until the trade date ends or they reach the policy's age limit. */
export interface SetSwapPointsBody {
  readonly on: SwapPointsOfLeg | null;
  readonly tn: SwapPointsOfLeg | null;
  /** Where the points are from, for the evidence of quotes. */
  readonly source: string;
  /** Why they are set, for their history. */
  readonly reason: string;
}

export interface SignLogHeadQuery {
  /** The audit trail or the journal. */
  readonly log?: 'audit' | 'journal' | undefined;
}

export interface StreamMarketPricesQuery {
  /** In market order; 40 at most. */
  readonly pairs: string | readonly string[];
}

export interface SuspendCustomerBody {
  /** For operators only; the customer never sees it. */
  readonly reason?: string | undefined;
}

export interface TopUpBalanceBody {
  readonly currency: CurrencyCode;
  readonly amount: Amount;
  /** The bank's reference of the entry; a duplicate counts once. */
  readonly bankReference: string;
}

export interface UnmatchDepositBody {
  readonly transactionId?: string | undefined;
  /** Take it only from the balance. */
  readonly balance?: true | undefined;
  readonly reason: HistoryReason;
}

export interface UnwindTransactionBody {
  /** Default: closed_out for an overdue transaction, else client_request. */
  readonly reason?: 'client_request' | 'trade_error' | 'compliance_rejected' | 'closed_out' | undefined;
  /** `market` books the gain or loss; `trade` reverses everything as it was booked. Default: market for an overdue transaction, else trade. */
  readonly closeOutAt?: 'market' | 'trade' | undefined;
  /** Whether the customer bears a loss. Default: FIRMQUOTE_CLOSE_OUT_CHARGE. */
  readonly chargeCustomer?: boolean | undefined;
}

export interface UpdateCredentialBody {
  readonly name?: Line | undefined;
  readonly scopes?: readonly CredentialScope[] | undefined;
  readonly expiresAt?: Instant | null | undefined;
  readonly dpopBoundTokens?: DpopBoundTokens | undefined;
}

/** Omitted members keep their values; null clears. */
export interface UpdateCustomerBody {
  readonly name?: Line | undefined;
  /** Customers of a group share spread rules. */
  readonly groupName?: string | null | undefined;
  /** The operator's own reference; not unique. */
  readonly externalReference?: string | null | undefined;
  readonly settings?: CustomerSettingsChange | undefined;
}

export interface UpdateOperatorClientBody {
  readonly name?: Line | undefined;
  readonly scopes?: readonly OperatorClientScope[] | undefined;
  readonly roles?: RoleNames | undefined;
  readonly expiresAt?: Instant | null | undefined;
  readonly dpopBoundTokens?: DpopBoundTokens | undefined;
}

export interface UpdateOperatorWebhookBody {
  readonly url?: WebhookUrl | undefined;
  readonly description?: string | null | undefined;
  /** Empty: all. */
  readonly types?: readonly OperatorEventType[] | undefined;
  readonly ordering?: WebhookOrdering | undefined;
  readonly status?: 'enabled' | 'disabled' | undefined;
}

export interface WithdrawForCustomerBody {
  readonly currency: CurrencyCode;
  readonly amount: Amount;
  readonly clientReference?: ClientReference | undefined;
  /** Why; kept with the withdrawal. */
  readonly reason: string;
}

export interface WithdrawPricesAnswer {
  readonly source: string;
  readonly receivedAt: Instant;
  /** The pairs that had a price of this source. */
  readonly withdrawn: readonly string[];
}

export interface WithdrawPricesBody {
  /** Which of the configured push sources they come from. Default: `push`. */
  readonly source?: string | undefined;
  /** Default: every pair of the source. */
  readonly pairs?: readonly string[] | undefined;
}

export interface WithdrawStatementFileBody {
  /** Why; kept with the file. */
  readonly reason: string;
}

export interface WriteOffDebtBody {
  readonly currency: CurrencyCode;
  readonly amount: Amount;
  /** Why; kept with it. */
  readonly reason: string;
}
