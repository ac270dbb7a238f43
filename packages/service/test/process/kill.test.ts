import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { killDatabase } from '@firmquote/embedded-postgres/testing';
import type { Pool } from '../../src/database/pool.ts';
import { type Api, createDesks, sandboxApis, withToken } from '../support/api.ts';
import { countOf } from '../support/audit.ts';
import { assertBooksBalance } from '../support/books.ts';
import { createTestDatabase, ownerOf } from '../support/database.ts';
import { examine } from '../support/examine.ts';
import {
  databaseEnded,
  embeddedPool,
  type ServiceProcess,
  startService,
  temporaryFolder,
  until,
} from '../support/process.ts';
import { Traffic } from '../support/traffic.ts';
import { untilLocked } from '../support/waiting-for-locks.ts';

/** Tokens name these and not the port, so that they outlive a restart. */
const ADDRESSES = {
  FIRMQUOTE_AUDIENCE: 'https://fx.example.com',
  FIRMQUOTE_AUTH_URL: 'https://auth.example.com',
};
const CLIENTS = 24;
const ACKNOWLEDGED = 150;

async function loadUntil(desks: readonly Api[], cut: () => Promise<unknown>): Promise<Traffic> {
  const traffic = new Traffic(desks, CLIENTS);
  await traffic.acknowledged(ACKNOWLEDGED);
  while (traffic.unknown.length < CLIENTS / 3) await sleep(1);
  await cut();
  await traffic.stop();
  const answers = traffic.attempts.flatMap(({ quote, execution }) => [quote?.status, execution?.status]);
  const other = answers.filter((status) => status !== undefined && status !== 201);
  // Between the end of its database and its own the service may just have found the words for it.
  assert.deepEqual([...new Set(other)], other.length > 0 ? [503] : []);
  return traffic;
}

const moved = (desks: readonly Api[], service: ServiceProcess): Api[] =>
  desks.map((desk) => withToken(service.baseUrl, desk.token));

test('killed under load, alone and with its database, it comes back with every acknowledged trade once', async (t) => {
  const dataDir = temporaryFolder(t);
  let service = await startService(t, dataDir, ADDRESSES);
  let desks = await createDesks(service);
  const afterKill = await loadUntil(desks, () => service.end('SIGKILL'));
  // At once, while the orphaned server may still be there.
  service = await startService(t, dataDir, ADDRESSES);
  desks = moved(desks, service);
  const pool = embeddedPool(t, dataDir);
  await examine(t, pool, desks, afterKill);
  const before = await countOf(pool, 'transactions');
  await pool.end();

  const afterPowerCut = await loadUntil(desks, () => {
    killDatabase(dataDir);
    return service.end('SIGKILL');
  });
  await databaseEnded(dataDir);
  service = await startService(t, dataDir, ADDRESSES);
  desks = moved(desks, service);
  const recovered = embeddedPool(t, dataDir);
  await examine(t, recovered, desks, afterPowerCut);
  const made = await countOf(recovered, 'transactions');
  assert.equal(made, before + afterPowerCut.executed.length + afterPowerCut.unknown.length);
});

test('a service that is killed before it can tell of its commits has made them, and says so when asked again', async (t) => {
  const { url, pool } = await createTestDatabase();
  const environment = { ...ADDRESSES, DATABASE_URL: url };
  const dataDir = temporaryFolder(t);
  const first = await startService(t, dataDir, environment);
  const desks = await createDesks(first);
  const traffic = await loadUntil(desks, async () => {
    const lock = await pool.connect();
    await lock.query('begin; select from customer_usage for update');
    await until('executions wait for the lock', async () => (await executionsUnderWay(pool, 'Lock')) > 0);
    // Stopped, it reads no answer of the database, which meanwhile ends the statements under way.
    first.child.kill('SIGSTOP');
    await lock.query('rollback');
    lock.release();
    await until('the commits', async () => (await executionsUnderWay(pool)) === 0);
    await first.end('SIGKILL');
  });
  const second = await startService(t, dataDir, environment);
  assert.ok((await examine(t, pool, moved(desks, second), traffic)) > 0, 'commits that nobody was told of');
});

test('killed while its bank books, tells and is told, it has done all of it once', async (t) => {
  const { url, pool } = await createTestDatabase();
  const environment = { ...ADDRESSES, DATABASE_URL: url };
  const dataDir = temporaryFolder(t);
  let service = await startService(t, dataDir, environment);
  let { customer, operator } = await sandboxApis(service);
  for (const amount of ['1000.00', '2000.00', '910.00']) {
    const body = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount };
    const quote = await customer.expect(201, 'POST', '/v1/customer/quotes', body);
    await customer.expect(201, 'POST', `/v1/customer/quotes/${quote.body.quoteId}/execute`);
  }
  // Between what is booked at the bank and the file that tells of it; then between the file and what follows from it.
  for (const table of ['statement_files', 'bank_notices']) {
    const lock = await ownerOf(pool).connect();
    await lock.query(`begin; lock table ${table} in exclusive mode`);
    const moved = operator.call('POST', '/v1/sandbox/clock', { advanceSeconds: 7 }).catch(() => undefined);
    await untilLocked(pool);
    await service.end('SIGKILL');
    await moved;
    await lock.query('rollback');
    lock.release();
    // As if some seconds had passed, after which a file that nobody has told is anybody's to tell.
    await pool.query(`update sandbox_bank_files set written_at = written_at - interval '1 minute'`);
    service = await startService(t, dataDir, environment);
    ({ customer, operator } = await sandboxApis(service));
  }
  await operator.expect(200, 'POST', '/v1/sandbox/clock', { advanceSeconds: 60 });
  const { body } = await customer.expect(200, 'GET', '/v1/customer/transactions');
  const statuses = body.items.map((each: { status: string }) => each.status);
  assert.deepEqual(statuses, ['settled', 'settled', 'settled']);
  const { rows } = await pool.query(
    `select (select count(*)::int from sandbox_bank_entries) as entries,
       (select count(*)::int from entry_details where same_as is null) as known, (select count(*)::int from deposits) as deposits,
       (select count(*)::int from bank_notices) as payments,
       (select count(*)::int from sandbox_bank_files where told_at is null) as unreported,
       (select count(*)::int from reconciliation_exceptions) as exceptions`,
  );
  assert.deepEqual(rows, [{ entries: 7, known: 7, deposits: 4, payments: 3, unreported: 0, exceptions: 0 }]);
  await assertBooksBalance(pool);
});

/** Statements that the database is at, or those of them that wait for something of a kind. */
async function executionsUnderWay(pool: Pool, waitFor?: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and state = 'active'
       and query like '%commit_executions%' and ($1::text is null or wait_event_type = $1)`,
    [waitFor ?? null],
  );
  return rows[0]?.n ?? 0;
}
