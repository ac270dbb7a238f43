import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Pool } from '../../src/database/pool.ts';
import { appendEvents } from '../../src/events/append.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { sandboxApis } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { startService, temporaryFolder, until } from '../support/process.ts';

/** Tokens name these and not the port, so that they outlive a restart. */
const ADDRESSES = {
  FIRMQUOTE_AUDIENCE: 'https://fx.example.com',
  FIRMQUOTE_AUTH_URL: 'https://auth.example.com',
};
const ENDPOINTS = 20;
const RESOURCES = 25;
const VERSIONS = 20;
const EVENTS = RESOURCES * VERSIONS;

/** What a receiver knows of one endpoint. */
interface Endpoint {
  webhook: Webhook;
  readonly isOrdered: boolean;
  /** Events that were taken: by resource, their versions. */
  readonly taken: Map<string, Set<number>>;
  readonly underWay: Set<string>;
}

/** Takes messages at a path for each endpoint, and refuses the first attempt of every third event. */
async function startReceiver(t: TestContext) {
  const endpoints: Endpoint[] = [];
  const refused = new Set<string>();
  const wrong: string[] = [];
  const counts = { received: 0, taken: 0 };
  const server = createServer((request, response) => {
    const at = Number.parseInt(request.url?.slice(1) ?? '', 10);
    const endpoint = endpoints[at] ?? assert.fail(request.url);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      counts.received++;
      const body = Buffer.concat(chunks).toString();
      const id = String(request.headers['webhook-id']);
      const key = `${at} ${id}`;
      if (endpoint.underWay.has(id)) wrong.push(`${key} twice at the same time`);
      endpoint.underWay.add(id);
      response.on('close', () => endpoint.underWay.delete(id));
      let message: { data: { eventId: string; sequence: number; transactionId: string; version: number } };
      try {
        message = endpoint.webhook.verify(body, request.headers as Record<string, string>) as typeof message;
      } catch (error) {
        wrong.push(`${key}: ${String(error)}`);
        return;
      }
      const { eventId, sequence, transactionId, version } = message.data;
      if (eventId !== id) wrong.push(`${key} is ${eventId}`);
      const taken = endpoint.taken.get(transactionId) ?? new Set<number>();
      endpoint.taken.set(transactionId, taken);
      for (let earlier = 1; endpoint.isOrdered && earlier < version; earlier++)
        if (!taken.has(earlier)) wrong.push(`${key}: ${version} of ${transactionId} before ${earlier}`);
      if (sequence % 3 === at % 3 && !refused.has(key)) {
        refused.add(key);
        response.writeHead(500).end('not now');
        return;
      }
      if (!taken.has(version)) counts.taken++;
      taken.add(version);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, endpoints, refused, wrong, counts };
}

/** Versions of all resources in turn, as trades that go on beside each other make them. */
async function notify(pool: Pool, customerId: string): Promise<void> {
  const now = Date.now();
  const resources = Array.from({ length: RESOURCES }, () => newUuid(now));
  for (let version = 1; version <= VERSIONS; version++)
    await appendEvents(
      pool,
      resources.map((transactionId) => ({
        ...{ customerId, transactionId, version },
        type: 'transaction.settling' as const,
      })),
      now,
    );
}

/** As if the wait for the next attempts were over; of endpoints whose instance is gone, as if the lease were. */
async function timePasses(pool: Pool, leases = false): Promise<void> {
  await pool.query(
    `update webhook_deliveries set next_attempt_at = now() where status = 'pending' and next_attempt_at > now()`,
  );
  await pool.query(
    'update webhook_endpoints set due_at = now() where due_at > now() and (lease is null or $1)',
    [leases],
  );
}

test('10,000 deliveries to a receiver that refuses a third of them arrive, in order and signed, though an instance is killed', async (t) => {
  const { url, pool } = await createTestDatabase();
  const environment = { ...ADDRESSES, DATABASE_URL: url, FIRMQUOTE_LOG_LEVEL: 'warn' };
  const dataDir = temporaryFolder(t);
  const receiver = await startReceiver(t);
  const { endpoints, counts, wrong, refused } = receiver;
  const first = await startService(t, dataDir, environment);
  const { customer } = await sandboxApis(first);
  for (let at = 0; at < ENDPOINTS; at++) {
    const isOrdered = at % 2 === 0;
    const body = { url: `${receiver.url}/${at}`, ordering: isOrdered ? 'resource' : 'none' };
    const made = await customer.expect(201, 'POST', '/v1/customer/webhooks', body);
    endpoints.push({
      webhook: new Webhook(made.body.secret),
      isOrdered,
      taken: new Map(),
      underWay: new Set(),
    });
  }
  const { rows } = await pool.query<{ id: string }>(
    'select distinct customer_id as id from webhook_endpoints',
  );
  await notify(pool, rows[0]?.id ?? assert.fail());
  await until('much is under way', () => counts.received > 2_000);
  await first.end('SIGKILL');
  const killedAt = counts.taken;
  assert.ok(killedAt < ENDPOINTS * EVENTS, 'it was killed in the middle');
  const [second, third] = await Promise.all([
    startService(t, dataDir, environment),
    startService(t, temporaryFolder(t), environment),
  ]);
  await timePasses(pool, true);
  await until('every event is taken', async () => {
    if (counts.taken === ENDPOINTS * EVENTS) return true;
    await timePasses(pool);
    await sleep(30);
    return false;
  });
  assert.deepEqual(wrong, []);
  assert.ok(refused.size > (ENDPOINTS * EVENTS) / 4, `${refused.size} were refused`);
  await until('all is written down', async () => {
    const { rowCount } = await pool.query(
      `select from webhook_endpoints where lease is not null or sequence < $1 limit 1`,
      [EVENTS],
    );
    return rowCount === 0;
  });
  const { rows: states } = await pool.query(
    'select status, count(*)::int as count from webhook_deliveries group by 1',
  );
  assert.deepEqual(states, [{ status: 'delivered', count: ENDPOINTS * EVENTS }]);
  t.diagnostic(`${counts.received} attempts, ${counts.taken - killedAt} taken after the kill`);
  await Promise.all([second.end('SIGTERM'), third.end('SIGTERM')]);
});
