import type { Config } from '../config.ts';
import type { Pool } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { BarHistory } from './bar-history.ts';
import { BarRecorder } from './bar-recorder.ts';
import { MarketControl } from './control.ts';
import { BUILT_IN_REFERENCE } from './ecb-reference.ts';
import { Market } from './market.ts';
import { DEFAULT_PAIR_SETTINGS } from './pair-settings.ts';
import { RateBook } from './rate-book.ts';
import type { ReferenceRates } from './reference-rates.ts';
import { PushSharing } from './share-pushes.ts';
import type { PushSource } from './sources/push.ts';
import type { PriceSource } from './sources/source.ts';

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
  /** How many instances serve, this one included. */
  readonly instances: () => number;
  /** What prices are compared with; none is the table that ships with the service. */
  readonly reference: ReferenceRates | undefined;
  readonly withdrawHalted: () => Promise<number>;
}

/** What the use cases of this room work with, besides the control itself. */
export interface MarketRoom {
  readonly control: MarketControl;
  readonly sources: ReadonlyMap<string, PushSource>;
}

/** The book, the market on it, what operators tell it, and its history. */
export function createMarket(options: MarketOptions) {
  const { pool, clock, logger, config, sources, pushed, instances, reference, withdrawHalted } = options;
  // Reference rates are no price to be preferred to another.
  const priority = sources.filter((source) => !Object.is(source, reference)).map(({ name }) => name);
  const defaults = { ...DEFAULT_PAIR_SETTINGS, composite: config.composite, priority };
  // In a sandbox a recording makes the market, of whatever year it is: today's rates say nothing of it.
  const isOfItsTime = config.mode === 'production' || !sources.some(({ isRecording }) => isRecording);
  const book = new RateBook({
    clock,
    defaults,
    reference: isOfItsTime ? (reference ?? BUILT_IN_REFERENCE) : undefined,
    firstPrices: config.firstPrices,
  });
  const market = new Market({
    clock,
    book,
    hours: config.marketHours,
    sources,
    ...(reference === undefined ? {} : { reference }),
  });
  const unkept = sources.filter((source) => source.isMadeUp === true || (!isOfItsTime && source.isRecording));
  const control = new MarketControl({
    ...{ pool, clock, market, logger, withdrawHalted },
    unkeptSources: new Set(unkept.map(({ name }) => name)),
  });
  const recorder = new BarRecorder(clock, book);
  const history = new BarHistory({ pool, clock, logger, recorder, retention: config });
  const sharing = new PushSharing({ pool, clock, book, sources: pushed, instances });
  return { market, control, sweeps: [...control.sweeps(), ...history.sweeps(), sharing.sweep] };
}
