import { type PriceNews, PriceQueue } from '../market/price-news.ts';

/** Sends news of prices to another process, the next ones when it has taken those before. */
export class NewsSender {
  readonly #queue = new PriceQueue();
  readonly #send: (news: PriceNews) => void;
  #waits = false;
  #isDue = false;
  #after: (() => void)[] = [];

  constructor(send: (news: PriceNews) => void) {
    this.#send = send;
  }

  /** Goes out with what else happens in this turn of the event loop. */
  add(news: PriceNews): void {
    this.#queue.add(news);
    if (this.#isDue || this.#waits) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#flush();
    });
  }

  /** The other one has taken what was sent last. */
  taken(): void {
    this.#waits = false;
    if (!this.#isDue) this.#flush();
  }

  /** Does something once everything that was added before has been sent. */
  afterSent(run: () => void): void {
    if (this.#queue.isEmpty) run();
    else this.#after.push(run);
  }

  #flush(): void {
    if (this.#waits || this.#queue.isEmpty) return;
    this.#waits = true;
    this.#send(this.#queue.take());
    const after = this.#after;
    this.#after = [];
    for (const run of after) run();
  }
}
