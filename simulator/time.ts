import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import performanceHooks from 'node:perf_hooks';
import timersPromises from 'node:timers/promises';
import { promisify } from 'node:util';
import { newUuid } from '../packages/service/src/platform/ids.ts';
import type { Random } from '../soak/random.ts';
import { Gate } from './gate.ts';
import { real } from './real.ts';
import { Spares } from './spares.ts';
import { Wire } from './wire.ts';

/**
 * Simulated time and chance for everything that runs inside of a simulated machine. The code of the service reads
 * `Date.now`, `performance.now`, timers and random bytes as ever; here these ask on which machine they run
 * (`AsyncLocalStorage`), so that several machines with clocks of their own live in one process. Outside of machines all is as
 * usual: the simulator's own waits are real.
 */
const onMachine = new AsyncLocalStorage<Machine>();

/** Time as it is, which the database has; machines are wrong by their skew. */
export class World {
  /** Epoch milliseconds. */
  now: number;
  readonly random: Random;
  readonly gate = new Gate();
  readonly spares = new Spares();

  constructor(now: number, random: Random) {
    this.now = now;
    this.random = random;
  }
}

export function thisMachine(): Machine | undefined {
  return onMachine.getStore();
}

interface SimulatedTimer {
  readonly id: number;
  at: number;
  readonly everyMs: number | undefined;
  readonly run: () => void;
}

/** A timer handle as Node's. */
class Handle implements Disposable {
  readonly machine: Machine;
  readonly id: number;
  constructor(machine: Machine, id: number) {
    this.machine = machine;
    this.id = id;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return false;
  }
  refresh(): this {
    return this;
  }
  close(): this {
    this.machine.forget(this.id);
    return this;
  }
  [Symbol.toPrimitive](): number {
    return this.id;
  }
  [Symbol.dispose](): void {
    this.close();
  }
}

/** An instance decides nothing while its clock is further from the database's. */
export const MAX_SKEW_MS = 250;

/** A machine that an instance runs on: its clock, and the timers that were set on it. */
export class Machine {
  readonly name: string;
  readonly world: World;
  /** To the database. */
  readonly wire = new Wire();
  /** How far the clock is ahead of the world's. What runs for so long is measured by a clock that nobody sets. */
  skewMs = 0;
  /** Its clock was wrong, and it may not have noticed yet that it is right. */
  wasSkewed = false;
  /** When it last looked for what operators have set. */
  followedAt: number;
  /** A machine that is gone runs nothing any more. */
  isGone = false;
  readonly #timers = new Map<number, SimulatedTimer>();
  readonly #bootAt: number;
  #ids = 0;

  constructor(name: string, world: World) {
    this.name = name;
    this.world = world;
    this.#bootAt = world.now;
    this.followedAt = world.now;
  }

  /** Whether an instance may decide by its clock. */
  get isRight(): boolean {
    return Math.abs(this.skewMs) <= MAX_SKEW_MS;
  }

  now(): number {
    return this.world.now + this.skewMs;
  }

  monotonicMs(): number {
    return this.world.now - this.#bootAt;
  }

  run<T>(work: () => T): T {
    return onMachine.run(this, work);
  }

  set(run: () => void, ms: number, isRepeated: boolean): Handle {
    const id = ++this.#ids;
    const wait = Math.max(1, Number.isFinite(ms) ? ms : 1);
    this.#timers.set(id, { id, at: this.world.now + wait, everyMs: isRepeated ? wait : undefined, run });
    return new Handle(this, id);
  }

  forget(id: number): void {
    this.#timers.delete(id);
  }

