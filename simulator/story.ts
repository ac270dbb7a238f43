import { Random } from '../soak/random.ts';
import { askIndicative, requestQuote } from './customers.ts';
import type { Databases } from './database.ts';
import { cancelQuote, executeAtTheEnd, executeQuote } from './executions.ts';
import { checkDeep, checkStep, pollQuote, pollTrade, pry, readEvents } from './invariants.ts';
import {
  deliverFiles,
  haltOrResume,
  payIn,
  payOut,
  retryPayouts,
  setTerms,
  suspendOrResume,
  takeIn,
  tryAlone,
  unwind,
  withdraw,
  workException,
} from './operators.ts';
import { Simulation, type SimulationFault } from './simulation.ts';
import type { Stage } from './stage.ts';
import { crashInstance, race, skewClock, stallInstance } from './trouble.ts';
import { Violation } from './violation.ts';
import { jump, lie, runSweeps, silence, tick } from './weather.ts';

type Act = (sim: Simulation, random: Random) => Promise<string> | string;

/** Commands, and how often each is drawn. */
const ACTS: Readonly<Record<string, readonly [weight: number, act: Act]>> = {
  quote: [190, requestQuote],
  execute: [190, executeQuote],
  late: [20, executeAtTheEnd],
  tick: [170, tick],
  sweep: [60, runSweeps],
  race: [30, race],
  cancel: [35, cancelQuote],
  indicative: [30, askIndicative],
  poll_trade: [35, pollTrade],
  poll_quote: [35, pollQuote],
  events: [30, readEvents],
  pry: [12, pry],
  pay: [60, payIn],
  bank_files: [25, deliverFiles],
  exception: [25, workException],
  pay_out: [14, payOut],
  retry_payout: [6, retryPayouts],
  withdraw: [10, withdraw],
  unwind: [6, unwind],
  halt: [10, haltOrResume],
  suspend: [6, suspendOrResume],
  terms: [5, setTerms],
  alone: [8, tryAlone],
  lie: [14, lie],
  silence: [8, silence],
  crash: [5, crashInstance],
  stall: [8, stallInstance],
  clock: [4, skewClock],
  jump: [9, jump],
};
export type Kind = string;

/** One step of a story: a command, and the seed of whatever it draws. The same list of steps is the same story. */
export interface Step {
  readonly kind: Kind;
  readonly seed: number;
}

/** Draws steps one after the other: the first ones are the same, however many there are. */
export function* stepsOf(seed: number, count: number): Generator<Step> {
  const random = new Random(seed);
  const bag = Object.entries(ACTS).flatMap(([kind, [weight]]) => Array<string>(weight).fill(kind));
  for (let i = 0; i < count; i++) yield { kind: random.pick(bag), seed: random.between(0, 2 ** 31 - 1) };
}

export function isKind(text: string): boolean {
  return text in ACTS;
}

/** How a story ended, when a rule was broken. */
export interface Failure {
  readonly rule: string;
  readonly message: string;
  /** The steps up to the one that broke it. */
  readonly steps: readonly Step[];
}

export interface Outcome {
  readonly steps: number;
  readonly counts: ReadonlyMap<string, number>;
  readonly digest: string;
  readonly failure: Failure | undefined;
}

export interface StoryOptions {
  readonly stage: Stage;
  readonly databases: Databases;
  readonly seed: number;
  /** Steps between two looks at everything. */
  readonly deepEvery: number;
  /** Put into the database before the first step. */
  readonly fault?: SimulationFault | undefined;
  /** Is told of each step, with the digest of all until then. */
  readonly log?: ((line: string) => void) | undefined;
  /** Is told of all that the digest is made of. */
  readonly trace?: ((line: string) => void) | undefined;
  readonly onStep?: ((done: number) => void) | undefined;
  /** Asked before each step: a story whose time is over ends there as any other. */
  readonly isOver?: (() => boolean) | undefined;
}

