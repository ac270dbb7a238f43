import type { StatusReason } from '@firmquote/api/operations/transactions';
import type { FixedSide, TransactionStatus } from '@firmquote/fx';
import type { Row } from '../database/rows.ts';

/** A row of `transactions` as the driver gives it. `json` columns are texts that are passed on unread. */
export type TransactionRow = Row<'transactions'> & {
  readonly status_reason: StatusReason | null;
  readonly fixed_side: FixedSide;
};

/** What the execution gave a transaction, and nothing changes; `status` and `timeline` as they were then. */
export type ExecutedRow = Pick<
  TransactionRow,
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
  | 'trade_date'
  | 'original_value_date'
  | 'funding_cutoff_at'
  | 'instructions'
  | 'destination_id'
  | 'destination_masked'
  | 'timeline'
  | 'client_reference'
  | 'metadata'
  | 'created_at'
  | 'scenario'
  | 'client_id'
  | 'pre_funded'
>;

/** A transaction as it was in the commit that executed the quote: what an idempotent replay answers. */
export function asExecuted(row: TransactionRow): TransactionRow {
  const timeline = JSON.parse(row.timeline) as { status: TransactionStatus }[];
  const first = timeline[0];
  if (first === undefined) throw new Error(`transaction ${row.id} has no timeline`);
  return newTransaction({
    ...row,
    status: first.status,
    timeline: JSON.stringify([first]),
    funding_cutoff_at: row.first_funding_cutoff_at ?? row.funding_cutoff_at,
    destination_id: row.first_destination_id ?? row.destination_id,
    destination_masked: row.first_destination_masked ?? row.destination_masked,
  });
}

/** A transaction to which nothing has happened since its execution. */
export function newTransaction(row: ExecutedRow): TransactionRow {
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
    timeline: row.timeline,
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
