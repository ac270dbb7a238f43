import { isAborted } from './attempt.ts';
import { type Answer, Call } from './call.ts';
import type { Connection } from './connection.ts';
import { CancelledError } from './errors.ts';
import { listEvents } from './generated/operations.ts';
import type { Event, EventPage, ListEventsQuery } from './generated/types.ts';
import type { WaitOptions } from './options.ts';
import { isPassing } from './retry.ts';

const HOLD_SECONDS = 30;
const PAUSE_MS = 1_000;
/** After a fault that has outlived a call's own attempts. */
const PAUSE_AFTER_FAULT_MS = 5_000;

export interface FollowOptions {
  /** Id of the last event that you have worked off. Default: from the oldest one kept. */
  readonly after?: string | undefined;
  readonly types?: ListEventsQuery['types'];
  readonly signal?: AbortSignal | undefined;
  /** Told when events are gone that you have not read: `after` is older than 30 days. Look at your transactions instead. */
  readonly onMissed?: ((count: number) => void) | undefined;
}

/** A page of the feed. Go through it and all that follow with `for await`; that ends with the newest event. */
export class EventList extends Call<EventPage> implements AsyncIterable<Event> {
  readonly #read: (after: string | null) => Promise<Answer<EventPage>>;

  constructor(read: (after: string | null) => Promise<Answer<EventPage>>, after: string | null) {
    super(read(after));
    this.#read = read;
  }

  async *pages(): AsyncGenerator<EventPage, void, undefined> {
    for (let page = (await this.withResponse()).data; ; page = (await this.#read(page.lastEventId)).data) {
      yield page;
      if (!page.hasMore) return;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }

  async toArray({ limit }: { readonly limit: number }): Promise<Event[]> {
    const found: Event[] = [];
    for await (const event of this) {
      if (found.length >= limit) break;
      found.push(event);
    }
    return found;
  }
}

/** What happened to your quotes and transactions: in order, without gaps. */
export class Events {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Reads the feed from an event on. With `waitSeconds` an empty page is held until there is an event.
   *
   * `GET /v1/customer/events`. Needs the scope `transactions:read`.
   */
  list(query: ListEventsQuery = {}, options: WaitOptions = {}): EventList {
    const { after, ...rest } = query;
    const read = (from: string | null) =>
      this.#connection.send<EventPage>(listEvents, { query: { ...rest, after: from ?? undefined } }, options);
    return new EventList(read, after ?? null);
  }

  /**
   * Follows the feed for as long as you read it, held by the service instead of polled. Goes on after faults that pass. Keep the id of
   * the last event that you have worked off, and give it as `after` when you start again: none is lost, none comes twice.
   */
  async *follow(options: FollowOptions = {}): AsyncGenerator<Event, void, undefined> {
    const { types, signal, onMissed } = options;
    const { runtime, log } = this.#connection.settings;
    let { after } = options;
    let isFirst = true;
    /** Of the events missing behind `after`, those that were told. */
    let told = 0;
    while (!isAborted(signal)) {
      const began = runtime.monotonicMs();
      let page: EventPage;
      try {
        page = await this.list({ after, types }, { signal, waitSeconds: isFirst ? undefined : HOLD_SECONDS });
      } catch (error) {
        if (error instanceof CancelledError) return;
        if (!isPassing(error)) throw error;
        log('warn', 'events: trying again', { pauseMs: PAUSE_AFTER_FAULT_MS });
        await runtime.sleep(PAUSE_AFTER_FAULT_MS, signal);
        continue;
      }
      if (page.missed > told) onMissed?.(page.missed - told);
      for (const event of page.items) {
        yield event;
        if (isAborted(signal)) return;
      }
      // Where nothing is kept any more it goes on from the same place, and counts the same again.
      told = page.items.length > 0 ? 0 : page.missed;
      after = page.lastEventId ?? after;
      const wasHeld = page.items.length > 0 || runtime.monotonicMs() - began >= PAUSE_MS;
      if (!isFirst && !wasHeld) await runtime.sleep(PAUSE_MS, signal);
      isFirst = false;
    }
  }
}
