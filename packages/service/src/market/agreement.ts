import { compare, type Decimal } from '@firmquote/fx';
import { areApart, type PairSettings } from './pair-settings.ts';
import type { SourceTop } from './source-top.ts';

/** Two sources that say different things of one pair at the same time. */
export interface Disagreement {
  /** Epoch milliseconds. */
  readonly since: number;
  /** The source with the lowest price, then the one with the highest. */
  readonly sources: readonly [low: string, high: string];
}

interface Observed extends Disagreement {
  agreeingSince: number | undefined;
}

/**
 * Halts a pair while its fresh sources lie too far apart and no majority of them says which is right. It is lifted when
 * they have agreed for the set time, by itself. A source that became stale or was switched off contradicts no
 * more.
 */
export class Agreement {
  #observed: Observed | undefined;

  /**
   * To be called with the fresh sources after each tick, and when what counts has changed.
   * @param isDecided most sources say the same, so that it is known which of them are right
   * @returns whether this has just halted the pair
   */
  observe(usable: readonly SourceTop[], isDecided: boolean, now: number, settings: PairSettings): boolean {
    const { deviationBps } = settings;
    const range = deviationBps === null || isDecided ? undefined : rangeOf(usable, deviationBps);
    const observed = this.#observed;
    if (range === undefined) {
      if (observed === undefined) return false;
      // A clock that was set back begins the wait anew.
      if (observed.agreeingSince === undefined || observed.agreeingSince > now) observed.agreeingSince = now;
      this.current(now, settings);
      return false;
    }
    this.#observed = { since: observed?.since ?? now, sources: range, agreeingSince: undefined };
    return observed === undefined;
  }

  /** The disagreement that halts the pair at this instant. */
  current(now: number, { agreementMs }: PairSettings): Disagreement | undefined {
    const since = this.#observed?.agreeingSince;
    if (since !== undefined && now - since >= agreementMs) this.#observed = undefined;
    return this.#observed;
  }
}

/** The two sources that are furthest from each other, when they are too far. */
function rangeOf(
  usable: readonly SourceTop[],
  bps: Decimal,
): readonly [low: string, high: string] | undefined {
  let [low] = usable;
  let high = low;
  if (low === undefined || high === undefined || usable.length < 2) return undefined;
  for (const top of usable) {
    if (compare(top.sum, low.sum) < 0) low = top;
    if (compare(top.sum, high.sum) > 0) high = top;
  }
  return areApart(high.sum, low.sum, bps) ? [low.source, high.source] : undefined;
}
