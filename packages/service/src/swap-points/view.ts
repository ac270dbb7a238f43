import type { SwapPoints, SwapPointsVersion } from '@firmquote/api/operations/swap-points';
import {
  type DateRules,
  formatDecimal,
  type Pair,
  resolveTenor,
  type Tenor,
  tradeDateOf,
  type ValueDateResult,
} from '@firmquote/fx';
import type { RateBook } from '../market/rate-book.ts';
import { isoInstant } from '../platform/clock.ts';
import { actorId } from '../platform/ids.ts';
import type { SwapPointDesk } from './desk.ts';
import { isOutright, outrightBy, POINTS_MISSING } from './outright.ts';
import { NEVER_SET_VERSION } from './set-points.ts';
import type { PointsVersion } from './store.ts';

interface SwapPointsViewing {
  readonly desk: SwapPointDesk;
  readonly book: RateBook;
  readonly dates: DateRules;
}

/** What is known of a pair's points now, and what comes of it. */
export function swapPointsView(
  { desk, book, dates }: SwapPointsViewing,
  pair: Pair,
  version: PointsVersion | undefined,
  now: number,
): SwapPoints {
  const codes = [pair.base.code, pair.quote.code] as const;
  const tradeDate = tradeDateOf(codes, now, dates);
  const resolved = (tenor: Tenor) => resolveTenor(codes, tenor, now, dates);
  const spot = resolved('spot');
  const dated = (tenor: Tenor) => datedView({ desk, book, dates }, pair, tradeDate, resolved(tenor), now);
  return {
    pair: pair.code,
    version: version?.version ?? NEVER_SET_VERSION,
    tradeDate,
    spotDate: spot.ok ? spot.valueDate : null,
    set: version === undefined ? null : setView(version),
    pushed: (desk.given.pushed.get(pair.code) ?? []).map(
      ({ source, leg, bid, ask, tradeDate: date, madeAt }) => ({
        source,
        leg,
        bid,
        ask,
        tradeDate: date,
        madeAt: isoInstant(madeAt),
      }),
    ),
    today: dated('today'),
    tom: dated('tom'),
  };
}

function datedView(
  { desk, book, dates }: SwapPointsViewing,
  pair: Pair,
  tradeDate: string,
  result: ValueDateResult,
  now: number,
): SwapPoints['tom'] {
  const nothing = { valueDate: null, legs: [], bid: null, ask: null };
  if (!result.ok) return { ...nothing, reason: result.reasons.join('; ') };
  const { valueDate } = result;
  const way = desk.way(pair, tradeDate, valueDate, dates, now);
  const reading = book.read(pair);
  const price =
    way.missing !== undefined || reading.status === 'missing' ? undefined : outrightBy(way, reading.price);
  const points = price !== undefined && isOutright(price) ? price.swapPoints : [];
  return {
    valueDate,
    reason: way.missing === undefined ? (price === undefined ? 'price_unavailable' : null) : POINTS_MISSING,
    legs: way.legs.map(({ leg, from, to, origin, source, asOf }, index) => ({
      leg,
      from,
      to,
      origin,
      bid: points[index]?.bid ?? null,
      ask: points[index]?.ask ?? null,
      source: source ?? null,
      asOf: asOf ?? null,
    })),
    bid: price === undefined ? null : formatDecimal(price.bid),
    ask: price === undefined ? null : formatDecimal(price.ask),
  };
}

export function versionView(row: PointsVersion): SwapPointsVersion {
  return { version: row.version, ...setView(row) };
}

function setView(version: PointsVersion): NonNullable<SwapPoints['set']> {
  const { points, tradeDate, source, reason, changedBy, changedAt } = version;
  return {
    on: points.on,
    tn: points.tn,
    tradeDate,
    source,
    reason,
    changedBy: actorId(changedBy),
    changedAt: isoInstant(changedAt),
  };
}
