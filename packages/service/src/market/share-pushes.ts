import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { findPair, formatDecimal, parseDecimal } from '@firmquote/fx';
import type { Pool } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import type { Neighbours, ProcessNumber } from '../platform/neighbours.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { readPushed, writePushed } from './pushed-price-store.ts';
import type { RateBook } from './rate-book.ts';
import { CLOCK_TOLERANCE_MS } from './source-top.ts';
import type { Pushed, PushSource } from './sources/push.ts';

/** How often what was pushed here is passed on, and what was pushed elsewhere is asked for. */
const SHARE_EVERY_MS = 100; // limit: Time until a pushed price is passed on to the other instances

/** While the database does not answer, it is asked again after so long. */
const RETRY_MS = 1_000;

interface PushSharingOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly book: RateBook;
  readonly sources: ReadonlyMap<string, PushSource>;
  /** How many instances serve, this one included. */
  readonly instances: () => number;
  readonly neighbours?: Neighbours | undefined;
}

/**
 * A price is pushed to one instance, whichever a balancer picks, and holds on all: each shares the newest that it was
 * brought, through the database. Every instance judges by itself what it hears, so that settings hold as they do for its own.
 * An instance that is alone shares nothing, and shares everything as soon as there is another one.
 */
export class PushSharing {
  readonly #options: PushSharingOptions;
  readonly #instance = randomUUID();
  /** What was brought here and is not written yet, by source and pair. */
  readonly #unreported = new Map<string, Pushed>();
  /** What was brought or heard last. */
  readonly #latest = new Map<string, Pushed>();
  /** Processes of this service that have told something themselves, in its order. */
  readonly #neighbours = new Map<ProcessNumber, string>();
  /** In which transaction the newest was written that was heard of a source and pair. */
  readonly #heard = new Map<string, string>();
  #from = '0';
  /** By `performance.now()`. */
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(options: PushSharingOptions) {
    this.#options = options;
    for (const source of options.sources.values()) {
      source.onPushed((pushed) => {
        this.#unreported.set(keyOf(pushed), pushed);
        this.#latest.set(keyOf(pushed), pushed);
        options.neighbours?.notify(PUSHED, { ...reportOf(pushed), instance: this.#instance });
      });
    }
    options.neighbours?.onNotified(PUSHED, (value, from) => {
      const { instance, ...reported } = value as Reported & { readonly instance: string };
      this.#neighbours.set(from, instance);
      this.#hear(pushedOf(reported));
    });
  }

  get sweep(): Sweep {
    return {
      name: 'share_pushed_prices',
      does: 'Shares prices pushed to this instance with the others, and takes over theirs.',
      everyMs: SHARE_EVERY_MS,
      isHousekeeping: true,
      run: async () => {
        const isShared = this.#options.sources.size > 0 && this.#options.instances() > 1;
        if (isShared && performance.now() >= this.#restsUntil) await this.#shareOrRest();
        return 0;
      },
    };
  }

  /** Shares what it has not shared yet, and hears what others were brought. */
  async share(): Promise<void> {
    const { pool, clock } = this.#options;
    const reported = [...this.#unreported];
    if (reported.length > 0) {
      const pushed = reported.map(([, each]) => each);
      await writePushed(pool, this.#instance, pushed, clock.now() + CLOCK_TOLERANCE_MS);
      // What came meanwhile is shared the next time.
      for (const [key, each] of reported)
        if (this.#unreported.get(key) === each) this.#unreported.delete(key);
    }
    const { pushed, from } = await readPushed(pool, this.#instance, this.#from);
    for (const { writtenIn, instance, ...each } of pushed) {
      const key = keyOf(each);
      if (this.#heard.get(key) === writtenIn) continue;
      this.#heard.set(key, writtenIn);
      // Of one time the last that is written holds: what waits here is still to come, and a neighbour has told what it wrote since.
      const isPast =
        this.#unreported.get(key)?.at === each.at ||
        ([...this.#neighbours.values()].includes(instance) && this.#latest.get(key)?.at === each.at);
      if (!isPast) this.#hear(each);
    }
    this.#from = from ?? this.#from;
  }

  async #shareOrRest(): Promise<void> {
    try {
      await this.share();
    } catch (error) {
      this.#restsUntil = performance.now() + RETRY_MS;
      throw error;
    }
  }

  #hear(pushed: Pushed): void {
    const { clock, book, sources } = this.#options;
    const source = sources.get(pushed.source);
    const pair = findPair(pushed.pair);
    if (source === undefined || pair === undefined) return;
    const now = clock.now();
    const newest = book.heardAt(pair, pushed.source);
    // What was heard before a clock was set back is behind no price.
    const heardAt =
      newest === undefined || newest > now + CLOCK_TOLERANCE_MS ? Number.NEGATIVE_INFINITY : newest;
    // Pushed to several, or from before this start and of no use any more. A price counts once, a withdrawal rather twice.
    const isKnown = pushed.at < heardAt || (pushed.at === heardAt && this.#isLatest(pushed));
    const isOld = isKnown || now - pushed.at > book.settingsOf(pair).stalenessMs;
    if (isOld) return;
    this.#latest.set(keyOf(pushed), pushed);
    source.hear(pushed);
  }

  #isLatest(pushed: Pushed): boolean {
    const latest = this.#latest.get(keyOf(pushed));
    return pushed.price !== undefined && isDeepStrictEqual(reportOf(pushed), latest && reportOf(latest));
  }
}

/** On the quicker way, to the processes of this service. They find it in the database too, and know it by then. */
const PUSHED = 'pushed price';

type Reported = Omit<Pushed, 'price'> & { readonly bid?: string; readonly ask?: string };

function reportOf({ price, ...pushed }: Pushed): Reported {
  return { ...pushed, ...(price && { bid: formatDecimal(price.bid), ask: formatDecimal(price.ask) }) };
}

function pushedOf({ bid: bidText = '', ask: askText = '', ...pushed }: Reported): Pushed {
  const bid = parseDecimal(bidText);
  const ask = parseDecimal(askText);
  return { ...pushed, price: bid === undefined || ask === undefined ? undefined : { bid, ask } };
}

function keyOf({ source, pair }: Pushed): string {
  return `${source} ${pair}`;
}
