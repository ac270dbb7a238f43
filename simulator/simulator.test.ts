import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createTestDatabase } from '../packages/service/test/support/database.ts';
import { whenFileEnds } from '../packages/service/test/support/file-end.ts';
import { Databases } from './database.ts';
import { installWires } from './driver.ts';
import { FAULTS } from './faults.ts';
import { type Stage, setStage } from './stage.ts';
import { play, type Step, shrink, stepsOf } from './story.ts';
import { installTime, realNow } from './time.ts';

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

test('a story holds every rule, and is the same when it is played again', async () => {
  const first = await play(stepsOf(21, 100), options(21));
  assert.equal(first.failure, undefined, first.failure?.message);
  assert.ok((first.counts.get('trades') ?? 0) > 3, 'there were trades');
  const again = await play(stepsOf(21, 100), options(21));
  assert.deepEqual([again.digest, [...again.counts]], [first.digest, [...first.counts]]);
});

test('a story whose time is over is the same with fewer steps', async () => {
  let asked = 0;
  const cut = await play(stepsOf(22, 100), { ...options(22), isOver: () => ++asked > 25 });
  const short = await play(stepsOf(22, 25), options(22));
  assert.deepEqual([cut.steps, cut.digest, cut.failure], [25, short.digest, undefined]);
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
