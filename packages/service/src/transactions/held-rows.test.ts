import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { createDesk, type Desk, executionOf } from '../../test/support/trading.ts';
import { MAX_CLOCK_SKEW_MS } from '../database/clock-watch.ts';
import type { Connection, Pool } from '../database/pool.ts';
import { BATCH_LOCK_TIMEOUT_MS } from '../database/side-lane.ts';
import { Problem } from '../problems/problem.ts';
import {
  ARRIVAL_LIMIT_MS,
  EXECUTION_ANSWER_LIMIT_MS,
  EXECUTION_WAIT_LIMIT_MS,
  EXPIRY_GRACE_MS,
} from '../quotes/expiry-grace.ts';
import { cancelQuote, expireQuotes } from '../quotes/quote-lifecycle.ts';
import { shownVersion } from '../quotes/render.ts';
import { executeQuote } from './execute-quote.ts';

/** A row that somebody holds stops its own customer, and costs nobody a quote that was accepted in time. */

let pool: Pool;
let slow: Desk;
let other: Desk;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 12 }));
  slow = await createDesk(pool);
  other = await createDesk(pool, { clock: slow.clock });
  // Both connections of the side lane and the statements' plans are there before anything is measured.
  await Promise.all([slow.execute(await slow.quote()), other.execute(await other.quote())]);
});

