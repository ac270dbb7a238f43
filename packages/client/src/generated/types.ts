// Made by `node scripts/generate-client.ts` from @firmquote/api. Change that, not this file.
import type { Open } from '../open.ts';

/** Decimal string, for example "100000.00". Responses carry exactly the minor units of the currency. */
export type Amount = string;

export interface AuthorizationServerMetadata {
  readonly issuer: string;
  readonly token_endpoint: string;
  readonly jwks_uri: string;
  readonly grant_types_supported: readonly string[];
  /** Empty: there is no authorization page. */
  readonly response_types_supported: readonly string[];
  readonly revocation_endpoint: string;
  readonly introspection_endpoint: string;
  readonly scopes_supported: readonly string[];
  readonly token_endpoint_auth_methods_supported: readonly string[];
  readonly token_endpoint_auth_signing_alg_values_supported: readonly string[];
  readonly dpop_signing_alg_values_supported: readonly string[];
}

export interface Balances {
  readonly items: readonly {
    readonly currency: CurrencyCode;
    readonly available: string;
  }[];
  /** What the customer owes apart from open trades. */
  readonly debts: readonly {
    readonly currency: CurrencyCode;
    readonly amount: string;
  }[];
  /** ISO 11649; to quote on payments into the balance. */
  readonly topUpReference: string;
}

/** Basis points, up to two decimals. */
export type BasisPoints = string;

export interface ByeEvent {
  readonly event: 'bye';
  readonly data: {
    /** Why the stream ends: the code of a problem, `shutting_down`, `slow_reader` or `stalled_reader`. */
    readonly reason: string;
  };
}

/** YYYY-MM-DD */
export type CalendarDate = string;

export interface Check {
  readonly ok: boolean;
  readonly detail: string;
}

export interface ClientKey {
  readonly kid: string;
  readonly alg: string;
  readonly createdAt: Instant;
}

export interface ClientKeys {
  /** Public keys: EC P-256 (ES256), OKP Ed25519 (EdDSA) or RSA of 2048 bits or more (RS256). They replace all earlier ones. */
  readonly keys: readonly {
    readonly kty: string;
    readonly crv?: string | undefined;
    readonly x?: string | undefined;
    readonly y?: string | undefined;
    readonly n?: string | undefined;
    readonly e?: string | undefined;
    readonly kid?: string | undefined;
    readonly use?: string | undefined;
    readonly alg?: string | undefined;
  }[];
}

/** The caller's own reference; not unique. */
export type ClientReference = string;

export interface ClientSecret {
  readonly secretId: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | null;
}

/** For a transaction closed out at the market. */
export interface CloseOut {
  readonly pair: PairCode;
  readonly rate: Rate;
  readonly asOf: Instant;
  readonly currency: CurrencyCode;
  readonly result: Open<'none' | 'gain' | 'loss'>;
  readonly amount: string;
  /** The part of a loss that the customer bears. */
  readonly charged: string;
}

export interface ConsideredDay {
  readonly date: CalendarDate;
  readonly counts: boolean;
  readonly reasons: readonly DateReason[];
  /** Reasons that do not delay: a US holiday on the first day of USD. */
  readonly ignored: readonly DateReason[];
}

export interface CreatedClientSecret {
  readonly secretId: string;
  /** Shown only once; only its hash is kept. `fqs_live_` (`fqs_test_` in the sandbox), then 49 letters and digits. */
  readonly clientSecret: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | null;
}

