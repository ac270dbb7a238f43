/** A position that is only known within bounds: what may still happen is counted on the side where it hurts. */
export interface PositionBounds {
  /** Most that it can be, signed; positive is long. */
  readonly upper: bigint;
  /** Least that it can be. */
  readonly lower: bigint;
}

/** Bounds after something that may happen, or may not. */
export function withPossible(bounds: PositionBounds, delta: bigint): PositionBounds {
  return delta > 0n
    ? { upper: bounds.upper + delta, lower: bounds.lower }
    : { upper: bounds.upper, lower: bounds.lower + delta };
}

/** The larger side without its sign: what a limit is held against. */
export function worstSide({ upper, lower }: PositionBounds): bigint {
  const long = upper > 0n ? upper : 0n;
  const short = lower < 0n ? -lower : 0n;
  return long > short ? long : short;
}

export interface NetOpenPosition {
  readonly long: bigint;
  readonly short: bigint;
  /** The greater of the two. */
  readonly net: bigint;
}

/**
 * The net open position over currencies by the shorthand method of the Basel framework (MAR40): all long positions
 * together or all short ones, whichever is more. All in one currency, which itself is left out by the caller.
 */
export function netOpenPosition(positions: Iterable<PositionBounds>): NetOpenPosition {
  let long = 0n;
  let short = 0n;
  for (const { upper, lower } of positions) {
    if (upper > 0n) long += upper;
    if (lower < 0n) short -= lower;
  }
  return { long, short, net: long > short ? long : short };
}
