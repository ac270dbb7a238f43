import { logFailure } from '../database/log-failure.ts';
import { newUuid } from '../platform/ids.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { claimEndpoints } from './endpoint-store.ts';
import type { WebhooksRoom } from './room.ts';
import { Turn } from './take-turn.ts';

/** A turn and the attempts that it has begun are over long before. */
const LEASE_MS = 60_000; // limit: Time after which another instance serves an endpoint whose instance is gone
const QUICK_MAX = 128; // limit: Endpoints that an instance serves at once
const SLOW_MAX = 32; // limit: Slow endpoints that an instance serves at once, beside the others

/**
 * Serves endpoints that are due, each for a turn. Any instance may serve any endpoint; who has claimed one has it until it gives
 * it back, or its lease is over. Endpoints that are slow have places of their own, so that they take none of the others'.
 */
export class Dispatcher {
  readonly #room: WebhooksRoom;
  readonly #quick = new Map<Turn, Promise<void>>();
  readonly #slow = new Map<Turn, Promise<void>>();
  /** The last claim took as many as it could: there may be more. */
  #isHungry = false;
  #claiming: Promise<number> | undefined;
  #isStopped = false;

  constructor(room: WebhooksRoom) {
    this.#room = room;
  }

  sweep(): Sweep {
    return {
      name: 'send_webhooks',
      does: 'Serves webhooks that have new events or whose next attempt is due.',
      everyMs: 250,
      run: () => this.claim(),
    };
  }

  /** Takes what is due, as far as there is room, and begins. Answers how many endpoints that were. */
  claim(): Promise<number> {
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = undefined;
    });
    return this.#claiming;
  }

  async #claim(): Promise<number> {
    if (this.#isStopped) return 0;
    const { pool, realClock } = this.#room;
    const now = realClock.now();
    const most = { quick: QUICK_MAX - this.#quick.size, slow: SLOW_MAX - this.#slow.size };
    const lease = { id: newUuid(now), until: now + LEASE_MS };
    const endpoints = await claimEndpoints(pool, lease, now, most);
    const slow = endpoints.filter((endpoint) => endpoint.is_slow).length;
    this.#isHungry = slow === most.slow || endpoints.length - slow === most.quick;
    for (const endpoint of endpoints) {
      const turn = new Turn(this.#room, endpoint);
      const places = endpoint.is_slow ? this.#slow : this.#quick;
      places.set(
        turn,
        this.#run(turn, endpoint.id).finally(() => {
          places.delete(turn);
          if (this.#isHungry) this.claim().catch((error: unknown) => this.#failed(error, {}));
        }),
      );
    }
    return endpoints.length;
  }

  async #run(turn: Turn, endpointId: string): Promise<void> {
    try {
      await turn.run();
    } catch (error) {
      this.#failed(error, { endpointId });
    }
  }

  #failed(error: unknown, fields: Readonly<Record<string, string>>): void {
    logFailure(this.#room.logger, error, fields, 'webhooks were not sent; they will be retried');
  }

  /** How many endpoints are being served. */
  get serving(): number {
    return this.#quick.size + this.#slow.size;
  }

  /** Resolves when nothing that has begun is under way. */
  async idle(): Promise<void> {
    await this.#claiming;
    while (this.serving > 0) await Promise.all([...this.#quick.values(), ...this.#slow.values()]);
  }

  /** Lets attempts under way end, for a short while. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#claiming?.catch(() => undefined);
    const turns = [...this.#quick.keys(), ...this.#slow.keys()];
    for (const turn of turns) void turn.stop();
    await this.idle();
  }
}
