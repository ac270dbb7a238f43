import type { BandRefusal, RejectReason } from '@firmquote/api/operations/price-refusals';
import { add, compare, type Decimal } from '@firmquote/fx';
import type { Band, PriceReference } from './band.ts';
import { isOutlier } from './outlier.ts';
import { areApart, type PairSettings } from './pair-settings.ts';
import { CLOCK_TOLERANCE_MS, isSpeaking, type Jump, type SourceTop } from './source-top.ts';
import type { Tick } from './tick.ts';

/** So often must others have moved before a source that does not is taken for frozen. */
const FROZEN_AFTER_CHANGES = 3;

/** `confirm`: where nothing is known of a pair, two sources or an operator must say the same. */
type FirstPrices = 'believe' | 'confirm';

/** What all pairs of a book have in common. */
export interface BookRules {
  readonly reference?: PriceReference | undefined;
  readonly firstPrices?: FirstPrices | undefined;
  /** Notified when a source of a pair is refused, set aside or back. Must not throw. */
  readonly onNews?: ((news: SourceNews) => void) | undefined;
}

/** That the prices of a source are no longer dealt on, or are again. */
export interface SourceNews {
  readonly kind: 'refused' | 'set_aside' | 'returned';
  readonly pair: string;
  readonly source: string;
  readonly reason?: BandRefusal;
  /** What the source says. */
  readonly tick: Tick | undefined;
}

/** Whether two prices, each twice a mid, say the same of the pair. */
export function isSame(a: Decimal, b: Decimal, { deviationBps, maxWidthBps }: PairSettings): boolean {
  return !areApart(a, b, deviationBps ?? maxWidthBps);
}

/** Whether a price is no outlier any more, as the settings are now. */
function isNearLast({ outlierBps }: PairSettings): (jump: Jump, top: SourceTop) => boolean {
  return ({ sum }, top) =>
    outlierBps === null || (top.tick !== undefined && !areApart(sum, top.sum, outlierBps));
}

/** Decides of the ticks of one pair which are believed. */
export class TickJudge {
  readonly #tops: readonly SourceTop[];
  readonly #band: Band;
  readonly #firstPrices: FirstPrices;
  readonly #onRefusal: (top: SourceTop, reason: BandRefusal) => void;
  #changes = 0;

  /** @param onRefusal notified when a source begins to say what is not believed */
  constructor(
    tops: readonly SourceTop[],
    band: Band,
    firstPrices: FirstPrices,
    onRefusal: (top: SourceTop, reason: BandRefusal) => void,
  ) {
    this.#tops = tops;
    this.#band = band;
    this.#firstPrices = firstPrices;
    this.#onRefusal = onRefusal;
  }

  /** Takes the tick over into its source's top, or says why not. */
  judge(top: SourceTop, tick: Tick, settings: PairSettings, now: number): RejectReason | undefined {
    // A time that is itself ahead of the clock was left there by a clock set back: it must give way.
    const isAhead = top.lastAt > now + CLOCK_TOLERANCE_MS;
    if (tick.at < top.lastAt && !isAhead) return 'backwards';
    const sum = add(tick.bid, tick.ask);
    if (isAhead) top.jump = undefined;
    const silentMs = tick.at - top.lastAt;
    top.lastAt = tick.at;
    top.said = { sum, at: tick.at };
    top.withdrawn = false;
    const refusal = this.#refusalOf(top, tick, sum, settings, now);
    if (refusal !== undefined) {
      this.#refuse(top, tick, refusal);
      return refusal;
    }
    top.refused = undefined;
    if (isOutlier(this.#tops, top, tick, sum, now, settings)) return 'outlier';
    if (this.#freezes(top, tick, isAhead ? Number.POSITIVE_INFINITY : silentMs, settings)) {
      // From here on the price is made without the source.
      top.frozen = true;
      return 'frozen';
    }
    top.tick = tick;
    top.sum = sum;
    return undefined;
  }

  #refusalOf(
    top: SourceTop,
    tick: Tick,
    sum: Decimal,
    settings: PairSettings,
    now: number,
  ): BandRefusal | undefined {
    const reason = this.#band.refusalOf(tick, sum, settings, now);
    if (reason !== 'unconfirmed') return reason;
    if (this.#firstPrices === 'believe') return undefined;
    const isSaidByAnother = this.#tops.some(
      (other) =>
        other !== top &&
        other.said !== undefined &&
        isSpeaking(other, now, settings.stalenessMs) &&
        isSame(sum, other.said.sum, settings),
    );
    return isSaidByAnother ? undefined : reason;
  }

  #refuse(top: SourceTop, tick: Tick, reason: BandRefusal): void {
    const before = top.refused;
    top.jump = undefined;
    top.refused = { reason, tick, since: before?.since ?? tick.at, ticks: (before?.ticks ?? 0) + 1 };
    if (before === undefined) this.#onRefusal(top, reason);
  }

  /**
   * Judges what each source said last by what is known now. What it said before is not taken up again: it does not stand by that.
   * @param isBelieved whether a price that was held back is not to be any more
   */
  reconsider(
    settings: PairSettings,
    now: number,
    isBelieved: (jump: Jump, top: SourceTop) => boolean = isNearLast(settings),
  ): void {
    for (const top of this.#tops) {
      const { jump } = top;
      const tick = top.refused?.tick ?? jump?.tick ?? top.tick;
      if (tick === undefined || top.withdrawn) continue;
      const sum = add(tick.bid, tick.ask);
      const reason = this.#refusalOf(top, tick, sum, settings, now);
      if (reason !== undefined) {
        this.#refuse(top, tick, reason);
        if (tick === top.tick) top.tick = undefined;
      } else if (jump === undefined || isBelieved(jump, top)) {
        Object.assign(top, { tick, sum, refused: undefined, jump: undefined });
      }
    }
  }

  /**
   * Whether the source has said the same for too long while others moved. After a silence it says it anew: that is a
   * slow source, or the first price of a week.
   */
  #freezes(top: SourceTop, tick: Tick, silentMs: number, { frozenMs }: PairSettings): boolean {
    const last = top.tick;
    const moved =
      last === undefined || compare(last.bid, tick.bid) !== 0 || compare(last.ask, tick.ask) !== 0;
    if (moved) this.#changes += 1;
    if (moved || silentMs > (frozenMs ?? 0)) {
      top.changedAt = tick.at;
      top.changesThen = this.#changes;
      top.frozen = false;
      return false;
    }
    const isLong = frozenMs !== null && tick.at - top.changedAt > frozenMs;
    return isLong && this.#changes - top.changesThen >= FROZEN_AFTER_CHANGES;
  }
}
