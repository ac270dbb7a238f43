import { formatDecimal } from '@firmquote/fx';
import { isoInstant } from '../platform/clock.ts';
import { actorId } from '../platform/ids.ts';
import { marketView } from './book-view.ts';
import type { MarketControl } from './control.ts';
import type { SequenceReset, SourceSwitch } from './source-store.ts';
import type { SourceHealth } from './sources/source.ts';
import { noneRejected, type SourceTicks } from './tick-counts.ts';

type View = Record<string, unknown>;

const PAIR_LENGTH = 6;
/** The last millisecond of 9999. */
const LAST_INSTANT = 253_402_300_799_999;

/** How market data is: every source with what became of its ticks, and how many pairs have a price, of those that are listed. */
export function healthView(control: MarketControl): View {
  const { market, clock } = control;
  const { book } = market;
  return {
    market: marketView(market.stateNow()),
    sources: control.sourceNames().map((name) => sourceHealthView(control, name)),
    pairs: pairCounts(control),
    ticks: { accepted: book.accepted, rejected: book.rejected },
    at: isoInstant(clock.now()),
  };
}

export function sourceHealthView(
  { market, clock, switches, sequenceResets }: MarketControl,
  name: string,
): View {
  return {
    source: name,
    ...switchView(switches.get(name)),
    sequenceReset: resetView(sequenceResets.get(name)),
    ...runningView(market.sourceHealth()[name], clock.now()),
    ...ticksView(market.book.ticksBySource.get(name)),
  };
}

function switchView(change: SourceSwitch | undefined): View {
  return {
    enabled: change?.enabled ?? true,
    reason: change?.reason ?? null,
    changedAt: change === undefined ? null : isoInstant(change.changedAt),
    changedBy: change === undefined ? null : actorId(change.changedBy),
  };
}

function resetView(reset: SequenceReset | undefined): View | null {
  if (reset === undefined) return null;
  const { nextSent, nextReceived, reason, resetAt, resetBy } = reset;
  return { nextSent, nextReceived, reason, resetAt: isoInstant(resetAt), resetBy: actorId(resetBy) };
}

/** `absent`: no such source runs in this process. */
function runningView(health: SourceHealth | undefined, now: number): View {
  if (health === undefined) return { state: 'absent', ticks: 0, lastTickAt: null, ageMs: null };
  const { state, ticks, lastTickAt, ...more } = health;
  return {
    state,
    ticks,
    lastTickAt: lastTickAt === undefined ? null : isoInstant(lastTickAt),
    ageMs: lastTickAt === undefined ? null : Math.max(0, now - lastTickAt),
    ...withInstants(more),
  };
}

const INSTANTS: ReadonlySet<string> = new Set([
  'errorAt',
  'connectedSince',
  'lastHeartbeatAt',
  'nextAttemptAt',
] satisfies (keyof SourceHealth)[]);

/** What only some sources report, with instants as RFC 3339. */
function withInstants(health: Partial<SourceHealth>): View {
  return Object.fromEntries(
    Object.entries(health).map(([name, value]) => [
      name,
      INSTANTS.has(name) && typeof value === 'number' ? isoInstant(value) : value,
    ]),
  );
}

function ticksView(ticks: Readonly<SourceTicks> | undefined): View {
  const last = ticks?.lastAcceptedAt;
  return {
    accepted: ticks?.accepted ?? 0,
    locked: ticks?.locked ?? 0,
    rejected: ticks?.rejected ?? noneRejected(),
    withdrawn: ticks?.withdrawn ?? 0,
    lastAcceptedAt: last === undefined ? null : isoInstant(last),
    lastRejected: rejectedView(ticks?.lastRejected),
  };
}

/** A source may say anything: only a pair that could be one is shown. */
function rejectedView(rejected: SourceTicks['lastRejected']): View | null {
  if (rejected === undefined) return null;
  const { tick, reason } = rejected;
  const pair = tick.pair.slice(0, PAIR_LENGTH);
  return {
    pair,
    bid: formatDecimal(tick.bid),
    ask: formatDecimal(tick.ask),
    asOf: asOfView(tick.at),
    reason,
  };
}

/** Of a time that is none, nothing. */
function asOfView(at: number): string | null {
  return at >= 0 && at <= LAST_INSTANT ? isoInstant(at) : null;
}

function pairCounts(control: MarketControl): View {
  const { market } = control;
  const counts = { total: 0, fresh: 0, stale: 0, missing: 0, halted: 0 };
  for (const pair of control.quotedPairs()) {
    counts.total += 1;
    counts[market.book.read(pair).status] += 1;
    if (market.isHalted(pair)) counts.halted += 1;
  }
  return counts;
}
