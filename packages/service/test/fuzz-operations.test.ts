import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { OPERATIONS } from '@firmquote/api';
import { CUSTOMER_SCOPES } from '@firmquote/api/scopes';
import { createCustomer, startExampleService } from './support/acceptance.ts';
import { assertBooksBalance } from './support/books.ts';
import { fourEyes } from './support/four-eyes.ts';
import { playStories } from './support/fuzz/stories.ts';
import { IN_ORDER, Walk } from './support/fuzz/walk.ts';

/**
 * Every operation of the interface with what nobody should send: in its address, query, headers and body, by its schema and
 * against it. No answer is a fault of the service, and each, good or bad, is as the interface declares it. So that more than
 * refusals are looked at, most operations have to succeed at least once first.
 *
 * For longer, or again: `FUZZ_MINUTES=10 FUZZ_SEED=7 node --test packages/service/test/fuzz-operations.test.ts`
 */
const MINUTES = Number(process.env.FUZZ_MINUTES ?? 0);
const SEED = Number(process.env.FUZZ_SEED ?? 7);
const HOSTILE_EACH = MINUTES > 0 ? 40 : 2;
const AT_ONCE = 8;
/** What chance and stories come to less the ones below, and some that depend on how fast the service is beside the walk. */
const SUCCEED_MIN = 305;

/** Whose good answers other tests look at, because they take more than requests. */
const HARD_TO_REACH: Readonly<Record<string, string>> = {
  removePasskey: 'takes an authenticator: passkeys.test.ts',
  renamePasskey: 'takes an authenticator: passkeys.test.ts',
  rotateKey: 'the next key has to be published for an hour: keys.test.ts',
  replayWebhookDelivery: 'a delivery has to have failed for good: webhooks/*.test.ts',
  replayOperatorWebhookDelivery: 'a delivery has to have failed for good: webhooks/*.test.ts',
  resetSourceSequence: 'there is no FIX session',
};

test(`every operation, hostile values, seed ${SEED}`, { timeout: 900_000 + MINUTES * 60_000 }, async (t) => {
  const end = Date.now() + MINUTES * 60_000;
  const reached = new Set<string>();
  let sent = 0;
  let seed = SEED;
  do {
    const walk = await walked(seed, end);
    const statuses = [...walk.covered.values()];
    sent += statuses.reduce((sum, each) => sum + each.sent, 0);
    for (const [id, { succeeded }] of walk.covered) if (succeeded > 0) reached.add(id);
    const unsent = [...walk.covered].filter(([, each]) => each.sent === 0).map(([id]) => id);
    assert.deepEqual(unsent, [], 'nothing was sent to these');
    assert.deepEqual(walk.faults, [], `seed ${seed}`);
    seed += 1;
  } while (Date.now() < end);
  const missed = OPERATIONS.map(({ id }) => id).filter((id) => !reached.has(id));
  t.diagnostic(`${OPERATIONS.length} operations, ${sent} requests, seeds ${SEED} to ${seed - 1}`);
  t.diagnostic(`${reached.size} answered with success at least once; not: ${missed.join(', ')}`);
  const open = missed.filter((id) => !(id in HARD_TO_REACH));
  assert.ok(
    reached.size >= SUCCEED_MIN,
    `${reached.size} operations have succeeded; not: ${open.join(', ')}`,
  );
});

/** A service that was walked over, from its first request to its last. */
async function walked(seed: number, end: number): Promise<Walk> {
  const service = await startExampleService();
  const eyes = await fourEyes(service);
  const customer = await createCustomer(service, { scopes: Object.keys(CUSTOMER_SCOPES) });
  const walk = new Walk(service, customer, seed);
  const { items } = (await service.operate('GET', '/v1/operator/persons')).body;
  for (const { personId } of items) walk.known.keep(personId);
  await playStories(walk, eyes);
  for (const operation of IN_ORDER) {
    // Lists are read again, since there is something in them by now.
    const isKnown = walk.covered.get(operation.id)?.succeeded !== 0;
    const shares = isKnown ? (operation.method === 'GET' ? [0] : []) : [0, 0.3, 0.7, 1];
    for (const share of shares) if (await walk.tryValid(operation, share)) break;
  }
  const queue = Array.from({ length: HOSTILE_EACH }, () => OPERATIONS).flat();
  const isOver = () => MINUTES > 0 && Date.now() > end;
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined && !isOver(); next = queue.shift())
      await walk.tryHostile(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  walk.end();
  await assertBooksBalance(service.pool);
  await service.stop();
  return walk;
}