/** Holds the row of a customer that everything which trades for it needs, for as long as the work takes. */
async function whileHeld<T>(desk: Desk, work: (holder: Connection) => Promise<T>): Promise<T> {
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from customer_usage where customer_id = $1 for update', [desk.customerId]);
    return await work(holder);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

async function refusalOf(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => assert.fail('it succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Problem, String(error));
  return error;
}

test('one customer whose row is held stops no other, in its batch or after it', async () => {
  const mine = await Promise.all(Array.from({ length: 6 }, () => slow.quote()));
  const theirs = await Promise.all(Array.from({ length: 6 }, () => other.quote()));
  const { transactions } = slow.services;
  const order: string[] = [];
  const run = (desk: Desk, id: string, name: string) =>
    transactions.execute(executionOf(desk, id)).then((result) => {
      order.push(name);
      return result;
    });
  let waiting: Promise<unknown>[] = [];
  await whileHeld(slow, async () => {
    // One batch of both, then more of both: the blocked customer's second and third do not stop the lane again.
    waiting = [run(slow, mine[0]?.id ?? '', 'mine'), run(slow, mine[1]?.id ?? '', 'mine')];
    await Promise.all([run(other, theirs[0]?.id ?? '', 'theirs'), run(other, theirs[1]?.id ?? '', 'theirs')]);
    waiting.push(run(slow, mine[2]?.id ?? '', 'mine'));
    const began = performance.now();
    for (const { id } of theirs.slice(2)) {
      assert.equal((await run(other, id, 'theirs')).outcome, 'created');
      waiting.push(run(slow, mine[3]?.id ?? '', 'mine'));
    }
    // Four trades in turn; each would have had to wait for the held row once.
    assert.ok(performance.now() - began < 4 * BATCH_LOCK_TIMEOUT_MS, `${performance.now() - began} ms`);
    assert.deepEqual(
      order,
      Array.from({ length: 6 }, () => 'theirs'),
    );
  });
  const results = (await Promise.all(waiting)) as { outcome: string }[];
  const outcomes = results.map(({ outcome }) => outcome);
  assert.deepEqual(outcomes.slice(0, 4), ['created', 'created', 'created', 'created']);
  assert.deepEqual(new Set(outcomes.slice(4)), new Set(['quote_already_executed']));
});

test('what gets no lock within its limit is overloaded with Retry-After, and nothing of it was done', async () => {
  const quote = await slow.quote({ validitySeconds: 300 });
  const limited = await slow.quote({ validitySeconds: 300 });
  await whileHeld(slow, async () => {
    const [executed, cancelled] = await Promise.all([
      refusalOf(slow.execute(quote)),
      refusalOf(cancelQuote(slow.services, slow.customerId, limited.id, slow.clock.now(), undefined)),
    ]);
    for (const problem of [executed, cancelled]) {
      assert.deepEqual(
        [problem.code, problem.status, problem.headers['Retry-After']],
        ['overloaded', 503, '1'],
      );
    }
    assert.equal((await slow.services.quotes.find(slow.customerId, quote.id))?.status, 'open');
  });
  assert.equal((await slow.execute(quote)).quote_id, quote.id);
});

test('a quote that is waited for beyond its end is executed, whoever sweeps meanwhile', async () => {
  const clock = slow.clock;
  const quotes = await Promise.all(Array.from({ length: 5 }, () => slow.quote({ validitySeconds: 10 })));
  const end = Math.max(...quotes.map(({ expiresAt }) => expiresAt));
  const receivedAt = Math.min(...quotes.map(({ expiresAt }) => expiresAt)) - 1;
  // Another instance, with a sweep of its own and on the same clock.
  const elsewhere = await createDesk(pool, { clock });
  let executions: Promise<{ transaction: { quote_id: string } }>[] = [];
  await whileHeld(slow, async () => {
    executions = quotes.map(({ id }) =>
      executeQuote(slow.services, {
        customerId: slow.customerId,
        clientId: slow.clientId,
        quoteId: id,
        body: {},
        receivedAt,
        key: undefined,
        ifMatch: 1,
      }),
    );
    clock.set(end + 1_000);
    for (const { services } of [slow, elsewhere]) assert.equal(await expireQuotes(services), 0);
    const shown = await slow.services.quotes.find(slow.customerId, quotes[0]?.id ?? '');
    assert.equal(shown && shownVersion(shown, clock.now()), 2, 'readers see it as expired');
  });
  const done = await Promise.all(executions);
  assert.deepEqual(
    done.map(({ transaction }) => transaction.quote_id).sort(),
    quotes.map(({ id }) => id).sort(),
  );
  for (const { id } of quotes) {
    const quote = await slow.services.quotes.find(slow.customerId, id);
    assert.deepEqual(
      [quote?.status, quote?.version],
      ['executed', 3],
      'the version of the expired one is taken',
    );
  }
});

test('no version is both of an expired quote and of an executed one, as far apart as clocks may be', async () => {
  const quote = await slow.quote();
  // The clock of the instance that reads is ahead of the database's, that of the one that executes behind it.
  const shown = shownVersion(quote, quote.expiresAt);
  slow.clock.set(quote.expiresAt - 2 * MAX_CLOCK_SKEW_MS);
  await slow.execute(quote);
  const executed = await slow.services.quotes.find(slow.customerId, quote.id);
  assert.deepEqual([shown, executed?.status, executed?.version], [2, 'executed', 3]);
  const { rows } = await pool.query<{ version: number }>(
    `select version from feed_events where customer_id = $1 and quote_id = $2 and type = 'quote.executed'`,
    [slow.customerId, quote.id],
  );
  assert.deepEqual(rows, [{ version: 3 }], 'the feed says the same');
});

test('the grace is longer than whatever an execution may wait inside', async () => {
  assert.ok(EXPIRY_GRACE_MS > ARRIVAL_LIMIT_MS + EXECUTION_WAIT_LIMIT_MS + EXECUTION_ANSWER_LIMIT_MS);
  assert.ok(EXECUTION_WAIT_LIMIT_MS > 2 * BATCH_LOCK_TIMEOUT_MS);
  const { rows } = await pool.query<{ name: string; timeout: string }>(
    `select p.proname as name, substr(c, length('lock_timeout=') + 1) as timeout
     from pg_proc p, unnest(p.proconfig) c where c like 'lock_timeout=%' and p.proname ~ '_(quotes|executions)$' and p.proname <> 'forget_quotes' order by 1`,
  );
  const timeout = `${BATCH_LOCK_TIMEOUT_MS}ms`;
  assert.deepEqual(
    rows,
    ['close_quotes', 'commit_executions', 'write_quotes'].map((name) => ({
      name,
      timeout,
    })),
  );
});
