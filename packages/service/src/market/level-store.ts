import { type Decimal, formatUnits, parseDecimal } from '@firmquote/fx';
import { textArray } from '../database/arrays.ts';
import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { Level } from './band.ts';

/** Where a pair was last dealt, and where first. */
export interface KnownLevels {
  readonly pair: string;
  readonly last: Level;
  readonly first: Level;
}

/** That an operator said which price is right. */
export interface AcceptedPrice {
  readonly pair: string;
  /** 1, 2, 3 … of the pair. */
  readonly number: number;
  readonly level: Level;
  /** Twice the last good mid until then. */
  readonly previousSum: Decimal | undefined;
  readonly reason: string;
  /** UUID of a person or OAuth client. */
  readonly acceptedBy: string;
}

/** The mid as text, exactly and no longer than it must be: half of a sum may take one digit more. */
export function midText({ units, scale }: Decimal): string {
  return units % 2n === 0n ? formatUnits(units / 2n, scale) : formatUnits(units * 5n, scale + 1);
}

/** Twice a mid. */
export function sumOfMid(mid: Decimal): Decimal {
  return { units: mid.units * 2n, scale: mid.scale };
}

function sumOfText(mid: string): Decimal {
  const value = parseDecimal(mid);
  if (value === undefined) throw new Error(`${mid} is no price`);
  return sumOfMid(value);
}

/** Of each pair, or of one. */
export async function readLastPrices(database: Queryable, pair?: string): Promise<KnownLevels[]> {
  const { rows } = await database.query<
    Pick<Row<'market_last_prices'>, 'pair' | 'mid' | 'at' | 'first_mid' | 'first_at'>
  >(
    `select pair, mid::text as mid, at, first_mid::text as first_mid, first_at from market_last_prices
     where $1::text is null or pair = $1`,
    [pair ?? null],
  );
  return rows.map((row) => ({
    pair: row.pair,
    last: { sum: sumOfText(row.mid), at: row.at },
    first: { sum: sumOfText(row.first_mid), at: row.first_at },
  }));
}

/**
 * The first price that was written stays, and a last one that another instance knows to be newer, unless it is later than `now`:
 * a wrong clock wrote that.
 */
export async function writeLastPrices(
  database: Queryable,
  levels: readonly KnownLevels[],
  now: number,
): Promise<void> {
  const sorted = [...levels].sort((a, b) => (a.pair < b.pair ? -1 : 1));
  await database.query(
    `insert into market_last_prices as known (pair, mid, at, first_mid, first_at)
     select * from unnest($1::text[], $2::numeric[], $3::timestamptz[], $4::numeric[], $5::timestamptz[])
     on conflict (pair) do update set mid = excluded.mid, at = excluded.at
       where known.at <= excluded.at or known.at > $6`,
    [
      textArray(sorted.map(({ pair }) => pair)),
      textArray(sorted.map(({ last }) => midText(last.sum))),
      textArray(sorted.map(({ last }) => isoInstant(last.at))),
      textArray(sorted.map(({ first }) => midText(first.sum))),
      textArray(sorted.map(({ first }) => isoInstant(first.at))),
      isoInstant(now),
    ],
  );
}

type AcceptedRow = Row<'market_accepted_prices'>;

const COLUMNS =
  'pair, number, mid::text as mid, previous_mid::text as previous_mid, reason, accepted_at, accepted_by';

function acceptedFromRow(row: AcceptedRow): AcceptedPrice {
  return {
    pair: row.pair,
    number: row.number,
    level: { sum: sumOfText(row.mid), at: row.accepted_at, number: row.number },
    previousSum: row.previous_mid === null ? undefined : sumOfText(row.previous_mid),
    reason: row.reason,
    acceptedBy: row.accepted_by,
  };
}

/** The newest accepted price of each pair that has one, or of one pair. */
export async function readAcceptedPrices(database: Queryable, pair?: string): Promise<AcceptedPrice[]> {
  const { rows } = await database.query<AcceptedRow>(
    `select distinct on (pair) ${COLUMNS} from market_accepted_prices where $1::text is null or pair = $1
     order by pair, number desc`,
    [pair ?? null],
  );
  return rows.map(acceptedFromRow);
}

/** Of one pair, newest first. */
export async function listAcceptedPrices(
  database: Queryable,
  pair: string,
  before: bigint | undefined,
  limit: number,
): Promise<AcceptedPrice[]> {
  const { rows } = await database.query<AcceptedRow>(
    `select ${COLUMNS} from market_accepted_prices where pair = $1 and ($2::int is null or number < $2)
     order by number desc limit $3`,
    [pair, before?.toString() ?? null, limit],
  );
  return rows.map(acceptedFromRow);
}

export async function insertAcceptedPrice(connection: Connection, price: AcceptedPrice): Promise<void> {
  await connection.query(
    `insert into market_accepted_prices (pair, number, mid, previous_mid, reason, accepted_at, accepted_by)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      price.pair,
      price.number,
      midText(price.level.sum),
      price.previousSum === undefined ? null : midText(price.previousSum),
      price.reason,
      isoInstant(price.level.at),
      price.acceptedBy,
    ],
  );
}
