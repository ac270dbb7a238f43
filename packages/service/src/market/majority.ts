import { compare, type Decimal, subtract } from '@firmquote/fx';
import { areApart, type PairSettings } from './pair-settings.ts';
import { isSpeaking, isUsable, type SourceTop } from './source-top.ts';

/** With fewer sources than these nobody can be outvoted. */
const SMALLEST_ELECTORATE = 3; // limit: Sources from which on a majority decides

/** A source whose standing has just changed. */
interface Standing {
  readonly top: SourceTop;
  readonly isAside: boolean;
}

interface Vote {
  /** Whether most sources say the same: then those that disagree with them halt nothing. */
  readonly hasMajority: boolean;
  readonly changes: readonly Standing[];
}

export const NO_VOTE: Vote = Object.freeze({ hasMajority: false, changes: Object.freeze([]) });

/**
 * Sets aside the sources that most others contradict, from three sources on, and takes them back when they have agreed
 * with the others for the set time. A source that was set aside stays so when the others fall silent: that it is alone
 * does not make it right.
 *
 * To be called with each tick, believed or not.
 */
export function vote(tops: readonly SourceTop[], now: number, settings: PairSettings): Vote {
  const { deviationBps, stalenessMs } = settings;
  if (deviationBps === null) return release(tops);
  if (tops.length < SMALLEST_ELECTORATE && tops.every(({ aside }) => aside === undefined)) return NO_VOTE;
  const speaking = tops.filter((top) => isSpeaking(top, now, stalenessMs));
  const most = majorityOf(speaking, deviationBps);
  const trusted = most ?? speaking.filter((top) => isUsable(top, now, stalenessMs));
  const changes: Standing[] = [];
  for (const top of speaking) {
    const agrees = most === undefined ? agreesWith(top, trusted, deviationBps) : most.includes(top);
    if (top.aside === undefined) {
      if (agrees || most === undefined) continue;
      top.aside = { since: now, agreeingSince: undefined };
      changes.push({ top, isAside: true });
    } else if (!agrees) {
      top.aside.agreeingSince = undefined;
    } else if (hasAgreedLong(top.aside, now, settings)) {
      top.aside = undefined;
      changes.push({ top, isAside: false });
    }
  }
  return { hasMajority: most !== undefined, changes };
}

function release(tops: readonly SourceTop[]): Vote {
  const changes = tops.filter(({ aside }) => aside !== undefined).map((top) => ({ top, isAside: false }));
  for (const { top } of changes) top.aside = undefined;
  return changes.length === 0 ? NO_VOTE : { hasMajority: false, changes };
}

function hasAgreedLong(
  aside: NonNullable<SourceTop['aside']>,
  now: number,
  { agreementMs }: PairSettings,
): boolean {
  // A clock that was set back begins the wait anew.
  if (aside.agreeingSince === undefined || aside.agreeingSince > now) aside.agreeingSince = now;
  return now - aside.agreeingSince >= agreementMs;
}

function agreesWith(top: SourceTop, others: readonly SourceTop[], bps: Decimal): boolean {
  return others.length > 0 && others.every((other) => !areApart(sumOf(top), sumOf(other), bps));
}

/** Those that lie within the distance of the closest group of more than half of all; undefined when there is none. */
function majorityOf(speaking: readonly SourceTop[], bps: Decimal): readonly SourceTop[] | undefined {
  if (speaking.length < SMALLEST_ELECTORATE) return undefined;
  const sorted = [...speaking].sort((a, b) => compare(sumOf(a), sumOf(b)));
  const needed = (sorted.length >> 1) + 1;
  let closest: readonly SourceTop[] | undefined;
  for (let start = 0; start + needed <= sorted.length; start++) {
    const group = sorted.slice(start, start + needed);
    if (!areApart(...endsOf(group), bps) && (closest === undefined || isCloser(group, closest)))
      closest = group;
  }
  const group = closest;
  return group && sorted.filter((top) => agreesWith(top, [group[0], group.at(-1)] as SourceTop[], bps));
}

function isCloser(a: readonly SourceTop[], b: readonly SourceTop[]): boolean {
  const [highA, lowA] = endsOf(a);
  const [highB, lowB] = endsOf(b);
  return compare(subtract(highA, lowA), subtract(highB, lowB)) < 0;
}

function endsOf(group: readonly SourceTop[]): readonly [high: Decimal, low: Decimal] {
  return [sumOf(group.at(-1)), sumOf(group[0])];
}

function sumOf(top: SourceTop | undefined): Decimal {
  if (top?.said === undefined) throw new Error('a source that says nothing has no vote');
  return top.said.sum;
}
