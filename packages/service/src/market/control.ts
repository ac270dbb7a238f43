import { findPair, formatDecimal, type Pair } from '@firmquote/fx';
import type { Pool } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import type { Topic } from '../settings/follower.ts';
import { currentHalts } from './halt-store.ts';
import { type HaltRecord, Halts } from './halts.ts';
import { LevelKeeper } from './level-keeper.ts';
import { type AcceptedPrice, midText, readAcceptedPrices } from './level-store.ts';
import type { Market } from './market.ts';
import { notifyCustomersSweep } from './notify-customers.ts';
import { type PairRecord, readPairs } from './pair-store.ts';
import { readSequenceResets, readSwitches, type SequenceReset, type SourceSwitch } from './source-store.ts';
import { MARKET_VERSION_QUERY, readRevision } from './store.ts';

/** How often quotes under a new halt are looked for. */
const WITHDRAW_EVERY_MS = 500;

/**
 * After a halt, quotes may still be written whose price was made before: by requests under way, and by instances that
 * do not know of it yet. For so long they are looked for.
 */
const WITHDRAW_FOR_MS = 60_000; // limit: How long quotes under a new halt are looked for

/** Changes meanwhile that one withdrawal bears; the sweep goes on with what is left. */
const WITHDRAW_LOOKS_MAX = 4; // limit: Times that quotes under a halt are looked for while the market's settings change

const NEWS = {
  refused: 'a price is not trusted: the source is left out of the pair',
  set_aside: 'the source disagrees with most others: it is set aside',
  returned: 'the source agrees with the others again',
} as const;

/**
 * Takes back every open quote that stands under a halt, unless the halts that this process knows are not those in force any more.
 * Repeatable. Answers how many it took back.
 * @param isCurrent asked after quotes were looked for: false says that some may have been made since a halt was lifted
 */
export type WithdrawHalted = (isCurrent: () => Promise<boolean>) => Promise<number>;

interface MarketControlOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly market: Market;
  readonly logger: Logger;
  readonly withdrawHalted: WithdrawHalted;
  /** Sources whose prices say nothing of those after the next start. */
  readonly unkeptSources?: ReadonlySet<string>;
}

/**
 * What operators have set for the market, in the database and followed by every instance. Halts that the book brings
 * about itself are this process's own, and withdraw no quotes.
 */
export class MarketControl {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly market: Market;
  readonly #logger: Logger;
  readonly #withdrawHalted: WithdrawHalted;
  #revision: string | undefined;
  #loads: Promise<void> = Promise.resolve();
  #halts: readonly HaltRecord[] = [];
  #pairs: ReadonlyMap<string, PairRecord> = new Map();
  #switches: ReadonlyMap<string, SourceSwitch> = new Map();
  #sequenceResets: ReadonlyMap<string, SequenceReset> = new Map();
  #accepted: ReadonlyMap<string, number> = new Map();
  readonly #levels: LevelKeeper;
  /** By `performance.now()`. */
  #withdrawUntil = Number.NEGATIVE_INFINITY;

  constructor(options: MarketControlOptions) {
    this.pool = options.pool;
    this.clock = options.clock;
    this.market = options.market;
    this.#logger = options.logger;
    this.#withdrawHalted = options.withdrawHalted;
    this.#levels = new LevelKeeper(options.pool, options.clock, options.market.book, options.unkeptSources);
    this.market.book.onNews(({ kind, pair, source, reason, tick }) => {
      const price = tick && { bid: formatDecimal(tick.bid), ask: formatDecimal(tick.ask) };
      this.#logger.warn({ pair, source, reason, ...price }, NEWS[kind]);
    });
    this.market.book.onHalt((pair, { sources }) => {
      this.#logger.warn({ pair, sources }, 'sources disagree: the pair is not quoted until they agree');
    });
  }

  /** The halts in force. */
  get halts(): readonly HaltRecord[] {
    return this.#halts;
  }

  /** How pairs are treated that are not treated by default. */
  get pairs(): ReadonlyMap<string, PairRecord> {
    return this.#pairs;
  }

  /** The newest switch of each source that was ever switched. */
  get switches(): ReadonlyMap<string, SourceSwitch> {
    return this.#switches;
  }

  /** The newest reset of the sequence numbers of each FIX session that ever had one. */
  get sequenceResets(): ReadonlyMap<string, SequenceReset> {
    return this.#sequenceResets;
  }

  /** Names of the sources that run here, have sent something, or were switched; sorted. */
  sourceNames(): string[] {
    const { market } = this;
    const names = [
      Object.keys(market.sourceHealth()),
      market.book.ticksBySource.keys(),
      this.#switches.keys(),
    ];
    return [...new Set(names.flatMap((each) => [...each]))].sort();
  }

