import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import { trialBalances } from './store.ts';

/**
 * What trades brought into and took out of the house's position in a currency; money in minor units, dollars in cents. The
 * position accounts are equity: what a customer sells is a credit there, and bought by the house. The kept rows call debits
 * bought, as the accounts do.
 */
export interface PositionTotals {
  readonly currency: string;
  readonly boughtMinor: bigint;
  readonly boughtUsdMinor: bigint;
  readonly soldMinor: bigint;
  readonly soldUsdMinor: bigint;
}

type PositionRow = Pick<
  Row<'customer_positions'>,
  'currency' | 'bought_minor' | 'bought_usd_minor' | 'sold_minor' | 'sold_usd_minor'
>;

const SUMS = `sum(bought_minor) as bought_minor, sum(bought_usd_minor) as bought_usd_minor,
  sum(sold_minor) as sold_minor, sum(sold_usd_minor) as sold_usd_minor`;

function totalsOf(row: PositionRow): PositionTotals {
  return {
    currency: row.currency,
    boughtMinor: BigInt(row.sold_minor),
    boughtUsdMinor: BigInt(row.sold_usd_minor),
    soldMinor: BigInt(row.bought_minor),
    soldUsdMinor: BigInt(row.bought_usd_minor),
  };
}

/** Totals of all currencies but the dollar, of one customer or of the house, from the rows that are kept of them. */
export async function positionTotals(
  database: Queryable,
  customerId: string | undefined,
): Promise<PositionTotals[]> {
  const { rows } = await database.query<PositionRow>(
    customerId === undefined
      ? `select currency, ${SUMS}
         from house_positions where currency <> 'USD' group by currency order by currency`
      : `select currency, bought_minor, bought_usd_minor, sold_minor, sold_usd_minor
         from customer_positions where customer_id = $1 order by currency`,
    customerId === undefined ? [] : [customerId],
  );
  return rows.map(totalsOf);
}

/** The same before an instant. */
export async function positionTotalsBefore(
  database: Queryable,
  customerId: string | undefined,
  before: number,
): Promise<PositionTotals[]> {
  const { rows } = await database.query<PositionRow>(
    `select currency, ${SUMS} from positions_before($1, $2) group by currency order by currency`,
    [isoInstant(before), customerId ?? null],
  );
  return rows.map(totalsOf);
}

/** The house's position in dollars, now or before an instant, by one customer's trades or by all; undefined when there never was one. */
export async function dollarPosition(
  database: Queryable,
  customerId: string | undefined,
  before?: number,
): Promise<bigint | undefined> {
  if (before !== undefined) {
    const balances = await trialBalances(database, { customerId, currency: 'USD' }, before);
    const position = balances.find(({ account }) => account === 'position');
    return position && -position.balance;
  }
  const { rows } = await database.query<{ minor: string | null }>(
    customerId === undefined
      ? `select sum(balance_minor) as minor from house_positions where currency = 'USD'`
      : `select balance as minor from balances where customer_id = $1 and account = 'position' and currency = 'USD'`,
    customerId === undefined ? [] : [customerId],
  );
  const minor = rows[0]?.minor ?? undefined;
  return minor === undefined ? undefined : -BigInt(minor);
}
