import { type Decimal, powerOfTen } from '@firmquote/fx';

/** `best`: the highest bid and the lowest ask of all sources. `priority`: the first source that is fresh. */
export type CompositeMode = 'best' | 'priority';

/** How the book treats one pair. Basis points are of the mid price. */
export interface PairSettings {
  /** False: the pair is not quoted. Its price still counts as a leg of crosses. */
  readonly enabled: boolean;
  /** Oldest age at which a price still makes a firm quote. */
  readonly stalenessMs: number;
  readonly composite: CompositeMode;
  /** Sources, first choice first. Those that are not named come after, in the order of their names. */
  readonly priority: readonly string[];
  /** A bid that equals the ask. Real feeds lock for moments, and pricing earns its spread on it all the same. */
  readonly lockedPrices: 'accept' | 'refuse';
  /** A tick further from what is known is held back at first; null switches the filter off. */
  readonly outlierBps: Decimal | null;
  /** So many ticks that agree with each other make a move out of outliers... */
  readonly jumpTicks: number;
  /** ...or one that comes so long after the first and agrees with it. */
  readonly jumpMs: number;
  /** A source that repeats one price for longer, while others move, is frozen; null switches the filter off. */
  readonly frozenMs: number | null;
  /** Fresh sources further apart halt the pair; null switches the rule off. */
  readonly deviationBps: Decimal | null;
  /** They must agree for so long before the halt is lifted. */
  readonly agreementMs: number;
}

/**
 * Majors move 1 to 3 basis points a second and sources lie within one of each other, so these only catch what is
 * wrong; exotic pairs want wider ones.
 */
export const DEFAULT_PAIR_SETTINGS: PairSettings = Object.freeze({
  enabled: true,
  stalenessMs: 5_000,
  composite: 'best',
  priority: Object.freeze([]),
  lockedPrices: 'accept',
  outlierBps: Object.freeze({ units: 100_00n, scale: 2 }),
  jumpTicks: 3,
  jumpMs: 2_000,
  frozenMs: 30_000,
  deviationBps: Object.freeze({ units: 50_00n, scale: 2 }),
  agreementMs: 5_000,
});

const PER_UNIT_BPS = 10_000n;

/** Whether two prices lie further apart than so many basis points of the second. Both are positive. */
export function areApart(a: Decimal, b: Decimal, bps: Decimal): boolean {
  const left = a.scale < b.scale ? a.units * powerOfTen(b.scale - a.scale) : a.units;
  const right = b.scale < a.scale ? b.units * powerOfTen(a.scale - b.scale) : b.units;
  const distance = left < right ? right - left : left - right;
  // Most ticks lie on their predecessor: no need to multiply.
  return distance !== 0n && distance * PER_UNIT_BPS * powerOfTen(bps.scale) > right * bps.units;
}
