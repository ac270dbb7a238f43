import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { endStory } from '../../test/support/money-end.ts';
import { type Step, stories, take } from '../../test/support/money-steps.ts';
import { createGround, createWorld, type Ground, get, type World } from '../../test/support/money-world.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';

/**
 * Money that is told of and never comes, comes and is told of late, or goes back, with everything that people may do meanwhile.
 * Each run has the same few stories. More: `MONEY_STORIES=300 MONEY_SEED=8 node --test` this file; of a story that fails it prints seed and path,
 * and `MONEY_SEED=8 MONEY_PATH=22` makes it short.
 */

const { MONEY_STORIES = '3', MONEY_SEED = '7', MONEY_PATH } = process.env;
const RUN = {
  numRuns: Number(MONEY_STORIES),
  seed: Number(MONEY_SEED),
  endOnFailure: process.env.MONEY_STORIES !== undefined,
  ...(MONEY_PATH === undefined ? {} : { path: MONEY_PATH }),
};

async function assertSound({ pool, files }: World): Promise<void> {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
  await assertBankAgrees(pool, !files.some(({ isStatement, isWithdrawn }) => isStatement && isWithdrawn));
}

async function assertOver(world: World): Promise<void> {
  await assertSound(world);
  const { items } = await get(world, 'ledger/bank-reconciliation/items?limit=100');
  assert.deepEqual(items, [], 'bank and ledger agree item by item');
  const { currencies } = await get(world, 'ledger/bank-reconciliation');
  for (const each of currencies) assert.equal(each.difference, '0.00', JSON.stringify(each));
  const { rows } = await world.pool.query(
    `select account, currency, balance from balances where balance <> 0
     and account in ('suspense', 'returns_payable', 'customer_payable', 'customer_excess')`,
  );
  assert.deepEqual(rows, [], 'all money is in one place');
}

/** Stories share a database until one fails: what that leaves behind is no other story's. */
let ground: Ground | undefined;
const grounds: Ground[] = [];
after(() => Promise.all(grounds.map(({ server }) => server.close())));

async function groundOfStory(): Promise<Ground> {
  if (ground !== undefined) return ground;
  ground = await createGround();
  grounds.push(ground);
  return ground;
}

async function tell(story: readonly Step[]): Promise<void> {
  const world = await createWorld(await groundOfStory());
  try {
    for (const step of story) await take(world, step);
    await assertSound(world);
    await endStory(world);
    await assertOver(world);
  } catch (error) {
    ground = undefined;
    throw new Error(`${(error as Error).message}\n${world.log.join('\n')}`, { cause: error });
  }
}

test('whatever goes wrong with money, people can end it, and the books say what the bank has', async () => {
  await fc.assert(fc.asyncProperty(stories, tell), RUN);
});
