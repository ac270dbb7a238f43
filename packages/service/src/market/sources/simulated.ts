import { type Decimal, divRound, findPair, type Pair, powerOfTen } from '@firmquote/fx';
import type { Clock } from '../../platform/clock.ts';
import { BUILT_IN_REFERENCE } from '../ecb-reference.ts';
import type { Tick } from '../rate-book.ts';
import type { ReferenceRates } from '../reference-rates.ts';
import {
  CURRENCY_PROFILES,
  type CurrencyProfile,
  SIMULATED_PAIRS,
  startingUnitsPerEuro,
} from './simulated-currencies.ts';
import type { PriceSource, SourceHealth, SourceState } from './source.ts';
import { ValueWalk } from './value-walk.ts';

interface SimulatedSourceOptions {
  readonly clock: Clock;
  readonly seed: number;
  /** Codes in market order. Default: every pair that the simulator knows. */
  readonly pairs?: readonly string[];
  /** The ECB's rates to start around, asked for at the start. Default: those that ship with the service. */
  readonly anchor?: Pick<ReferenceRates, 'unitsPerEuro'>;
  /** Milliseconds of real time between two rounds of ticks. Default 250. */
  readonly intervalMs?: number;
}

const NAME = 'simulated';
const INTERVAL_MS = 250;
const BILLION = 1_000_000_000n;

// 252 trading days of 24 hours at four steps a second are 87 million steps a year, whose root is 9,332.
// A basis point is 100,000 billionths: a yearly volatility in basis points times this is one step's, in
// ten-thousandths of a billionth.
const STEP_PER_VOLATILITY_BPS = 107_158;
const STEP_DENOMINATOR = 10_000;

// A spread is a cost in hundredths of a basis point, hence millionths of the rate, times 100 to 125 percent.
const SPREAD_DENOMINATOR = 1_000_000n * 100n;
const SPREAD_JITTER_PERCENT = 26;

/** A currency's value in dollars, as billionths above or below where it started. */
interface ValuedCurrency {
  readonly walk: ValueWalk | undefined;
  readonly anchor: ValuedCurrency | undefined;
}

interface SimulatedPair {
  readonly pair: Pair;
  readonly base: ValuedCurrency;
  readonly quote: ValuedCurrency;
  /** The starting rate in units of its last digit, as an exact fraction. */
  readonly numerator: bigint;
  readonly denominator: bigint;
  readonly costCentiBps: number;
}

/**
 * Made-up prices for the sandbox. Each currency's value takes a seeded walk around the level it starts from;
 * a pair's mid is the exact quotient of its two currencies' values, rounded to the last digit, so the crosses
 * always agree with their legs. The same seed and the same number of rounds give the same prices; the clock
 * only stamps them. Sunday is as open as Monday.
 */
export class SimulatedSource implements PriceSource {
  readonly name = NAME;
  readonly isMadeUp = true;
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #walks: readonly ValueWalk[];
  readonly #anchor: Pick<ReferenceRates, 'unitsPerEuro'>;
  #pairs: readonly SimulatedPair[];
  #sink: ((tick: Tick) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #state: SourceState = 'idle';
  #ticks = 0;
  #lastTickAt: number | undefined;

