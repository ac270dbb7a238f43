import type { BarInterval } from '@firmquote/api/operations/bars';
import { formatDecimal } from '@firmquote/fx';
import { plainArray } from '../database/arrays.ts';
import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { Bar } from './bar-recorder.ts';

/** Names cannot be parameters of a statement; these are the only ones. */
const TABLES: Readonly<Record<BarInterval, string>> = { '1s': 'market_bars_1s', '1m': 'market_bars_1m' };

export type BarRow = Omit<Row<'market_bars_1m'>, 'pair'>;

/** Writes bars of a second. Of several instances the first one is believed: they watch the same market. */
export async function insertBars(database: Queryable, bars: readonly Bar[]): Promise<void> {
  await database.query({
    name: 'insert_bars',
    text: `insert into market_bars_1s (pair, at, open, high, low, close, bid, ask, ticks)
           select * from unnest($1::text[], $2::timestamptz[], $3::numeric[], $4::numeric[], $5::numeric[],
             $6::numeric[], $7::numeric[], $8::numeric[], $9::int[])
           on conflict (pair, at) do nothing`,
    values: [
      plainArray(bars.map(({ pair }) => pair)),
      plainArray(bars.map(({ at }) => isoInstant(at))),
      ...(['open', 'high', 'low', 'close', 'bid', 'ask'] as const).map((field) =>
        plainArray(bars.map((bar) => formatDecimal(bar[field]))),
      ),
      plainArray(bars.map(({ ticks }) => ticks)),
    ],
  });
}

/** When the last bar of a second began in a time, of whichever pair. */
export async function lastBarBetween(
  database: Queryable,
  from: number,
  to: number,
): Promise<number | undefined> {
  const { rows } = await database.query<{ at: number | null }>(
    'select max(at) as at from market_bars_1s where at >= $1 and at < $2',
    [isoInstant(from), isoInstant(to)],
  );
  return rows[0]?.at ?? undefined;
}

/** Makes the bars of whole minutes from those of their seconds. Repeatable. */
export async function rollUpMinutes(database: Queryable, from: number, to: number): Promise<void> {
  await database.query(
    `insert into market_bars_1m as kept (pair, at, open, high, low, close, bid, ask, ticks)
     select pair, date_trunc('minute', at), (array_agg(open order by at))[1], max(high), min(low),
       (array_agg(close order by at desc))[1], (array_agg(bid order by at desc))[1],
       (array_agg(ask order by at desc))[1], sum(ticks)
     from market_bars_1s where at >= $1 and at < $2 group by 1, 2
     on conflict (pair, at) do update set open = excluded.open, high = excluded.high, low = excluded.low,
       close = excluded.close, bid = excluded.bid, ask = excluded.ask, ticks = excluded.ticks
       where kept.ticks < excluded.ticks`,
    [isoInstant(from), isoInstant(to)],
  );
}

/** Newest first, from inclusive, to and before exclusive. */
export async function listBars(
  database: Queryable,
  pair: string,
  interval: BarInterval,
  range: Readonly<Partial<Record<'from' | 'to' | 'before', number | undefined>>>,
  limit: number,
): Promise<BarRow[]> {
  const instant = (value: number | undefined) => (value === undefined ? null : isoInstant(value));
  const { rows } = await database.query<BarRow & Record<string, unknown>>(
    `select at, open, high, low, close, bid, ask, ticks from ${TABLES[interval]}
     where pair = $1 and at >= coalesce($2::timestamptz, '-infinity')
       and at < least($3::timestamptz, $4::timestamptz, 'infinity')
     order by at desc limit $5`,
    [pair, instant(range.from), instant(range.to), instant(range.before), limit],
  );
  return rows;
}

/** Its instant is the end of the bar that has it. */
type LastPrice = Pick<Row<'market_bars_1m'>, 'pair' | 'at' | 'bid' | 'ask'>;

/** The last price of each of these pairs that bars have of a time that was over at an instant. */
export async function lastPricesBefore(
  database: Queryable,
  pairs: readonly string[],
  before: number,
): Promise<LastPrice[]> {
  const { rows } = await database.query<LastPrice>(
    `select p.pair, l.at, l.bid, l.ask from unnest($1::text[]) p (pair) cross join lateral (
       (select at + interval '1 second' as at, bid, ask from market_bars_1s
        where pair = p.pair and at <= $2::timestamptz - interval '1 second' order by at desc limit 1)
       union all
       (select at + interval '1 minute', bid, ask from market_bars_1m
        where pair = p.pair and at <= $2::timestamptz - interval '1 minute' order by at desc limit 1)
       order by at desc limit 1
     ) l`,
    [pairs, isoInstant(before)],
  );
  return rows;
}

/** Deletes bars from before an instant, so many at a time. Answers how many went. */
export async function forgetBars(
  database: Queryable,
  interval: BarInterval,
  before: number,
  limit: number,
): Promise<number> {
  const { rowCount } = await database.query(
    `delete from ${TABLES[interval]} where (pair, at) in
       (select pair, at from ${TABLES[interval]} where at < $1 limit $2)`,
    [isoInstant(before), limit],
  );
  return rowCount ?? 0;
}
