import { knownCurrency, netOpenPosition, type PositionBounds, withPossible } from '@firmquote/fx';
import type { RateBook } from '../market/rate-book.ts';
import { usdValueAt } from '../market/usd-value.ts';
import { Problem } from '../problems/problem.ts';
import { type ExposureLimits, limitOf } from './limits.ts';
import type { OwnChanges, PositionChange } from './own-changes.ts';
import type { HousePositions } from './position-store.ts';

interface LimitCheck {
  readonly book: RateBook;
  readonly limits: ExposureLimits;
  readonly positions: HousePositions;
  readonly own: OwnChanges;
  readonly change: PositionChange;
}

const DOLLAR = 'USD';

/**
 * Refuses a quote that would take the house over a limit on the side that it moves. What moves a position towards zero always
 * passes, also when a limit was lowered below what there is.
 * @throws Problem limit_exceeded, price_unavailable when a position cannot be valued
 */
export function requireWithinLimits(check: LimitCheck): void {
  const { book, limits, change } = check;
  const before = positionBounds(check.positions, check.limits.hedges, check.own);
  const after = new Map(before);
  for (const [currency, minor] of change) {
    const bounds = withPossible(after.get(currency) ?? FLAT, minor);
    after.set(currency, bounds);
    const limit = limitOf(limits, currency);
    if (limit === undefined) continue;
    const worst = minor > 0n ? bounds.upper : -bounds.lower;
    if (worst > 0n && usdOf(book, currency, worst) > limit) throw houseLimitExceeded();
  }
  if (limits.totalUsdMinor === undefined) return;
  const old = netOpenPosition(inDollars(book, before));
  const next = netOpenPosition(inDollars(book, after));
  const isOver = (now: bigint, then: bigint) => then > (limits.totalUsdMinor ?? 0n) && then > now;
  if (isOver(old.long, next.long) || isOver(old.short, next.short)) throw houseLimitExceeded();
}

const FLAT: PositionBounds = Object.freeze({ upper: 0n, lower: 0n });

/** The most and the least that the house can have of each currency: open quotes count as if executed where that is worse. */
function positionBounds(
  positions: HousePositions,
  hedges: ReadonlyMap<string, bigint>,
  own: OwnChanges,
): Map<string, PositionBounds> {
  const bounds = new Map<string, PositionBounds>();
  for (const [currency, { position, openLong, openShort }] of positions.byCurrency) {
    bounds.set(currency, { upper: position + openLong, lower: position - openShort });
  }
  const add = (currency: string, more: PositionBounds) => {
    const { upper, lower } = bounds.get(currency) ?? FLAT;
    bounds.set(currency, { upper: upper + more.upper, lower: lower + more.lower });
  };
  for (const [currency, amount] of hedges) add(currency, { upper: amount, lower: amount });
  for (const [currency, sum] of own.sums) add(currency, sum);
  return bounds;
}

/** In US dollar cents, the dollar itself left out: it is what the others are counted in. */
function* inDollars(book: RateBook, bounds: ReadonlyMap<string, PositionBounds>): Generator<PositionBounds> {
  for (const [currency, { upper, lower }] of bounds) {
    if (currency === DOLLAR) continue;
    yield {
      upper: upper > 0n ? usdOf(book, currency, upper) : 0n,
      lower: lower < 0n ? -usdOf(book, currency, -lower) : 0n,
    };
  }
}

function usdOf(book: RateBook, code: string, minor: bigint): bigint {
  const value = usdValueAt(book, knownCurrency(code), minor);
  if (value === undefined) throw positionWithoutPrice(code);
  return value;
}

export function positionWithoutPrice(code = 'a position'): Problem {
  return new Problem('price_unavailable', `There is no price to value ${code}.`, {
    headers: { 'Retry-After': '1' },
  });
}

/** Says nothing of where the house stands: that is not the customer's to know. */
export function houseLimitExceeded(): Problem {
  return new Problem('limit_exceeded', 'The trade would exceed a house limit.', {
    members: { limitType: 'openPosition' },
  });
}
