import { isAborted } from './attempt.ts';
import type { Answer } from './call.ts';
import type { Connection } from './connection.ts';
import { CancelledError, FirmquoteError, UnexpectedAnswerError } from './errors.ts';
import { Incoming } from './incoming.ts';
import type { Input, OperationSpec } from './operations.ts';
import { pauseAfter } from './pauses.ts';
import type { StreamOptions } from './prices.ts';
import { blank, problemError } from './problems.ts';

/** A heartbeat comes every 5 s: without one for so long a price is not to be dealt on (docs/streaming.md). */
const STALE_AFTER_MS = 10_000;
/** And after this long the stream is lost. */
const LOST_AFTER_MS = 15_000;
const PAUSE_BASE_MS = 500;
const PAUSE_MAX_MS = 30_000;
/** Reasons for an end after which the stream can be opened again at once, or after a pause. */
const PASSING =
  /^(token_\w+|shutting_down|maintenance|overloaded|slow_reader|stalled_reader|rate_limited|internal_error)$/;

/** Why who reads may not read any more. */
const FORBIDDEN: ReadonlySet<string> = new Set([
  'customer_suspended',
  'ip_not_allowed',
  'insufficient_scope',
]);

const STREAM_TYPE = 'text/event-stream';

interface Opened {
  readonly contentType: string;
  stream(): ReadableStream<Uint8Array>;
}

/** Why a stream is opened again. */
class Interruption {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Reads streams over one connection. */
export class PriceStreams {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Reads a stream, and opens it again, until it is stopped. */
  async *follow<T>(
    spec: OperationSpec,
    input: Input,
    options: StreamOptions,
  ): AsyncGenerator<T, void, undefined> {
    const { signal } = options;
    const { runtime, log } = this.#connection.settings;
    const state = { lastId: options.lastEventId, failures: 0, retryMs: PAUSE_BASE_MS };
    while (!isAborted(signal)) {
      let reason: string;
      let leastMs = 0;
      try {
        reason = (yield* this.#read<T>(spec, input, options, state)).reason;
      } catch (error) {
        if (error instanceof CancelledError) return;
        if (!(error instanceof FirmquoteError) || !error.retryable) throw error;
        reason = error.code;
        leastMs = pauseAfter(error, leastMs);
      }
      if (isAborted(signal)) return;
      const pauseMs =
        leastMs + runtime.random() * Math.min(PAUSE_MAX_MS, state.retryMs * 2 ** state.failures);
      state.failures = Math.min(state.failures + 1, 10);
      log('info', 'stream: opened again', { operation: spec.id, reason, pauseMs });
      yield { event: 'reconnect', data: { reason, pauseMs } } as T;
      await runtime.sleep(pauseMs, signal);
    }
  }

  /** Reads one connection to its end, and says why it is to be opened again. */
  async *#read<T>(
    spec: OperationSpec,
    input: Input,
    { signal, staleAfterMs = STALE_AFTER_MS, lostAfterMs = LOST_AFTER_MS }: StreamOptions,
    state: { lastId: string | undefined; failures: number; retryMs: number },
  ): AsyncGenerator<T, Interruption, undefined> {
    const headers = state.lastId === undefined ? {} : { 'last-event-id': state.lastId };
    const answer = await this.#connection.send<Opened>({ ...spec, isFile: true }, input, {
      ...{ signal, headers, accept: STREAM_TYPE },
    });
    if (!answer.data.contentType.startsWith(STREAM_TYPE)) {
      await answer.data
        .stream()
        .cancel()
        .catch(() => undefined);
      throw notStream(answer, spec);
    }
    const incoming = new Incoming(answer.data.stream(), this.#connection.settings.runtime);
    try {
      for (let isStale = false; ; ) {
        const event = incoming.take();
        state.lastId = incoming.lastId ?? state.lastId;
        state.retryMs = incoming.retryMs ?? state.retryMs;
        if (event !== undefined) {
          isStale = false;
          state.failures = 0;
          if (event.event === 'bye') return endedBy(event.data.reason);
          yield event as T;
          if (event.event === 'gap') return new Interruption('gap');
        } else if (incoming.isOver) {
          return new Interruption('connection_lost');
        } else if (await incoming.change(isStale ? lostAfterMs : staleAfterMs)) {
          isStale = false;
        } else if (isStale) {
          return new Interruption('silent');
        } else {
          isStale = true;
          yield { event: 'stale', data: { silentMs: staleAfterMs } } as T;
        }
      }
    } finally {
      await incoming.close();
    }
  }
}

function endedBy(reason: string): Interruption {
  if (PASSING.test(reason)) return new Interruption(reason);
  const detail = `The service has ended the stream: ${reason}.`;
  throw problemError({
    ...blank(reason, FORBIDDEN.has(reason) ? 403 : 422),
    detail,
  });
}

/** Without it, a page of whatever stands between would be a stream that ends at once, and be opened again for ever. */
function notStream({ data, status, requestId, attempts }: Answer<Opened>, { id }: OperationSpec) {
  const type = /^[\w./+-]{1,60}/.exec(data.contentType)?.[0] ?? 'of no type';
  return new UnexpectedAnswerError(`The answer is ${type}, not a stream of events.`, {
    ...{ code: 'answer_not_stream', status, operation: id, requestId, attempts },
    nextStep: 'Check that baseUrl is the address of the service, and that no proxy asks for a login.',
  });
}
