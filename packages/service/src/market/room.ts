import type { Config } from '../config.ts';
import type { Pool } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { BarHistory } from './bar-history.ts';
import { BarRecorder } from './bar-recorder.ts';
import { MarketControl } from './control.ts';
import { Market } from './market.ts';
import { DEFAULT_PAIR_SETTINGS } from './pair-settings.ts';
import { RateBook } from './rate-book.ts';
import type { ReferenceRates } from './reference-rates.ts';
import type { PriceSource } from './sources/source.ts';

export interface MarketRoomOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly config: Pick<Config, 'composite' | 'marketHours' | 'secondBarsHours' | 'minuteBarsDays'>;
  /** In the order of their priority, where nobody has set another. */
  readonly sources: readonly PriceSource[];
  /** What prices are compared with; none is the table that ships with the service. */
  readonly reference: ReferenceRates | undefined;
  readonly withdrawHalted: () => Promise<number>;
}

export interface MarketRoom {
  readonly market: Market;
  readonly control: MarketControl;
  readonly sweeps: readonly Sweep[];
}

/** The book, the market on it, what operators tell it, and its history. */
export function createMarketRoom(options: MarketRoomOptions): MarketRoom {
  const { pool, clock, logger, config, sources, reference, withdrawHalted } = options;
  // Reference rates are no price to be preferred to another.
  const priority = sources.filter((source) => !Object.is(source, reference)).map(({ name }) => name);
  const defaults = { ...DEFAULT_PAIR_SETTINGS, composite: config.composite, priority };
  const book = new RateBook({ clock, defaults });
  const market = new Market({
    clock,
    book,
    hours: config.marketHours,
    sources,
    ...(reference === undefined ? {} : { reference }),
  });
  const control = new MarketControl({ pool, clock, market, logger, withdrawHalted });
  const recorder = new BarRecorder(clock, book);
  const history = new BarHistory({ pool, clock, logger, recorder, retention: config });
  return { market, control, sweeps: [...control.sweeps(), ...history.sweeps()] };
}
