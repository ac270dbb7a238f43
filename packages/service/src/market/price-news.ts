import type { SourceHealth } from './sources/source.ts';

/** A price as one process sends it to another. Decimals are texts. */
export interface ReportedPrice {
  readonly source: string;
  readonly pair: string;
  readonly bid: string;
  readonly ask: string;
  readonly at: number;
}

/** That a source has taken back its price of a pair, or of all. */
export interface ReportedWithdrawal {
  readonly source: string;
  readonly pair?: string | undefined;
  /** Prices made before this come too late. */
  readonly at?: number | undefined;
}

/** What has happened, in this order. */
export interface PriceNews {
  /** Whoever had the sources is gone, and every price with it. */
  readonly lost?: true;
  readonly withdrawals: readonly ReportedWithdrawal[];
  readonly prices: readonly ReportedPrice[];
  /** These are all prices that stand. */
  readonly isWhole?: true;
  /** How each source is. */
  readonly health?: Readonly<Record<string, SourceHealth>>;
}

/**
 * News that wait until another process has taken those before: of each source and pair the newest price, and each withdrawal.
 * It holds no more than there are sources and pairs, however long the other one stands still.
 */
export class PriceQueue {
  #lost = false;
  #isWhole = false;
  readonly #withdrawals = new Map<string, ReportedWithdrawal>();
  readonly #prices = new Map<string, ReportedPrice>();
  #health: PriceNews['health'];

  get isEmpty(): boolean {
    return (
      !this.#lost && this.#withdrawals.size === 0 && this.#prices.size === 0 && this.#health === undefined
    );
  }

  add({ lost, withdrawals, prices, health, isWhole }: PriceNews): void {
    if (lost) this.lose();
    for (const withdrawal of withdrawals) this.withdraw(withdrawal);
    for (const price of prices) this.price(price);
    if (health !== undefined) this.health(health);
    if (isWhole) this.#isWhole = true;
  }

  price(price: ReportedPrice): void {
    this.#prices.set(keyOf(price), price);
  }

  /** A price that waits is taken back too; what is older than that comes too late, as if it had been heard. */
  withdraw(withdrawal: ReportedWithdrawal): void {
    const { source, pair } = withdrawal;
    for (const [key, price] of this.#prices) {
      if (price.source !== source || (pair !== undefined && price.pair !== pair)) continue;
      this.#prices.delete(key);
      this.#keep({ source, pair: price.pair, at: price.at });
    }
    this.#keep(withdrawal);
  }

  /** Nothing that was said before counts any more. */
  lose(): void {
    this.#withdrawals.clear();
    this.#prices.clear();
    this.#health = undefined;
    this.#isWhole = false;
    this.#lost = true;
  }

  health(health: NonNullable<PriceNews['health']>): void {
    this.#health = health;
  }

  /** Everything that waits; afterwards nothing does. */
  take(): PriceNews {
    const news: PriceNews = {
      ...(this.#lost ? { lost: true } : {}),
      withdrawals: [...this.#withdrawals.values()],
      prices: [...this.#prices.values()],
      ...(this.#isWhole ? { isWhole: true } : {}),
      ...(this.#health === undefined ? {} : { health: this.#health }),
    };
    this.#lost = false;
    this.#isWhole = false;
    this.#withdrawals.clear();
    this.#prices.clear();
    this.#health = undefined;
    return news;
  }

  #keep({ source, pair, at }: ReportedWithdrawal): void {
    const key = keyOf({ source, pair });
    const before = this.#withdrawals.get(key)?.at;
    const latest = before === undefined ? at : Math.max(before, at ?? before);
    this.#withdrawals.set(key, { source, pair, at: latest });
  }
}

function keyOf({
  source,
  pair = '',
}: {
  readonly source: string;
  readonly pair?: string | undefined;
}): string {
  return `${source} ${pair}`;
}
