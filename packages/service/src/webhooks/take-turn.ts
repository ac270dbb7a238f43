import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FeedEvent } from '../events/customer-feed.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import {
  type DeliveryRow,
  type DeliveryState,
  firstPending,
  knownDeliveries,
  type LoggedAttempt,
  nextPending,
  recordProgress,
} from './delivery-store.ts';
import type { EndpointRow } from './endpoint-store.ts';
import { type Item, planTurn } from './plan-turn.ts';
import { verdictOf } from './retry-schedule.ts';
import type { Feed, WebhooksRoom } from './room.ts';
import type { Signer } from './secrets.ts';
import { ATTEMPT_LIMIT_MS, type Attempt, Sender } from './send.ts';
import { signerOf } from './signing.ts';

/** Then others have their turn. An attempt that has begun is waited for, so that a lease is longer. */
const TURN_MS = 20_000; // limit: Time for which an endpoint is served before others have their turn
const EVENTS_PER_STEP = 100;
/** With so many waiting the feed is not read on: who cannot take what it has been sent is not sent more. */
const PENDING_MAX = 200; // limit: Deliveries of an endpoint that wait to be tried again, before its feed is read on
const IN_FLIGHT_MAX = 10; // limit: Attempts under way to one endpoint
const IN_FLIGHT_AT_FIRST = 4;
/** From here on an endpoint is served among the slow ones, so that it takes no place of others. */
const SLOW_FROM_MS = 2_000; // limit: {ms} Attempt that makes an endpoint a slow one
const LOGGED_MAX = 12; // limit: Attempts of a delivery that are kept
/** How long a turn that is to end at once waits for the attempts under way. */
const GOING_AWAY_MS = 2_000; // limit: Wait for attempts under way when the service stops

/** Failures that say that an endpoint cannot take more at once; a prompt refusal of one event says nothing of others. */
const TOO_MUCH: ReadonlySet<string> = new Set(['timeout', 'connection_failed', 'tls_failed']);
const BUSY: ReadonlySet<number> = new Set([429, 503]);

/** An endpoint is served by one instance at a time, for one turn. */
export class Turn {
  readonly #room: WebhooksRoom;
  readonly #endpoint: EndpointRow;
  readonly #feed: Feed;
  readonly #sender: Sender;
  readonly #lease: string;
  readonly #leaseEnds: number;
  #signer: Signer | undefined;
  #window: number;
  #seen: bigint;
  #isFirstStep = true;
  /** Attempts are over before they are written down; several are written at once. */
  #unwritten: DeliveryState[] = [];
  #writing: Promise<unknown> | undefined;
  #longestMs: number | undefined;
  #disable: string | undefined;
  #isLost = false;
  #isStopping = false;

  constructor(room: WebhooksRoom, endpoint: EndpointRow) {
    this.#room = room;
    this.#endpoint = endpoint;
    this.#feed = room.feedOf(endpoint.customer_id);
    const { limitMs, ca } = room;
    this.#sender = new Sender(endpoint.url, room.guard, { limitMs, ca });
    this.#lease = endpoint.lease ?? '';
    this.#leaseEnds = endpoint.due_at ?? 0;
    this.#window = endpoint.is_slow ? 1 : IN_FLIGHT_AT_FIRST;
    this.#seen = BigInt(endpoint.sequence);
  }

  /** Begins nothing more, and gives up what takes too long. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await sleep(GOING_AWAY_MS, undefined, { ref: false });
    this.#sender.close();
  }

  /** @throws what hinders it: the lease runs out, and somebody begins again */
  async run(): Promise<void> {
    const begun = performance.now();
    try {
      this.#signer = await signerOf(this.#room, this.#endpoint);
      let hasMore = true;
      while (hasMore && !this.#hasEnded()) {
        if (performance.now() - begun > TURN_MS) break;
        hasMore = await this.#step();
      }
      await this.#writing;
      if (!this.#isLost) await this.#record(true, hasMore);
    } finally {
      this.#sender.close();
    }
  }

  #hasEnded(): boolean {
    // After a standstill somebody else may be about to begin.
    const isLate = this.#room.realClock.now() >= this.#leaseEnds - ATTEMPT_LIMIT_MS;
    return this.#isLost || this.#isStopping || this.#disable !== undefined || isLate;
  }

