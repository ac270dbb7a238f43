import type { Random } from '../soak/random.ts';
import { SOURCES } from './instance.ts';
import { takeIn } from './operators.ts';
import type { Simulation } from './simulation.ts';

/** What nobody does: time goes on, prices move, sources lie and fall silent, and sweeps run. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A moment later, with new prices. */
export async function tick(sim: Simulation, random: Random): Promise<string> {
  const ms = random.chance(0.8) ? random.between(20, 900) : random.between(900, 4_500);
  await sim.drive(sim.pass(ms));
  sim.feed.walk(random);
  for (const instance of sim.instances) sim.feed.notify(instance);
  // Each looks as often as it does, in its own time.
  for (const instance of sim.instances) if (random.chance(0.2)) await sim.drive(instance.follow());
  return `${ms} ms`;
}

/** Some of what time brings, on one instance. */
export async function runSweeps(sim: Simulation, random: Random): Promise<string> {
  const instance = sim.pickInstance(random);
  const names: string[] = [];
  for (let i = random.between(1, 4); i > 0; i--)
    names.push(await sim.drive(instance.sweep(random.between(0, 999))));
  return `${instance.machine.name}: ${names.join(', ')}`;
}

/** Hours or days at once: over cut-offs, the end of the trade date, a weekend. */
export async function jump(sim: Simulation, random: Random): Promise<string> {
  const { now } = sim.world;
  const ms = random.pick([
    () => random.between(1, 50) * MINUTE,
    () => random.between(1, 8) * HOUR,
    // To a moment before the trade date ends in New York, in summer.
    () => nextAt(now, 20 * HOUR + 59 * MINUTE + 55_000),
    () => nextAt(now, 6 * HOUR),
    () => nextAt(now, 13 * HOUR + 25 * MINUTE),
    () => random.between(1, 3) * DAY,
  ])();
  await sim.drive(sim.pass(ms));
  sim.bank.close(sim.world.now);
  sim.feed.walk(random);
  for (const instance of sim.instances) {
    sim.feed.suspectAll(instance);
    sim.feed.notify(instance);
  }
  await sweepAfterJump(sim, random);
  await takeIn(sim, random);
  return `to ${new Date(sim.world.now).toISOString()}`;
}

/** Of some forty. */
const SWEEPS_BESIDE = 8;

/** One instance does all that is due; what the others run before and after it finds what that leaves to be done. */
async function sweepAfterJump(sim: Simulation, random: Random): Promise<void> {
  const { instances } = sim;
  const thorough = random.pick(instances);
  for (const instance of instances) {
    if (instance === thorough) await sim.drive(instance.sweepAll());
    else {
      await sim.drive(instance.follow());
      for (let i = 0; i < SWEEPS_BESIDE; i++) await sim.drive(instance.sweep(random.between(0, 999)));
    }
  }
}

function nextAt(now: number, ofDay: number): number {
  const at = Math.floor(now / DAY) * DAY + ofDay;
  return (at > now ? at : at + DAY) - now;
}

export function lie(sim: Simulation, random: Random): string {
  return sim.feed.lie(random, sim.pickInstance(random));
}

/** A source falls silent, speaks again, or takes back what it said. */
export function silence(sim: Simulation, random: Random): string {
  const source = random.pick(SOURCES);
  if (sim.feed.silent.size > 0 && random.chance(0.8)) {
    for (const instance of sim.instances) sim.feed.suspectAll(instance);
    sim.feed.silent.clear();
    return 'all sources speak';
  }
  if (random.chance(0.6)) return sim.feed.withdraw(random, sim.pickInstance(random), source);
  sim.feed.silent.add(source);
  return `${source} falls silent`;
}
