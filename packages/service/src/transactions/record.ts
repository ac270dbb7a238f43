import type { FixedSide, TransactionStatus } from '@firmquote/fx';

export type PayoutStatus = 'pending' | 'sent' | 'paid' | 'rejected' | 'returned' | 'cancelled';

/** A row of `transactions` as the driver gives it. `json` columns are texts that are passed on unread. */
export interface TransactionRow {
  customer_id: string;
  id: string;
  quote_id: string;
  reference: string;
  status: TransactionStatus;
  status_reason: string | null;
  version: number;
  change_sequence: string;
  created_sequence: string;
  pair: string;
  sell_currency: string;
  buy_currency: string;
  fixed_side: FixedSide;
  sell_minor: string;
  buy_minor: string;
  market_minor: string;
  markup_minor: string;
  usd_minor: string;
  rate: string;
  pricing: string;
  trade_date: string;
  value_date: string;
  original_value_date: string;
  funding_cutoff_at: number;
  received_minor: string;
  excess_minor: string;
  shortfall_minor: string;
  deposits: string;
  instructions: string;
  destination_id: string;
  destination_masked: string;
  payout_status: PayoutStatus;
  payout_attempts: number;
  payout_reference: string | null;
  paid_at: number | null;
  settled_at: number | null;
  refund: string | null;
  holds: string;
  failure: string | null;
  timeline: string;
  client_reference: string | null;
  metadata: string;
  created_at: number;
  updated_at: number;
  scenario: number | null;
  /** The OAuth client that executed; null in rows that are older than the column. */
  client_id: string | null;
  /** Paid from the customer's balance in the execution. */
  pre_funded: boolean;
  /** Where the bought amount goes; decided when the payout is released. */
  proceeds: 'payout' | 'balance';
}

/** A transaction as it was in the commit that executed the quote: what an idempotent replay answers. */
export function asExecuted(row: TransactionRow): TransactionRow {
  const timeline = JSON.parse(row.timeline) as { status: TransactionStatus }[];
  const first = timeline[0];
  if (first === undefined) throw new Error(`transaction ${row.id} has no timeline`);
  return {
    ...row,
    status: first.status,
    status_reason: null,
    version: 1,
    change_sequence: row.created_sequence,
    value_date: row.original_value_date,
    received_minor: row.pre_funded ? row.sell_minor : '0',
    excess_minor: '0',
    shortfall_minor: '0',
    deposits: '[]',
    payout_status: 'pending',
    proceeds: 'payout',
    payout_attempts: 0,
    payout_reference: null,
    paid_at: null,
    settled_at: null,
    refund: null,
    holds: '[]',
    failure: null,
    timeline: JSON.stringify([first]),
    updated_at: row.created_at,
  };
}