/** Plays a story in a database of its own. */
export async function play(steps: Iterable<Step>, options: StoryOptions): Promise<Outcome> {
  const sim = await Simulation.open(options.stage, options.databases, options.seed);
  const taken: Step[] = [];
  sim.onTrace = options.trace;
  let failure: Failure | undefined;
  try {
    await options.fault?.(sim.observer);
    for (const step of steps) {
      if (options.isOver?.()) break;
      taken.push(step);
      const what = await takeStep(sim, step);
      const at = new Date(sim.world.now).toISOString();
      options.log?.(`${taken.length} ${at} ${sim.digest.slice(0, 12)} ${step.kind} ${step.seed}: ${what}`);
      await checkStep(sim);
      if (taken.length % options.deepEvery === 0) await checkDeep(sim, false);
      options.onStep?.(taken.length);
    }
    await rest(sim);
    await checkDeep(sim, true);
  } catch (error) {
    const rule = error instanceof Violation ? error.rule : 'a story is played to its end';
    const message =
      error instanceof Violation ? error.message : `${error instanceof Error ? error.stack : error}`;
    failure = { rule, message, steps: taken };
    const last = taken.at(-1);
    options.log?.(`${taken.length} ${last?.kind} ${last?.seed} broken: ${message}`);
  } finally {
    await sim.close();
  }
  return { steps: taken.length, counts: sim.counts, digest: sim.digest, failure };
}

async function takeStep(sim: Simulation, { kind, seed }: Step): Promise<string> {
  const [, act] = ACTS[kind] ?? [];
  if (act === undefined) throw new Error(`no such command: ${kind}`);
  for (const stall of sim.stalls) stall.steps--;
  if (sim.stalls.some(({ steps }) => steps <= 0)) await sim.endStalls();
  sim.count(`command: ${kind}`);
  const what = await act(sim, new Random(seed));
  sim.trace(`${kind} ${what}`);
  return what;
}

/** Everything that was begun comes to its end: who stands still goes on, files are taken in, what is due is done. */
async function rest(sim: Simulation): Promise<void> {
  await sim.endStalls();
  for (const { machine } of sim.instances) machine.skewMs = 0;
  for (const instance of sim.instances) await sim.drive(instance.measureClock());
  const random = new Random(1);
  for (let i = 0; i < 3; i++) {
    await takeIn(sim, random);
    for (const instance of sim.instances) await sim.drive(instance.sweepAll());
  }
}

type Progress = (left: number, tried: number) => void;

/** Steps from the end of a story that are tried first, and twice as many until they break the rule. */
const TAIL = 32;

/**
 * The least of a story that still breaks the rule. First its last steps alone, since a long story takes as long each time; then
 * steps are left out while it breaks, first all of one kind, then in ever smaller parts. What is left when the time is over counts.
 */
export async function shrink(
  failure: Failure,
  options: StoryOptions,
  notify: Progress,
  limitMs: number,
  now: () => number,
): Promise<Failure> {
  const until = now() + limitMs;
  let least = failure;
  let tried = 0;
  /** @returns whether the rule is broken by these steps too, which are kept then */
  const without = async (steps: readonly Step[]): Promise<boolean> => {
    if (steps.length === 0 || steps.length === least.steps.length || now() >= until) return false;
    tried++;
    const { failure: found } = await play(steps, { ...options, isOver: () => now() >= until });
    if (found?.rule !== failure.rule) return false;
    least = found;
    notify(least.steps.length, tried);
    return true;
  };
  for (let size = TAIL; size < failure.steps.length; size *= 2)
    if (await without(failure.steps.slice(-size))) break;
  const kinds = Map.groupBy(least.steps, ({ kind }) => kind);
  const order = [...kinds].sort(([, a], [, b]) => b.length - a.length).map(([kind]) => kind);
  for (const kind of order) await without(least.steps.filter((step) => step.kind !== kind));
  for (let size = Math.ceil(least.steps.length / 2); size >= 1; ) {
    let isSmaller = false;
    // From the end, where what matters is near.
    for (let end = least.steps.length; end > 0 && now() < until; end -= size) {
      if (await without([...least.steps.slice(0, Math.max(0, end - size)), ...least.steps.slice(end)])) {
        isSmaller = true;
        end = Math.min(end, least.steps.length + size);
      }
    }
    if (now() >= until || (size === 1 && !isSmaller)) break;
    size = isSmaller ? Math.min(size, Math.ceil(least.steps.length / 2)) : Math.floor(size / 2);
    if (least.steps.length === 1) break;
  }
  return least;
}
