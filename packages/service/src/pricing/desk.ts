import { bpsUnits, marketHoursBps, type Pair, tablePremium, volatilityPremium } from '@firmquote/fx';
import type { PricingPolicy } from './policy.ts';
import type { PricingSettings, SettingsSource } from './settings.ts';
import { type SpreadCandidates, spreadCandidates } from './spread-book.ts';
import type { PricedCustomer, SpreadRuleSource } from './spread-rules.ts';
import type { VolatilityRecorder } from './volatility.ts';

const MINUTE_MS = 60_000;
/** How long a measured premium is used before it is measured again, in business time. */
const MEASURED_MS = 1_000; // limit: How long a measured premium is used

/** What is added to a spread beyond its rule, in hundredths of a basis point. */
export interface Widening {
  readonly validityUnits: bigint;
  readonly marketHoursUnits: bigint;
}

interface Measured {
  readonly at: number;
  readonly bySeconds: Map<number, bigint>;
}

/** Premiums and windows as they are now, for hot paths: whatever does not change from request to request is kept. */
export class PricingDesk {
  readonly #settings: SettingsSource;
  readonly #spreads: SpreadRuleSource;
  readonly #volatility: VolatilityRecorder | undefined;
  #policy: PricingPolicy | undefined;
  #minute = Number.NaN;
  readonly #hours = new Map<string, bigint>();
  readonly #measured = new Map<string, Measured>();

  constructor(settings: SettingsSource, spreads: SpreadRuleSource, volatility?: VolatilityRecorder) {
    this.#settings = settings;
    this.#spreads = spreads;
    this.#volatility = volatility;
  }

  settings(): PricingSettings | Promise<PricingSettings> {
    return this.#settings.current();
  }

  /** The rules that may price a customer's requests in a pair, the strongest first. */
  spreadRules(customer: PricedCustomer, pair: string): SpreadCandidates | Promise<SpreadCandidates> {
    return this.#spreads.candidates(customer, pair);
  }

  /** @param now business instant, epoch milliseconds */
  widening(policy: PricingPolicy, pair: Pair, validitySeconds: number, now: number): Widening {
    if (policy !== this.#policy) {
      this.#policy = policy;
      this.#minute = Number.NaN;
      this.#measured.clear();
    }
    return {
      validityUnits: this.#premium(policy, pair, validitySeconds, now),
      marketHoursUnits: this.#marketHours(policy, pair, now),
    };
  }

  #premium(policy: PricingPolicy, pair: Pair, seconds: number, now: number): bigint {
    if (policy.volatility === undefined) {
      return policy.table.length === 0 ? 0n : bpsUnits(tablePremium(policy.table, seconds));
    }
    let measured = this.#measured.get(pair.code);
    if (measured === undefined || now < measured.at || now - measured.at >= MEASURED_MS) {
      measured = { at: now, bySeconds: new Map() };
      this.#measured.set(pair.code, measured);
    }
    let units = measured.bySeconds.get(seconds);
    if (units === undefined) {
      units = this.#measure(policy, policy.volatility, pair, seconds);
      // A customer may have any of 86,400 validities, but nobody asks for many within a second.
      measured.bySeconds.set(seconds, units);
    }
    return units;
  }

  #measure(
    { table }: PricingPolicy,
    { windowMs, minimumReturns, ...terms }: NonNullable<PricingPolicy['volatility']>,
    pair: Pair,
    seconds: number,
  ): bigint {
    const variance = this.#volatility?.varianceOf(pair, windowMs, minimumReturns);
    if (variance === undefined) return bpsUnits(tablePremium(table, seconds));
    return bpsUnits(volatilityPremium({ variance, seconds, ...terms }));
  }

  /** Offsets of zones and ends of windows are whole minutes, so nothing changes within one. */
  #marketHours({ windows }: PricingPolicy, pair: Pair, now: number): bigint {
    if (windows.length === 0) return 0n;
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#hours.clear();
    }
    let units = this.#hours.get(pair.code);
    if (units === undefined) {
      units = bpsUnits(marketHoursBps(windows, pair.code, now));
      this.#hours.set(pair.code, units);
    }
    return units;
  }
}

/** A desk on settings that never change: those of a service for which nothing was set, unless others are given. */
export function fixedPricingDesk(
  settings: PricingSettings,
  candidates: () => SpreadCandidates = () => spreadCandidates([]),
): PricingDesk {
  return new PricingDesk({ current: () => settings }, { candidates });
}