  /** When the next timer that is no beat of an interval is due. */
  nextTimeout(): number | undefined {
    let next: number | undefined;
    for (const { at, everyMs } of this.#timers.values())
      if (everyMs === undefined && (next === undefined || at < next)) next = at;
    return next;
  }

  /** Runs what is due, in its order; a beat that was missed several times comes once. */
  fire(): number {
    if (this.isGone) return 0;
    const due = [...this.#timers.values()]
      .filter(({ at }) => at <= this.world.now)
      .sort((a, b) => a.at - b.at || a.id - b.id);
    for (const timer of due) {
      if (!this.#timers.has(timer.id)) continue;
      if (timer.everyMs === undefined) this.#timers.delete(timer.id);
      else timer.at = this.world.now + timer.everyMs;
      this.run(timer.run);
    }
    return due.length;
  }

  end(): void {
    this.isGone = true;
    this.#timers.clear();
  }
}

function fill(bytes: Uint8Array, { world }: Machine): void {
  for (let i = 0; i < bytes.length; i++) bytes[i] = world.random.between(0, 255);
}

let isInstalled = false;

/** Takes the places of the process's own clock, timers and chance. Once is enough; a process that has it is a simulator's. */
export function installTime(): void {
  if (isInstalled) return;
  isInstalled = true;
  installClocks();
  installTimers();
  installChance();
  installGauges();
  syncBuiltinESMExports();
}

function installClocks(): void {
  Date.now = () => onMachine.getStore()?.now() ?? real.now();
  performance.now = () => onMachine.getStore()?.monotonicMs() ?? real.performanceNow();
}

type AnyFunction = (...args: unknown[]) => unknown;

function installTimers(): void {
  const setter =
    (isRepeated: boolean, otherwise: AnyFunction) =>
    (run: AnyFunction, ms = 0, ...args: unknown[]) => {
      const machine = onMachine.getStore();
      if (machine === undefined) return otherwise(run, ms, ...args);
      return machine.set(() => run(...args), ms, isRepeated);
    };
  const clearer = (otherwise: AnyFunction) => (handle: unknown) =>
    handle instanceof Handle ? void handle.close() : otherwise(handle);
  const places = globalThis as unknown as Record<string, unknown>;
  places.setTimeout = setter(false, real.setTimeout as unknown as AnyFunction);
  places.setInterval = setter(true, real.setInterval as unknown as AnyFunction);
  places.clearTimeout = clearer(real.clearTimeout as AnyFunction);
  places.clearInterval = clearer(real.clearInterval as AnyFunction);
  installImmediates(places);
  (timersPromises as { setTimeout: unknown }).setTimeout = (ms = 1, value?: unknown, options?: object) => {
    const machine = onMachine.getStore();
    if (machine === undefined) return real.delay(ms, value, options);
    return new Promise((resolve) => machine.set(() => resolve(value), ms, false));
  };
}

/** An immediate that is still to come is something that happens by itself, which time and others wait for. */
function installImmediates(places: Record<string, unknown>): void {
  const pending = new WeakMap<object, Gate>();
  const done = (handle: unknown) => {
    const gate = pending.get(handle as object);
    pending.delete(handle as object);
    gate?.immediateDone();
  };
  const setImmediate = (run: AnyFunction, ...args: unknown[]): NodeJS.Immediate => {
    const gate = onMachine.getStore()?.world.gate;
    if (gate === undefined) return real.setImmediate(run, ...args);
    const handle = real.setImmediate(() => {
      done(handle);
      run(...args);
    });
    pending.set(handle, gate);
    gate.immediateSet();
    return handle;
  };
  const nextTurn = (value?: unknown) => new Promise((resolve) => setImmediate(() => resolve(value)));
  places.setImmediate = Object.assign(setImmediate, { [promisify.custom]: nextTurn });
  places.clearImmediate = (handle: unknown) => {
    if (handle instanceof Object) done(handle);
    real.clearImmediate(handle as NodeJS.Immediate);
  };
  (timersPromises as { setImmediate: unknown }).setImmediate = nextTurn;
}

/** How often chance has been asked for bytes. */
let draws = 0;

/**
 * Ids are made of bytes that the process draws ahead. What is left of those when a story begins is used up, so that its ids
 * follow from its seed. By ids of one instant, which take equally many each, and twice: the first time may end in the middle of one.
 */
export function drawIdsAnew(machine: Machine): void {
  machine.run(() => {
    for (let time = 0; time < 2; time++) {
      const before = draws;
      while (draws === before) newUuid(0);
    }
  });
}

function installChance(): void {
  const places = crypto as unknown as Record<string, unknown>;
  places.randomFillSync = (buffer: Uint8Array, ...rest: number[]) => {
    const machine = onMachine.getStore();
    if (machine === undefined) return real.randomFillSync(buffer, ...(rest as []));
    draws++;
    fill(buffer, machine);
    return buffer;
  };
  places.randomBytes = (size: number, ...rest: unknown[]) => {
    const machine = onMachine.getStore();
    if (machine === undefined || rest.length > 0) return real.randomBytes(size, ...(rest as []));
    const bytes = Buffer.alloc(size);
    fill(bytes, machine);
    return bytes;
  };
  places.randomUUID = (...rest: []) => {
    const machine = onMachine.getStore();
    if (machine === undefined) return real.randomUUID(...rest);
    const bytes = Buffer.alloc(16);
    fill(bytes, machine);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  };
  Math.random = () => onMachine.getStore()?.world.random.next() ?? real.random();
}

/**
 * What measures the process measures nothing of a machine. Node keeps such gauges for good, and with them all that they belong to: of
 * every instance that has crashed there would be its memory, and a timer that fires a hundred times a second. And from what they
 * measure quantiles are drawn, by chance, which is the story's: more often where the process is slow.
 */
function installGauges(): void {
  const places = performanceHooks as unknown as Record<string, unknown>;
  const { createHistogram, monitorEventLoopDelay, PerformanceObserver } = performanceHooks;
  const isReal = () => onMachine.getStore() === undefined;
  places.monitorEventLoopDelay = (...rest: Parameters<typeof monitorEventLoopDelay>) =>
    isReal()
      ? monitorEventLoopDelay(...rest)
      : Object.assign(createHistogram(), { enable: () => true, disable: () => true });
  places.PerformanceObserver = class extends PerformanceObserver {
    override observe(what: Parameters<InstanceType<typeof PerformanceObserver>['observe']>[0]) {
      if (isReal()) super.observe(what);
    }
  };
  const { eventLoopUtilization } = performance;
  performance.eventLoopUtilization = (...rest) =>
    isReal() ? eventLoopUtilization(...rest) : { idle: 0, active: 0, utilization: 0 };
  const { hrtime } = process;
  const measured = (since?: [number, number]): [number, number] => (isReal() ? hrtime(since) : [0, 0]);
  process.hrtime = Object.assign(measured, { bigint: hrtime.bigint });
}
