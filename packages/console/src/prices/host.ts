import { ApiError, AuthenticationError, PermissionError, type PriceUpdate } from '@firmquote/client';
import type { AgedPrice, FromTab, HostLink, StreamedPrice, ToTab } from './messages.ts';

/**
 * The one stream of a browser, whatever the number of its tabs. It notices silence, heals itself, and gives each tab what is newest,
 * no faster than the tab can paint.
 */

/** Prices to a tab, at first. */
export const EVERY_MS = 50;
/** Silent for so long, the service is asked whether it is there; with the answer it is known within 5 s. */
const SILENT_MS = 2_500;
const PROBE_MS = 1_500;
const WATCH_MS = 500;
/** A heartbeat comes every 5 s: a stream without one is dead, whatever else answers. */
export const DEAD_AFTER_MS = 5_500;
const PAUSES_MS = [500, 1_000, 2_000, 5_000, 10_000];

export interface HostOptions {
  readonly open: (
    pairs: readonly string[],
    signal: AbortSignal,
    lastEventId: string | undefined,
  ) => AsyncIterable<PriceUpdate>;
  /** Whether the service answers at all. */
  readonly probe: (limitMs: number) => Promise<boolean>;
  readonly isOnline: () => boolean;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

interface Tab {
  readonly post: (message: ToTab) => void;
  readonly dirty: Set<string>;
  isSeen: boolean;
  gapMs: number;
  sentAt: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

interface Last {
  readonly price: StreamedPrice;
  readonly cameAt: number;
}

export class StreamHost {
  readonly #options: HostOptions;
  readonly #now: () => number;
  readonly #tabs = new Set<Tab>();
  readonly #last = new Map<string, Last>();
  #link: HostLink = { state: 'connecting', market: undefined, problem: undefined, need: undefined };
  #person = '';
  #pairs: readonly string[] = [];
  #run: AbortController | undefined;
  #attempt: AbortController | undefined;
  #wake: (() => void) | undefined;
  #lastEventId: string | undefined;
  #heardAt = 0;
  #failures = 0;
  #isProbing = false;

