import type { StatusReason } from '@firmquote/api/operations/transactions';
import type { Actor, FixedSide, TransactionStatus } from '@firmquote/fx';
import type { Present, Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/** Of trades of before their terms were kept once for many; a row names them since. */
type OwnTerms = 'rate' | 'pricing' | 'instructions';

/** A row of `transactions` as the driver gives it. `json` columns are texts that are passed on unread. */
export type TransactionRow = Omit<
  Row<'transactions'>,
  OwnTerms | 'price_id' | 'instructions_id' | 'key_id' | 'fingerprint_id'
> & {
  readonly status_reason: StatusReason | null;
  readonly fixed_side: FixedSide;
};

/** A row of `priced_transactions`: with what many trades have in common. */
export type PricedTransaction = TransactionRow &
  Present<Pick<Row<'transactions'>, OwnTerms>> & {
    /** What the price was made from; null for trades that do not name their price. */
    readonly evidence: string | null;
  };

export interface TimelineEntry {
  readonly sequence: number;
  readonly at: string;
  readonly status: TransactionStatus;
  readonly actor: Actor;
  readonly code: string;
  /** What else belongs to this code. */
  readonly [detail: string]: unknown;
}

/** Who took a step, and who approved it: `per_…` or `cli_…`. Operators see it, and no customer. */
export interface StepActor {
  readonly by: string;
  readonly approvedBy?: string;
}

/** By the number of the step. Those of the service itself, and of before it was kept, have none. */
export function stepActorsOf({ acted_by: json }: TransactionRow): Readonly<Record<number, StepActor>> {
  return json === null ? {} : (JSON.parse(json) as Record<number, StepActor>);
}

/** All that has happened to a trade, as JSON: what began it follows from the row, and only what came after is written down. */
export function timelineJson(row: TransactionRow): string {
  const { timeline } = row;
  if (timeline?.startsWith('[{"sequence":1,')) return timeline;
  const first = `{"sequence":1,"at":"${isoInstant(row.created_at)}","status":"${statusAtBirth(row)}","actor":"client","code":"executed"}`;
  return timeline === null ? `[${first}]` : `[${first},${timeline.slice(1)}`;
}

export function timelineOf(row: TransactionRow): TimelineEntry[] {
  return JSON.parse(timelineJson(row)) as TimelineEntry[];
}

/** Who pays in advance has paid. */
function statusAtBirth({ pre_funded }: Pick<TransactionRow, 'pre_funded'>): TransactionStatus {
  return pre_funded ? 'funded' : 'awaiting_funds';
}

/** What the execution gave a transaction, and nothing changes; `status` as it was then. */
export type ExecutedRow = Pick<
  PricedTransaction,
  | 'customer_id'
  | 'id'
  | 'quote_id'
  | 'reference'
  | 'status'
  | 'created_sequence'
  | 'pair'
  | 'sell_currency'
  | 'buy_currency'
  | 'fixed_side'
  | 'sell_minor'
  | 'buy_minor'
  | 'market_minor'
  | 'markup_minor'
  | 'usd_minor'
  | 'rate'
  | 'pricing'
  | 'evidence'
  | 'trade_date'
  | 'original_value_date'
  | 'funding_cutoff_at'
  | 'instructions'
  | 'destination_id'
  | 'destination_masked'
  | 'client_reference'
  | 'metadata'
  | 'created_at'
  | 'scenario'
  | 'client_id'
  | 'pre_funded'
>;

/** A transaction as it was in the commit that executed the quote: what an idempotent replay answers. */
export function asExecuted(row: PricedTransaction): PricedTransaction {
  return newTransaction({
    ...row,
    status: statusAtBirth(row),
    funding_cutoff_at: row.first_funding_cutoff_at ?? row.funding_cutoff_at,
    destination_id: row.first_destination_id ?? row.destination_id,
    destination_masked: row.first_destination_masked ?? row.destination_masked,
  });
}

/** A transaction to which nothing has happened since its execution. */
export function newTransaction(row: ExecutedRow): PricedTransaction {
  return {
    customer_id: row.customer_id,
    id: row.id,
    quote_id: row.quote_id,
    reference: row.reference,
    status: row.status,
    status_reason: null,
    version: 1,
    change_sequence: row.created_sequence,
    created_sequence: row.created_sequence,
    pair: row.pair,
    sell_currency: row.sell_currency,
    buy_currency: row.buy_currency,
    fixed_side: row.fixed_side,
    sell_minor: row.sell_minor,
    buy_minor: row.buy_minor,
    market_minor: row.market_minor,
    markup_minor: row.markup_minor,
    usd_minor: row.usd_minor,
    rate: row.rate,
    pricing: row.pricing,
    evidence: row.evidence,
    trade_date: row.trade_date,
    value_date: row.original_value_date,
    original_value_date: row.original_value_date,
    funding_cutoff_at: row.funding_cutoff_at,
    received_minor: row.pre_funded ? row.sell_minor : '0',
    excess_minor: '0',
    shortfall_minor: '0',
    deposits: '[]',
    instructions: row.instructions,
    destination_id: row.destination_id,
    destination_masked: row.destination_masked,
    payout_status: 'pending',
    payout_attempts: 0,
    payout_reference: null,
    paid_at: null,
    settled_at: null,
    refund: null,
    holds: '[]',
    failure: null,
    timeline: null,
    acted_by: null,
    client_reference: row.client_reference,
    metadata: row.metadata,
    created_at: row.created_at,
    updated_at: row.created_at,
    scenario: row.scenario,
    client_id: row.client_id,
    pre_funded: row.pre_funded,
    proceeds: 'payout',
    first_funding_cutoff_at: null,
    first_destination_id: null,
    first_destination_masked: null,
  };
}
