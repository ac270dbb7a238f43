import type { FixSessionSettings, QuoteQuery } from '../../service/src/market/fix/protocol.ts';

/** Without a new quote for this long, the venue is asked again: it answers once, or its stream has ended. */
const AGAIN_MS = 1_000;
/** After a refusal. */
const REFUSED_MS = 10_000;

interface Asked {
  id: string;
  /** When to ask next. */
  at: number;
}

/** Asks for a two-way quote of each pair again and again, for venues without market data. */
export class QuoteStream {
  readonly #settings: FixSessionSettings;
  /** Returns why it could not ask. */
  readonly #ask: (query: QuoteQuery) => string | undefined;
  readonly #forget: (id: string) => void;
  readonly #asked = new Map<string, Asked>();
  readonly #pairs = new Map<string, string>();
  #requests = 0;
  #start = '';

  constructor(
    settings: FixSessionSettings,
    ask: (query: QuoteQuery) => string | undefined,
    forget: (id: string) => void,
  ) {
    this.#settings = settings;
    this.#ask = ask;
    this.#forget = forget;
  }

  /** After a logon. */
  begin(now: number): void {
    this.#start = now.toString(36);
    this.#asked.clear();
    this.#pairs.clear();
    if (this.#settings.mode !== 'quotes') return;
    for (const pair of this.#settings.pairs) this.#askFor(pair, now);
  }

  /** With the next tick, and not earlier where the venue refused a pair. */
  askAgain(now: number): void {
    for (const asked of this.#asked.values()) if (asked.at <= now + AGAIN_MS * 2) asked.at = now;
  }

  tick(now: number): void {
    for (const [pair, asked] of this.#asked) if (asked.at <= now) this.#askFor(pair, now);
  }

  /** What was asked for under this id; undefined when the request is not one of these. */
  pairOf(id: string): string | undefined {
    return this.#pairs.get(id);
  }

  answered(id: string, now: number): void {
    this.#put(id, now + AGAIN_MS);
  }

  /** Whether the request was one of these. */
  refused(id: string, now: number): boolean {
    return this.#put(id, now + REFUSED_MS);
  }

  #put(id: string, at: number): boolean {
    const pair = this.#pairs.get(id);
    const asked = pair === undefined ? undefined : this.#asked.get(pair);
    if (asked !== undefined) asked.at = at;
    return pair !== undefined;
  }

  #askFor(pair: string, now: number): void {
    const before = this.#asked.get(pair);
    if (before !== undefined) {
      this.#pairs.delete(before.id);
      this.#forget(before.id);
    }
    this.#requests += 1;
    const id = `qs-${this.#start}-${this.#requests}`;
    this.#pairs.set(id, pair);
    const failed = this.#ask({ id, pair, quantity: this.#settings.quoteQuantity });
    this.#asked.set(pair, { id, at: now + (failed === undefined ? AGAIN_MS * 2 : REFUSED_MS) });
  }
}
