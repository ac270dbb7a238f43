// Made by `node scripts/generate-client.ts` from @firmquote/api. Change that, not this file.
import type {
  Amount,
  ClientReference,
  Credential,
  CredentialScope,
  Currency,
  CurrencyCode,
  DpopBoundTokens,
  ErrorCode,
  EventType,
  Instant,
  IpAllowList,
  Line,
  TransactionStatus,
  WebhookOrdering,
  WebhookUrl,
} from './types.ts';

export interface AddOwnCredentialSecretBody {
  /** Default: never. RFC 3339, in real time. */
  readonly expiresAt?: Instant | undefined;
  /** When the client's existing secrets expire. Default: unchanged. */
  readonly othersExpireAt?: Instant | undefined;
}

export interface CreateOwnCredentialBody {
  readonly name: Line;
  /** Default: all but `credentials:write`. */
  readonly scopes?: readonly CredentialScope[] | undefined;
  /** Default: never. */
  readonly expiresAt?: Instant | undefined;
  readonly dpopBoundTokens?: DpopBoundTokens | undefined;
  readonly ipAllowList?: IpAllowList | undefined;
}

export interface CreateWebhookBody {
  readonly url: WebhookUrl;
  readonly description?: string | null | undefined;
  /** Empty: all. */
  readonly types?: readonly EventType[] | undefined;
  readonly ordering?: WebhookOrdering | undefined;
  /** Also sign with Ed25519 (`v1a`). */
  readonly asymmetric?: boolean | undefined;
}

export interface CreateWithdrawalBody {
  readonly currency: CurrencyCode;
  readonly amount: Amount;
  readonly clientReference?: ClientReference | undefined;
}

export interface ExplainValueDatesQuery {
  /** Six letters in market order; or sellCurrency and buyCurrency. */
  readonly pair?: string | undefined;
  /** ISO 4217 code. */
  readonly sellCurrency?: string | undefined;
  /** ISO 4217 code. */
  readonly buyCurrency?: string | undefined;
  /** RFC 3339; default now. */
  readonly at?: string | undefined;
  /** The beginning of a trade date, up to 366 days ahead. */
  readonly tradeDate?: string | undefined;
}

export interface GetConfirmationQuery {
  readonly format?: 'json' | 'csv' | 'pdf' | undefined;
}

export interface GetLivenessAnswer {
  readonly status: string;
}

export interface GetStatementQuery {
  readonly format?: 'json' | 'csv' | undefined;
  /** Only this currency. */
  readonly currency?: string | undefined;
  /** Inclusive. */
  readonly from: string;
  /** Exclusive. Default, and at most: now. */
  readonly to?: string | undefined;
}

export interface ListCurrenciesAnswer {
  readonly items: readonly Currency[];
}

export interface ListErrorCodesAnswer {
  readonly items: readonly ErrorCode[];
}

export interface ListEventsQuery {
  /** Id of the last event that you have seen, or `latest`: only what happens from now on. Default: from the oldest one kept. */
  readonly after?: string | undefined;
  readonly types?: EventType | readonly EventType[] | undefined;
  /** Events on a page. */
  readonly limit?: number | undefined;
}

export interface ListOwnAccountsQuery {
  /** ISO 4217 code. */
  readonly currency?: string | undefined;
  readonly status?: 'active' | 'retired' | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListOwnCredentialsAnswer {
  readonly credentials: readonly Credential[];
}

export interface ListOwnDepositsQuery {
  /** ISO 4217 codes. */
  readonly currency?: string | readonly string[] | undefined;
  /** Received at or after this RFC 3339 instant. */
  readonly from?: string | undefined;
  /** Received before this RFC 3339 instant. */
  readonly to?: string | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListPairsQuery {
  /** Six letters in market order; repeatable or a comma list. */
  readonly pair?: string | readonly string[] | undefined;
  /** Only pairs of this currency. */
  readonly currency?: string | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListQuotesQuery {
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

export interface ListTransactionsQuery {
  readonly status?: TransactionStatus | readonly TransactionStatus[] | undefined;
  /** Inclusive. */
  readonly createdFrom?: string | undefined;
  /** Exclusive. */
  readonly createdTo?: string | undefined;
  /** Inclusive. */
  readonly updatedFrom?: string | undefined;
  /** Exclusive. */
  readonly updatedTo?: string | undefined;
  /** Inclusive. */
  readonly valueDateFrom?: string | undefined;
  /** Inclusive. */
  readonly valueDateTo?: string | undefined;
  /** ISO 4217 code. */
  readonly sellCurrency?: string | undefined;
  /** ISO 4217 code. */
  readonly buyCurrency?: string | undefined;
  /** Six letters in market order. */
  readonly pair?: string | undefined;
  readonly quoteId?: string | undefined;
  /** Exact. */
  readonly clientReference?: string | undefined;
  /** Exact. */
  readonly reference?: string | undefined;
  /** Inclusive; needs sellCurrency. */
  readonly minSellAmount?: string | undefined;
  /** Inclusive; needs sellCurrency. */
  readonly maxSellAmount?: string | undefined;
  readonly sort?: '-createdAt' | 'createdAt' | 'updatedAt' | 'valueDate' | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListWebhookDeliveriesQuery {
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

export interface ListWebhooksQuery {
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ListWithdrawalsQuery {
  readonly status?:
    | 'pending'
    | 'paid'
    | 'failed'
    | 'cancelled'
    | readonly ('pending' | 'paid' | 'failed' | 'cancelled')[]
    | undefined;
  /** ISO 4217 code. */
  readonly currency?: string | undefined;
  /** Items on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page, with the same filters. */
  readonly cursor?: string | undefined;
}

export interface ReplayWebhookQuery {
  /** Events from then on. */
  readonly from?: string | undefined;
  /** Events before then. */
  readonly to?: string | undefined;
  /** Only deliveries with this status. */
  readonly status?: 'pending' | 'delivered' | 'failed' | undefined;
  /** Go on after this event: `lastEventId` of the previous call. */
  readonly after?: string | undefined;
}

export interface RevokeOwnCredentialTokensBody {
  /** Default: all tokens issued so far. */
  readonly jti?: string | undefined;
}

export interface RotateWebhookSecretBody {
  /** How long messages carry signatures of both secrets. Default: 24. */
  readonly overlapHours?: number | undefined;
}

export interface SetOwnCredentialIpAllowListBody {
  readonly ipAllowList: IpAllowList;
}

export interface StreamPricesQuery {
  /** In market order. At most 40 over all streams of a customer. */
  readonly pairs: string | readonly string[];
  /** Amount to price, with `amountCurrency`. */
  readonly amount?: string | undefined;
  /** ISO 4217 code. */
  readonly amountCurrency?: string | undefined;
}

export interface UpdateOwnCredentialBody {
  readonly name?: Line | undefined;
  readonly scopes?: readonly CredentialScope[] | undefined;
  readonly expiresAt?: Instant | null | undefined;
  readonly dpopBoundTokens?: DpopBoundTokens | undefined;
}

export interface UpdateWebhookBody {
  readonly url?: WebhookUrl | undefined;
  readonly description?: string | null | undefined;
  /** Empty: all. */
  readonly types?: readonly EventType[] | undefined;
  readonly ordering?: WebhookOrdering | undefined;
  readonly status?: 'enabled' | 'disabled' | undefined;
}
