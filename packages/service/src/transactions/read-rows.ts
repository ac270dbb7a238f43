import type { Pool } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { type NamedPrice, pricesOf } from '../quotes/read-prices.ts';
import type { PricedTransaction, TransactionRow } from './record.ts';

/**
 * Trades as rows of their own with what their quotes have of the price; what they share is put to them here. `priced_transactions`
 * says the same inside of the database. What a list does not show it does not read.
 */

type Kept = TransactionRow & Pick<Row<'transactions'>, 'rate' | 'pricing' | 'instructions' | 'price_id'>;

const SUMMARY = [
  ...['customer_id', 'id', 'quote_id', 'reference', 'status', 'status_reason', 'version', 'change_sequence'],
  ...['sell_currency', 'buy_currency', 'fixed_side', 'sell_minor', 'buy_minor', 'markup_minor', 'rate'],
  ...['pricing', 'price_id', 'trade_date', 'value_date', 'original_value_date', 'funding_cutoff_at'],
  ...['received_minor', 'excess_minor', 'shortfall_minor', 'destination_id', 'destination_masked'],
  ...['payout_status', 'payout_reference', 'paid_at', 'settled_at', 'refund', 'holds', 'failure'],
  ...['client_reference', 'metadata', 'created_at', 'updated_at', 'pre_funded', 'proceeds'],
] as const satisfies readonly (keyof Kept)[];

const REST = [
  ...['created_sequence', 'pair', 'market_minor', 'usd_minor', 'deposits', 'instructions'],
  ...['payout_attempts', 'timeline', 'scenario', 'client_id', 'first_funding_cutoff_at'],
  ...['first_destination_id', 'first_destination_masked', 'acted_by'],
] as const satisfies readonly (keyof Kept)[];

/** What lists show of a trade. */
export type TransactionSummary = Pick<
  PricedTransaction,
  Exclude<(typeof SUMMARY)[number], 'price_id'> | 'evidence'
>;

/** What a trade finds of its price with its quote. */
interface OfQuote {
  readonly spread_id: string | null;
  readonly quoted_rate: string | null;
  readonly inverse: string | null;
  readonly cost_vs_mid_bps: string | null;
  readonly reference_percent: string | null;
}

export type SummaryRow = Pick<Kept, (typeof SUMMARY)[number]> & OfQuote;
export type WholeRow = SummaryRow &
  Pick<Kept, (typeof REST)[number]> & { readonly shared_instructions: string | null };

const columns = (names: readonly string[]) => names.map((name) => `t.${name}`).join(', ');

/** Columns of {@link SummaryRow} out of {@link WITH_QUOTE}. */
export const SUMMARY_COLUMNS = `${columns(SUMMARY)}, q.*`;
/** Columns of {@link WholeRow} out of {@link WITH_QUOTE} and {@link WITH_INSTRUCTIONS}. */
export const WHOLE_COLUMNS = `${columns([...SUMMARY, ...REST])}, i.shared_instructions, q.*`;

/** Behind trades that are called `t`. Each look-up has a limit: so it goes through its index, whatever the planner takes the table for. */
export const WITH_QUOTE = `left join lateral (
    select x.spread_id, x.rate as quoted_rate, x.inverse, x.cost_vs_mid_bps, x.reference_percent from quotes x
    where t.price_id is not null and x.customer_id = t.customer_id and x.id = t.quote_id limit 1
  ) q on true`;
export const WITH_INSTRUCTIONS = `left join lateral (
    select x.details as shared_instructions from funding_instructions x
    where x.customer_id = t.customer_id and x.id = t.instructions_id limit 1
  ) i on true`;

interface Terms {
  readonly rate: string;
  readonly pricing: string;
  readonly evidence: string | null;
}

/** Trades of before have terms of their own. */
async function termsOf(pool: Pool, rows: readonly SummaryRow[]): Promise<Terms[]> {
  const named: NamedPrice[] = [];
  for (const row of rows) {
    const { price_id, spread_id, quoted_rate: rate, inverse, cost_vs_mid_bps, reference_percent } = row;
    if (price_id === null) continue;
    const { markup_minor } = row;
    named.push({ price_id, spread_id, rate, inverse, cost_vs_mid_bps, reference_percent, markup_minor });
  }
  const prices = await pricesOf(pool, named);
  let next = 0;
  return rows.map(({ price_id, rate, pricing }) => {
    const price = price_id === null ? undefined : prices[next++];
    return {
      rate: rate ?? price?.rate ?? 'null',
      pricing: pricing ?? price?.pricing ?? 'null',
      evidence: price?.evidence ?? null,
    };
  });
}

export async function summariesOf(pool: Pool, rows: readonly SummaryRow[]): Promise<TransactionSummary[]> {
  const terms = await termsOf(pool, rows);
  return rows.map((row, place) => Object.assign(row, terms[place]));
}

export async function transactionsOf(pool: Pool, rows: readonly WholeRow[]): Promise<PricedTransaction[]> {
  const terms = await termsOf(pool, rows);
  return rows.map((row, place) =>
    Object.assign(row, terms[place], { instructions: row.instructions ?? row.shared_instructions ?? 'null' }),
  );
}
