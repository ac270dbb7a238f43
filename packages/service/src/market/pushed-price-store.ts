import { formatDecimal, parseDecimal } from '@firmquote/fx';
import { plainArray, textArray } from '../database/arrays.ts';
import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { Pushed } from './sources/push.ts';

/** What other instances were brought, and from where to look the next time. */
interface PushedElsewhere {
  /** Each with whom it was brought to, and with the transaction that wrote it, which shows whether it is known. */
  readonly pushed: readonly (Pushed & { readonly instance: string; readonly writtenIn: string })[];
  /** The oldest transaction that was under way: what it writes is not among these. Undefined when there is nothing new. */
  readonly from: string | undefined;
}

/**
 * Writes what was brought to this instance, of a pair and source each, unless something newer was brought to another one.
 * @param instance UUID
 * @param latest what bears a later time than this is of a clock that was set back since, and is newer than nothing
 */
export async function writePushed(
  database: Queryable,
  instance: string,
  pushed: readonly Pushed[],
  latest: number,
): Promise<void> {
  const prices = pushed.map(({ price }) => price);
  // In one order, so that two instances never wait for each other.
  await database.query(
    `insert into market_pushed_prices as held (source, pair, bid, ask, at, instance)
     select p.source, p.pair, p.bid, p.ask, p.at, $6
     from unnest($1::text[], $2::text[], $3::numeric[], $4::numeric[], $5::timestamptz[]) as p (source, pair, bid, ask, at)
     order by p.source, p.pair
     on conflict (source, pair) do update
     set bid = excluded.bid, ask = excluded.ask, at = excluded.at, instance = excluded.instance, written_in = excluded.written_in
     where excluded.at >= held.at or held.at > $7`,
    [
      textArray(pushed.map(({ source }) => source)),
      plainArray(pushed.map(({ pair }) => pair)),
      plainArray(prices.map((price) => price && formatDecimal(price.bid))),
      plainArray(prices.map((price) => price && formatDecimal(price.ask))),
      plainArray(pushed.map(({ at }) => isoInstant(at))),
      instance,
      isoInstant(latest),
    ],
  );
}

type ReadRow = Pick<Row<'market_pushed_prices'>, 'source' | 'pair' | 'bid' | 'ask' | 'at' | 'instance'> & {
  written_in: string;
  under_way: string;
};

/**
 * What other instances were brought since.
 * @param from the transaction of the last answer, '0' at first
 */
export async function readPushed(
  database: Queryable,
  instance: string,
  from: string,
): Promise<PushedElsewhere> {
  const { rows } = await database.query<ReadRow>({
    name: 'pushed_elsewhere',
    text: `select source, pair, bid::text as bid, ask::text as ask, at, instance, written_in::text as written_in,
             pg_snapshot_xmin(pg_current_snapshot())::text as under_way
           from market_pushed_prices where written_in >= $1::xid8 and instance <> $2`,
    values: [from, instance],
  });
  return {
    from: rows[0]?.under_way,
    pushed: rows.map(({ source, pair, bid, ask, at, instance, written_in }) => ({
      ...{ source, pair, at, instance, writtenIn: written_in },
      price: priceOf(bid, ask),
    })),
  };
}

function priceOf(bidText: string | null, askText: string | null): Pushed['price'] {
  const bid = bidText === null ? undefined : parseDecimal(bidText);
  const ask = askText === null ? undefined : parseDecimal(askText);
  return bid === undefined || ask === undefined ? undefined : { bid, ask };
}
