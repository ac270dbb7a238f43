import { RefreshingCache } from '../platform/refreshing-cache.ts';
import { SpreadBook, type SpreadCandidates, type SpreadRule } from './spread-book.ts';

/** Served as they are for 2 s, never older than 5 s. */
const FRESH_MS = 2_000; // limit: Age up to which spread rules in memory are used as they are
const MAX_AGE_MS = 5_000; // limit: Age up to which spread rules in memory are used at all

/** Whose spread it is. */
export interface PricedCustomer {
  readonly id: string;
  readonly groupName: string | undefined;
}

/** Where hot paths find the rules of a customer: in memory, answered without a promise when known. */
export interface SpreadRuleSource {
  /** In order (docs/interface.md#spreads); which one applies depends on the request. */
  candidates(customer: PricedCustomer, pair: string): SpreadCandidates | Promise<SpreadCandidates>;
}

/** Reads the rules in force, or undefined in their place when the set still has the known version. */
export type LoadSpreadRules = (
  knownVersion: number | undefined,
) => Promise<{ readonly version: number; readonly rules: readonly SpreadRule[] | undefined }>;

/** The rules of the whole service as one snapshot, which is exchanged only when the version of the set has moved. */
export class CachedSpreadRules implements SpreadRuleSource {
  readonly #books: RefreshingCache<'book', SpreadBook>;
  #book: SpreadBook | undefined;

  /** @param now real time in milliseconds */
  constructor(load: LoadSpreadRules, now?: () => number) {
    this.#books = new RefreshingCache({
      load: () => this.#load(load),
      freshMs: FRESH_MS,
      maxAgeMs: MAX_AGE_MS,
      maxEntries: 1,
      ...(now === undefined ? {} : { now }),
    });
  }

  candidates({ id, groupName }: PricedCustomer, pair: string): SpreadCandidates | Promise<SpreadCandidates> {
    const book = this.#books.get('book');
    if (book instanceof Promise) return book.then((loaded) => loaded.candidates(id, groupName, pair));
    return book.candidates(id, groupName, pair);
  }

  /** For the process that changed something: its next request sees it. */
  changed(): void {
    this.#books.clear();
  }

  async #load(load: LoadSpreadRules): Promise<SpreadBook> {
    const known = this.#book;
    const { version, rules } = await load(known?.version);
    if (rules === undefined) {
      if (known?.version === version) return known;
      throw new Error(`version ${version} of the spread rules came without rules`);
    }
    this.#book = new SpreadBook(version, rules);
    return this.#book;
  }
}
