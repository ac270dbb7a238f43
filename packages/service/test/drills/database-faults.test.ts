import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Pool } from '../../src/database/pool.ts';
import { createDesks, QUOTE_BODY, sandboxApis } from '../support/api.ts';
import { assertNothingIsHalf, countOf } from '../support/audit.ts';
import { createTestDatabase } from '../support/database.ts';
import { startService, temporaryFolder, until } from '../support/process.ts';
import { startProxy } from '../support/proxy.ts';
import { executePath } from '../support/traffic.ts';

/** What docs/operations/database.md says of faults, on a database that has them. */

const TRADES = 20;
/** Longer than an execution waits for its commit (`EXECUTION_ANSWER_LIMIT_MS`). */
const TOO_SLOW_S = 13;

/** Every commit of a trade takes so long from now on. */
async function slowCommits(owner: Pool): Promise<(seconds: number) => Promise<void>> {
  await owner.query(`create table commit_delay (seconds numeric); insert into commit_delay values (0);
    create function delay_commit() returns trigger language plpgsql security definer as $$
      begin perform pg_sleep(seconds::float8) from public.commit_delay; return null; end $$;
    create constraint trigger delay_commit after insert on transactions deferrable initially deferred
      for each row execute function delay_commit()`);
  return async (seconds) => {
    await owner.query('update commit_delay set seconds = $1', [seconds]);
  };
}

test('commits that take long are waited for, and one that takes too long is not taken for one that failed', async (t) => {
  const { url, pool, owner } = await createTestDatabase();
  const service = await startService(t, temporaryFolder(t), { DATABASE_URL: url });
  const desks = await createDesks(service);
  const delay = await slowCommits(owner);
  const ask = (number: number) =>
    (desks[number % desks.length] ?? assert.fail()).expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
  const quotes = await Promise.all(Array.from({ length: TRADES }, (_, number) => ask(number)));
  const execute = (number: number, key: string) => {
    const quote = quotes[number] ?? assert.fail();
    const desk = desks[number % desks.length] ?? assert.fail();
    return desk.call('POST', executePath(quote), undefined, { 'Idempotency-Key': key });
  };

  await delay(0.05);
  const keys = quotes.map(() => randomUUID());
  // Each twice at the same time, under its key.
  const answers = await Promise.all([...keys, ...keys].map((key, i) => execute(i % TRADES, key)));
  for (const { status, body, text } of answers)
    assert.ok(status === 201 || body.code === 'request_in_progress', text);
  assert.equal(await countOf(pool, 'transactions'), TRADES);

  const late = await ask(0);
  const [desk] = desks;
  const key = { 'Idempotency-Key': randomUUID() };
  await delay(TOO_SLOW_S);
  const unknown = await desk?.call('POST', executePath(late), undefined, key);
  assert.deepEqual(
    [unknown?.status, unknown?.body.code, unknown?.body.retry],
    [503, 'outcome_unknown', 'same_request'],
    unknown?.text,
  );
  await delay(0);
  await until('its commit', async () => (await countOf(pool, 'transactions')) === TRADES + 1);
  const found = await desk?.expect(201, 'POST', executePath(late), undefined, key);
  assert.equal(found?.headers.get('Idempotency-Replayed'), 'true');
  assert.equal(await countOf(pool, 'transactions'), TRADES + 1);
  await assertNothingIsHalf(pool);
  t.diagnostic(
    `${TRADES} trades asked for twice and 1 that took too long: ${await countOf(pool, 'transactions')} made`,
  );
});

test('a connection that ends with a commit on it leaves the outcome open; a read has none', async (t) => {
  const { url, pool, owner } = await createTestDatabase();
  const network = await startProxy(t, url);
  const service = await startService(t, temporaryFolder(t), { DATABASE_URL: network.url });
  const { customer } = await sandboxApis(service);
  const delay = await slowCommits(owner);
  const quote = await customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
  const key = { 'Idempotency-Key': randomUUID() };
  await delay(2);
  const answer = customer.call('POST', executePath(quote), undefined, key);
  await until('it commits', async () => {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
    );
    return rowCount === 1;
  });
  network.cut();
  const { status, body, text } = await answer;
  assert.deepEqual([status, body.code, body.retry], [503, 'outcome_unknown', 'same_request'], text);
  // Nothing is sent any more once it knows that nobody is there.
  await until(
    'it knows',
    async () => (await customer.call('GET', '/readyz')).body.checks.database.ok === false,
  );
  const refused = await customer.call('POST', '/v1/customer/quotes', QUOTE_BODY);
  assert.deepEqual([refused.status, refused.body.code], [503, 'maintenance'], refused.text);
  const read = await customer.call('GET', '/v1/customer/transactions');
  assert.deepEqual([read.status, read.body.code], [503, 'maintenance'], read.text);
  network.mend();
  await until('it is back', async () => {
    const again = await customer.call('POST', executePath(quote), undefined, key);
    return again.status === 201;
  });
  assert.equal(await countOf(pool, 'transactions'), 1);
});

test('a deadlock and a statement that is ended leave nothing done, and say so', async (t) => {
  const { url, pool, owner } = await createTestDatabase();
  const service = await startService(t, temporaryFolder(t), { DATABASE_URL: url });
  const { operator } = await sandboxApis(service);
  const { body: customers } = await operator.expect(200, 'GET', '/v1/operator/customers');
  const path = `/v1/operator/customers/${customers.items[0].customerId}`;
  const before = await operator.expect(200, 'GET', path);
  const rename = (name: string) =>
    operator.call('PATCH', path, { name }, { 'If-Match': before.headers.get('ETag') ?? '' });
  await owner.query(`create table gate (id integer primary key); insert into gate values (1);
    create function pass_gate() returns trigger language plpgsql security definer as $$
      begin perform from public.gate for update; return new; end $$;
    create trigger pass_gate before update on customers for each row execute function pass_gate()`);
  const other = await owner.connect();
  t.after(() => other.release(true));
  const waits = (state: string) =>
    until('it waits in the middle', async () => {
      const { rowCount } = await pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and application_name = $1`,
        [state],
      );
      return rowCount === 1;
    });

  // Never the other one, whichever of them waits longer.
  await other.query(
    `set deadlock_timeout = '1h'; set lock_timeout = 0; set statement_timeout = 0; begin; select from gate for update`,
  );
  const first = rename('Deadlocked');
  await waits('firmquote');
  const crossing = other.query('update customers set name = name');
  const deadlocked = await first;
  assert.deepEqual([deadlocked.status, deadlocked.body.code], [503, 'overloaded'], deadlocked.text);
  assert.match(deadlocked.headers.get('Retry-After') ?? '', /^\d+$/);
  await crossing;
  await other.query('rollback');

  await other.query('begin; select from gate for update');
  const second = rename('Ended');
  await waits('firmquote');
  await owner.query(
    `select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  const ended = await second;
  assert.deepEqual([ended.status, ended.body.code], [503, 'overloaded'], ended.text);
  await other.query('rollback');

  const after = await operator.expect(200, 'GET', path);
  assert.deepEqual(
    [after.body.name, after.headers.get('ETag')],
    [before.body.name, before.headers.get('ETag')],
  );
  const done = await rename('Renamed');
  assert.equal(done.status, 200, done.text);
  assert.doesNotMatch(service.stdout(), /"level":"(error|fatal)"/);
});
