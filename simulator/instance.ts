import type { LightMyRequestResponse } from 'fastify';
import { type Instance as Composed, composeInstance } from '../packages/service/src/application.ts';
import { loadConfig } from '../packages/service/src/config.ts';
import { requireMode } from '../packages/service/src/database/mode.ts';
import { createPool, type Pool } from '../packages/service/src/database/pool.ts';
import { createLogger } from '../packages/service/src/platform/logger.ts';
import { STEP_LIMIT_MS } from './gate.ts';
import { realDelay, realNow } from './real.ts';
import { Machine, type World } from './time.ts';

export const BASE_URL = 'https://fx.simulated.example';
export const SOURCES = ['push:alpha', 'push:beta'] as const;
/** Connections of an instance. */
const CONNECTIONS = 6;

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** A file instead of JSON. */
  readonly content?: string;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers have many shapes
  readonly body: any;
}

/** Nobody will ever get an answer: the instance is gone. */
export const LOST = 'lost';

/** One instance of the service on a simulated machine: its own code, whole, over the database that all of them share. */
export class Instance {
  readonly machine: Machine;
  readonly composed: Composed;
  readonly #pool: Pool;
  readonly #faults: string[];
  #pids: readonly number[] = [];
  #crashed!: (lost: typeof LOST) => void;
  readonly #crash: Promise<typeof LOST>;