  /** False when there was nothing to do. */
  async #step(): Promise<boolean> {
    const { pool, realClock } = this.#room;
    const { id, ordering } = this.#endpoint;
    const isOrdered = ordering === 'resource';
    const pending = await (isOrdered ? firstPending : nextPending)(pool, id);
    const now = realClock.now();
    const isDue = (row: DeliveryRow) => row.next_attempt_at === null || row.next_attempt_at <= now;
    const due = await this.#dueItems(pending.rows.filter(isDue));
    const waiting = new Set(pending.rows.flatMap(({ resource }) => resource ?? []));
    const news = pending.count >= PENDING_MAX ? undefined : await this.#news();
    // What is over because its event is gone may have held others up, which are next.
    if (due.length === 0 && news === undefined && this.#unwritten.length === 0) return false;
    const { chains, blocked } = planTurn(isOrdered, due, news?.items ?? [], waiting);
    this.#unwritten.push(...blocked.map((item) => stateOf(item, 'pending')));
    const left = await this.#sendAll(chains);
    await this.#writing;
    if (news !== undefined) {
      // What was not begun is read again; what was written behind it is then known.
      const unread = left.filter((item) => !item.isWritten).map((item) => item.event.sequence);
      this.#seen = unread.reduce((least, each) => (each <= least ? each - 1n : least), news.end);
      this.#isFirstStep = unread.length > 0;
    }
    if (!this.#isLost) await this.#record(false, true);
    return true;
  }

  /** Deliveries that are due, with their events; those whose event is gone are over. */
  async #dueItems(rows: readonly DeliveryRow[]): Promise<Item[]> {
    const events = await this.#feed.find(rows.map((row) => row.event_id));
    const byId = new Map(events.map((event) => [event.id, event]));
    return rows.flatMap((row) => {
      const event = byId.get(row.event_id);
      const log = JSON.parse(row.log) as LoggedAttempt[];
      if (event !== undefined) return [{ event, attempts: row.attempts, log, isWritten: true }];
      const lost = { at: isoInstant(this.#room.realClock.now()), durationMs: 0, status: null };
      this.#unwritten.push({
        ...{ eventId: row.event_id, sequence: BigInt(row.sequence), type: row.type, resource: row.resource },
        ...{ status: 'failed', attempts: row.attempts, nextAttemptAt: undefined },
        log: [...log, { ...lost, failure: 'event_gone', answer: null }],
      });
      return [];
    });
  }

