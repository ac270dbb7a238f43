import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HeldElsewhere } from '../platform/neighbours.ts';
import { Problem } from '../problems/problem.ts';
import { type Authenticator, readmission } from './access.ts';
import { applyPreference } from './preferences.ts';

/** Held polls of one customer at once (docs/interface.md#polling). */
const HELD_MAX = 10; // limit: Long polls of a customer held at once, in each instance
const LOOK_EVERY_MS = 250; // limit: How often held long polls look

/**
 * Long polls (`Prefer: wait=30`): a request is held until there is something to tell, or the time is over. The database is
 * asked every quarter of a second, so a change by any instance is seen, whoever made it. Whoever may not ask any more by then is refused, and
 * told nothing of what has happened since.
 */
export class HeldPolls {
  readonly #authenticator: Authenticator;
  readonly #held = new Map<string, number>();
  readonly #elsewhere: HeldElsewhere<number> | undefined;
  #closing = false;
  readonly #wake = new Set<() => void>();

  /** @param elsewhere those that other processes of this service hold */
  constructor(authenticator: Authenticator, elsewhere?: HeldElsewhere<number>) {
    this.#authenticator = authenticator;
    this.#elsewhere = elsewhere;
  }

  /**
   * Waits as long as the request prefers, which is not at all by default.
   * @param seconds that it prefers
   * @param look asked again and again; undefined as long as there is nothing new
   * @returns what was found, or undefined when the time is over, the caller hung up or the service stops
   * @throws Problem rate_limited, and what refuses the request by now
   */
  async waitFor<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    seconds: number | undefined,
    customerId: string,
    look: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    if (seconds === undefined || seconds === 0) return undefined;
    const readmit = readmission({ authenticator: this.#authenticator }, request);
    const lookIfPermitted = async () => {
      await readmit();
      return look();
    };
    const found = await untilHangUp(request, (gone) => this.hold(customerId, seconds, gone, lookIfPermitted));
    applyPreference(reply, `wait=${seconds}`);
    return found;
  }

  /**
   * @param seconds real time to wait at most
   * @param gone aborted when the caller hangs up
   */
  async hold<T>(
    customerId: string,
    seconds: number,
    gone: AbortSignal,
    look: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    this.#take(customerId);
    try {
      return await this.#repeat(look, seconds, gone);
    } finally {
      this.#giveBack(customerId);
    }
  }

  /** Lets every held request answer, so that the service can stop. */
  close(): void {
    this.#closing = true;
    for (const wake of this.#wake) wake();
  }

  async #repeat<T>(
    look: () => Promise<T | undefined>,
    seconds: number,
    gone: AbortSignal,
  ): Promise<T | undefined> {
    const deadline = performance.now() + seconds * 1000;
    while (!gone.aborted && !this.#closing) {
      const left = deadline - performance.now();
      if (left <= 0) break;
      await this.#pause(Math.min(LOOK_EVERY_MS, left), gone);
      const found = await look();
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #take(customerId: string): void {
    const held = this.#held.get(customerId) ?? 0;
    let all = held;
    for (const more of this.#elsewhere?.of(customerId) ?? []) all += more;
    if (all >= HELD_MAX) {
      throw new Problem('rate_limited', `The customer already has ${HELD_MAX} requests waiting.`, {
        members: { 'violated-policies': ['held'] },
        headers: { 'Retry-After': '1' },
      });
    }
    this.#held.set(customerId, held + 1);
    this.#elsewhere?.set(customerId, held + 1);
  }

  #giveBack(customerId: string): void {
    const left = (this.#held.get(customerId) ?? 1) - 1;
    if (left === 0) this.#held.delete(customerId);
    else this.#held.set(customerId, left);
    this.#elsewhere?.set(customerId, left === 0 ? undefined : left);
  }

  #pause(ms: number, gone: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        gone.removeEventListener('abort', end);
        this.#wake.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      gone.addEventListener('abort', end);
      this.#wake.add(end);
    });
  }
}

/** Does the work with a signal that is given when the caller hangs up. */
export async function untilHangUp<T>(
  request: FastifyRequest,
  work: (gone: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  const hangUp = () => gone.abort();
  const { socket } = request.raw;
  socket.once('close', hangUp);
  // It has hung up while its token was read: nothing tells so any more.
  if (socket.destroyed) hangUp();
  try {
    return await work(gone.signal);
  } finally {
    socket.off('close', hangUp);
  }
}
