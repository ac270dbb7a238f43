import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, type ApiAnswer, QUOTE_BODY } from './api.ts';

/** A quote and its execution, as far as the client knows. */
export interface Attempt {
  /** Which of the customers. */
  readonly desk: number;
  /** Keys of both requests, on every second attempt. */
  readonly key: string | undefined;
  readonly quoteBody: Readonly<Record<string, unknown>>;
  /** Answer to the request for a quote; undefined while it is not known. */
  quote: ApiAnswer | undefined;
  executing: boolean;
  /** Answer to the execution; undefined while it is not known. */
  execution: ApiAnswer | undefined;
}

export function keyHeader({ key }: Attempt): Record<string, string> {
  return key === undefined ? {} : { 'Idempotency-Key': key };
}

export function executePath(quote: ApiAnswer): string {
  return `/v1/customer/quotes/${quote.body.quoteId}/execute`;
}

/** A client that was refused waits a little. */
function pause(): Promise<void> {
  return sleep(50);
}

/** No answer, or one that says that the server does not know either. */
function isUnknown(answer: ApiAnswer | undefined): boolean {
  return answer === undefined || answer.status >= 500;
}

/**
 * Clients that trade at the same time and remember what they asked for and what they were told. A client whose
 * connection fails ends, and leaves an attempt whose outcome it does not know.
 */
export class Traffic {
  readonly attempts: Attempt[] = [];
  /** When each execution was acknowledged, in the process's milliseconds. */
  readonly acknowledgedAt: number[] = [];
  readonly #name = randomUUID();
  readonly #desks: readonly Api[];
  readonly #clients: Promise<void>[];
  #stopped = false;
  #acknowledged = 0;
  #watcher: { readonly count: number; readonly reached: () => void } | undefined;

  constructor(desks: readonly Api[], clients: number) {
    this.#desks = desks;
    this.#clients = Array.from({ length: clients }, (_, client) => this.#run(client % desks.length));
  }

  get executed(): Attempt[] {
    return this.attempts.filter((attempt) => attempt.execution?.status === 201);
  }

  /** Executions that the server may have made or not. */
  get unknown(): Attempt[] {
    return this.attempts.filter(({ executing, execution }) => executing && isUnknown(execution));
  }

  /** Requests for a quote that the server may have answered or not. */
  get unknownQuotes(): Attempt[] {
    return this.attempts.filter(({ quote }) => isUnknown(quote));
  }

  /** Resolves when that many more executions have been acknowledged. */
  async acknowledged(more: number): Promise<void> {
    const reached = new Promise<void>((resolve) => {
      this.#watcher = { count: this.#acknowledged + more, reached: resolve };
    });
    const allEnded = Promise.all(this.#clients).then(() => {
      throw new Error('every client has lost its connection');
    });
    await Promise.race([reached, allEnded]);
  }

  /** Lets every client finish what it is at, or find out that it cannot. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
  }

  async #run(desk: number): Promise<void> {
    while (!this.#stopped) {
      const attempt = this.#begin(desk);
      try {
        await this.#trade(attempt, this.#desks[desk] as Api);
      } catch (error) {
        // What fetch throws when the connection ends before the whole answer has come.
        if (!(error instanceof TypeError)) throw error;
        return;
      }
    }
  }

  #begin(desk: number): Attempt {
    const number = this.attempts.length;
    // Every amount once, and none of those that stand for a drill.
    const amount = `${10_000 + (number % 800)}.${String(Math.floor(number / 800) % 100).padStart(2, '0')}`;
    const attempt: Attempt = {
      desk,
      key: number % 2 === 0 ? randomUUID() : undefined,
      quoteBody: { ...QUOTE_BODY, amount, clientReference: `${this.#name} ${number}` },
      quote: undefined,
      executing: false,
      execution: undefined,
    };
    this.attempts.push(attempt);
    return attempt;
  }

  async #trade(attempt: Attempt, api: Api): Promise<void> {
    const key = keyHeader(attempt);
    const quote = await api.call('POST', '/v1/customer/quotes', attempt.quoteBody, key);
    attempt.quote = quote;
    if (quote.status !== 201) return pause();
    attempt.executing = true;
    attempt.execution = await api.call('POST', executePath(quote), undefined, key);
    if (attempt.execution.status !== 201) return pause();
    this.#acknowledged++;
    this.acknowledgedAt.push(performance.now());
    if (this.#acknowledged === this.#watcher?.count) this.#watcher.reached();
  }
}