  /** What the feed has since it was read last, of the types that are wanted; undefined: nothing. */
  async #news(): Promise<{ items: Item[]; end: bigint } | undefined> {
    const { id, types } = this.#endpoint;
    const events = await this.#feed.read({ after: this.#seen, limit: EVENTS_PER_STEP });
    const end = events.at(-1)?.sequence;
    if (end === undefined) return undefined;
    const wanted = events.filter(({ type }) => types.length === 0 || types.includes(type));
    // Whoever was at it before may have written some of them, without coming to the end of its step.
    const known = this.#isFirstStep
      ? await knownDeliveries(
          this.#room.pool,
          id,
          wanted.map((event) => event.id),
        )
      : new Set();
    const items = wanted
      .filter((event) => !known.has(event.id))
      .map((event): Item => ({ event, attempts: 0, log: [], isWritten: false }));
    return { items, end };
  }

  /** Sends chains beside each other, as many as the endpoint takes. Answers what was not begun. */
  async #sendAll(chains: readonly (readonly Item[])[]): Promise<Item[]> {
    const left: Item[] = [];
    const queue = chains.values();
    let running = 0;
    await new Promise<void>((resolve, reject) => {
      const next = (): void => {
        while (running < this.#window) {
          const { value: chain } = queue.next();
          if (chain === undefined) {
            if (running === 0) resolve();
            return;
          }
          running++;
          this.#sendChain(chain, left).then(() => {
            running--;
            next();
          }, reject);
        }
      };
      next();
    });
    return left;
  }

  /** One after the other; what stands behind one that has to wait, waits. */
  async #sendChain(chain: readonly Item[], left: Item[]): Promise<void> {
    for (const [place, item] of chain.entries()) {
      const attempt = this.#hasEnded() ? undefined : await this.#attempt(item);
      if (attempt === undefined) {
        left.push(...chain.slice(place));
        return;
      }
      const state = this.#stateAfter(item, attempt.at, attempt.made);
      const isDelivered = state.status === 'delivered';
      this.#write(
        state,
        ...(isDelivered ? [] : chain.slice(place + 1).map((each) => stateOf(each, 'pending'))),
      );
      if (!isDelivered) return;
    }
  }

  async #attempt({ event }: Item): Promise<{ at: number; made: Attempt } | undefined> {
    const at = this.#room.realClock.now();
    if (this.#signer === undefined) throw new Error('an attempt before the secrets were read');
    const made = await this.#sender.send(signedMessage(this.#signer, event, at));
    if (made === undefined) return undefined;
    this.#room.onAttempt?.(made.failure ?? 'delivered');
    this.#longestMs = Math.max(this.#longestMs ?? 0, made.durationMs);
    const isTooMuch = TOO_MUCH.has(made.failure ?? '') || BUSY.has(made.status ?? 0);
    this.#window = isTooMuch ? 1 : Math.min(this.#window + 1, IN_FLIGHT_MAX);
    return { at, made };
  }

  #stateAfter(item: Item, at: number, attempt: Attempt): DeliveryState {
    const attempts = item.attempts + 1;
    const verdict = verdictOf(attempt, attempts, this.#room.chance());
    const log = [...item.log, loggedAttempt(at, attempt)].slice(-LOGGED_MAX);
    if (verdict.is === 'delivered') return { ...stateOf(item, 'delivered'), attempts, log };
    if (verdict.is === 'failed') {
      this.#disable = verdict.disable;
      return { ...stateOf(item, 'failed'), attempts, log };
    }
    const nextAttemptAt = this.#room.realClock.now() + verdict.afterMs;
    return { ...stateOf(item, 'pending'), attempts, log, nextAttemptAt };
  }

  /** Writes at once when nothing is being written, and otherwise with what comes meanwhile. */
  #write(...states: readonly DeliveryState[]): void {
    this.#unwritten.push(...states);
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    // It is waited for at the end of the step.
    this.#writing.catch(() => undefined);
  }

  async #writeAll(): Promise<void> {
    while (this.#unwritten.length > 0 && !this.#isLost) await this.#record(false, true);
  }

  async #record(isDone: boolean, hasMore: boolean): Promise<void> {
    const { pool, clock, realClock } = this.#room;
    const states = this.#unwritten;
    this.#unwritten = [];
    // Written at the end: with it the endpoint is nobody's, and nothing more is written.
    const disable = isDone ? this.#disable : undefined;
    try {
      const isHeld = await recordProgress(pool, this.#endpoint.id, {
        lease: this.#lease,
        at: (disable === undefined ? realClock : clock).now(),
        seen: this.#seen,
        states,
        isSlow: this.#longestMs === undefined ? this.#endpoint.is_slow : this.#longestMs >= SLOW_FROM_MS,
        isDone,
        hasMore,
        disable,
      });
      if (!isHeld) this.#isLost = true;
    } catch (error) {
      // Written with what comes next: the place in the feed must not go past what is to be tried again.
      this.#unwritten.unshift(...states);
      throw error;
    }
  }
}

const HEADERS = { 'Content-Type': 'application/json', 'User-Agent': 'Firmquote-Webhooks/1' };

/** The request of an attempt. */
export function signedMessage(
  signer: Signer,
  { id, message }: Pick<FeedEvent, 'id' | 'message'>,
  at: number,
) {
  return { body: message, headers: { ...signer.headers(typeId('evt', id), at, message), ...HEADERS } };
}

export function stateOf({ event, attempts, log }: Item, status: DeliveryState['status']): DeliveryState {
  const { id: eventId, sequence, type, resource = null } = event;
  return { eventId, sequence, type, resource, status, attempts, nextAttemptAt: undefined, log };
}

export function loggedAttempt(at: number, { durationMs, status, failure, answer }: Attempt): LoggedAttempt {
  return {
    at: isoInstant(at),
    durationMs,
    status: status ?? null,
    failure: failure ?? null,
    answer: answer ?? null,
  };
}
