import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { before, describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import { newUuid } from '../packages/service/src/platform/ids.ts';
import { createTestDatabase } from '../packages/service/test/support/database.ts';
import { whenFileEnds } from '../packages/service/test/support/file-end.ts';
import { Random } from '../soak/random.ts';
import { newKey, requestQuote } from './customers.ts';
import { Databases } from './database.ts';
import { installWires } from './driver.ts';
import { type Execution, execute } from './executions.ts';
import { FAULTS } from './faults.ts';
import type { Instance } from './instance.ts';
import { realDelay, realNow } from './real.ts';
import { Simulation } from './simulation.ts';
import { type Stage, setStage } from './stage.ts';
import { type Outcome, play, type Step, shrink, stepsOf } from './story.ts';
import { drawIdsAnew, installTime, Machine, World } from './time.ts';
import { crashAtExecution } from './trouble.ts';

// The process's time is taken over: process.exitCode is its own.
let databases: Databases;
let stage: Stage;

before(async () => {
  installTime();
  installWires();
  const { ownerUrl } = await createTestDatabase({ migrated: false });
  databases = new Databases(ownerUrl);
  whenFileEnds(() => databases.dropAll());
  stage = await setStage(databases);
});

const options = (seed: number, fault?: string) => ({
  stage,
  databases,
  seed,
  deepEvery: 100,
  fault: fault === undefined ? undefined : FAULTS.get(fault),
});

interface Traced {
  readonly outcome: Outcome;
  /** All that the digest is made of, by step. */
  readonly steps: readonly (readonly string[])[];
}

async function playTraced(steps: Iterable<Step>, seed: number): Promise<Traced> {
  const traced: string[][] = [[]];
  const outcome = await play(steps, {
    ...options(seed),
    trace: (line) => traced.at(-1)?.push(line),
    log: () => traced.push([]),
  });
  return { outcome, steps: traced };
}

/** @returns at which step two stories differ first, and in what */
function firstDifference(one: Traced, other: Traced): string | undefined {
  for (let step = 0; step < Math.max(one.steps.length, other.steps.length); step++) {
    const [a = [], b = []] = [one.steps[step], other.steps[step]];
    const line = a.findIndex((text, i) => text !== b[i]);
    if (line >= 0 || a.length !== b.length)
      return `step ${step + 1}: ${a[line] ?? 'nothing more'}\nagain: ${b[line < 0 ? a.length : line] ?? 'nothing more'}`;
  }
  return undefined;
}

/** Does the work while as many threads as there are cores do nothing but count. */
async function onBusyMachine<T>(work: () => Promise<T>): Promise<T> {
  const threads = Array.from(
    { length: availableParallelism() },
    () => new Worker('for (;;);', { eval: true }),
  );
  try {
    return await work();
  } finally {
    for (const thread of threads) await thread.terminate();
  }
}

test('a story holds every rule, and is the same when it is played again on a busy machine', async () => {
  const first = await playTraced(stepsOf(21, 100), 21);
  const { failure, counts } = first.outcome;
  assert.equal(failure, undefined, failure?.message);
  assert.ok((counts.get('trades') ?? 0) > 3, 'there were trades');
  const again = await onBusyMachine(() => playTraced(stepsOf(21, 100), 21));
  assert.equal(firstDifference(first, again), undefined);
  assert.deepEqual([again.outcome.digest, [...again.outcome.counts]], [first.outcome.digest, [...counts]]);
});

test('the ids of a story follow from its seed, whatever the process has made before', () => {
  const made = Array.from({ length: 40 }, (_, before) => {
    for (let id = 0; id < before; id++) newUuid(before % 3 === 0 ? 1 : id);
    const machine = new Machine('one', new World(0, new Random(7)));
    drawIdsAnew(machine);
    return machine.run(() => [newUuid(5), newUuid(5), newUuid(6)].join(' '));
  });
  assert.deepEqual([...new Set(made)], [made[0]]);
});

test('what measures the process draws nothing of the chance of a story, however long a step takes', async () => {
  const world = new World(0, new Random(7));
  const machine = new Machine('one', world);
  // A thousand values for each millisecond, of which quantiles are drawn anew.
  const register = new Registry();
  machine.run(() => collectDefaultMetrics({ register, eventLoopUtilizationTimeout: 0.001 }));
  for (let beat = 0; beat < 5; beat++) {
    await realDelay(5);
    world.now += 100;
    machine.fire();
  }
  assert.equal(world.random.next(), new Random(7).next());
});

test('a story whose time is over is the same with fewer steps', async () => {
  let asked = 0;
  const cut = await play(stepsOf(22, 100), { ...options(22), isOver: () => ++asked > 25 });
  const short = await play(stepsOf(22, 25), options(22));
  assert.deepEqual([cut.steps, cut.digest, cut.failure], [25, short.digest, undefined]);
});

/** Kills every instance that there is. @returns what may be forgotten of them */
async function crashAll(sim: Simulation): Promise<WeakRef<object>[]> {
  const killed = sim.instances;
  for (const instance of killed) await sim.crash(instance);
  return killed.map(({ machine }) => new WeakRef(machine));
}

test('of an instance that has crashed the process keeps nothing', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const sim = await Simulation.open(stage, databases, 23);
  try {
    const killed = await crashAll(sim);
    const kept = () => killed.filter((each) => each.deref() !== undefined).length;
    // Sockets close by and by.
    for (let look = 0; look < 50 && kept() > 0; look++) {
      await realDelay(10);
      collect();
    }
    assert.equal(kept(), 0);
  } finally {
    await sim.close();
  }
});

