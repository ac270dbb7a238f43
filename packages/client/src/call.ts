import { UnexpectedAnswerError } from './errors.ts';

/** An answer with its data and metadata. */
export interface Answer<T> {
  readonly data: T;
  readonly status: number;
  readonly headers: Headers;
  /** Version of what was read, for `ifMatch` and `ifNoneMatch`. */
  readonly etag: string | undefined;
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  /** Whether the service repeated its earlier answer to the same key. */
  readonly isReplay: boolean;
  /** How often the request was sent. */
  readonly attempts: number;
  /** When the last attempt was sent, by a clock that only goes forward, ms. */
  readonly sentAtMs: number;
}

/** A call that has been started. Await it for the data alone, or use `withResponse()` for the whole answer. */
export class Call<T> extends Promise<T> {
  readonly #answer: Promise<Answer<T>>;

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(answer: Promise<Answer<T>>) {
    super((resolve, reject) => {
      answer.then(({ data }) => resolve(data), reject);
    });
    this.#answer = answer;
  }

  /** Data, status, headers, version, request id, idempotency key and number of attempts. */
  withResponse(): Promise<Answer<T>> {
    // Whoever asks this way learns of a failure this way.
    this.catch(() => undefined);
    return this.#answer;
  }
}

/** What every page of a list has. */
export interface WirePage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

export interface Page<T> extends WirePage<T> {
  /** The page after this one; null after the last. */
  next(): Promise<Page<T> | null>;
}

/**
 * A list in pages. Await it for the first page, or iterate over all of it with `for await`. Nothing is requested before that, and then
 * one page at a time.
 */
export class List<T, Extra = unknown> implements PromiseLike<Page<T> & Extra>, AsyncIterable<T> {
  readonly #read: (cursor: string | undefined) => Promise<Answer<WirePage<T>>>;
  #first: Promise<Answer<WirePage<T>>> | undefined;

  constructor(read: (cursor: string | undefined) => Promise<Answer<WirePage<T>>>) {
    this.#read = read;
  }

  // biome-ignore lint/suspicious/noThenProperty: a list can be awaited for its first page
  then<A = Page<T> & Extra, B = never>(
    onPage?: ((page: Page<T> & Extra) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#page(this.#begin()).then(onPage, onError);
  }

  /** The first page with its metadata. */
  withResponse(): Promise<Answer<WirePage<T>>> {
    return this.#begin();
  }

  async *pages(): AsyncGenerator<Page<T> & Extra, void, undefined> {
    for (
      let page: Page<T> | null = await this.#page(this.#begin());
      page !== null;
      page = await page.next()
    ) {
      yield page as Page<T> & Extra;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }

  /** @param options.limit items at most: a list may be longer than memory */
  async toArray({ limit }: { readonly limit: number }): Promise<T[]> {
    const found: T[] = [];
    if (limit <= 0) return found;
    for await (const item of this) {
      if (found.push(item) >= limit) break;
    }
    return found;
  }

  #begin(): Promise<Answer<WirePage<T>>> {
    this.#first ??= this.#read(undefined);
    return this.#first;
  }

  async #page(answer: Promise<Answer<WirePage<T>>>, before?: string): Promise<Page<T> & Extra> {
    const { data, requestId, status } = await answer;
    const cursor = data.nextCursor;
    if (cursor !== null && cursor === before) {
      throw new UnexpectedAnswerError('A page of the list points to itself.', {
        ...{
          code: 'answer_malformed',
          status,
          requestId,
          nextStep: 'Read the list again from the start.',
        },
      });
    }
    const next = async () => (cursor === null ? null : this.#page(this.#read(cursor), cursor));
    return { ...data, next } as Page<T> & Extra;
  }
}
