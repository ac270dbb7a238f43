import type { Config } from '../config.ts';
import type { Pool } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Neighbours } from '../platform/neighbours.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { BarHistory } from './bar-history.ts';
import { BarRecorder } from './bar-recorder.ts';
import { MarketControl, type WithdrawHalted } from './control.ts';
import { BUILT_IN_REFERENCE } from './ecb-reference.ts';
import { Market } from './market.ts';
import { DEFAULT_PAIR_SETTINGS } from './pair-settings.ts';
import type { PriceChannel } from './price-channel.ts';
import { PricePublisher } from './publish-prices.ts';
import { RateBook } from './rate-book.ts';
import type { ReferenceRates } from './reference-rates.ts';
import { PushSharing } from './share-pushes.ts';
import type { PushSource } from './sources/push.ts';
import type { PriceSource } from './sources/source.ts';
import { PriceSubscriber } from './subscribe-prices.ts';

export interface MarketOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly config: Pick<
    Config,
    'mode' | 'composite' | 'firstPrices' | 'marketHours' | 'secondBarsHours' | 'minuteBarsDays'
  >;
  /** In the order of their priority, where nobody has set another. */
  readonly sources: readonly PriceSource[];
  /** Those of them that prices are pushed to, by their names. */
  readonly pushed: ReadonlyMap<string, PushSource>;
  /** Whether the clock of this machine is right: while it is not, no price is taken in. */
  readonly isClockRight: () => boolean;
  /** How many instances serve, this one included. */
  readonly instances: () => number;
  /** The other processes of this service, and whether this one has the sources that are not pushed to. */
  readonly neighbours?: (Neighbours & PriceChannel) | undefined;
  readonly hasSources: boolean;
  /** What prices are compared with; none is the table that ships with the service. */
  readonly reference: ReferenceRates | undefined;
  readonly withdrawHalted: WithdrawHalted;
}

/** What the use cases of this room work with, besides the control itself. */
export interface MarketRoom {
  readonly control: MarketControl;
  readonly sources: ReadonlyMap<string, PushSource>;
}

/** The book, the market on it, what operators set for it, and its history. */
export function createMarket(options: MarketOptions) {
  const { pool, clock, logger, config, pushed, instances, neighbours, reference, withdrawHalted } = options;
  // A recording makes the market of a sandbox, of whatever year it is: today's rates say nothing of it.
  const isOfItsTime = !options.sources.some(({ isRecording }) => isRecording);
  const unkept = options.sources.filter((source) => source.isMadeUp === true || source.isRecording === true);
  const unkeptSources = new Set(unkept.map(({ name }) => name));
  const { sources, publisher, subscriber } = sourcesHere(options, unkeptSources);
  // Reference rates are no price to be preferred to another.
  const priority = sources.filter((source) => !Object.is(source, reference)).map(({ name }) => name);
  const defaults = { ...DEFAULT_PAIR_SETTINGS, composite: config.composite, priority };
  const book = new RateBook({
    clock,
    isClockRight: options.isClockRight,
    defaults,
    reference: isOfItsTime ? (reference ?? BUILT_IN_REFERENCE) : undefined,
    firstPrices: config.firstPrices,
  });
  const market = new Market({
    clock,
    book,
    hours: config.marketHours,
    sources,
    publisher,
    subscriber,
    ...(reference === undefined ? {} : { reference }),
  });
  const control = new MarketControl({
    ...{ pool, clock, market, logger, withdrawHalted },
    unkeptSources,
  });
  const sharing = new PushSharing({ pool, clock, book, sources: pushed, instances, neighbours });
  const sweeps = [...control.sweeps(), ...historySweeps(options, book), sharing.sweep];
  return { market, control, sweeps, heardWhole: subscriber?.heardWhole };
}

/** What one process has, it reports to the others. Each has its own of what is pushed, and of reference rates, which are no prices. */
function sourcesHere(
  { sources, pushed, reference, neighbours, hasSources }: MarketOptions,
  unkept: ReadonlySet<string>,
) {
  if (neighbours === undefined) return { sources };
  const isOwn = (source: PriceSource) => pushed.has(source.name) || Object.is(source, reference);
  const reported = sources.filter((source) => !isOwn(source));
  if (hasSources) return { sources, publisher: new PricePublisher(neighbours, reported) };
  const subscriber = new PriceSubscriber(neighbours, reported, unkept);
  const here = new Map<string, PriceSource>(subscriber.sources.map((source) => [source.name, source]));
  return { sources: sources.map((source) => here.get(source.name) ?? source), subscriber };
}

/** One process writes bars: from the same ticks the others would make the same. */
function historySweeps({ pool, clock, logger, config, hasSources }: MarketOptions, book: RateBook): Sweep[] {
  if (!hasSources) return [];
  const recorder = new BarRecorder(clock, book);
  return new BarHistory({ pool, clock, logger, recorder, retention: config }).sweeps();
}
