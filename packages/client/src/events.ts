import { type Answer, Call } from './call.ts';
import type { Connection } from './connection.ts';
import type { ListEventsQuery } from './generated/call-types.ts';
import { listEvents } from './generated/specs.ts';
import type { Event, EventPage } from './generated/types.ts';
import type { FollowOptions, WaitOptions } from './options.ts';

/** A page of the feed. Iterate over it and all that follow with `for await`; that ends with the newest event. */
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
    if (limit <= 0) return found;
    for await (const event of this) {
      if (found.push(event) >= limit) break;
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
   * Follows the feed for as long as you read it: the service holds each answer, so nothing is polled. Continues after temporary faults. Keep
   * the id of the last event that you have processed, and pass it as `after` when you start again: none is lost, none comes twice.
   */
  async *follow(options: FollowOptions = {}): AsyncGenerator<Event, void, undefined> {
    const { followEvents } = await import('./follow-events.ts');
    yield* followEvents((query, more) => this.list(query, more), this.#connection, options);
  }
}
