import { Newest } from './newest.ts';
import type { Runtime } from './runtime.ts';
import { EventParser, type RawEvent } from './sse.ts';

/** For what has come while this program stood still and was not handed on yet. */
const LAST_LOOK_MS = 1_000;

export interface StreamEvent {
  readonly event: string;
  readonly id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: of each event another one
  readonly data: any;
}

/**
 * Reads a stream as it comes, however slowly what it brings is taken: what waits in buffers on the way would be taken for new, and the
 * service does not see that it waits.
 */
export class Incoming {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #runtime: Runtime;
  readonly #newest = new Newest<StreamEvent>();
  readonly #parser = new EventParser();
  #heardAtMs: number;
  #isOver = false;
  #wake: (() => void) | undefined;
  /** Id of the last price that has come. */
  lastId: string | undefined;

  constructor(stream: ReadableStream<Uint8Array>, runtime: Runtime) {
    this.#reader = stream.getReader();
    this.#runtime = runtime;
    this.#heardAtMs = runtime.monotonicMs();
    void this.#read();
  }

  /** How long the service asks to wait before a reconnection, ms. */
  get retryMs(): number | undefined {
    return this.#parser.retryMs;
  }

  /** Whether nothing more will come. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** What has waited longest. */
  take(): StreamEvent | undefined {
    return this.#newest.take();
  }

  /**
   * Waits until something comes, or the end.
   * @param silentMs how long nothing may come
   * @returns false where nothing has come for so long
   */
  async change(silentMs: number): Promise<boolean> {
    const leftMs = this.#heardAtMs + silentMs - this.#runtime.monotonicMs();
    const done = new AbortController();
    const come = new Promise<true>((resolve) => {
      this.#wake = () => resolve(true);
    });
    const over = this.#runtime.sleep(Math.max(LAST_LOOK_MS, leftMs), done.signal).then(() => false);
    try {
      return await Promise.race([come, over]);
    } finally {
      done.abort();
      this.#wake = undefined;
    }
  }

  async close(): Promise<void> {
    await this.#reader.cancel().catch(() => undefined);
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      while (!this.#isOver) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        this.#heardAtMs = this.#runtime.monotonicMs();
        for (const raw of this.#parser.take(decoder.decode(value, { stream: true }))) this.#put(raw);
        this.#wake?.();
      }
    } catch {
      // A connection that breaks has ended, too.
    }
    this.#isOver = true;
    this.#wake?.();
  }

  #put({ event, data: text, id }: RawEvent): void {
    const data = parsed(text);
    // Comments and events of another form are not ours to judge; behind a gap the stream is read no further.
    if (data === undefined || this.#isOver) return;
    const isPrice = event === 'price';
    const name = isPrice ? `price ${data?.pair}` : event === 'heartbeat' ? event : undefined;
    this.#newest.put({ event, ...(id === undefined ? {} : { id }), data }, name);
    if (id !== undefined) this.lastId = id;
    const sent: unknown = event === 'heartbeat' ? data?.lastId : undefined;
    if (typeof sent !== 'string' || sent === this.lastId) return;
    this.#newest.put({ event: 'gap', data: { lastId: sent } });
    this.#isOver = true;
  }
}

function parsed(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
