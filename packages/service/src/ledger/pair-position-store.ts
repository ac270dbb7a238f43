import { findPair, knownCurrency, type Pair, pairOf } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';

/** What the house bought and sold of a pair's base currency, and what it paid and received for it; minor units. */
export interface PairTotals {
  readonly pair: Pair;
  readonly trades: number;
  readonly boughtMinor: bigint;
  readonly paidMinor: bigint;
  readonly soldMinor: bigint;
  readonly receivedMinor: bigint;
}

/** Totals of each pair that was ever traded, from the rows that are kept of them, in the order of their codes. */
export async function pairTotals(database: Queryable): Promise<PairTotals[]> {
  const { rows } = await database.query<Row<'pair_positions'>>(
    `select first_currency, second_currency, sum(bought_minor) as bought_minor, sum(paid_minor) as paid_minor,
       sum(sold_minor) as sold_minor, sum(received_minor) as received_minor, sum(trades)::bigint as trades
     from pair_positions group by first_currency, second_currency`,
  );
  return rows.map(totalsOf).sort((a, b) => (a.pair.code < b.pair.code ? -1 : 1));
}

/** The kept rows have both currencies by the alphabet; the market has its own order, in which buying may be selling. */
function totalsOf(row: Row<'pair_positions'>): PairTotals {
  const { first_currency: first, second_currency: second } = row;
  const pair = findPair(`${first}${second}`) ?? pairOf(knownCurrency(second), knownCurrency(first));
  const trades = Number.parseInt(row.trades, 10);
  const [bought, paid] = [BigInt(row.bought_minor), BigInt(row.paid_minor)];
  const [sold, received] = [BigInt(row.sold_minor), BigInt(row.received_minor)];
  return pair.base.code === first
    ? { pair, trades, boughtMinor: bought, paidMinor: paid, soldMinor: sold, receivedMinor: received }
    : { pair, trades, boughtMinor: received, paidMinor: sold, soldMinor: paid, receivedMinor: bought };
}