  /** Throws RangeError on a pair that the simulator does not know. */
  constructor(options: SimulatedSourceOptions) {
    this.#clock = options.clock;
    this.#intervalMs = options.intervalMs ?? INTERVAL_MS;
    this.#anchor = options.anchor ?? BUILT_IN_REFERENCE;
    const currencies = new Map<string, ValuedCurrency>();
    this.#pairs = (options.pairs ?? SIMULATED_PAIRS).map((code) =>
      simulatedPair(code, options.seed, currencies),
    );
    this.#walks = [...currencies.values()].flatMap(({ walk }) => (walk === undefined ? [] : [walk]));
  }

  start(sink: (tick: Tick) => void): void {
    if (this.#state === 'running') throw new Error('the simulated source runs already');
    this.#sink = sink;
    this.#state = 'running';
    this.#pairs = this.#pairs.map((pair) => startingFrom(pair, this.#anchor.unitsPerEuro));
    this.step();
    this.#timer = setInterval(() => this.step(), this.#intervalMs);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#sink = undefined;
    this.#state = 'stopped';
  }

  async refresh(): Promise<void> {
    this.step();
  }

  /** One round now: every currency takes a step and every pair ticks. Nothing happens unless started. */
  step(): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    const at = this.#clock.now();
    for (const walk of this.#walks) walk.advance();
    for (const simulated of this.#pairs) sink(tickOf(simulated, at));
    this.#ticks += this.#pairs.length;
    this.#lastTickAt = at;
  }

  health(): SourceHealth {
    return {
      state: this.#state,
      ticks: this.#ticks,
      ...(this.#lastTickAt === undefined ? {} : { lastTickAt: this.#lastTickAt }),
    };
  }
}

function simulatedPair(code: string, seed: number, currencies: Map<string, ValuedCurrency>): SimulatedPair {
  const pair = findPair(code);
  if (pair === undefined) throw new RangeError(`${code} is not a pair in market order`);
  return startingFrom(
    {
      pair,
      base: valuedCurrency(pair.base.code, seed, currencies),
      quote: valuedCurrency(pair.quote.code, seed, currencies),
      costCentiBps: profileOf(pair.base.code).costCentiBps + profileOf(pair.quote.code).costCentiBps,
    },
    BUILT_IN_REFERENCE.unitsPerEuro,
  );
}

/** The pair, starting at the quotient of its currencies' rates. */
function startingFrom(
  simulated: Omit<SimulatedPair, 'numerator' | 'denominator'>,
  unitsPerEuro: ReadonlyMap<string, Decimal>,
): SimulatedPair {
  const { pair } = simulated;
  const base = startingUnitsPerEuro(pair.base.code, unitsPerEuro);
  const quote = startingUnitsPerEuro(pair.quote.code, unitsPerEuro);
  return {
    ...simulated,
    numerator: quote.units * powerOfTen(base.scale + pair.decimals),
    denominator: base.units * powerOfTen(quote.scale),
  };
}

function valuedCurrency(code: string, seed: number, known: Map<string, ValuedCurrency>): ValuedCurrency {
  const existing = known.get(code);
  if (existing !== undefined) return existing;
  const profile = profileOf(code);
  const anchor = anchorOf(profile);
  const stepPpb = stepPpbOf(profile);
  const currency: ValuedCurrency = {
    walk: stepPpb === 0 ? undefined : new ValueWalk(seed, code, stepPpb),
    anchor: anchor === undefined ? undefined : valuedCurrency(anchor, seed, known),
  };
  known.set(code, currency);
  return currency;
}

function profileOf(code: string): CurrencyProfile {
  const profile = CURRENCY_PROFILES.get(code);
  if (profile === undefined) throw new RangeError(`the simulator does not know ${code}`);
  return profile;
}

/** The dollar is what values are measured in, so being anchored to it is having no anchor that moves. */
function anchorOf(profile: CurrencyProfile): string | undefined {
  return profile.anchor === 'USD' ? undefined : profile.anchor;
}

function stepPpbOf(profile: CurrencyProfile): number {
  return Math.round((profile.volatilityBps * STEP_PER_VOLATILITY_BPS) / STEP_DENOMINATOR);
}

function displacementPpb(currency: ValuedCurrency): number {
  const own = currency.walk?.displacementPpb ?? 0;
  return currency.anchor === undefined ? own : own + displacementPpb(currency.anchor);
}

function tickOf(
  { pair, base, quote, numerator, denominator, costCentiBps }: SimulatedPair,
  at: number,
): Tick {
  const mid = divRound(
    numerator * (BILLION + BigInt(displacementPpb(base))),
    denominator * (BILLION + BigInt(displacementPpb(quote))),
    'half_up',
  );
  const jitter = ((base.walk?.draw ?? 0) ^ (quote.walk?.draw ?? 0)) >>> 8;
  const percent = 100 + (jitter % SPREAD_JITTER_PERCENT);
  const wished = divRound(mid * BigInt(costCentiBps * percent), SPREAD_DENOMINATOR, 'half_up');
  const spread = wished < 1n ? 1n : wished;
  const bid = mid - spread / 2n;
  return { pair: pair.code, bid: rate(bid, pair), ask: rate(bid + spread, pair), at, source: NAME };
}

function rate(units: bigint, pair: Pair): Decimal {
  return { units, scale: pair.decimals };
}
