import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseProcesses, postmasterOf } from '@firmquote/embedded-postgres/testing';
import type { Pool } from '../../src/database/pool.ts';
import { SAME_STOP_MS } from '../../src/run-process.ts';
import { type Api, type ApiAnswer, QUOTE_BODY, sandboxApis, withToken } from '../support/api.ts';
import { assertNothingIsHalf, countOf } from '../support/audit.ts';
import { createTestDatabase } from '../support/database.ts';
import {
  embeddedPool,
  type ServiceProcess,
  startService,
  temporaryFolder,
  until,
} from '../support/process.ts';
import { executePath } from '../support/traffic.ts';
import { untilLocked } from '../support/waiting-for-locks.ts';

async function openQuotes(api: Api, count: number): Promise<ApiAnswer[]> {
  const ask = () => api.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
  return Promise.all(Array.from({ length: count }, ask));
}

/** Holds what every execution must have, until the answer is called. */
async function holdExecutions(pool: Pool): Promise<() => Promise<void>> {
  const connection = await pool.connect();
  await connection.query('begin; select from customer_usage for update');
  return async () => {
    // The server may have gone meanwhile, and the lock with it.
    await connection.query('rollback').catch(() => undefined);
    connection.release();
  };
}

/** Sends executions, and waits until the service has them and they wait for the lock. */
async function executionsUnderWay(
  api: Api,
  pool: Pool,
  quotes: readonly ApiAnswer[],
): Promise<Promise<ApiAnswer>[]> {
  const answers = quotes.map((quote) => api.call('POST', executePath(quote)));
  for (const answer of answers) answer.catch(() => undefined);
  await untilLocked(pool);
  // The others are in the service's queue by the time that it answers something that came after them.
  await sleep(100);
  await api.expect(200, 'GET', '/v1/customer/limits');
  return answers;
}

async function isRefused({ baseUrl }: ServiceProcess): Promise<boolean> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number.parseInt(port, 10), hostname);
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    // Reset: it stood in the queue when the service stopped taking connections out of it.
    assert.match(String((error as NodeJS.ErrnoException).code), /^ECONN(REFUSED|RESET)$/);
    return true;
  } finally {
    socket.destroy();
  }
}

test('SIGTERM lets requests under way finish and takes no new ones', async (t) => {
  const { url, pool } = await createTestDatabase();
  const service = await startService(t, temporaryFolder(t), { DATABASE_URL: url });
  const { customer, operator } = await sandboxApis(service);
  await operator.expect(200, 'POST', '/v1/sandbox/bank', { autoDeposit: false });
  const [first, ...quotes] = await openQuotes(customer, 11);
  const trade = await customer.expect(201, 'POST', executePath(first as ApiAnswer));
  const held = customer.call('GET', `/v1/customer/transactions/${trade.body.transactionId}`, undefined, {
    'If-None-Match': '"v1"',
    Prefer: 'wait=30',
  });
  const release = await holdExecutions(pool);
  const answers = await executionsUnderWay(customer, pool, quotes);

  const signalled = performance.now();
  service.child.kill('SIGTERM');
  await until('the end of new connections', () => isRefused(service));
  const poll = await held;
  assert.equal(poll.status, 304, poll.text);
  assert.ok(performance.now() - signalled < 5_000, 'a held request is let go');
  assert.equal(service.child.exitCode, null, 'it waits for the executions');
  await release();
  for (const answer of await Promise.all(answers)) assert.equal(answer.status, 201, answer.text);

  const { code, signal, stdout, stderr } = await service.ended;
  assert.deepEqual({ code, signal, stderr }, { code: 0, signal: null, stderr: '' });
  const reported = stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line).msg] : []));
  assert.deepEqual(reported.slice(-2), ['stopping: requests under way are finished first', 'stopped']);
  assert.equal(await countOf(pool, 'transactions'), 11);
  await assertNothingIsHalf(pool);
});

test('SIGINT stops the database too, a second SIGINT ends at once, and neither keeps the next start from it', async (t) => {
  const dataDir = temporaryFolder(t);
  let service = await startService(t, dataDir);
  let { customer } = await sandboxApis(service);
  const [quote, late] = (await openQuotes(customer, 2)) as [ApiAnswer, ApiAnswer];
  const trade = await customer.expect(201, 'POST', executePath(quote));
  const postmaster = postmasterOf(dataDir);
  const burst = openQuotes(customer, 20).then(
    () => undefined,
    () => undefined,
  );
  assert.equal((await service.end('SIGINT')).code, 0);
  await burst;
  assert.deepEqual(databaseProcesses(dataDir), []);
  assert.throws(() => postmasterOf(dataDir), { code: 'ENOENT' }, `${postmaster} has put its file away`);

  service = await startService(t, dataDir);
  ({ customer } = await sandboxApis(service));
  await customer.expect(200, 'GET', `/v1/customer/transactions/${trade.body.transactionId}`);
  const pool = embeddedPool(t, dataDir);
  const release = await holdExecutions(pool);
  const [unanswered] = await executionsUnderWay(customer, pool, [late]);
  service.child.kill('SIGINT');
  await until('the end of new connections', () => isRefused(service));
  await sleep(SAME_STOP_MS);
  const signalled = performance.now();
  const { code, stdout } = await service.end('SIGINT');
  assert.equal(code, 130);
  assert.ok(performance.now() - signalled < 2_000, 'at once');
  assert.match(stdout, /"msg":"stopping at once"/);
  await assert.rejects(unanswered as Promise<ApiAnswer>);
  await release();
  await pool.end();

  service = await startService(t, dataDir);
  ({ customer } = await sandboxApis(service));
  const found = await customer.expect(200, 'GET', `/v1/customer/quotes/${late.body.quoteId}`);
  // The database may have taken the execution up again before it ended: it has happened wholly or not at all.
  assert.match(found.body.status, /^(open|executed)$/);
  assert.equal(found.body.transactionId !== null, found.body.status === 'executed');
  await assertNothingIsHalf(embeddedPool(t, dataDir));
  assert.equal((await withToken(service.baseUrl, '').call('GET', '/readyz')).status, 200);
});
