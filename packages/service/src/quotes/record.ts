import { WITHDRAWAL_REASONS, type WithdrawalReason } from '@firmquote/api/operations/quotes';
import type { FixedSide, QuoteStatus } from '@firmquote/fx';
import type { Pool } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { type NamedPrice, pricesOf, type ReadPrice } from './read-prices.ts';

/**
 * Why quotes are withdrawn, as customers read it. What an operator wrote about it stays with what the operator did: the
 * customer may be the last who should know.
 */

export type QuoteTenor = 'today' | 'tom' | 'spot' | 'broken';

/** A firm quote as it is kept. Amounts are minor units, instants epoch milliseconds, ids UUIDs. */
export interface QuoteRecord {
  readonly customerId: string;
  readonly id: string;
  readonly clientId: string;
  readonly status: QuoteStatus;
  readonly version: number;
  readonly pair: string;
  readonly sellCurrency: string;
  readonly buyCurrency: string;
  readonly fixedSide: FixedSide;
  readonly sellMinor: bigint;
  readonly buyMinor: bigint;
  /** The leg that is not fixed, at the market's price. */
  readonly marketMinor: bigint;
  readonly markupMinor: bigint;
  /** Value in US dollar cents at the mid, for limits. */
  readonly usdMinor: bigint;
  readonly tenor: QuoteTenor;
  readonly tradeDate: string;
  readonly valueDate: string;
  readonly fundingCutoffAt: number;
  readonly spreadRuleId: string;
  readonly spreadRuleVersion: number;
  /** JSON texts, made once when the quote is priced and passed on unread. */
  readonly rate: string;
  readonly pricing: string;
  readonly metadata: string;
  readonly evidence: string;
  readonly clientReference: string | null;
  readonly validitySeconds: number;
  readonly validityTruncated: boolean;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly closedAt: number | null;
  readonly statusReason: WithdrawalReason | null;
  readonly transactionId: string | null;
  readonly scenario: number | null;
  /** Executed against the customer's balance; else paid for afterwards. */
  readonly preFunded: boolean;
}

/** What is not of the price. */
type OwnColumns = Omit<Row<'quotes'>, keyof NamedPrice> & Pick<Row<'quotes'>, 'markup_minor'>;

/** A row of `quotes` as the driver gives it. */
export type QuoteRow = Row<'quotes'>;

/** A row of `priced_quotes`: with what it has of its price, as the database puts it together. */
export type PricedQuoteRow = Omit<
  QuoteRow,
  'spread_id' | 'inverse' | 'cost_vs_mid_bps' | 'reference_percent'
> &
  Pick<Row<'quote_prices'>, 'spread_rule_id' | 'spread_rule_version' | 'rate' | 'pricing' | 'evidence'>;

export function quoteFromPriced(row: PricedQuoteRow): QuoteRecord {
  const {
    spread_rule_id: spreadRuleId,
    spread_rule_version: spreadRuleVersion,
    rate,
    pricing,
    evidence,
  } = row;
  return quoteFromRow(row, { spreadRuleId, spreadRuleVersion, rate, pricing, evidence });
}

/** Quotes with all that was said and kept of them. One that is deleted meanwhile, with its price, is left out. */
export async function quotesFromRows(pool: Pool, rows: readonly QuoteRow[]): Promise<QuoteRecord[]> {
  const prices = await pricesOf(pool, rows);
  return rows.flatMap((row, place) => {
    const price = prices[place];
    return price === undefined ? [] : [quoteFromRow(row, price)];
  });
}

function quoteFromRow(row: OwnColumns, price: ReadPrice): QuoteRecord {
  return {
    customerId: row.customer_id,
    id: row.id,
    clientId: row.client_id,
    status: row.status,
    version: row.version,
    pair: row.pair,
    sellCurrency: row.sell_currency,
    buyCurrency: row.buy_currency,
    fixedSide: row.fixed_side,
    sellMinor: BigInt(row.sell_minor),
    buyMinor: BigInt(row.buy_minor),
    marketMinor: BigInt(row.market_minor),
    markupMinor: BigInt(row.markup_minor),
    usdMinor: BigInt(row.usd_minor),
    tenor: row.tenor,
    tradeDate: row.trade_date,
    valueDate: row.value_date,
    fundingCutoffAt: row.funding_cutoff_at,
    spreadRuleId: price.spreadRuleId,
    spreadRuleVersion: price.spreadRuleVersion,
    rate: price.rate,
    pricing: price.pricing,
    metadata: row.metadata,
    evidence: price.evidence,
    clientReference: row.client_reference,
    validitySeconds: row.validity_seconds,
    validityTruncated: row.validity_truncated,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    closedAt: row.closed_at,
    statusReason: reasonOf(row.status_reason),
    transactionId: row.transaction_id,
    scenario: row.scenario,
    preFunded: row.pre_funded,
  };
}

/** Quotes of before the codes were the only reasons have the words of whoever suspended their customer. */
function reasonOf(text: string | null): WithdrawalReason | null {
  if (text === null) return null;
  return WITHDRAWAL_REASONS.find((code) => code === text) ?? 'customer_suspended';
}

/** What quotes report of themselves for the metrics. */
export interface QuoteFigures {
  quoted(outcome: string): void;
  quotesEnded(how: 'expired' | 'cancelled' | 'withdrawn', count: number): void;
}