  /** Those that sources have quoted, believed or not, and those that were set; sorted. */
  quotedPairs(): Pair[] {
    const codes = new Set([...this.market.book.quotedPairs(), ...this.#pairs.keys()]);
    return [...codes].sort().flatMap((code) => findPair(code) ?? []);
  }

  /** Takes over what the database says, unless nothing has changed. One load at a time, in the order of the calls. */
  load(): Promise<void> {
    const load = this.#loads.then(() => this.#load());
    this.#loads = load.catch(() => undefined);
    return load;
  }

  /** Takes back what stands under a halt now, and goes on to look for such quotes for a while. */
  withdrawNow(): Promise<number> {
    this.#startWithdrawing();
    return this.#withdraw();
  }

  topic(): Topic {
    return {
      name: 'market',
      version: MARKET_VERSION_QUERY,
      held: () => this.#revision,
      load: () => this.load(),
    };
  }

  /** What has to be done again and again. */
  sweeps(): Sweep[] {
    return [
      this.#withdrawSweep(),
      this.#levels.sweep,
      notifyCustomersSweep(this.pool, this.clock, this.market),
    ];
  }

  #withdrawSweep(): Sweep {
    return {
      name: 'withdraw_halted',
      does: 'Withdraws quotes that were still made after a halt began.',
      everyMs: WITHDRAW_EVERY_MS,
      run: async () => {
        if (performance.now() >= this.#withdrawUntil) return 0;
        await this.load();
        return this.#withdraw();
      },
    };
  }

  /**
   * What another instance has lifted must not end the quotes that were made since. These are found only after the commit that lifted
   * it, so whoever has found them and then still reads the revision of the known halts has found none.
   */
  async #withdraw(): Promise<number> {
    let moved = 0;
    for (let looks = 0; looks < WITHDRAW_LOOKS_MAX; looks++) {
      const known = this.#revision;
      let isCurrent = true;
      moved += await this.#withdrawHalted(async () => {
        isCurrent &&= (await readRevision(this.pool)) === known;
        return isCurrent;
      });
      if (isCurrent) break;
      await this.load();
    }
    return moved;
  }

  async #load(): Promise<void> {
    // Read before the rest: a change between the two is read again with the next revision.
    const revision = await readRevision(this.pool);
    if (revision === this.#revision) return;
    // One after the other, over one connection: at a start every instance would open five for it.
    const halts = await currentHalts(this.pool);
    const pairs = await readPairs(this.pool);
    const switches = await readSwitches(this.pool);
    const resets = await readSequenceResets(this.pool);
    const accepted = await readAcceptedPrices(this.pool);
    this.#applyHalts(halts);
    this.#applyPairs(pairs);
    this.#applySwitches(switches);
    this.#sequenceResets = new Map(resets.map((each) => [each.source, each]));
    this.#applyAccepted(accepted);
    await this.#levels.restore();
    this.#revision = revision;
  }

  #applyHalts(halts: readonly HaltRecord[]): void {
    this.market.setHalts(new Halts(halts));
    const withdrew = new Set(this.#halts.flatMap(({ id, withdrawsQuotes }) => (withdrawsQuotes ? id : [])));
    if (halts.some(({ id, withdrawsQuotes }) => withdrawsQuotes && !withdrew.has(id)))
      this.#startWithdrawing();
    const known = new Set(this.#halts.map(({ id }) => id));
    const current = new Set(halts.map(({ id }) => id));
    for (const halt of halts) {
      if (known.has(halt.id)) continue;
      this.#logger.warn(loggedHalt(halt), 'trading is halted');
    }
    for (const halt of this.#halts) {
      if (!current.has(halt.id)) this.#logger.warn(loggedHalt(halt), 'a halt was lifted');
    }
    this.#halts = halts;
  }

  #applyPairs(records: readonly PairRecord[]): void {
    for (const record of records) {
      const pair = findPair(record.pair);
      // What has not changed must not lose what the sources said.
      if (pair === undefined || this.#pairs.get(record.pair)?.version === record.version) continue;
      this.market.book.configure(pair, record.settings);
    }
    this.#pairs = new Map(records.map((record) => [record.pair, record]));
  }

  #applyAccepted(accepted: readonly AcceptedPrice[]): void {
    for (const { pair: code, number, level, reason } of accepted) {
      const pair = findPair(code);
      if (pair === undefined || this.#accepted.get(code) === number) continue;
      this.market.book.acceptPrice(pair, level);
      this.#logger.warn(
        { pair: code, price: midText(level.sum), reason },
        'an operator has accepted a price',
      );
    }
    this.#accepted = new Map(accepted.map(({ pair, number }) => [pair, number]));
  }

  #applySwitches(switches: readonly SourceSwitch[]): void {
    this.#switches = new Map(switches.map((each) => [each.source, each]));
    const disabled = switches.filter(({ enabled }) => !enabled).map(({ source }) => source);
    this.market.book.setDisabledSources(new Set(disabled));
  }

  #startWithdrawing(): void {
    this.#withdrawUntil = performance.now() + WITHDRAW_FOR_MS;
  }
}

function loggedHalt({ id, scope, pair, customerId }: HaltRecord): Record<string, unknown> {
  return {
    haltId: typeId('hlt', id),
    scope,
    pair,
    customerId: customerId === null ? null : typeId('cus', customerId),
  };
}
