import { hindranceOf } from '../database/failures.ts';
import type { Clock } from '../platform/clock.ts';
import { Gathering } from '../platform/gathering.ts';
import { RecentMap } from '../platform/recent-map.ts';
import { RENEWED_TOGETHER_MS } from '../platform/refreshing-cache.ts';
import { Problem } from '../problems/problem.ts';
import { IpAllowList } from './ip-allow-list.ts';
import type { ClientState } from './token-store.ts';

/** Younger states are used as they are. */
export const FRESH_MS = 2_000; // limit: Age up to which a client's state is used as it is
/** Older states are not used: a suspension made on another instance bites within this time (docs/interface.md#access). */
export const USABLE_MS = 5_000; // limit: Age up to which a client's state is used at all
const STATES_MAX = 10_000; // limit: States of clients in memory

export interface CurrentState extends ClientState {
  readonly addresses: IpAllowList;
  /** The scopes as a set; the same one as long as they are the same. */
  readonly granted: ReadonlySet<string>;
}

interface CachedState {
  readonly state: CurrentState;
  /** When the question was sent to the database, not when the answer came: the state may be as old as that. */
  readonly askedAt: number;
}

interface Pending {
  readonly clientId: string;
  /** When the question was sent to the database; undefined before. */
  askedAt: number | undefined;
  readonly promise: Promise<CurrentState | undefined>;
  readonly resolve: (state: CurrentState | undefined) => void;
  readonly reject: (error: unknown) => void;
}

interface ClientStatesOptions {
  readonly realClock: Clock;
  /** Reads the states of many clients at once. */
  readonly read: (clientIds: readonly string[], now: number) => Promise<readonly ClientState[]>;
  readonly max?: number;
}

/**
 * Whether a client's tokens count, at most five seconds old. A state older than two seconds is renewed in the
 * background while it is still used. When the database does not answer, states run out after five seconds and
 * calls are refused with 503: who was suspended in the meantime cannot be known, and a token must not outlive its
 * revocation. It is 503 and not 401, so that clients keep their tokens.
 */
export class ClientStates {
  readonly #options: ClientStatesOptions;
  readonly #held: RecentMap<string, CachedState>;
  readonly #pending = new Map<string, Pending>();
  readonly #due = new Gathering<string>(RENEWED_TOGETHER_MS, (clientIds) => {
    // Whoever comes after the five seconds will see the failure; those before are still served.
    for (const clientId of clientIds)
      if (this.#held.get(clientId) !== undefined) this.#ask(clientId).promise.catch(() => undefined);
  });
  #queue: Pending[] = [];

  constructor(options: ClientStatesOptions) {
    this.#options = options;
    this.#held = new RecentMap(options.max ?? STATES_MAX);
  }

  /** @returns undefined for a client that does not exist */
  get(clientId: string): CurrentState | Promise<CurrentState | undefined> {
    const held = this.#held.get(clientId);
    if (held === undefined) return this.#ask(clientId).promise;
    const age = this.#options.realClock.now() - held.askedAt;
    // A negative age means that the clock was set back: the true age is not known.
    if (age < 0 || age >= USABLE_MS) return this.#ask(clientId).promise;
    if (age >= FRESH_MS && !this.#pending.has(clientId)) this.#due.add(clientId);
    return held.state;
  }

  /** Called when a client was changed by this process: the next call sees it. */
  forget(clientId: string): void {
    this.#held.delete(clientId);
    // An answer that is on its way may have been read before the change: it is not kept.
    this.#pending.delete(clientId);
  }

  /** Called when what many clients may do was changed by this process. */
  forgetAll(): void {
    this.#held.clear();
    this.#pending.clear();
  }

  #ask(clientId: string): Pending {
    const known = this.#pending.get(clientId);
    // What was asked for so long ago is too old when it comes at last.
    if (known !== undefined && this.#isYoung(known)) return known;
    const pending: Pending = {
      clientId,
      askedAt: undefined,
      ...Promise.withResolvers<CurrentState | undefined>(),
    };
    this.#pending.set(clientId, pending);
    // One turn of the event loop later, so that clients that call together are read together.
    if (this.#queue.length === 0) setImmediate(() => void this.#flush());
    this.#queue.push(pending);
    return pending;
  }

  async #flush(): Promise<void> {
    const asked = this.#queue;
    this.#queue = [];
    const askedAt = this.#options.realClock.now();
    for (const pending of asked) pending.askedAt = askedAt;
    try {
      const states = await this.#options.read([...new Set(asked.map((p) => p.clientId))], askedAt);
      const found = new Map(states.map((state) => [state.id, state]));
      for (const pending of asked) this.#settle(pending, found.get(pending.clientId), askedAt);
    } catch (error) {
      // Callers get the same answer while the database takes no writes, however long ago their state was read.
      const failure =
        hindranceOf(error) === 'read_only'
          ? error
          : new Problem('maintenance', 'The state of the client cannot be read.', {
              headers: { 'Retry-After': '2' },
              cause: error,
            });
      for (const pending of asked) {
        if (this.#isCurrent(pending)) this.#pending.delete(pending.clientId);
        pending.reject(failure);
      }
    }
  }

  #settle(pending: Pending, found: ClientState | undefined, askedAt: number): void {
    const before = this.#held.get(pending.clientId)?.state;
    const state = found && {
      ...found,
      addresses: addressesOf(found, before),
      granted: grantedTo(found, before),
    };
    if (this.#isCurrent(pending)) {
      this.#pending.delete(pending.clientId);
      if (state) this.#held.set(pending.clientId, { state, askedAt });
      else this.#held.delete(pending.clientId);
    }
    pending.resolve(state);
  }

  #isYoung({ askedAt }: Pending): boolean {
    const age = askedAt === undefined ? 0 : this.#options.realClock.now() - askedAt;
    return age >= 0 && age < USABLE_MS;
  }

  #isCurrent(pending: Pending): boolean {
    return this.#pending.get(pending.clientId) === pending;
  }
}

/** The compiled list is kept as long as the list is the same: it changes almost never and is read every 2 s. */
function addressesOf(state: ClientState, before: CurrentState | undefined): IpAllowList {
  const same = before?.ipAllowList.join() === state.ipAllowList.join();
  return before && same ? before.addresses : new IpAllowList(state.ipAllowList);
}

function grantedTo(state: ClientState, before: CurrentState | undefined): ReadonlySet<string> {
  const same = before?.scopes.join() === state.scopes.join();
  return before && same ? before.granted : new Set(state.scopes);
}
