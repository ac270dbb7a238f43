import { hindranceOf } from '../database/failures.ts';
import type { Clock } from '../platform/clock.ts';
import { RefreshingCache } from '../platform/refreshing-cache.ts';
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

/** A client that somebody waits for. */
interface Asked extends PromiseWithResolvers<CurrentState | undefined> {
  readonly clientId: string;
  /** As it was known before. */
  readonly before: CurrentState | undefined;
}

interface ClientStatesOptions {
  readonly realClock: Clock;
  /** Reads the states of many clients at once. */
  readonly read: (clientIds: readonly string[], now: number) => Promise<readonly ClientState[]>;
}

/**
 * Whether a client's tokens count, at most five seconds old. A state older than two seconds is renewed in the
 * background while it is still used. When the database does not answer, states run out after five seconds and
 * calls are refused with 503: who was suspended in the meantime cannot be known, and a token must not outlive its
 * revocation. It is 503 and not 401, so that clients keep their tokens.
 */
export class ClientStates {
  readonly #options: ClientStatesOptions;
  readonly #states: RefreshingCache<string, CurrentState | undefined>;
  #queue: Asked[] = [];

  constructor(options: ClientStatesOptions) {
    this.#options = options;
    this.#states = new RefreshingCache({
      load: (clientId, before) => this.#ask(clientId, before),
      freshMs: FRESH_MS,
      maxAgeMs: USABLE_MS,
      maxEntries: STATES_MAX,
      now: () => options.realClock.now(),
    });
  }

  /** @returns undefined for a client that does not exist */
  get(clientId: string): CurrentState | undefined | Promise<CurrentState | undefined> {
    return this.#states.get(clientId);
  }

  /** Called when a client was changed by this process: the next call sees it. */
  forget(clientId: string): void {
    this.#states.invalidate(clientId);
  }

  /** Called when what many clients may do was changed by this process. */
  forgetAll(): void {
    this.#states.clear();
  }

  #ask(clientId: string, before: CurrentState | undefined): Promise<CurrentState | undefined> {
    const asked: Asked = { clientId, before, ...Promise.withResolvers<CurrentState | undefined>() };
    // One turn of the event loop later, so that clients that call together are read together.
    if (this.#queue.length === 0) setImmediate(() => void this.#flush());
    this.#queue.push(asked);
    return asked.promise;
  }

  async #flush(): Promise<void> {
    const all = this.#queue;
    this.#queue = [];
    try {
      const ids = [...new Set(all.map(({ clientId }) => clientId))];
      const states = await this.#options.read(ids, this.#options.realClock.now());
      const found = new Map(states.map((state) => [state.id, state]));
      for (const { clientId, before, resolve } of all) resolve(currentState(found.get(clientId), before));
    } catch (error) {
      // Callers get the same answer while the database takes no writes, however long ago their state was read.
      const failure =
        hindranceOf(error) === 'read_only'
          ? error
          : new Problem('maintenance', 'The state of the client cannot be read.', {
              headers: { 'Retry-After': '2' },
              cause: error,
            });
      for (const { reject } of all) reject(failure);
    }
  }
}

function currentState(
  found: ClientState | undefined,
  before: CurrentState | undefined,
): CurrentState | undefined {
  return found && { ...found, addresses: addressesOf(found, before), granted: new Set(found.scopes) };
}

/** The compiled list is kept as long as the list is the same: it changes almost never and is read every 2 s. */
function addressesOf(state: ClientState, before: CurrentState | undefined): IpAllowList {
  const same = before?.ipAllowList.join() === state.ipAllowList.join();
  return before && same ? before.addresses : new IpAllowList(state.ipAllowList);
}