export interface CreatedCredential {
  readonly clientId: string;
  readonly name: string;
  readonly status: Open<'active' | 'suspended'>;
  readonly scopes: readonly CredentialScope[];
  readonly audiences: readonly string[];
  readonly ipAllowList: IpAllowList;
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

export interface Credential {
  readonly clientId: string;
  readonly name: string;
  readonly status: Open<'active' | 'suspended'>;
  readonly scopes: readonly CredentialScope[];
  readonly audiences: readonly string[];
  readonly ipAllowList: IpAllowList;
  readonly secrets: readonly ClientSecret[];
  readonly keys: readonly ClientKey[];
  readonly expiresAt: Instant | null;
  readonly dpopBoundTokens: DpopBoundTokens;
  readonly lastUsedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type CredentialScope =
  | 'quotes:read'
  | 'quotes:write'
  | 'trades:execute'
  | 'withdrawals:write'
  | 'transactions:read'
  | 'credentials:write'
  | 'webhooks:manage';

export interface Currency {
  readonly code: CurrencyCode;
  /** ISO 4217; null for CNH, which ISO does not list. */
  readonly numericCode: string | null;
  readonly name: string;
  /** Digits of an amount after the point. */
  readonly minorUnits: number;
  /** Amounts of quotes are multiples of it. */
  readonly settlementIncrement: string;
  /** calendar_missing: no calendar says when the currency settles; it is not offered until an operator sets one. */
  readonly status: Open<'tradable' | 'withdrawn' | 'calendar_missing'>;
  readonly validFrom: CalendarDate | null;
  readonly validTo: CalendarDate | null;
  /** Whether it has ever had a price. */
  readonly priced: boolean;
  readonly calendar: {
    readonly from: CalendarDate;
    readonly to: CalendarDate;
    readonly estimatedFrom: CalendarDate | null;
    /** It ends less than 13 months from now. */
    readonly runsShort: boolean;
  } | null;
  /** Latest time for same-day settlement. */
  readonly cutOff: {
    readonly time: string;
    readonly zone: string;
  };
}

/** ISO 4217 code. */
export type CurrencyCode = string;

export interface CustomerStatement {
  readonly from: Instant;
  readonly to: Instant;
  readonly generatedAt: Instant;
  readonly currencies: readonly {
    readonly currency: CurrencyCode;
    /** Positive: owed to the customer. */
    readonly openingBalance: string;
    readonly closingBalance: string;
    readonly lines: readonly CustomerStatementLine[];
    /** What the customer owes apart from open trades. The balances above are net of it. */
    readonly debt: {
      readonly opening: string;
      readonly booked: string;
      readonly released: string;
      readonly closing: string;
      /** Booked: `debit`. Released: `credit`. */
      readonly lines: readonly CustomerStatementLine[];
    };
  }[];
}

export interface CustomerStatementLine {
  readonly at: Instant;
  /** Of a debt: why it is booked or released. */
  readonly type: string;
  readonly transactionId: string | null;
  /** Of the trade or the withdrawal; of a top-up booked by hand, the bank’s. */
  readonly reference: string | null;
  readonly clientReference: string | null;
  readonly debit: string | null;
  readonly credit: string | null;
  readonly balance: string;
  readonly depositId: string | null;
  readonly withdrawalId: string | null;
}

/** us_holiday: USD is closed, which counts although it is not in the pair. us_holiday_between: USD is closed on the first of the two days (the Latin American rule). */
export interface DateReason {
  readonly code: Open<
    | 'weekend'
    | 'holiday'
    | 'us_holiday'
    | 'us_holiday_between'
    | 'cutoff_passed'
    | 'calendar_missing'
    | 'before_trade_date'
    | 'after_spot'
    | 'not_a_date'
    | 'unknown_tenor'
    | 'no_good_date'
  >;
  readonly currency?: CurrencyCode | undefined;
  /** Name of the holiday. */
  readonly name?: string | undefined;
  readonly cutOffAt?: Instant | undefined;
  readonly date?: CalendarDate | undefined;
}

/** Whether tokens must be bound to a key (DPoP, RFC 9449). Default: no. */
export type DpopBoundTokens = boolean;

export interface ErrorCode {
  readonly code: string;
  /** Address of its page; `type` of the problem. */
  readonly type: string;
  readonly status: number;
  readonly title: string;
  readonly retry: Open<'none' | 'after_fix' | 'same_request' | 'new_quote' | 'later'>;
  readonly help: string;
}

export interface ErrorEvent {
  readonly event: 'error';
  readonly data: Problem;
}

/** Currencies whose holidays up to the value date are estimated and may still change. Absent if there are none. */
export type EstimatedCurrencies = readonly CurrencyCode[];

export interface Event {
  readonly eventId: string;
  /** Counts from 1 for each customer, without gaps. */
  readonly sequence: number;
  readonly type: EventType;
  readonly timestamp: Instant;
  readonly data: EventData;
}

export interface EventData {
  readonly eventId: string;
  /** Counts from 1 for each customer, without gaps. */
  readonly sequence: number;
  readonly quoteId?: string | undefined;
  readonly transactionId?: string | undefined;
  readonly depositId?: string | undefined;
  /** Of the quote, in events whose type begins with `quote.`, otherwise of the transaction or withdrawal; as it is afterwards. */
  readonly version: number | null;
  /** Of what `version` is of, afterwards. */
  readonly status: string | null;
  readonly previousStatus: string | null;
  readonly clientReference: string | null;
  /** Why a transaction has its status. */
  readonly statusReason?: string | undefined;
  readonly valueDate?: CalendarDate | undefined;
  readonly previousValueDate?: CalendarDate | undefined;
  readonly withdrawalId?: string | undefined;
  /** Reference of a withdrawal, as on the payment. */
  readonly reference?: string | undefined;
  /** Of a deposit, refund, top-up, withdrawal or debt. */
  readonly amount?: string | undefined;
  readonly currency?: CurrencyCode | undefined;
  /** Part of a deposit that went to the transaction. */
  readonly allocatedAmount?: string | undefined;
  /** Rule that matched a deposit. */
  readonly matchRule?: string | undefined;
  /** Where a deposit was taken back from. */
  readonly from?: 'balance' | undefined;
  /** How a withdrawal failed. */
  readonly failure?: string | undefined;
  /** Why a refund was made, the market closed, or you owe something. */
  readonly reason?: string | undefined;
  readonly holdId?: string | undefined;
  /** Kind of hold. */
  readonly kind?: string | undefined;
  /** Set if a halt closed the market. */
  readonly haltId?: string | undefined;
  /** What is halted: `all`, `pair` or `customer`. */
  readonly scope?: string | undefined;
  /** `*`: all pairs. */
  readonly pair?: string | undefined;
  readonly state?: Open<'open' | 'closed'> | undefined;
  readonly reopensAt?: Instant | undefined;
}

export interface EventPage {
  readonly items: readonly Event[];
  /** Give it as `after` next time: with `types` it may be an event of another type. Null: no event is kept; leave out `after` next time. */
  readonly lastEventId: string | null;
  readonly hasMore: boolean;
  /** Events after `after` that are no longer kept; 0 if you read at least every 30 days. */
  readonly missed: number;
}

export type EventType =
  | 'quote.executed'
  | 'quote.cancelled'
  | 'quote.expired'
  | 'quote.withdrawn'
  | 'transaction.created'
  | 'transaction.partially_funded'
  | 'transaction.awaiting_funds'
  | 'transaction.funded'
  | 'transaction.overdue'
  | 'transaction.settling'
  | 'transaction.settled'
  | 'transaction.settlement_failed'
  | 'transaction.cancelled'
  | 'transaction.value_date_changed'
  | 'transaction.hold_placed'
  | 'transaction.hold_released'
  | 'refund.paid'
  | 'refund.failed'
  | 'balance.topped_up'
  | 'balance.debt_booked'
  | 'balance.debt_paid'
  | 'balance.debt_released'
  | 'balance.top_up_reversed'
  | 'withdrawal.created'
  | 'withdrawal.redirected'
  | 'withdrawal.paid'
  | 'withdrawal.failed'
  | 'withdrawal.cancelled'
  | 'deposit.received'
  | 'deposit.matched'
  | 'deposit.unmatched'
  | 'market.closed'
  | 'market.opened';

export interface EvidenceVerification {
  /** Whether every number of the quote follows from its evidence, recomputed for this response. `incomplete`: less was kept when the quote was made. */
  readonly outcome: Open<'matches' | 'differs' | 'incomplete'>;
  readonly differences?:
    | readonly {
        readonly member: string;
        readonly recorded: string;
        readonly recomputed: string | null;
      }[]
    | undefined;
  readonly detail?: string | undefined;
}

export interface ExecuteRequest {
  readonly clientReference?: ClientReference | undefined;
  /** Terms that the quote must have; otherwise nothing happens. */
  readonly expect?:
    | {
        readonly sellAmount?: Amount | undefined;
        readonly buyAmount?: Amount | undefined;
      }
    | undefined;
  readonly metadata?: Metadata | undefined;
}

export interface ExecutionPolicy {
  /** Changes with every statement. */
  readonly version: string;
  readonly facts: {
    readonly capacity: 'principal';
    readonly firmQuotes: boolean;
    readonly lastLook: boolean;
    readonly holdTimeMs: number;
    readonly priceCheckAtExecution: boolean;
    readonly slippage: 'none';
    readonly partialExecution: boolean;
    readonly expiryJudgedBy: 'arrival_of_the_request';
    readonly permittedValiditySeconds: readonly number[];
    readonly pricingDisclosure: Open<'full' | 'total' | 'none'>;
    readonly amountRounding: Open<'half_up' | 'house'>;
    readonly statusCheckRequired: boolean;
    readonly idempotencyKeyRequired: boolean;
  };
  readonly statements: readonly {
    readonly id: string;
    readonly title: string;
    readonly text: string;
  }[];
  /** Every reason to refuse an execution, in the order of the checks. */
  readonly executionChecks: readonly {
    readonly order: number;
    readonly check: string;
    /** The problem of a request that does not pass. */
    readonly code: string;
    readonly status: number;
    readonly retry: string;
  }[];
  readonly notExecuted: string;
}

export interface ExplainedTenor {
  readonly available: boolean;
  readonly valueDate: CalendarDate | null;
  /** The problem code that a quote would get. */
  readonly code: string | null;
  readonly reasons: readonly DateReason[];
  readonly nextValueDate: CalendarDate | null;
}

/** Whether `amount` is what you sell or buy. */
export type FixedSide = 'sell' | 'buy';

/** The account to pay to; with `virtualAccount` it is your own, and payments without the reference are recognised too. */
export interface FundingInstructions {
  readonly accountHolder?: string | undefined;
  readonly bankName?: string | null | undefined;
  readonly bic?: string | null | undefined;
  readonly accountNumber?: string | null | undefined;
  readonly routingNumber?: string | null | undefined;
  readonly iban?: string | null | undefined;
  readonly rails?: readonly string[] | undefined;
  readonly virtualAccount?: string | null | undefined;
  readonly reference: string;
  readonly dueBy: Instant;
}

export interface FundingSummary {
  readonly mode: Open<'post_funded' | 'pre_funded'>;
  readonly expected: Money;
  readonly received: string;
  readonly outstanding: string;
  readonly excess: string;
  /** What was forgiven of a short payment. */
  readonly shortfall: string;
}

export interface HeartbeatEvent {
  readonly event: 'heartbeat';
  readonly data: {
    readonly serverTime: Instant;
    /** Id of the last price sent. */
    readonly lastId: string | null;
  };
}

export type IndicativeEvent = IndicativePriceEvent | MarketEvent | HeartbeatEvent | ResyncEvent | ByeEvent;

/** An estimate: nothing is reserved and it cannot be executed. */
export interface IndicativePrice {
  readonly type: 'indicative';
  readonly sellCurrency: CurrencyCode;
  readonly buyCurrency: CurrencyCode;
  readonly fixedSide: FixedSide | null;
  readonly sellAmount: string | null;
  readonly buyAmount: string | null;
  readonly tradable: boolean;
  readonly reason?: string | undefined;
  readonly rate: QuotedRate;
  readonly pricing: Pricing;
  readonly settlement: {
    readonly tenor: string;
    readonly tradeDate: CalendarDate;
    readonly valueDate: CalendarDate;
    readonly estimatedCurrencies?: EstimatedCurrencies | undefined;
  };
  readonly market: MarketState;
}

export interface IndicativePriceEvent {
  readonly event: 'price';
  readonly id: string;
  readonly data: IndicativePrice;
}

export interface IndicativeRequest {
  readonly sellCurrency: CurrencyCode;
  readonly buyCurrency: CurrencyCode;
  readonly fixedSide?: FixedSide | undefined;
  readonly amount?: Amount | undefined;
  /** Settlement; default spot. Not together with valueDate. */
  readonly tenor?: 'today' | 'tom' | 'spot' | undefined;
  readonly valueDate?: CalendarDate | undefined;
}

/** RFC 3339; in responses, UTC with milliseconds. */
export type Instant = string;

export interface InterruptedPair {
  readonly pair: PairCode;
  /** Whether the market allows a firm quote now. */
  readonly tradable: boolean;
  /** `pair_not_enabled`: the pair is not quoted. `stale`: the newest price is too old. `no_price`: there is none. */
  readonly reason?: Open<'market_closed' | 'halt' | 'pair_not_enabled' | 'stale' | 'no_price'> | undefined;
  readonly lastPriceAt?: Instant | undefined;
}

export interface Introspection {
  readonly active: boolean;
  /** What the token may do now. */
  readonly scope?: string | undefined;
  readonly client_id?: string | undefined;
  readonly token_type?: string | undefined;
  readonly exp?: number | undefined;
  readonly iat?: number | undefined;
  readonly sub?: string | undefined;
  readonly aud?: string | undefined;
  readonly iss?: string | undefined;
  readonly jti?: string | undefined;
  readonly cnf?:
    | {
        readonly jkt: string;
      }
    | undefined;
}

/** IPv4 and IPv6 addresses and CIDR ranges. Empty: any address. */
export type IpAllowList = readonly string[];

/** A public key (RFC 7517, RFC 8037). */
export interface JsonWebKey {
  readonly kid: string;
  readonly kty: Open<'EC' | 'OKP'>;
  readonly crv: Open<'P-256' | 'Ed25519'>;
  readonly x: string;
  /** With `kty` `EC`. */
  readonly y?: string | undefined;
  readonly alg: Open<'ES256' | 'EdDSA'>;
  readonly use: 'sig';
}

export interface JsonWebKeySet {
  readonly keys: readonly JsonWebKey[];
  /** Compromised keys of signed terms: a signature counts only if you can prove that you had it before `revoked_at` (Unix seconds). */
  readonly revoked_keys?:
    | readonly {
        readonly kid: string;
        readonly kty: Open<'EC' | 'OKP'>;
        readonly crv: Open<'P-256' | 'Ed25519'>;
        readonly x: string;
        /** With `kty` `EC`. */
        readonly y?: string | undefined;
        readonly alg: Open<'ES256' | 'EdDSA'>;
        readonly use: 'sig';
        readonly revoked: {
          readonly revoked_at: number;
        };
      }[]
    | undefined;
}

export interface LegSwapPoints {
  /** on: today to tomorrow; tn: tomorrow to spot. */
  readonly leg: Open<'on' | 'tn' | 'broken'>;
  readonly from: CalendarDate;
  readonly to: CalendarDate;
  /** In pips. */
  readonly bid: string;
  readonly ask: string;
  /** Where the points come from: the first of these that has any. */
  readonly origin?: Open<'operator' | 'pushed' | 'interest_rates' | 'worse_side'> | undefined;
  readonly source?: string | undefined;
  /** When they were given, or the date of the interest rates. */
  readonly asOf?: string | undefined;
  readonly rates?:
    | {
        readonly base: SwapPointsRate;
        readonly quote: SwapPointsRate;
      }
    | undefined;
  /** How far the price is moved to the worse side. */
  readonly bpsPerDay?: string | undefined;
}

export type Line = string;

export interface MarketEvent {
  readonly event: 'market';
  readonly data: StreamedMarket;
}

/** The market when the quote was made. A cross has `legs` and the currency it went `through`. */
export interface MarketSnapshot {
  readonly bid?: Rate | undefined;
  readonly ask?: Rate | undefined;
  readonly asOf: Instant;
  readonly source: string | null;
  readonly bidFrom?: PriceOrigin | undefined;
  readonly askFrom?: PriceOrigin | undefined;
  readonly through: CurrencyCode | null;
  readonly legs?:
    | readonly {
        readonly pair: PairCode;
        readonly bid: Rate;
        readonly ask: Rate;
        readonly asOf?: Instant | undefined;
        readonly source?: string | undefined;
        readonly bidFrom?: PriceOrigin | undefined;
        readonly askFrom?: PriceOrigin | undefined;
      }[]
    | undefined;
  /** From spot back to the value date. The bid for the date is the spot bid minus the ask of all points; the ask is the spot ask minus their bid. */
  readonly swapPoints?: readonly LegSwapPoints[] | undefined;
  readonly swapPointPolicyVersion?: number | undefined;
  /** For operators: the acceptances that the price relied on, `…/pairs/{pair}/accepted-prices`. */
  readonly acceptedPrices?:
    | readonly {
        readonly pair: PairCode;
        readonly number: number;
      }[]
    | undefined;
}

export interface MarketState {
  readonly state: Open<'open' | 'closed'>;
  readonly reason?: string | undefined;
  readonly closesAt?: Instant | undefined;
  readonly reopensAt?: Instant | undefined;
}

export interface MarketStatus {
  readonly market: {
    readonly state: Open<'open' | 'closed'>;
    /** weekend, holiday or halt. */
    readonly reason?: string | undefined;
    readonly closesAt?: Instant | undefined;
    readonly reopensAt?: Instant | undefined;
  };
  readonly tradeDate: CalendarDate;
  readonly tradeDateEndsAt: Instant;
  /** Pairs that have been quoted and cannot be traded although the market is open. */
  readonly interruptedPairs: readonly InterruptedPair[];
}

export interface MatchedDeposit {
  readonly depositId: string;
  readonly amount: string;
  readonly receivedAt: Instant;
  readonly bookedOn?: CalendarDate | undefined;
  readonly valueDate: CalendarDate;
  readonly remitterName: string | null;
  readonly matchedBy: Open<'auto' | 'manual'>;
  readonly matchRule: string;
  readonly allocatedAmount: string;
}

/** Up to 20 pairs, returned as given. Keys have 1 to 40 characters, values up to 200. */
export type Metadata = Readonly<Record<string, string>>;

export interface Money {
  readonly amount: string;
  readonly currency: CurrencyCode;
}

/** `cursor` of the next page; null on the last one. */
export type NextCursor = string | null;

export interface OwnAccount {
  readonly settlementInstructionId: string;
  readonly currency: CurrencyCode;
  readonly accountHolder: string;
  readonly bankName: string | null;
  readonly bankCountry: string | null;
  readonly bic: string | null;
  readonly accountType: Open<'iban' | 'account_number'>;
  readonly accountMasked: string;
  readonly routingNumber: string | null;
  readonly status: Open<'active' | 'retired'>;
  readonly usableFrom: Instant | null;
  readonly createdAt: Instant;
}

export interface OwnDeposit {
  readonly depositId: string;
  /** `matched` when nothing of it is unallocated; an overpayment is kept for you. */
  readonly status: Open<'unmatched' | 'partially_matched' | 'matched' | 'returned'>;
  readonly version: number;
  readonly currency: CurrencyCode;
  /** What arrived for you; of a shared payment, your part. */
  readonly amount: string;
  /** What went to transactions and your balance. */
  readonly allocatedAmount: string;
  /** Paid beyond what its transactions needed. */
  readonly excessAmount: string;
  /** What goes back, or went back, to the payer. */
  readonly returnedAmount: string;
  /** Not allocated yet. */
  readonly unallocatedAmount: string;
  readonly remitterName: string | null;
  readonly remittanceText: string | null;
  readonly valueDate: CalendarDate;
  readonly receivedAt: Instant;
  readonly allocations: readonly {
    readonly to: Open<'transaction' | 'balance'>;
    /** Null: it went to your balance. */
    readonly transactionId: string | null;
    readonly amount: Amount;
    /** Paid beyond what the transaction needed; kept for you or refunded. */
    readonly excessAmount: string;
    readonly at: Instant;
  }[];
  readonly returns: readonly {
    readonly amount: Amount;
    readonly status: Open<'pending' | 'paid' | 'failed' | 'cancelled'>;
    /** As shown on the payment. */
    readonly reference: string;
    readonly destinationMasked: string;
    readonly paidAt: Instant | null;
  }[];
  readonly updatedAt: Instant;
}

export interface OwnLimits {
  readonly currency: CurrencyCode;
  readonly tradeDate: CalendarDate;
  /** When `dailyVolume` resets: 17:00 New York. */
  readonly resetsAt: Instant;
  readonly dailyVolume: UsedLimit;
  readonly openPosition: UsedLimit;
  readonly singleTrade: {
    readonly limit: Amount;
  };
  readonly maxOpenQuotes: number;
  readonly rates: RateQuotas;
}

export interface Pair {
  readonly pair: PairCode;
  readonly baseCurrency: CurrencyCode;
  readonly quoteCurrency: CurrencyCode;
  /** Digits of a rate after the point. */
  readonly decimals: number;
  readonly pipDecimals: number;
  readonly pip: string;
  /** A price of its own, or a cross through the dollar or the euro. */
  readonly price: Open<'direct' | 'cross'>;
  /** Business days from trade to spot. */
  readonly spotLagDays: number;
  readonly tenors: {
    readonly today: PairTenor;
    readonly tom: PairTenor;
    readonly spot: PairTenor;
  };
  /** What you may trade, each way. */
  readonly directions: readonly PairDirection[];
  /** Smallest amount of each currency. */
  readonly minAmounts: Readonly<Record<string, string>>;
  readonly minTradeValue: Money | null;
  readonly maxTradeValue: Money;
  readonly market: PairStatus;
}

/** Six letters in market order. */
export type PairCode = string;

export interface PairDirection {
  readonly sellCurrency: CurrencyCode;
  readonly buyCurrency: CurrencyCode;
  readonly permitted: boolean;
  readonly reasons: readonly {
    readonly code: Open<'pricing_not_configured' | 'settlement_instructions_missing'>;
    readonly currency: CurrencyCode | null;
  }[];
}

export interface PairStatus {
  /** Whether the market allows a firm quote now. */
  readonly tradable: boolean;
  /** `pair_not_enabled`: the pair is not quoted. `stale`: the newest price is too old. `no_price`: there is none. */
  readonly reason?: Open<'market_closed' | 'halt' | 'pair_not_enabled' | 'stale' | 'no_price'> | undefined;
  readonly lastPriceAt?: Instant | undefined;
}

export interface PairTenor {
  readonly available: boolean;
  readonly valueDate: CalendarDate | null;
  readonly reasons: readonly string[];
}

export interface Payout {
  readonly status: Open<'pending' | 'sent' | 'paid' | 'rejected' | 'returned' | 'cancelled'>;
  /** If it goes to the balance, not to a bank. */
  readonly to?: 'balance' | undefined;
  readonly amount: string;
  readonly currency: CurrencyCode;
  readonly destinationId: string;
  readonly destinationMasked: string;
  readonly bankReference: string | null;
  readonly paidAt: Instant | null;
}

/** Why the payout did not arrive. */
export interface PayoutFailure {
  readonly code: Open<'payout_rejected' | 'payout_returned' | 'beneficiary_invalid'>;
  readonly at: Instant;
  /** What the bank said; for operators only. */
  readonly detail?: string | null | undefined;
}

export interface PayoutHold {
  readonly holdId: string;
  readonly kind: Open<'screening' | 'review' | 'documents'>;
  readonly placedAt: Instant;
}

export interface PriceEvent {
  readonly event: 'price';
  readonly id: string;
  readonly data: StreamedPrice;
}

/** Which source gave this side, and when. */
export interface PriceOrigin {
  readonly source: string;
  readonly asOf: Instant;
}

export interface PriceSocketCommand {
  readonly action: Open<'subscribe' | 'unsubscribe'>;
  readonly pairs: readonly PairCode[];
  readonly amount?: Amount | undefined;
  readonly amountCurrency?: CurrencyCode | undefined;
  readonly requestId?: string | undefined;
}

export type PriceSocketEvent =
  | MarketEvent
  | PriceEvent
  | HeartbeatEvent
  | SubscribedEvent
  | UnsubscribedEvent
  | ErrorEvent
  | ByeEvent;

export type PriceStreamEvent = PriceEvent | MarketEvent | HeartbeatEvent | ResyncEvent | ByeEvent;

export interface Pricing {
  readonly spreadBps?: BasisPoints | undefined;
  readonly components?: readonly SpreadComponent[] | undefined;
  readonly markup?:
    | {
        readonly amount: string;
        readonly currency: string;
      }
    | undefined;
  readonly costVsMidBps?: string | undefined;
  readonly reference?: ReferenceRate | undefined;
  /** Always empty: everything is in the spread. */
  readonly fees: readonly unknown[];
}

export interface PricingReadiness {
  readonly ready: boolean;
  readonly checks: {
    readonly prices: Check;
    readonly calendars: Check;
  };
}

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly retry: Open<'none' | 'after_fix' | 'same_request' | 'new_quote' | 'later'>;
  readonly requestId: string;
  readonly errors?:
    | readonly {
        readonly pointer: string;
        readonly code: string;
        readonly detail: string;
      }[]
    | undefined;
}

export interface Quote {
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

/** What `verifyEvidence` of @firmquote/fx takes, together with `numbers`. */
export interface QuoteEvidence {
  readonly pair: PairCode;
  readonly sellCurrency: CurrencyCode;
  readonly buyCurrency: CurrencyCode;
  readonly fixedSide: FixedSide;
  readonly fixedAmount: string;
  readonly rateDecimals: number;
  readonly amountRounding: Open<'half_up' | 'house'>;
  readonly settlementIncrement?: string | undefined;
  readonly bid: Rate;
  readonly ask: Rate;
  readonly legs?:
    | readonly {
        readonly pair: PairCode;
        readonly bid: Rate;
        readonly ask: Rate;
      }[]
    | undefined;
  /** The price is made from the exact cross and rounded once; absent if the cross was rounded first. */
  readonly crossRounding?: 'once' | undefined;
  /** From spot back to the value date. The bid for the date is the spot bid minus the ask of all points; the ask is the spot ask minus their bid. */
  readonly swapPoints?: readonly LegSwapPoints[] | undefined;
  readonly pipDecimals?: number | undefined;
  readonly spreadBps: string;
  readonly components?: readonly SpreadComponent[] | undefined;
  readonly referenceRate?: Rate | undefined;
}

/** How the price of a firm quote was derived. */
export interface QuoteExplanation {
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

export interface QuoteNumbers {
  readonly bid?: Rate | undefined;
  readonly ask?: Rate | undefined;
  /** All swap points, in pips. */
  readonly pointsBid?: string | undefined;
  readonly pointsAsk?: string | undefined;
  /** The price for the value date, exact. */
  readonly outrightBid?: string | undefined;
  readonly outrightAsk?: string | undefined;
  readonly spreadBps?: string | undefined;
  /** ask: the customer buys the base currency; bid: sells it. */
  readonly side?: Open<'bid' | 'ask'> | undefined;
  readonly rate?: Rate | undefined;
  readonly inverse?: Rate | undefined;
  readonly mid?: Rate | undefined;
  readonly market?: Rate | undefined;
  readonly costVsMidBps?: string | undefined;
  readonly sellAmount?: string | undefined;
  readonly buyAmount?: string | undefined;
  /** The derived amount at the market rate. */
  readonly marketAmount?: string | undefined;
  /** In the currency of the derived amount. */
  readonly markup?: string | undefined;
  readonly differencePercent?: string | undefined;
}

export type QuoteRequest = QuoteTerms | Requote;

export interface QuoteSettlement {
  readonly tenor: Open<'today' | 'tom' | 'spot' | 'broken'>;
  readonly tradeDate: CalendarDate;
  readonly valueDate: CalendarDate;
  readonly fundingMode: Open<'post_funded' | 'pre_funded'>;
  /** When the money must have arrived: the earlier of both currencies' cut-offs on the value date. */
  readonly fundingCutoffAt: Instant;
  readonly estimatedCurrencies?: EstimatedCurrencies | undefined;
}

export interface QuoteTerms {
  readonly sellCurrency: CurrencyCode;
  readonly buyCurrency: CurrencyCode;
  readonly fixedSide: FixedSide;
  readonly amount: Amount;
  /** Settlement; default spot. Not together with valueDate. */
  readonly tenor?: 'today' | 'tom' | 'spot' | undefined;
  readonly valueDate?: CalendarDate | undefined;
  /** One of the customer's permitted values; default 30. */
  readonly validitySeconds?: number | undefined;
  readonly clientReference?: ClientReference | undefined;
  readonly metadata?: Metadata | undefined;
}

export interface QuotedRate {
  readonly pair: PairCode;
  readonly baseCurrency: CurrencyCode;
  readonly quoteCurrency: CurrencyCode;
  /** ask: the customer buys the base currency; bid: sells it. */
  readonly side: Open<'bid' | 'ask'>;
  readonly value: Rate;
  readonly inverse: Rate;
  readonly mid: Rate;
  readonly market?: Rate | undefined;
  readonly asOf: Instant;
  readonly ageMs?: number | undefined;
  /** Who gave the price; with full disclosure only. */
  readonly source?: string | undefined;
}

/** Units of the quote currency for one of the base currency. */
export type Rate = string;

export interface RateQuota {
  readonly perMinute: number;
  /** Requests at once; by default a minute's worth. */
  readonly burst?: number | undefined;
}

export interface RateQuotas {
  readonly indicative: RateQuota;
  readonly quotes: RateQuota;
  readonly execute: RateQuota;
  readonly reads: RateQuota;
  readonly revalidation: RateQuota;
  readonly all: RateQuota;
}

export interface Readiness {
  readonly ready: boolean;
  readonly checks: {
    readonly database: Check;
    readonly writes: Check;
    readonly migrations: Check;
    readonly clock: Check;
    readonly accepting: Check;
  };
}

export interface ReferenceRate {
  readonly provider: string;
  readonly rate: Rate;
  readonly date: CalendarDate;
  readonly differencePercent: string;
}

/** Money that goes back. */
export interface Refund {
  readonly status: Open<'pending' | 'paid' | 'failed'>;
  readonly amount: string;
  readonly currency: CurrencyCode;
  /** Why the transaction was cancelled, or `excess`. */
  readonly reason: string;
  readonly bankReference: string | null;
  /** From the second refund of the transaction on. */
  readonly attempt?: number | undefined;
  readonly paidAt?: Instant | undefined;
  /** The bank refused it, or it came back. */
  readonly failure?: Open<'rejected' | 'returned'> | undefined;
  /** Earlier refunds of the transaction that were paid. */
  readonly paidAttempts?: readonly number[] | undefined;
  /** What the bank said; for operators only. */
  readonly detail?: string | null | undefined;
}

export interface Requote {
  readonly requoteOf: string;
}

export interface ResyncEvent {
  readonly event: 'resync';
  readonly data: {
    readonly lastEventId: string | null;
  };
}

/** One rounding. */
export interface RoundingStep {
  readonly step: Open<
    | 'cross_bid'
    | 'cross_ask'
    | 'swap_points_bid'
    | 'swap_points_ask'
    | 'client_rate'
    | 'market_rate'
    | 'mid'
    | 'inverse'
    | 'cost_vs_mid'
    | 'derived_amount'
    | 'derived_amount_at_market'
    | 'reference_difference'
  >;
  readonly formula: string;
  /** A currency, `bps`, `percent`, or the pair of a rate. */
  readonly unit: string;
  /** The exact number, cut off after 20 decimals. */
  readonly unrounded: string;
  /** Whether `unrounded` is complete. */
  readonly isExact: boolean;
  /** The exact number as a fraction in lowest terms. */
  readonly numerator: string;
  readonly denominator: string;
  readonly rounding: Open<'half_up' | 'half_even' | 'floor' | 'ceil' | 'up' | 'down'>;
  /** Decimals that are kept. */
  readonly decimals: number;
  readonly result: string;
}

export interface SpotDerivation {
  readonly countedFrom: CalendarDate;
  /** How each currency counts its days. */
  readonly legs: readonly {
    readonly currency: CurrencyCode;
    readonly lagDays: number;
    readonly date: CalendarDate;
    readonly days: readonly ConsideredDay[];
  }[];
  /** All of them must be open on the value date. */
  readonly decidingCurrencies: readonly CurrencyCode[];
  /** From the later of the two to the first day good for all. */
  readonly joint: readonly ConsideredDay[];
  readonly spot: CalendarDate;
}

export interface SpreadBreakdown {
  readonly totalBps: string;
  readonly components?: readonly SpreadComponent[] | undefined;
  readonly rule?:
    | {
        readonly ruleId: string;
        readonly version: number;
      }
    | undefined;
  readonly pricingPolicyVersion?: number | undefined;
}

export interface SpreadComponent {
  /** What this part of the spread is for. The parts add up to `spreadBps` exactly. */
  readonly type: Open<
    | 'customer_spread'
    | 'tenor_spread'
    | 'validity_premium'
    | 'amount_tier'
    | 'market_hours'
    | 'minimum'
    | 'maximum'
  >;
  /** Basis points; discounts are negative. */
  readonly bps: string;
}

export interface StreamedMarket {
  /** `*`: all pairs. */
  readonly pair: string;
  readonly state: Open<'open' | 'closed'>;
  readonly reason?: Open<'weekend' | 'holiday' | 'halt'> | undefined;
  readonly closesAt?: Instant | undefined;
  readonly reopensAt?: Instant | undefined;
}

export interface StreamedPrice {
  readonly pair: PairCode;
  readonly bid: Rate | null;
  readonly ask: Rate | null;
  readonly mid: Rate | null;
  readonly spreadBps?: BasisPoints | undefined;
  readonly amount?: Amount | undefined;
  readonly amountCurrency?: CurrencyCode | undefined;
  readonly bidAmount?: Amount | null | undefined;
  readonly askAmount?: Amount | null | undefined;
  readonly asOf: Instant | null;
  readonly spotDate: CalendarDate | null;
  readonly tradable: boolean;
  readonly reason?:
    | Open<
        | 'stale'
        | 'market_closed'
        | 'halt'
        | 'pair_not_enabled'
        | 'calendar_missing'
        | 'price_unavailable'
        | 'pricing_not_configured'
        | 'amount_below_minimum'
        | 'amount_above_maximum'
      >
    | undefined;
}

export interface SubscribedEvent {
  readonly event: 'subscribed';
  readonly data: {
    readonly requestId: string | null;
    /** All pairs that the connection now reads. */
    readonly pairs: readonly PairCode[];
  };
}

export interface SwapPointsRate {
  readonly currency: CurrencyCode;
  /** Percent a year. */
  readonly bid: string;
  readonly ask: string;
  readonly dayCount: Open<'ACT/360' | 'ACT/365'>;
  readonly asOf?: CalendarDate | undefined;
  readonly source?: string | undefined;
}

/** A change, with the members of its `code`. */
export interface TimelineEntry {
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
}

export interface Token {
  /** JWT of type at+jwt (RFC 9068), signed with ES256. */
  readonly access_token: string;
  readonly token_type: Open<'Bearer' | 'DPoP'>;
  /** Seconds. */
  readonly expires_in: number;
}

export interface TokenQuestion {
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
  readonly token: string;
  /** Ignored: all tokens are access tokens. */
  readonly token_type_hint?: string | undefined;
}

export interface TokenRequest {
  readonly client_id: string;
  readonly client_secret: string;
  /** Address of the API that the token is for. Forms may send `resource` (RFC 8707) instead. */
  readonly audience: string;
  readonly grant_type: 'client_credentials';
  /** Separated by spaces. Default: all scopes of the client. */
  readonly scope?: string | undefined;
}

export interface TradeConfirmation {
  readonly document: 'trade_confirmation';
  readonly transactionId: string;
  readonly quoteId: string;
  readonly reference: string;
  readonly clientReference: string | null;
  readonly customerId: string;
  readonly customerName: string;
  readonly tradedAt: Instant;
  readonly tradeDate: CalendarDate;
  readonly valueDate: CalendarDate;
  readonly customerSells: string;
  readonly sellCurrency: CurrencyCode;
  readonly customerBuys: string;
  readonly buyCurrency: CurrencyCode;
  readonly fixedSide: Open<'sell' | 'buy'>;
  readonly pair: PairCode;
  readonly rate: string;
  readonly rateMeans: string;
  readonly payTo: string | null;
  readonly payToAccount: string | null;
  readonly payBy: Instant;
  readonly paidOutTo: string;
  readonly statusNow: string;
  readonly valueDateNow: CalendarDate;
  readonly generatedAt: Instant;
  readonly payByNow: Instant;
  /** A masked account, or `balance`. */
  readonly paidOutToNow: string;
}

export interface Transaction {
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
  readonly timeline: readonly TimelineEntry[];
  /** When to look again; null when nothing will change. */
  readonly nextPollAfterSeconds: number | null;
}

export interface TransactionFunding {
  readonly mode: Open<'post_funded' | 'pre_funded'>;
  readonly expected: Money;
  readonly received: string;
  readonly outstanding: string;
  readonly excess: string;
  /** What was forgiven of a short payment. */
  readonly shortfall: string;
  readonly deposits: readonly MatchedDeposit[];
  readonly instructions: FundingInstructions;
}

export interface TransactionSettlement {
  readonly tradeDate: CalendarDate;
  readonly valueDate: CalendarDate;
  readonly originalValueDate: CalendarDate;
  /** When the money must have arrived: the earlier of both currencies' cut-offs on the value date. */
  readonly fundingCutoffAt: Instant;
  readonly settledAt: Instant | null;
  readonly estimatedCurrencies?: EstimatedCurrencies | undefined;
}

export type TransactionStatus =
  | 'awaiting_funds'
  | 'partially_funded'
  | 'funded'
  | 'overdue'
  | 'settling'
  | 'settled'
  | 'settlement_failed'
  | 'cancelled';

export type TransactionStatusReason = Open<
  | 'funding_not_received'
  | 'funding_short'
  | 'deposit_returned'
  | 'payout_rejected'
  | 'payout_returned'
  | 'beneficiary_invalid'
  | 'client_request'
  | 'trade_error'
  | 'compliance_rejected'
  | 'closed_out'
>;

export interface TransactionSummary {
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

export interface UnsubscribedEvent {
  readonly event: 'unsubscribed';
  readonly data: {
    readonly requestId: string | null;
    /** All pairs that the connection now reads. */
    readonly pairs: readonly PairCode[];
  };
}

export interface UsedLimit {
  readonly limit: Amount;
  /** May exceed a limit that was lowered. */
  readonly used: string;
  readonly remaining: Amount;
}

export interface ValueDateExplanation {
  readonly pair: PairCode;
  readonly baseCurrency: CurrencyCode;
  readonly quoteCurrency: CurrencyCode;
  readonly tradeDate: CalendarDate;
  readonly tradeDateEndsAt: Instant;
  readonly tenors: {
    readonly today: ExplainedTenor;
    readonly tom: ExplainedTenor;
    readonly spot: ExplainedTenor;
  };
  /** Same-day cut-offs on the trade date. */
  readonly cutOffs: readonly {
    readonly currency: CurrencyCode;
    readonly time: string;
    readonly zone: string;
    readonly cutOffAt: Instant;
    readonly passed: boolean;
  }[];
  readonly dates: readonly {
    readonly date: CalendarDate;
    /** A quote for this value date is accepted. */
    readonly good: boolean;
    readonly tenor: Open<'today' | 'tom' | 'spot' | 'broken'> | null;
    readonly reasons: readonly DateReason[];
  }[];
  readonly derivation: SpotDerivation | null;
  /** Currencies with days here that are estimated and may still change. */
  readonly estimatedCurrencies: readonly CurrencyCode[];
}

export interface Webhook {
  readonly webhookId: string;
  readonly url: string;
  readonly description: string | null;
  /** Empty: all. */
  readonly types: readonly EventType[];
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

export interface WebhookAttempt {
  readonly at: Instant;
  readonly durationMs: number;
  /** HTTP status of the response; null: there was none. */
  readonly status: number | null;
  readonly failure: Open<
    | 'status'
    | 'redirect'
    | 'timeout'
    | 'connection_failed'
    | 'tls_failed'
    | 'answer_invalid'
    | 'name_not_found'
    | 'address_not_allowed'
    | 'event_gone'
  > | null;
  /** The first 1,024 bytes. */
  readonly answer: string | null;
}

export interface WebhookDelivery {
  /** Also the `webhook-id`. */
  readonly eventId: string;
  readonly type: string;
  readonly status: Open<'pending' | 'delivered' | 'failed'>;
  /** Since the last replay. */
  readonly attemptCount: number;
  readonly nextAttemptAt: Instant | null;
  /** The latest ones, oldest first. */
  readonly attempts: readonly WebhookAttempt[];
  readonly message: WebhookEvent | null;
}

export interface WebhookEvent {
  /** An event type, or `webhook.test`. */
  readonly type: string;
  readonly timestamp: Instant;
  readonly data: EventData;
}

/** `resource`: an event waits until all earlier ones of its quote, transaction, deposit or withdrawal are delivered. */
export type WebhookOrdering = 'none' | 'resource';

export interface WebhookReplay {
  readonly replayed: number;
  /** Pass it as `after` to go on. */
  readonly lastEventId: string | null;
  readonly hasMore: boolean;
}

/** https, on the public internet. In the sandbox also http, and this machine. */
export type WebhookUrl = string;

export interface WebhookWithSecret {
  readonly webhookId: string;
  readonly url: string;
  readonly description: string | null;
  /** Empty: all. */
  readonly types: readonly EventType[];
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

export interface Withdrawal {
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
}
