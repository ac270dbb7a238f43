import type { Random } from '../soak/random.ts';
import { type Instance, SOURCES } from './instance.ts';
import { MAX_SKEW_MS } from './time.ts';

/** Where the market truly is: a walk in small steps. What sources say of it is another matter. */
const MIDS: Readonly<Record<string, { readonly mid: number; readonly decimals: number }>> = {
  EURUSD: { mid: 117_000, decimals: 5 },
  GBPUSD: { mid: 134_400, decimals: 5 },
  USDJPY: { mid: 159_600, decimals: 3 },
};
export const FED_PAIRS = Object.keys(MIDS);
/** Pairs of all four currencies: those with a feed, and crosses of them. */
export const PAIRS = [...FED_PAIRS, 'EURGBP', 'EURJPY', 'GBPJPY'];
const LEGS: Readonly<Record<string, readonly string[]>> = {
  EURGBP: ['EURUSD', 'GBPUSD'],
  EURJPY: ['EURUSD', 'USDJPY'],
  GBPJPY: ['GBPUSD', 'USDJPY'],
};
/** The pairs whose prices make one of this pair. */
export function legsOf(pair: string): readonly string[] {
  return LEGS[pair] ?? [pair];
}

/** Age at which a price makes no firm quote: the service's default. */
export const STALE_MS = 5_000;
/** As long as the book may take to believe a pair again after somebody has lied about it. */
const SUSPICION_MS = 15_000;
const SOURCE_COUNT = SOURCES.length;

interface Reported {
  /** When the source said something true of the pair; undefined after it took that back. */
  at: number | undefined;
}

/** What each instance has been told, by source and pair. */
export class Feed {
  readonly #mids = new Map(Object.entries(MIDS).map(([pair, { mid }]) => [pair, mid]));
  readonly #reported = new Map<string, Reported>();
  readonly #suspect = new Map<string, number>();
  /** Sources that say nothing for now. */
  readonly silent = new Set<string>();

  legs(pair: string): readonly string[] {
    return legsOf(pair);
  }

  walk(random: Random): void {
    for (const [pair, mid] of this.#mids) {
      const { mid: middle } = MIDS[pair] ?? { mid };
      // Drawn back to where it began, so that a long story stays within the reference band.
      const pull = Math.round((middle - mid) / 400);
      const step = Math.max(1, Math.round(mid / 20_000));
      this.#mids.set(pair, mid + pull + random.between(-step, step));
    }
  }

  /** What the market truly is, in units of the quote currency. */
  mid(pair: string): number {
    const one = (of: string) => (this.#mids.get(of) ?? 0) / 10 ** (MIDS[of]?.decimals ?? 0);
    const legs = LEGS[pair];
    if (legs === undefined) return one(pair);
    const [first = '', second = ''] = legs;
    return pair === 'EURGBP' ? one(first) / one(second) : one(first) * one(second);
  }

  /** Every source that speaks tells an instance what is so. */
  notify(instance: Instance): void {
    for (const [index, source] of SOURCES.entries()) {
      if (this.silent.has(source)) continue;
      const prices = FED_PAIRS.map((pair) => this.#price(pair, index));
      instance.push(source, prices);
      // Whose clock is wrong takes no prices in.
      if (!instance.machine.isRight) continue;
      for (const { pair } of prices)
        this.#reported.set(placeOf(instance, source, pair), { at: instance.machine.world.now });
    }
  }

  #price(pair: string, index: number): { pair: string; bid: string; ask: string } {
    const mid = this.#mids.get(pair) ?? 0;
    const { decimals } = MIDS[pair] ?? { decimals: 5 };
    const text = (units: number) =>
      `${units}`.padStart(decimals + 1, '0').replace(new RegExp(`(\\d{${decimals}})$`), '.$1');
    return { pair, bid: text(mid - 2 - index), ask: text(mid + 2 + index) };
  }

  /** A source says something that cannot be. */
  lie(random: Random, instance: Instance): string {
    const source = random.pick(SOURCES);
    const pair = random.pick(FED_PAIRS);
    const [what, bid, ask, at] = lies(random, this.mid(pair), instance.machine.now());
    instance.push(source, [{ pair, bid, ask, ...(at === undefined ? {} : { at }) }]);
    this.suspect(instance, pair);
    return `${source} says ${what} of ${pair}: ${bid}/${ask}`;
  }

  withdraw(random: Random, instance: Instance, source: string): string {
    const pairs = random.chance(0.5) ? undefined : [random.pick(FED_PAIRS)];
    instance.withdraw(source, pairs);
    for (const pair of pairs ?? FED_PAIRS) {
      this.#reported.set(placeOf(instance, source, pair), { at: undefined });
      this.suspect(instance, pair);
    }
    return `${source} takes back ${pairs?.join() ?? 'everything'}`;
  }

  suspect(instance: Instance, pair: string): void {
    this.#suspect.set(placeOf(instance, '', pair), instance.machine.world.now + SUSPICION_MS);
  }

  suspectAll(instance: Instance): void {
    for (const pair of FED_PAIRS) this.suspect(instance, pair);
  }

  /**
   * Nobody has said anything true about a leg for as long as a price is fresh, by a clock that was ahead when it came and is behind
   * now, as far as clocks may be off: there must be no price.
   */
  hasNone(instance: Instance, pair: string): boolean {
    const { now } = instance.machine.world;
    return this.legs(pair).some((leg) =>
      SOURCES.every((source) => {
        const at = this.#reported.get(placeOf(instance, source, leg))?.at;
        return at === undefined || now - at > STALE_MS + 2 * MAX_SKEW_MS;
      }),
    );
  }

  /** Nobody may ever have told an instance of a leg: it started while all were silent. */
  isUnheard(instance: Instance, pair: string): boolean {
    return this.legs(pair).some((leg) =>
      SOURCES.every((source) => this.#reported.get(placeOf(instance, source, leg))?.at === undefined),
    );
  }

  /** Every source has spoken truly just now, and nobody lied lately: there must be a price. */
  isSound(instance: Instance, pair: string): boolean {
    const { now } = instance.machine.world;
    return this.legs(pair).every(
      (leg) =>
        (this.#suspect.get(placeOf(instance, '', leg)) ?? 0) < now &&
        SOURCES.filter((source) => {
          const at = this.#reported.get(placeOf(instance, source, leg))?.at;
          return at !== undefined && now - at < STALE_MS - 500;
        }).length === SOURCE_COUNT,
    );
  }
}

function placeOf(instance: Instance, source: string, pair: string): string {
  return `${instance.machine.name} ${source} ${pair}`;
}

/** What, bid, ask, and of when. */
function lies(random: Random, mid: number, now: number): readonly [string, string, string, string?] {
  const text = (value: number) => value.toFixed(4);
  const hour = 3_600_000;
  const factor = 1.05 + random.next();
  switch (random.between(0, 6)) {
    case 0:
      return ['a bid above the ask', text(mid * 1.01), text(mid * 0.99)];
    case 1:
      return ['far too much', text(mid * factor), text(mid * factor * 1.0002)];
    case 2:
      return ['far too little', text(mid / factor), text((mid / factor) * 1.0002)];
    case 3:
      return ['nothing', '0', '0'];
    case 4:
      return ['no number', 'NaN', '-1'];
    case 5:
      return ['an old price', text(mid * 0.97), text(mid * 0.9701), new Date(now - hour).toISOString()];
    default:
      return ['a price to come', text(mid * 1.03), text(mid * 1.0301), new Date(now + hour).toISOString()];
  }
}
