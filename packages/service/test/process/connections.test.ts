import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { postmasterOf } from '@firmquote/embedded-postgres/testing';
import { createPool, isConnectionFailure, type Pool } from '../../src/database/pool.ts';
import { type Api, type ApiAnswer, createDesks, QUOTE_BODY, withToken } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { examine } from '../support/examine.ts';
import {
  databaseEnded,
  type ServiceProcess,
  startService,
  temporaryFolder,
  until,
} from '../support/process.ts';
import { startProxy } from '../support/proxy.ts';
import { executePath, Traffic } from '../support/traffic.ts';

async function openQuote(api: Api, amount = '100000.00'): Promise<ApiAnswer> {
  return api.expect(201, 'POST', '/v1/customer/quotes', { ...QUOTE_BODY, amount });
}

function hasExecuted(api: Api, quote: ApiAnswer): Promise<void> {
  return until('the execution', async () => {
    const { body } = await api.expect(200, 'GET', `/v1/customer/quotes/${quote.body.quoteId}`);
    return body.status === 'executed';
  });
}

/** Sends an execution and hangs up as soon as the system has taken it. */
async function executeAndHangUp(
  service: ServiceProcess,
  api: Api,
  quote: ApiAnswer,
  key?: string,
): Promise<void> {
  const { hostname, port, host } = new URL(service.baseUrl);
  const socket = connect(Number.parseInt(port, 10), hostname);
  await once(socket, 'connect');
  const lines = [
    `POST ${executePath(quote)} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${api.token}`,
    ...(key === undefined ? [] : [`Idempotency-Key: ${key}`]),
    'Content-Length: 0',
  ];
  await new Promise((resolve) => socket.write(`${lines.join('\r\n')}\r\n\r\n`, resolve));
  socket.destroy();
}

