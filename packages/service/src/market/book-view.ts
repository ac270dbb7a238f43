import { add, type Decimal, formatDecimal, formatUnits, type Pair } from '@firmquote/fx';
import { isoInstant } from '../platform/clock.ts';
import { actorId, typeId } from '../platform/ids.ts';
import type { MarketControl } from './control.ts';
import { midText } from './level-store.ts';
import type { MarketState } from './market.ts';
import {
  classLimitsOf,
  classOf,
  ownLimitsOf,
  type PairDefaults,
  type PairSettings,
  type PriceLimits,
  withLimits,
} from './pair-settings.ts';
import type { PairRecord } from './pair-store.ts';
import type { PairView } from './rate-book.ts';
import { DEFAULT_VERSION } from './set-pair.ts';
import { isCurrent, type Refusal, type SourceTop } from './source-top.ts';
import type { BookLeg, PriceOrigin } from './tick.ts';

type View = Record<string, unknown>;

/** A pair with its price, where it comes from, and what each source says. */
export function priceView(control: MarketControl, view: PairView, now: number): View {
  const { pair, reading, settings } = view;
  const { market } = control;
  return {
    pair: pair.code,
    class: classOf(pair),
    ...readingView(view),
    enabled: settings.enabled,
    market: marketView(market.stateOf(pair)),
    halts: control.halts
      .filter(({ scope, pair: halted }) => scope === 'all' || halted === pair.code)
      .map(({ id, scope, reason }) => ({ haltId: typeId('hlt', id), scope, reason })),
    disagreement: view.disagreement && {
      since: isoInstant(view.disagreement.since),
      sources: view.disagreement.sources,
    },
    awaitingAcceptance: view.awaitsOperator,
    lastGood:
      view.lastGood === undefined
        ? null
        : { price: midText(view.lastGood.sum), asOf: isoInstant(view.lastGood.at) },
    reference: view.referenceSum === undefined ? null : midText(view.referenceSum),
    heldBySandbox: view.isHeld,
    crossings: view.crossings,
    composite: reading.status === 'missing' ? null : settings.composite,
    sources: view.tops.map((top) => sourceView(top, settings, now)),
  };
}

function readingView({ pair, reading }: PairView): View {
  if (reading.status === 'missing') return { status: 'missing' };
  const { price, ageMs } = reading;
  const sum = add(price.bid, price.ask);
  return {
    status: reading.status,
    bid: atLeast(price.bid, pair.decimals),
    ask: atLeast(price.ask, pair.decimals),
    // Half of the sum, exactly: one digit more.
    mid: formatUnits(sum.units * 5n, sum.scale + 1),
    source: price.source,
    asOf: isoInstant(price.asOf),
    ageMs,
    ...(price.bidFrom === undefined ? {} : { bidFrom: originView(price.bidFrom) }),
    ...(price.askFrom === undefined ? {} : { askFrom: originView(price.askFrom) }),
    ...(price.legs === undefined ? {} : { legs: price.legs.map(legView) }),
  };
}

function legView({ pair, bid, ask, at, source }: BookLeg): View {
  return { pair, bid: formatDecimal(bid), ask: formatDecimal(ask), source, asOf: isoInstant(at) };
}

/** A feed may leave out zeros at the end. */
function atLeast(value: Decimal, decimals: number): string {
  if (value.scale >= decimals) return formatDecimal(value);
  return formatUnits(value.units * 10n ** BigInt(decimals - value.scale), decimals);
}

function originView({ source, at }: PriceOrigin): View {
  return { source, asOf: isoInstant(at) };
}

function sourceView(top: SourceTop, settings: PairSettings, now: number): View {
  const { tick, jump, refused, aside } = top;
  return {
    source: top.source,
    state: stateOf(top, settings, now),
    ...(tick === undefined
      ? {}
      : {
          bid: formatDecimal(tick.bid),
          ask: formatDecimal(tick.ask),
          asOf: isoInstant(tick.at),
          ageMs: Math.max(0, now - tick.at),
        }),
    heldBack: jump === undefined ? null : { ticks: jump.ticks, since: isoInstant(jump.since) },
    refused: refused === undefined ? null : refusalView(refused),
    setAside: aside === undefined ? null : { since: isoInstant(aside.since) },
  };
}

function refusalView({ reason, tick, since, ticks }: Refusal): View {
  const price = { bid: formatDecimal(tick.bid), ask: formatDecimal(tick.ask), asOf: isoInstant(tick.at) };
  return { reason, ...price, since: isoInstant(since), ticks };
}

function stateOf(top: SourceTop, settings: PairSettings, now: number): string {
  if (top.disabled) return 'disabled';
  if (top.aside !== undefined) return 'set_aside';
  if (top.refused !== undefined) return 'refused';
  if (top.jump !== undefined) return 'held_back';
  if (top.tick === undefined) return 'missing';
  if (top.withdrawn) return 'withdrawn';
  if (top.frozen) return 'frozen';
  return isCurrent(top.tick.at, now, settings.stalenessMs) ? 'fresh' : 'stale';
}

export function marketView(state: MarketState): View {
  return {
    state: state.state,
    ...(state.reason === undefined ? {} : { reason: state.reason }),
    ...(state.closesAt === undefined ? {} : { closesAt: isoInstant(state.closesAt) }),
    ...(state.reopensAt === undefined ? {} : { reopensAt: isoInstant(state.reopensAt) }),
  };
}

/** @param record undefined while the pair is treated by default */
export function pairView(pair: Pair, record: PairRecord | undefined, settings: PairDefaults): View {
  const bps = (value: Decimal | null) => value && formatDecimal(value);
  return {
    pair: pair.code,
    version: record?.version ?? DEFAULT_VERSION,
    ...settings,
    outlierBps: bps(settings.outlierBps),
    deviationBps: bps(settings.deviationBps),
    ...limitsView(withLimits(pair, settings)),
    ownLimits: ownLimitsOf(settings),
    classLimits: limitsView(classLimitsOf(pair)),
    changedAt: record === undefined ? null : isoInstant(record.changedAt),
    changedBy: record === undefined ? null : actorId(record.changedBy),
  };
}

function limitsView({ maxWidthBps, bandBps, referenceBps }: PriceLimits): View {
  return {
    maxWidthBps: formatDecimal(maxWidthBps),
    bandBps: formatDecimal(bandBps),
    referenceBps: formatDecimal(referenceBps),
  };
}