  constructor(options: HostOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Takes a tab in. Answers what its messages are given to. */
  attach(post: (message: ToTab) => void): (message: FromTab) => void {
    const tab: Tab = {
      ...{ post, dirty: new Set<string>(), isSeen: true, gapMs: EVERY_MS },
      ...{ sentAt: Number.NEGATIVE_INFINITY, timer: undefined },
    };
    return (message) => this.#receive(tab, message);
  }

  #receive(tab: Tab, message: FromTab): void {
    switch (message.is) {
      case 'hello':
        this.#hello(tab, message.person, message.pairs);
        break;
      case 'seen':
        tab.isSeen = message.isSeen;
        if (tab.isSeen) this.#everything(tab);
        break;
      case 'pace':
        tab.gapMs = message.gapMs;
        break;
      case 'again':
        this.#wake?.();
        break;
      case 'bye':
        this.#tabs.delete(tab);
        clearTimeout(tab.timer);
        tab.timer = undefined;
        if (this.#tabs.size === 0) this.#stop();
        break;
    }
  }

  #hello(tab: Tab, person: string, pairs: readonly string[]): void {
    this.#tabs.add(tab);
    const isOther = person !== this.#person || pairs.join() !== this.#pairs.join();
    if (isOther || this.#run === undefined) {
      this.#stop();
      if (isOther) this.#last.clear();
      this.#person = person;
      this.#pairs = pairs;
      void this.#follow();
    }
    tab.post({ is: 'link', link: this.#link });
    this.#everything(tab);
  }

  #stop(): void {
    this.#run?.abort();
    this.#run = undefined;
    this.#attempt?.abort();
    this.#wake?.();
  }

  /** Reads, and opens again, until it is stopped or opening it again cannot help. */
  async #follow(): Promise<void> {
    const run = new AbortController();
    this.#run = run;
    this.#failures = 0;
    this.#set({ state: 'connecting', problem: undefined, need: undefined });
    const watch = setInterval(() => this.#watch(), WATCH_MS);
    try {
      while (!run.signal.aborted) {
        await this.#read();
        if (run.signal.aborted) return;
        this.#set({ state: this.#options.isOnline() ? 'reconnecting' : 'offline' });
        await this.#pause();
      }
    } catch (error) {
      if (run.signal.aborted) return;
      this.#run = undefined;
      this.#set({ state: 'offline', ...reportOf(error) });
    } finally {
      clearInterval(watch);
    }
  }

  /** One connection to its end. */
  async #read(): Promise<void> {
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#heardAt = this.#now();
    for await (const update of this.#options.open(this.#pairs, attempt.signal, this.#lastEventId)) {
      if (attempt.signal.aborted || !this.#take(update)) break;
    }
    attempt.abort();
  }

  /** Answers whether the connection is still good. */
  #take(update: PriceUpdate): boolean {
    if (update.event === 'reconnect' || update.event === 'stale') return false;
    this.#heardAt = this.#now();
    this.#failures = 0;
    if (update.event === 'price') {
      this.#lastEventId = update.id ?? this.#lastEventId;
      this.#last.set(update.data.pair, { price: update.data, cameAt: this.#heardAt });
      for (const tab of this.#tabs) this.#offer(tab, update.data.pair);
    }
    const market = update.event === 'market' ? update.data.state : this.#link.market;
    if (this.#link.state !== 'live' || market !== this.#link.market)
      this.#set({ state: 'live', market, problem: undefined, need: undefined });
    return true;
  }

  #watch(): void {
    const silentMs = this.#now() - this.#heardAt;
    if (this.#link.state !== 'live' || this.#isProbing || silentMs < SILENT_MS) return;
    this.#isProbing = true;
    const attempt = this.#attempt;
    const heardAt = this.#heardAt;
    void this.#options.probe(PROBE_MS).then((isThere) => {
      this.#isProbing = false;
      if (isThere || heardAt !== this.#heardAt || attempt !== this.#attempt) return;
      attempt?.abort();
    });
  }

  #pause(): Promise<void> {
    const longest = PAUSES_MS[Math.min(this.#failures, PAUSES_MS.length - 1)] ?? 0;
    this.#failures++;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, longest * (0.75 + Math.random() / 4));
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
    });
  }

  #offer(tab: Tab, pair: string): void {
    tab.dirty.add(pair);
    if (!tab.isSeen || tab.timer !== undefined) return;
    const inMs = Math.max(0, tab.sentAt + tab.gapMs - this.#now());
    tab.timer = setTimeout(() => this.#send(tab), inMs);
  }

  #send(tab: Tab): void {
    tab.timer = undefined;
    if (!tab.isSeen || tab.dirty.size === 0) return;
    const now = this.#now();
    tab.sentAt = now;
    const prices = [...tab.dirty].flatMap((pair): AgedPrice[] => {
      const last = this.#last.get(pair);
      return last === undefined ? [] : [{ price: last.price, ageMs: now - last.cameAt }];
    });
    tab.dirty.clear();
    tab.post({ is: 'prices', prices });
  }

  #everything(tab: Tab): void {
    for (const pair of this.#last.keys()) tab.dirty.add(pair);
    clearTimeout(tab.timer);
    this.#send(tab);
  }

  #set(changes: Partial<HostLink>): void {
    this.#link = { ...this.#link, ...changes };
    for (const tab of this.#tabs) tab.post({ is: 'link', link: this.#link });
  }
}

function reportOf(error: unknown): Pick<HostLink, 'problem' | 'need'> {
  const need =
    error instanceof AuthenticationError
      ? 'sign-in'
      : error instanceof PermissionError
        ? 'rights'
        : undefined;
  const problem = error instanceof ApiError ? error.detail : 'The price stream has ended.';
  return { problem, need };
}
