import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { query, startForTest } from '@firmquote/embedded-postgres/testing';
import { createPool } from '../../src/database/pool.ts';
import { type Api, type ApiAnswer, QUOTE_BODY, sandboxApis } from '../support/api.ts';
import { assertBooksBalance } from '../support/books.ts';
import { startService, temporaryFolder, until } from '../support/process.ts';
import { executePath } from '../support/traffic.ts';

test('a commit whose standby does not confirm is not acknowledged, and found by asking again', async (t) => {
  // Durable, since a fast one has no standbys at all.
  const database = await startForTest(t, { dataDir: temporaryFolder(t), durable: true });
  const url = database.connectionString;
  const service = await startService(t, temporaryFolder(t), { DATABASE_URL: url });
  const { customer, operator } = await sandboxApis(service);
  await operator.expect(200, 'POST', '/v1/sandbox/bank', { autoDeposit: false });
  const quote = await customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
  const other = await customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
  const ended = await customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
  const waiting = await customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
  const [ofEnded, ofWaiting] = [keyed(), keyed()];

  // A standby that never comes: every commit waits for it.
  await waitFor(url, 'nobody');
  const key = keyed();
  const lost = [
    await cancelled(customer, url, executePath(quote), key),
    await cancelled(customer, url, '/v1/customer/quotes', key, QUOTE_BODY),
    await cancelled(customer, url, executePath(ended), ofEnded, undefined, 'pg_terminate_backend'),
    // Nobody ends this wait: it lasts longer than an answer is waited for.
    await customer.call('POST', executePath(waiting), undefined, ofWaiting),
  ];
  for (const answer of lost) {
    assert.equal(answer.status, 503, answer.text);
    assert.deepEqual([answer.body.code, answer.body.retry], ['outcome_unknown', 'same_request']);
    assert.match(answer.headers.get('Retry-After') ?? '', /^\d+$/);
  }
  await waitFor(url, '');

  for (const [each, its] of [
    [quote, key],
    [ended, ofEnded],
    [waiting, ofWaiting],
  ] as const) {
    const found = await customer.expect(201, 'POST', executePath(each), undefined, its);
    assert.equal(found.headers.get('Idempotency-Replayed'), 'true');
  }
  const made = await customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY, key);
  assert.equal(made.headers.get('Idempotency-Replayed'), 'true');
  await customer.expect(201, 'POST', executePath(other));
  const { body } = await customer.expect(200, 'GET', '/v1/customer/transactions');
  assert.equal(body.items.length, 4);
  const pool = createPool({ connection: url, max: 1, onError: () => undefined });
  await assertBooksBalance(pool);
  await pool.end();
});

const keyed = () => ({ 'Idempotency-Key': randomUUID() });

async function waitFor(url: string, standbys: string): Promise<void> {
  await query(url, `alter system set synchronous_standby_names = '${standbys}'`, 'select pg_reload_conf()');
  // The service writes price bars every second: once one of its commits waits, or none does, all do the same.
  await until('the setting', async () => {
    const [row] = await query(
      url,
      `select count(*)::int as n from pg_stat_activity where wait_event = 'SyncRep'`,
    );
    return (row?.n !== 0) === (standbys !== '');
  });
}

/** Sends the request, lets its commit wait for the standby, and ends the wait as an operator of the database would. */
async function cancelled(
  api: Api,
  url: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
  by: 'pg_cancel_backend' | 'pg_terminate_backend' = 'pg_cancel_backend',
): Promise<ApiAnswer> {
  let isOver = false;
  const answer = api.call('POST', path, body, headers).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    // Other work of the service waits as well; whatever waits is ended until this is answered.
    await query(
      url,
      `select ${by}(pid) from pg_stat_activity where wait_event = 'SyncRep' and pid <> pg_backend_pid()`,
    );
    await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 20))]);
  }
  return answer;
}