interface Session {
  readonly process: number;
  readonly name: string;
}

/** On the connection that an instance takes first. */
function sessionOf(sim: Simulation, instance: Instance): Promise<Session> {
  const text = `select pg_backend_pid() as process, current_setting('application_name') as name`;
  const asked = async () => (await instance.composed.core.pool.query<Session>(text)).rows;
  return sim.drive(instance.machine.run(asked)).then(([row]) => row as Session);
}

test('a session of an instance that crashed serves the next one, but for one in a transaction', async () => {
  const sim = await Simulation.open(stage, databases, 24);
  try {
    const [idle, busy] = sim.instances as [Instance, Instance];
    const kept = await sessionOf(sim, idle);
    const broken = await sessionOf(sim, busy);
    const { pool } = idle.composed.core;
    await sim.drive(idle.machine.run(() => pool.query(`set application_name = 'left over'`)));
    await sim.crash(idle);
    assert.deepEqual(await sessionOf(sim, sim.instances[0] as Instance), kept);
    const connection = await sim.drive(busy.machine.run(() => busy.composed.core.pool.connect()));
    await sim.drive(busy.machine.run(() => connection.query('begin')));
    await sim.crash(busy);
    assert.notEqual((await sessionOf(sim, sim.instances[1] as Instance)).process, broken.process);
    const [row] = await sim.observer.rows('select from pg_stat_activity where pid = $1', [broken.process]);
    assert.equal(row, undefined);
  } finally {
    await sim.close();
  }
});

/** A clock that is wrong, or right again, as its instance notices. */
async function skew(sim: Simulation, instance: Instance, ms: number): Promise<void> {
  instance.machine.skewMs = ms;
  await sim.drive(instance.measureClock());
}

/** A quote of a customer without limits of its own, and its execution. */
async function executable(sim: Simulation, random: Random): Promise<Execution> {
  for (;;) {
    await requestQuote(sim, random);
    const quote = sim.model.quotes.items.at(-1);
    if (quote?.state === 'open' && quote.customer.character === 'plain')
      return { quote, by: quote.customer, key: newKey(sim), body: {}, ifMatch: undefined };
  }
}

test('a trade of which its customer could not hear is known to be possible', async () => {
  const sim = await Simulation.open(stage, databases, 25);
  try {
    const random = new Random(25);
    let execution = await executable(sim, random);
    for (let crash = 0; sim.unsure.size === 0; crash++) {
      assert.ok(crash < 20, 'another instance always knew');
      if (crash > 0) execution = await executable(sim, random);
      const [first, ...others] = sim.instances as [Instance, ...Instance[]];
      // Whose clock is wrong says so, without a look at the key.
      for (const other of others) await skew(sim, other, 60_000);
      // What it reads before the commit depends on what it knows of the customer.
      await crashAtExecution(sim, random, first, execution, 1 + (crash % 3), true);
      for (const instance of sim.instances) await skew(sim, instance, 0);
      const stored = await sim.observer.rows('select from transactions');
      if (stored.length === sim.model.reported.size) sim.unsure.clear();
    }
    const { quote } = execution;
    assert.deepEqual([...sim.unsure], [quote.quoteId]);
    const [instance] = sim.instances as [Instance];
    const outcome = await execute(sim, random, instance, { ...execution, key: undefined });
    assert.equal(outcome, 'quote_already_executed');
    assert.deepEqual([quote.state, sim.model.reported.has(quote.quoteId)], ['executed', true]);
    assert.equal(sim.unsure.size, 0);
  } finally {
    await sim.close();
  }
});

/** Draws that make a story in which something is sure to be executed, and much else happens. */
function plain(): Step[] {
  const kinds = [
    'tick',
    'pay',
    'quote',
    'events',
    'quote',
    'execute',
    'quote',
    'execute',
    'late',
    'quote',
    'execute',
    'late',
  ];
  return kinds.map((kind, i) => ({ kind, seed: 1_000 + i }));
}

describe('a service that is broken on purpose is found out', () => {
  for (const [fault, rule] of [
    ['executed-twice', 'one transaction for each quote'],
    ['unbalanced-entry', 'books balanced: every entry, in each currency'],
    ['event-skipped', 'a feed of events has no gap'],
    ['late-execution', 'no execution against a rule that refuses it'],
  ] as const)
    test(`${fault}: ${rule}`, async () => {
      const { failure } = await play(plain(), options(5, fault));
      assert.equal(failure?.rule, rule, failure?.message);
    });

  test('and its story shrinks to few steps', async () => {
    const sound = await play(plain(), options(5));
    assert.equal(sound.failure, undefined, sound.failure?.message);
    const broken = options(5, 'executed-twice');
    const { failure } = await play(plain(), broken);
    assert.ok(failure !== undefined);
    const least = await shrink(failure, broken, () => undefined, 120_000, realNow);
    assert.ok(least.steps.length <= 4, `${least.steps.map(({ kind }) => kind)}`);
  });
});