  private constructor(machine: Machine, composed: Composed, pool: Pool, faults: string[]) {
    this.machine = machine;
    this.composed = composed;
    this.#pool = pool;
    this.#faults = faults;
    this.#crash = new Promise((resolve) => {
      this.#crashed = resolve;
    });
  }

  static async start(name: string, world: World, databaseUrl: string): Promise<Instance> {
    const machine = new Machine(name, world);
    return machine.run(async () => {
      const config = loadConfig({
        FIRMQUOTE_MODE: 'production',
        FIRMQUOTE_DATA_DIR: '/nonexistent',
        DATABASE_URL: databaseUrl,
        FIRMQUOTE_BASE_URL: BASE_URL,
        FIRMQUOTE_SOURCES: SOURCES.join(','),
        FIRMQUOTE_FIRST_PRICES: 'believe',
        FIRMQUOTE_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
        FIRMQUOTE_TRUST_PROXY: 'none',
        FIRMQUOTE_UNSAFE_DATABASE: 'warn',
        FIRMQUOTE_DOCS: 'off',
      });
      const faults: string[] = [];
      const logger = createLogger('error', { write: (line) => faults.push(line) });
      const pool = createPool({ connection: databaseUrl, max: CONNECTIONS, onError: () => undefined });
      takeWarmestFirst(pool);
      await requireMode(pool, config.mode);
      const composed = await composeInstance({ pool, dataFolder: undefined }, config, logger);
      const { core, follower, app } = composed;
      await core.clockWatch.start();
      await core.keys.start();
      await follower.look();
      await core.market.start();
      core.startAccepting();
      await app.ready();
      return new Instance(machine, composed, pool, faults);
    });
  }

  /** What it has logged as a fault since the last time. */
  takeFaults(): string[] {
    return this.#faults.splice(0);
  }

  /** @returns {@link LOST} when the instance crashes before it answers */
  async call(request: Request): Promise<Answer | typeof LOST> {
    // What it returns begins to work when somebody waits for it, and that must be on the machine.
    const answered = this.machine.run(async () => await this.composed.app.inject(injected(request)));
    const found = await Promise.race([answered.catch((error: unknown) => ({ error })), this.#crash]);
    if (found === LOST) return LOST;
    if ('error' in found) throw found.error;
    return read(found);
  }

  /** Prices as a feed brings them, without a request. */
  push(source: string, prices: readonly { pair: string; bid: string; ask: string; at?: string }[]): void {
    const pushed = this.composed.core.pushSources.get(source);
    this.machine.run(() => {
      for (const price of prices) pushed?.push(price);
    });
  }

  withdraw(source: string, pairs: readonly string[] | undefined): void {
    const pushed = this.composed.core.pushSources.get(source);
    this.machine.run(() => pushed?.withdraw(pairs, this.machine.now()));
  }

  /** Runs a sweep by its place in the list; one that fails is tried again another time. */
  async sweep(place: number): Promise<string> {
    const { work, core } = this.composed;
    const sweep = work[place % work.length];
    if (sweep === undefined || !this.machine.run(() => core.clockWatch.isRight())) return 'rests';
    await this.#orCrash(
      this.machine.run(() => sweep.run()).catch((error: unknown) => this.#failed(sweep.name, error)),
    );
    if (sweep.name === 'follow_settings') this.machine.followedAt = this.machine.world.now;
    return sweep.name;
  }

  /** Everything that is due. */
  async sweepAll(): Promise<void> {
    this.machine.followedAt = this.machine.world.now;
    await this.#orCrash(
      this.machine
        .run(() => this.composed.sweeps.runDueNow())
        .catch((error: unknown) => this.#failed('all', error)),
    );
  }

  async follow(): Promise<void> {
    this.machine.followedAt = this.machine.world.now;
    await this.#orCrash(
      this.machine
        .run(() => this.composed.follower.look())
        .catch((error: unknown) => this.#failed('follow', error)),
    );
  }

  #failed(name: string, error: unknown): void {
    if (this.machine.isGone || this.machine.wire.isCut) return;
    this.#faults.push(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }

  #orCrash<T>(work: Promise<T>): Promise<T | typeof LOST> {
    return Promise.race([work, this.#crash]);
  }

  /** Asks the database what time it is. */
  async measureClock(): Promise<void> {
    await this.machine.run(() => this.composed.core.clockWatch.measure());
  }

  /** The process is killed, in the middle of whatever it does. */
  die(): void {
    if (this.machine.isGone) return;
    const { wire, world } = this.machine;
    this.machine.end();
    this.#pids = wire.cut(world.spares);
    this.#crashed(LOST);
    // What is left of it in this process ends without a word.
    this.#pool.end().catch(() => undefined);
  }

  /** As {@link die}. @returns the processes of the server that end with it */
  crash(): readonly number[] {
    this.die();
    return this.#pids;
  }
}

/**
 * What is idle is taken in the order in which it was connected. A server's process plans every function anew, which takes longer
 * than all that it is asked afterwards; and it says which connection is whose, whatever was over first.
 */
function takeWarmestFirst(pool: Pool): void {
  const inside = pool as unknown as { _idle: { client: unknown }[]; readonly _clients: readonly unknown[] };
  class Idle extends Array<{ client: unknown }> {
    static override get [Symbol.species]() {
      return Array;
    }
    override pop() {
      const order = this.map(({ client }) => inside._clients.indexOf(client));
      return this.splice(order.indexOf(Math.min(...order)), 1)[0];
    }
  }
  inside._idle = new Idle();
}

function injected({ method, path, body, content, token, headers = {} }: Request) {
  return {
    method,
    url: path,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(content === undefined ? {} : { 'content-type': 'application/octet-stream' }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: body as object }),
    ...(content === undefined ? {} : { payload: content }),
  };
}

function read({ statusCode, headers, body }: LightMyRequestResponse): Answer {
  const isJson = /[/+]json/.test(String(headers['content-type'] ?? ''));
  return {
    status: statusCode,
    headers,
    text: body,
    body: isJson && body !== '' ? JSON.parse(body) : undefined,
  };
}

/**
 * Drives work on machines to its end, and on until nothing more happens by itself. Time stands while anything is under way; where
 * all of it waits for time, time goes on to the next timer. That is what makes a step the same each time it is taken.
 * @param onWait called when somebody waits for a lock. Answers whether who has that goes on now
 */
export async function drive<T>(
  work: Promise<T>,
  machines: () => readonly Machine[],
  world: World,
  onTime: (now: number) => Promise<void>,
  onWait: () => Promise<boolean> = async () => false,
): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  let waitsSince: number | undefined;
  for (;;) {
    await world.gate.quiet();
    if (world.gate.blocked > 0 && (await onWait())) continue;
    if (isOver) return work;
    const next = machines().flatMap((machine) => machine.nextTimeout() ?? []);
    if (next.length === 0) {
      waitsSince ??= realNow();
      if (realNow() - waitsSince > STEP_LIMIT_MS)
        throw new Error('a step does not end: it waits for nothing');
      await realDelay(1);
      continue;
    }
    waitsSince = undefined;
    world.now = Math.max(world.now, Math.min(...next));
    await onTime(world.now);
    for (const machine of machines()) machine.fire();
  }
}
