import { compare, type Decimal } from '@firmquote/fx';
import { areApart, type PairSettings } from './pair-settings.ts';
import { isSpeaking, isUsable, type SourceTop } from './source-top.ts';
import type { Tick } from './tick.ts';

/**
 * For so long the last good price of a source says where the market is. After a longer silence (a weekend, a lost
 * feed, a moved sandbox clock) the first price is believed, unless other sources know better or it is outside of the
 * pair's band.
 */
const LAST_GOOD_MS = 60_000; // limit: How long a source's last good price judges whether its next is an outlier

/** Sources that can outvote another one. */
const QUORUM = 2;

/**
 * Whether a tick is so far from what is known that it is not to be priced on yet. It is measured against the median of
 * the other fresh sources where there are two or more; otherwise against the source's own last good price, which one
 * other source can overrule.
 *
 * A market does jump, so ticks that were held back and agree with each other are believed after `jumpTicks` of them or
 * `jumpMs`, or at once when most sources say the same: in the worst case a pair is without this source for so long.
 * Saying one price again says nothing new. Two or more other sources that go on ticking elsewhere keep it out until it
 * is back.
 *
 * None of this believes a price outside of the pair's band, which is looked at before.
 *
 * @param sum twice the mid of the tick
 */
export function isOutlier(
  tops: readonly SourceTop[],
  own: SourceTop,
  tick: Tick,
  sum: Decimal,
  now: number,
  settings: PairSettings,
): boolean {
  const { outlierBps, stalenessMs } = settings;
  if (outlierBps === null) return accept(own);
  const others = tops.filter((top) => top !== own && isUsable(top, now, stalenessMs));
  const nearOwn = nearOwnLast(own, sum, tick.at, outlierBps);
  if (others.length < QUORUM) {
    const [other] = others;
    if (nearOwn === true) return accept(own);
    const nearOther = other === undefined ? undefined : !areApart(sum, other.sum, outlierBps);
    if (nearOther === true || (nearOwn === undefined && nearOther === undefined)) return accept(own);
  } else {
    if (isNearMedian(others, sum, outlierBps)) {
      own.jumpedAt = undefined;
      return accept(own);
    }
    const { jumpedAt } = own;
    if (nearOwn === true && jumpedAt !== undefined && !contradicts(others, sum, jumpedAt, outlierBps)) {
      return accept(own);
    }
  }
  if (isSaidByMost(tops, own, sum, now, settings, outlierBps)) return accept(own);
  return !isJump(own, others, tick, sum, settings, outlierBps);
}

/** Whether another source says the same now, and most of those that say anything do. */
function isSaidByMost(
  tops: readonly SourceTop[],
  own: SourceTop,
  sum: Decimal,
  now: number,
  { stalenessMs }: PairSettings,
  bps: Decimal,
): boolean {
  let near = 0;
  let far = 0;
  for (const top of tops) {
    if (top === own || top.said === undefined || !isSpeaking(top, now, stalenessMs)) continue;
    if (areApart(sum, top.said.sum, bps)) far += 1;
    else near += 1;
  }
  return near > 0 && near + 1 > far;
}

function accept(own: SourceTop): false {
  own.jump = undefined;
  return false;
}

/** Undefined when there is no last good price that still counts. */
function nearOwnLast(own: SourceTop, sum: Decimal, at: number, bps: Decimal): boolean | undefined {
  const { tick } = own;
  if (tick === undefined || Math.abs(at - tick.at) > LAST_GOOD_MS) return undefined;
  return !areApart(sum, own.sum, bps);
}

/** With an even number of sources either of the two in the middle will do. */
function isNearMedian(others: readonly SourceTop[], sum: Decimal, bps: Decimal): boolean {
  const sums = others.map((top) => top.sum).sort(compare);
  const upper = sums[sums.length >> 1];
  const lower = sums[(sums.length - 1) >> 1];
  return [upper, lower].some((middle) => middle !== undefined && !areApart(sum, middle, bps));
}

/** Whether another source has ticked elsewhere since. */
function contradicts(others: readonly SourceTop[], sum: Decimal, since: number, bps: Decimal): boolean {
  return others.some((top) => (top.tick?.at ?? since) > since && areApart(sum, top.sum, bps));
}

/** Puts the tick beside those held back before it, and says whether they are now believed. */
function isJump(
  own: SourceTop,
  others: readonly SourceTop[],
  tick: Tick,
  sum: Decimal,
  settings: PairSettings,
  bps: Decimal,
): boolean {
  const { at } = tick;
  const before = own.jump;
  const continues =
    before !== undefined && at - before.lastAt <= LAST_GOOD_MS && !areApart(sum, before.sum, bps);
  const news = continues && compare(before.sum, sum) !== 0 ? 1 : 0;
  const jump = continues
    ? { tick, sum, since: before.since, lastAt: at, ticks: before.ticks + news }
    : { tick, sum, since: at, lastAt: at, ticks: 1 };
  own.jump = jump;
  if (jump.ticks < settings.jumpTicks && (jump.ticks < 2 || at - jump.since < settings.jumpMs)) return false;
  if (others.length >= QUORUM && contradicts(others, sum, jump.since, bps)) return false;
  own.jump = undefined;
  own.jumpedAt = jump.since;
  return true;
}
