import type { POINTS_ORIGINS } from '@firmquote/api/operations/swap-points';
import {
  type DateRules,
  type Decimal,
  type Pair,
  parseDecimal,
  type SwapLeg,
  type SwapLegName,
  type SwapPoints,
  swapLegs,
  tradeDateAt,
} from '@firmquote/fx';
import type { Pool } from '../database/pool.ts';
import { type Clock, isoInstant } from '../platform/clock.ts';
import type { Topic } from '../settings/follower.ts';
import { DEFAULT_POLICY, isCurrentRate, type KnownRate, readPolicy, type SwapPointPolicy } from './policy.ts';
import {
  type GivenLeg,
  type LegText,
  type PointsVersion,
  type PushedLeg,
  readSwapPoints,
  type StoredSwapPoints,
  SWAP_POINTS_VERSION_QUERY,
} from './store.ts';

/** Ways kept; there is one for each pair and value date before spot that is asked for. */
const WAYS_MAX = 4_096;

/** Clocks of sources run ahead of ours by no more, as with prices. */
export const AHEAD_MAX_MS = 1_000;

export type PointsOrigin = (typeof POINTS_ORIGINS)[number];

/** A leg with what its points are made from. Of `points`, `rates` and `bpsPerDay` one is there. */
export interface KnownLeg extends SwapLeg {
  readonly origin: PointsOrigin;
  /** Who gave the points, or where the rates are from. */
  readonly source: string | undefined;
  /** An instant as text, or the date of the older rate. */
  readonly asOf: string | undefined;
  readonly points?: SwapPoints;
  readonly rates?: { readonly base: KnownRate; readonly quote: KnownRate };
  readonly bpsPerDay?: Decimal;
}

/**
 * The way from spot back to a value date, as it is known for some time: the same object for all who ask meanwhile, so that
 * a price for the date is made once.
 */
export interface PointsWay {
  readonly pair: Pair;
  /** None for spot. */
  readonly legs: readonly KnownLeg[];
  /** The first leg that nobody has points for; undefined when the date can be priced. */
  readonly missing: SwapLegName | undefined;
  readonly policyVersion: number;
}

interface Kept {
  readonly tradeDate: string;
  readonly dates: DateRules;
  readonly from: number;
  readonly until: number;
  readonly way: PointsWay;
}

interface State {
  readonly policy: SwapPointPolicy;
  readonly set: ReadonlyMap<string, PointsVersion>;
  readonly pushed: ReadonlyMap<string, readonly PushedLeg[]>;
}

interface SwapPointDeskOptions {
  readonly clock: Clock;
  /** The sandbox's own rates, for currencies to which the policy gives none. They do not age. */
  readonly builtInRates?: ReadonlyMap<string, KnownRate>;
}

/** Swap points in force in this process; what it knows is exchanged as a whole. */
export class SwapPointDesk {
  readonly #clock: Clock;
  readonly #builtIn: ReadonlyMap<string, KnownRate>;
  readonly #ways = new Map<string, Kept>();
  #state: State = { policy: readPolicy(DEFAULT_POLICY, 1), set: new Map(), pushed: new Map() };
  #version: bigint | undefined;

  constructor({ clock, builtInRates = new Map() }: SwapPointDeskOptions) {
    this.#clock = clock;
    this.#builtIn = builtInRates;
  }

  get builtInRates(): ReadonlyMap<string, KnownRate> {
    return this.#builtIn;
  }

  get maxBpsPerDay(): Decimal {
    return this.#state.policy.maxBpsPerDay;
  }

  /** What is set and pushed for pairs on trade dates that are not over. */
  get given(): Pick<State, 'set' | 'pushed'> {
    return this.#state;
  }

  /** Takes in what was read or just committed; an older state than the one held is passed over. */
  take(stored: StoredSwapPoints): void {
    if (this.#version !== undefined && stored.version <= this.#version) return;
    const pushed = new Map<string, PushedLeg[]>();
    for (const leg of stored.pushed) pushed.set(leg.pair, [...(pushed.get(leg.pair) ?? []), leg]);
    const { policy } = stored;
    this.#state = {
      policy:
        policy === undefined ? readPolicy(DEFAULT_POLICY, 1) : readPolicy(policy.document, policy.version),
      set: new Map(stored.set.map((version) => [version.pair, version])),
      pushed,
    };
    this.#version = stored.version;
    this.#ways.clear();
  }