test('connections break', async (t) => {
  const { url, pool } = await createTestDatabase();
  const network = await startProxy(t, url);
  const service = await startService(t, temporaryFolder(t), { DATABASE_URL: network.url });
  const desks = await createDesks(service);
  const [api] = desks as [Api];

  await t.test('a client that hangs up after sending an execution finds it by asking again', async () => {
    const plain = await openQuote(api);
    await executeAndHangUp(service, api, plain);
    await hasExecuted(api, plain);
    const again = await api.expect(409, 'POST', executePath(plain));
    assert.equal(again.body.code, 'quote_already_executed');
    const found = await api.expect(200, 'GET', `/v1/customer/transactions/${again.body.transactionId}`);
    assert.equal(found.body.quoteId, plain.body.quoteId);

    const keyed = await openQuote(api);
    const key = { 'Idempotency-Key': randomUUID() };
    await executeAndHangUp(service, api, keyed, key['Idempotency-Key']);
    const replay = await api.expect(201, 'POST', executePath(keyed), undefined, key);
    await hasExecuted(api, keyed);
    const second = await api.expect(201, 'POST', executePath(keyed), undefined, key);
    assert.equal(second.headers.get('Idempotency-Replayed'), 'true');
    assert.deepEqual(second.body, replay.body);
  });

  await t.test('a client that does not wait for a late answer finds its trade under its key', async () => {
    // The drill whose answer comes 20 s after the commit.
    const quote = await openQuote(api, '100904.00');
    const key = { 'Idempotency-Key': randomUUID() };
    const impatient = new AbortController();
    const unanswered = api.call('POST', executePath(quote), undefined, key, impatient.signal);
    const refused = assert.rejects(unanswered, { name: 'AbortError' });
    const path = `/v1/customer/quotes/${quote.body.quoteId}`;
    await until('the commit', async () => (await api.call('GET', path)).body.status === 'executed');
    impatient.abort();
    await refused;
    const replay = await api.expect(201, 'POST', executePath(quote), undefined, key);
    assert.equal(replay.headers.get('Idempotency-Replayed'), 'true');
    const other = await api.expect(409, 'POST', executePath(quote));
    assert.equal(other.body.transactionId, replay.body.transactionId);
  });

  await t.test('database connections that are ended under load cost answers and no trade', async (t) => {
    const traffic = new Traffic(desks, 16);
    for (let round = 0; round < 4; round++) {
      await traffic.acknowledged(20);
      await sleep(Math.random() * 10);
      await endConnections(pool);
    }
    await traffic.acknowledged(20);
    await traffic.stop();
    assertOnlyUnavailable(traffic);
    await examine(t, pool, desks, traffic);
  });

  await t.test('without its database it says so, and goes on when it is back', async (t) => {
    const traffic = new Traffic(desks, 16);
    await traffic.acknowledged(20);
    network.cut();
    const down = await withToken(service.baseUrl, '').call('GET', '/readyz');
    assert.equal(down.status, 503);
    assert.equal(down.body.ready, false);
    assert.equal(down.body.checks.database.ok, false);
    assert.equal(down.body.checks.accepting.ok, true);
    assert.equal((await withToken(service.baseUrl, '').call('GET', '/healthz')).status, 200);
    const refused = await api.call('POST', '/v1/customer/quotes', QUOTE_BODY);
    assert.equal(refused.status, 503, refused.text);
    assert.equal(refused.body.code, 'maintenance');
    assert.equal(refused.body.retry, 'later');
    assert.match(refused.headers.get('Retry-After') ?? '', /^\d+$/);
    // Longer than the sweeps' intervals: they fail meanwhile, and must not take the service with them.
    await sleep(1_200);
    network.mend();
    await traffic.acknowledged(20);
    await traffic.stop();
    assert.equal((await withToken(service.baseUrl, '').call('GET', '/readyz')).status, 200);
    assertOnlyUnavailable(traffic);
    await examine(t, pool, desks, traffic);
  });

  await t.test('a connection that has gone silent is given up', async (t) => {
    const impatient = createPool({
      connection: network.url,
      max: 1,
      onError: () => undefined,
      answerLimitMs: 1_000,
    });
    t.after(() => impatient.end());
    await impatient.query('select 1');
    network.freeze();
    const error = await impatient.query('select 1').catch((thrown: unknown) => thrown);
    network.thaw();
    assert.ok(error instanceof Error && isConnectionFailure(error), String(error));
    assert.equal((await impatient.query('select 1 as one')).rows[0].one, 1);
  });

  await t.test('a database that is silent is not taken for one that is ready', async () => {
    network.freeze();
    const answer = await withToken(service.baseUrl, '').call(
      'GET',
      '/readyz',
      undefined,
      {},
      AbortSignal.timeout(8_000),
    );
    network.thaw();
    assert.equal(answer.status, 503);
    assert.equal(answer.body.checks.database.ok, false);
    await until(
      'recovery',
      async () => (await withToken(service.baseUrl, '').call('GET', '/readyz')).status === 200,
    );
  });

  assert.equal(service.child.exitCode, null);
});

/** As an operator of the database would, or its failover. */
async function endConnections(pool: Pool): Promise<void> {
  const { rowCount } = await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'firmquote' and pid <> pg_backend_pid()
       and not (query like '%pg_terminate_backend%')`,
  );
  assert.ok((rowCount ?? 0) > 0);
}

/** What was not done was refused with a problem that says to come back. */
function assertOnlyUnavailable(traffic: Traffic): void {
  let refused = 0;
  for (const { quote, execution } of traffic.attempts) {
    for (const answer of [quote, execution]) {
      assert.ok(answer !== undefined, 'every client got an answer');
      if (answer.status === 201) continue;
      refused++;
      assert.equal(answer.status, 503, answer.text);
      assert.match(answer.headers.get('Content-Type') ?? '', /^application\/problem\+json/);
      // By whether it was on its way to the database when that went.
      assert.match(answer.body.code, /^(maintenance|outcome_unknown)$/);
      break;
    }
  }
  assert.ok(refused > 0, 'the cut was felt');
}

test('a service whose own database dies ends with one line that says so', async (t) => {
  const dataDir = temporaryFolder(t);
  const service = await startService(t, dataDir);
  process.kill(postmasterOf(dataDir), 'SIGKILL');
  const { code, stdout, stderr } = await service.ended;
  assert.equal(code, 1);
  const reported = `${stdout}${stderr}`
    .split('\n')
    .filter((line) => line.includes('the embedded database has stopped'));
  assert.equal(reported.length, 1, stdout);
  const line = JSON.parse(reported[0] ?? '');
  assert.equal(line.level, 'fatal');
  assert.match(line.err.message, /^The embedded database ended: .*SIGKILL.*postgres\.log/);
  await databaseEnded(dataDir);
});
