import { cancelled, isAborted, late } from './attempt.ts';
import type { Connection } from './connection.ts';
import { ApiError, ConfigurationError, ConnectionError } from './errors.ts';
import { openPriceSocket } from './generated/specs.ts';
import type { PriceSocketCommand, PriceSocketEvent } from './generated/types.ts';
import { Newest } from './newest.ts';
import type { Runtime } from './runtime.ts';

/** A heartbeat comes every 5 s: without anything for so long the connection is lost, though nobody has closed it. */
const LOST_AFTER_MS = 15_000;
/** For what has come while this program stood still and was not handed on yet. */
const LAST_LOOK_MS = 1_000;

export interface SocketOptions {
  readonly signal?: AbortSignal | undefined;
  /** A WebSocket that takes headers, as those of Node, Deno and Bun do. Default: the global one. */
  readonly WebSocket?: typeof globalThis.WebSocket | undefined;
}

type Subscription = Pick<PriceSocketCommand, 'amount' | 'amountCurrency' | 'requestId'>;

/**
 * Prices of pairs that you can change. Read it with `for await`; it ends with `bye`, with the connection (when nothing has come for
 * 15 s, too), or with your signal.
 */
export class PriceSocket implements AsyncIterable<PriceSocketEvent> {
  readonly #socket: WebSocket;
  readonly #runtime: Runtime;
  #heardAtMs: number;
  /** What has come and was not read: of prices only the newest of each pair. */
  readonly #waiting = new Newest<PriceSocketEvent>();
  #wake: (() => void) | undefined;
  #isOver = false;
  /** Ends what listens for the end. */
  readonly #over = new AbortController();

  private constructor(socket: WebSocket, runtime: Runtime, signal: AbortSignal | undefined) {
    this.#socket = socket;
    this.#runtime = runtime;
    this.#heardAtMs = runtime.monotonicMs();
    socket.addEventListener('message', ({ data }) => this.#take(data));
    const end = () => this.#end();
    socket.addEventListener('close', end);
    socket.addEventListener('error', end);
    signal?.addEventListener('abort', () => this.close(), { signal: this.#over.signal });
  }

  static async open(connection: Connection, options: SocketOptions): Promise<PriceSocket> {
    const { signal } = options;
    try {
      return await PriceSocket.#attempt(connection, options);
    } catch (error) {
      if (!(error instanceof SocketRefused)) throw error;
      await askWhy(connection, signal);
      return PriceSocket.#attempt(connection, options);
    }
  }

  static async #attempt(
    connection: Connection,
    { signal, WebSocket: Socket = globalThis.WebSocket }: SocketOptions,
  ): Promise<PriceSocket> {
    const token = await connection.tokens?.get();
    if (isAborted(signal)) throw cancelled();
    const address = `${connection.settings.baseUrl}${openPriceSocket.path}`;
    const proof = await (await connection.prover)?.prove('GET', address, token);
    const url = address.replace(/^http/, 'ws');
    // The second argument is of the runtimes beside browsers; the standard has protocols there.
    const given = { headers: { authorization: `Bearer ${token}`, ...proof?.headers } } as unknown as string[];
    const socket = begin(() => new Socket(url, given));
    const { runtime, timeoutMs } = connection.settings;
    const stop = () => socket.close();
    const done = new AbortController();
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      const fail = () => reject(isAborted(signal) ? cancelled() : new SocketRefused());
      socket.addEventListener('error', fail);
      socket.addEventListener('close', fail);
      signal?.addEventListener('abort', stop);
      void runtime.sleep(timeoutMs, done.signal).then(() => {
        if (done.signal.aborted) return;
        reject(late(timeoutMs));
        stop();
      });
    }).finally(() => {
      done.abort();
      signal?.removeEventListener('abort', stop);
    });
    return new PriceSocket(socket, runtime, signal);
  }

  /** Subscribes to pairs, or changes the size of those already subscribed. Answered with a `subscribed` event. */
  subscribe(pairs: readonly string[], options: Subscription = {}): void {
    this.#send({ action: 'subscribe', pairs, ...options });
  }

  /** Answered with an `unsubscribed` event. */
  unsubscribe(pairs: readonly string[]): void {
    this.#send({ action: 'unsubscribe', pairs });
  }

  close(): void {
    this.#socket.close();
    this.#end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<PriceSocketEvent, void, undefined> {
    try {
      for (;;) {
        const next = this.#waiting.take();
        if (next !== undefined) yield next;
        else if (this.#isOver) return;
        else await this.#change();
      }
    } finally {
      this.close();
    }
  }

  /** Until something has come, or it has ended. */
  async #change(): Promise<void> {
    const done = new AbortController();
    const { signal } = done;
    const watch = async () => {
      while (!signal.aborted) {
        const left = this.#heardAtMs + LOST_AFTER_MS - this.#runtime.monotonicMs();
        await this.#runtime.sleep(Math.max(0, left - LAST_LOOK_MS), signal);
        await this.#runtime.sleep(LAST_LOOK_MS, signal);
        const isSilent = this.#runtime.monotonicMs() - this.#heardAtMs >= LOST_AFTER_MS;
        if (isSilent && !signal.aborted) this.close();
      }
    };
    void watch();
    await new Promise<void>((resolve) => (this.#wake = resolve));
    done.abort();
  }

  #send(command: PriceSocketCommand): void {
    this.#socket.send(JSON.stringify(command));
  }

  #take(text: unknown): void {
    this.#heardAtMs = this.#runtime.monotonicMs();
    let event: PriceSocketEvent;
    try {
      event = JSON.parse(String(text)) as PriceSocketEvent;
    } catch {
      // Not of this protocol.
      return;
    }
    if (event.event === 'price') this.#waiting.put(event, `price ${event.data.pair}`);
    else this.#waiting.put(event, event.event === 'heartbeat' ? 'heartbeat' : undefined);
    this.#wake?.();
  }

  #end(): void {
    this.#isOver = true;
    this.#over.abort();
    this.#wake?.();
  }
}

/** Runtimes tell the value of a header that they refuse: here it is a token. */
function begin<T>(open: () => T): T {
  try {
    return open();
  } catch {
    throw new ConfigurationError('The WebSocket could not be made.', {
      code: 'request_not_made',
      nextStep: 'Check what you pass: token, WebSocket, baseUrl.',
    });
  }
}

class SocketRefused extends ConnectionError {
  constructor() {
    super('The WebSocket could not be opened.', {
      ...{ code: 'socket_refused', retryable: true },
      nextStep:
        'Something between you and the service may pass on no WebSockets; prices.stream() needs none.',
    });
  }
}

/**
 * No runtime tells why a WebSocket was refused. Without the upgrade the service does; and where the token counts no more, the call gets
 * another one, as every call does.
 * @throws FirmquoteError why it would be refused again
 */
async function askWhy(connection: Connection, signal: AbortSignal | undefined): Promise<void> {
  try {
    await connection.send(openPriceSocket, {}, { signal, maxRetries: 0 });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'upgrade_required') throw error;
  }
}