  /** Reads what has changed. When the database does not answer, what is held stays in force. */
  async refresh(pool: Pool): Promise<void> {
    const stored = await readSwapPoints(pool, this.firstTradeDate(), this.#version);
    if (stored !== undefined) this.take(stored);
  }

  topic(pool: Pool): Topic {
    return {
      name: 'swap_points',
      version: SWAP_POINTS_VERSION_QUERY,
      held: () => this.#version?.toString(),
      load: () => this.refresh(pool),
    };
  }

  /** Of the trade dates of all pairs, whose rolls differ, the earliest that is not over. */
  firstTradeDate(): string {
    return tradeDateAt(this.#clock.now());
  }

  /**
   * How a value date, no later than spot, is reached from it at an instant.
   * @param tradeDate of the pair at that instant
   */
  way(pair: Pair, tradeDate: string, valueDate: string, dates: DateRules, now: number): PointsWay {
    const key = `${pair.code}${valueDate}`;
    const kept = this.#ways.get(key);
    const isCurrent = kept !== undefined && now >= kept.from && now < kept.until;
    if (isCurrent && kept.tradeDate === tradeDate && kept.dates === dates) return kept.way;
    const codes = [pair.base.code, pair.quote.code] as const;
    let until = this.#nextCounts(pair, now);
    let missing: SwapLegName | undefined;
    const legs: KnownLeg[] = [];
    for (const leg of swapLegs(codes, tradeDate, valueDate, dates.calendars)) {
      const { found, validUntil } = this.#legAt(pair, leg, tradeDate, now);
      until = Math.min(until, validUntil);
      if (found === undefined) missing ??= leg.leg;
      else legs.push(found);
    }
    const way = { pair, legs, missing, policyVersion: this.#state.policy.version };
    if (this.#ways.size >= WAYS_MAX) this.#ways.clear();
    this.#ways.set(key, { tradeDate, dates, from: now, until, way });
    return way;
  }

  /** Set by an operator, else the newest that a source pushed, else from interest, else the policy's rule. */
  #legAt(
    pair: Pair,
    leg: SwapLeg,
    tradeDate: string,
    now: number,
  ): { readonly found: KnownLeg | undefined; readonly validUntil: number } {
    const { policy } = this.#state;
    const given = leg.leg === 'broken' ? undefined : this.#given(pair, leg.leg, tradeDate, now);
    if (given !== undefined) {
      const { bid, ask, at, ...from } = given;
      const points = { bid: pointsFrom(bid), ask: pointsFrom(ask) };
      const found = { ...leg, ...from, asOf: isoInstant(at), points };
      return { found, validUntil: at + policy.pointsMaxAgeMs };
    }
    const validUntil = Number.POSITIVE_INFINITY;
    const base = this.#rate(pair.base.code, tradeDate);
    const quote = this.#rate(pair.quote.code, tradeDate);
    if (base !== undefined && quote !== undefined) {
      const asOf = base.asOf < quote.asOf ? base.asOf : quote.asOf;
      const rates = { base, quote };
      return { found: { ...leg, origin: 'interest_rates', source: undefined, asOf, rates }, validUntil };
    }
    const bpsPerDay = policy.worseSideBpsPerDay;
    if (bpsPerDay === undefined) return { found: undefined, validUntil };
    const found: KnownLeg = { ...leg, origin: 'worse_side', source: undefined, asOf: undefined, bpsPerDay };
    return { found, validUntil };
  }

  #given(
    pair: Pair,
    leg: GivenLeg,
    tradeDate: string,
    now: number,
  ): (LegText & Pick<KnownLeg, 'origin' | 'source'> & { readonly at: number }) | undefined {
    const { policy, set, pushed } = this.#state;
    const isCurrent = (date: string, at: number) => date === tradeDate && now < at + policy.pointsMaxAgeMs;
    const own = set.get(pair.code);
    const points = own?.points[leg] ?? null;
    if (own !== undefined && points !== null && isCurrent(own.tradeDate, own.changedAt)) {
      return { ...points, origin: 'operator', source: own.source, at: own.changedAt };
    }
    let newest: PushedLeg | undefined;
    for (const each of pushed.get(pair.code) ?? []) {
      if (each.leg !== leg || isAhead(each, now) || !isCurrent(each.tradeDate, each.madeAt)) continue;
      if (newest === undefined || each.madeAt > newest.madeAt) newest = each;
    }
    if (newest === undefined) return undefined;
    const { bid, ask, source, madeAt } = newest;
    return { bid, ask, origin: 'pushed', source, at: madeAt };
  }

  /** When the first of the pushed points of a pair counts that bear a later time than now. */
  #nextCounts(pair: Pair, now: number): number {
    const ahead = (this.#state.pushed.get(pair.code) ?? []).filter((each) => isAhead(each, now));
    return Math.min(Number.POSITIVE_INFINITY, ...ahead.map(({ madeAt }) => madeAt - AHEAD_MAX_MS));
  }

  #rate(currency: string, tradeDate: string): KnownRate | undefined {
    const { policy } = this.#state;
    const rate = policy.rates.get(currency);
    if (rate !== undefined && isCurrentRate(rate, policy, tradeDate)) return rate;
    return this.#builtIn.get(currency);
  }
}

/** Whether it is of a clock that was set back since: it is newer than nothing. */
function isAhead({ madeAt }: PushedLeg, now: number): boolean {
  return madeAt > now + AHEAD_MAX_MS;
}

function pointsFrom(text: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`${text} was kept as swap points and is no decimal`);
  return value;
}
