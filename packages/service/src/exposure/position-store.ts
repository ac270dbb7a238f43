import type { Currency } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';

/** One currency of the house at one moment, in minor units; positive is long. */
export interface CurrencyPosition {
  /** Booked in the ledger. */
  readonly position: bigint;
  /** What open quotes would add if they were executed. */
  readonly openLong: bigint;
  /** What open quotes would take off, not negative. */
  readonly openShort: bigint;
}

export interface HousePositions {
  readonly byCurrency: ReadonlyMap<string, CurrencyPosition>;
  readonly openQuotes: number;
}

interface PositionRow {
  currency: string;
  position: string;
  open_long: string;
  open_short: string;
  quotes: string;
}

/**
 * Positions and open quotes of all customers, as of one moment: a quote is open or booked, never both or neither. The
 * `position` accounts hold what was given for what was taken, so the house is long what they are credited with. A leg
 * enters as the ledger books it: the fixed amount as it is, the other one at the market's price. Only rows that are kept
 * are read; open quotes are kept by the ten seconds in which they run out, so one that has just run out may still count.
 * @param at business instant after which quotes are still open
 */
export async function readHousePositions(connection: Queryable, at: number): Promise<HousePositions> {
  const { rows } = await connection.query<PositionRow>({
    name: 'house_positions',
    text: `
      select c.currency, sum(c.position) as position, sum(c.open_long) as open_long, sum(c.open_short) as open_short,
             sum(c.quotes) as quotes
      from (
        select p.currency, -p.balance_minor as position, 0 as open_long, 0 as open_short, 0 as quotes from house_positions p
        union all
        select q.currency, 0, q.long_minor, q.short_minor, q.quotes from house_open_quotes q where q.expires_by > $1
      ) c
      group by c.currency
      order by c.currency`,
    values: [isoInstant(at)],
  });
  return {
    byCurrency: new Map(
      rows.map((row) => [
        row.currency,
        {
          position: BigInt(row.position),
          openLong: BigInt(row.open_long),
          openShort: BigInt(row.open_short),
        },
      ]),
    ),
    openQuotes: rows.reduce((sum, row) => sum + Number.parseInt(row.quotes, 10), 0),
  };
}

/** US dollar cents that a minor unit of a currency is worth, as a fraction. */
interface CurrencyValue {
  readonly currency: Currency;
  readonly numerator: bigint;
  readonly denominator: bigint;
  readonly isRecent: boolean;
}

/**
 * Writes what currencies are worth, where it has moved noticeably. What is not recent is written where nothing is known: another
 * instance may know better.
 */
export async function writeValues(database: Queryable, values: readonly CurrencyValue[]): Promise<void> {
  await database.query({
    name: 'publish_exposure_values',
    text: `
      select publish_exposure_values(array_agg(g.currency), array_agg(g.numerator), array_agg(g.denominator), array_agg(g.digits))
      from unnest($1::text[], $2::numeric[], $3::numeric[], $4::int[], $5::boolean[])
        as g (currency, numerator, denominator, digits, is_recent)
      where g.is_recent or not exists (select from exposure_values k where k.currency = g.currency)`,
    values: [
      values.map(({ currency }) => currency.code),
      values.map(({ numerator }) => numerator.toString()),
      values.map(({ denominator }) => denominator.toString()),
      values.map(({ currency }) => currency.minorUnits),
      values.map(({ isRecent }) => isRecent),
    ],
  });
}
