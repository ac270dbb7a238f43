import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestDatabase } from '../../test/support/database.ts';
import { until } from '../../test/support/process.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { databaseSource } from '../customers/database-source.ts';
import { CachedCustomerDirectory } from '../customers/directory.ts';
import type { CustomersRoom } from '../customers/room.ts';
import type { Pool } from '../database/pool.ts';
import { systemClock } from '../platform/clock.ts';
import { type LiveSpreadRules, liveSpreadRules } from '../pricing/spread-rules.ts';
import { ensureSandbox, type SandboxStart } from './first-start.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fq-sandbox-'));
});
after(() => rm(folder, { recursive: true, force: true }));

interface Setup {
  readonly pool: Pool;
  readonly directory: CachedCustomerDirectory;
  readonly spreads: LiveSpreadRules;
  readonly start: SandboxStart;
  readonly made: string[];
  readonly revoked: string[];
  /** Persons by the clients that they answer for. */
  readonly answered: ReadonlyMap<string, string>;
}

async function setUp(name: string): Promise<Setup> {
  const { pool } = await createTestDatabase({ connections: 8 });
  const directory = new CachedCustomerDirectory(databaseSource(pool));
  const customers: CustomersRoom = {
    pool,
    clock: systemClock,
    directory,
    endQuotes: async () => 0,
  };
  const spreads = liveSpreadRules(pool);
  const made: string[] = [];
  const revoked: string[] = [];
  const answered = new Map<string, string>();
  const start: SandboxStart = {
    pool,
    realClock: systemClock,
    customers,
    pricing: { pool, clock: systemClock, spreads },
    createClient: async (owner, clientName) => {
      const clientId = `cli_${name}_${owner.kind}_${made.length}`;
      made.push(clientId);
      return { clientId, clientSecret: `secret of ${clientName} ${made.length}` };
    },
    answerFor: async (clientId, personId) => {
      answered.set(clientId, personId);
    },
    revokeClient: async (_owner, clientId) => {
      revoked.push(clientId);
    },
    ready: async () => undefined,
    file: join(folder, name, 'sandbox.json'),
    addresses: {
      baseUrl: 'http://127.0.0.1:4000',
      authUrl: 'http://127.0.0.1:4000',
      audience: 'http://127.0.0.1:4000',
    },
  };
  return { pool, directory, spreads, start, made, revoked, answered };
}

async function contentOf(start: SandboxStart): Promise<unknown> {
  return JSON.parse(await readFile(start.file, 'utf8'));
}

test('the first start makes a customer who can trade everything, and a file for its owner only', async () => {
  const { pool, directory, spreads, start, answered } = await setUp('first');
  const content = await ensureSandbox(start);
  assert.deepEqual(await contentOf(start), content);
  assert.deepEqual(Object.keys(content), [
    'baseUrl',
    'authUrl',
    'audience',
    'customer',
    'operator',
    'secondOperator',
  ]);
  assert.deepEqual(Object.keys(content.customer), ['clientId', 'clientSecret']);
  assert.equal((await stat(start.file)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(join(folder, 'first')), ['sandbox.json']);

  const { rows } = await pool.query<{ customer_id: string }>('select customer_id from sandbox_settings');
  const profile = await directory.profile(rows[0]?.customer_id ?? '');
  assert.equal(profile.name, 'Sandbox customer');
  assert.equal(profile.status, 'active');
  assert.equal(profile.limits.dailyUsdMinor, 10n ** 14n);
  assert.equal(profile.limits.tradeUsdMinor, 10n ** 13n);
  assert.equal(profile.limits.maxOpenQuotes, 1_000_000);
  assert.equal(profile.quotas.execute.perMinute, 600_000);
  const collection = await directory.collectionCurrencies();
  for (const currency of ['USD', 'EUR', 'GBP', 'JPY', 'KWD', 'CNH']) {
    assert.ok(profile.payoutCurrencies.has(currency) && collection.has(currency), currency);
  }
  const [rule] = (await spreads.candidates(profile, 'EURUSD')).rules;
  assert.deepEqual(rule?.spreadBps, { units: 2_000n, scale: 2 });
  const { rowCount } = await pool.query(
    "select 1 from pg_trigger where tgrelid = 'transactions'::regclass and tgname like 'sandbox_bank_%'",
  );
  assert.equal(rowCount, 2);
  const persons = await pool.query<{ id: string; email: string }>(
    'select id, email from persons order by created_at, id',
  );
  const [, operations, approver] = persons.rows;
  assert.deepEqual(
    persons.rows.map(({ email }) => email),
    ['dealer@sandbox.example', 'operations@sandbox.example', 'approver@sandbox.example'],
  );
  assert.equal(answered.get(content.operator.clientId), operations?.id);
  assert.equal(answered.get(content.secondOperator.clientId), approver?.id);
});

test('a second start keeps everything, and only brings changed addresses up to date', async () => {
  const { pool, start, made } = await setUp('second');
  const first = await ensureSandbox(start);
  const rowsOf = async () =>
    (
      await pool.query(
        `select (select count(*) from customers), (select count(*) from settlement_instructions),
                (select version from spread_rule_set), (select version from customer_limits)`,
      )
    ).rows;
  const before = await rowsOf();
  const written = (await stat(start.file)).mtimeMs;
  await chmod(start.file, 0o644);
  assert.deepEqual(await ensureSandbox(start), first);
  assert.equal((await stat(start.file)).mtimeMs, written);
  assert.equal((await stat(start.file)).mode & 0o777, 0o600);
  const moved = await ensureSandbox({
    ...start,
    addresses: { ...start.addresses, baseUrl: 'http://127.0.0.1:4010' },
  });
  assert.deepEqual(moved, { ...first, baseUrl: 'http://127.0.0.1:4010' });
  assert.deepEqual(await contentOf(start), moved);
  assert.deepEqual(await rowsOf(), before);
  assert.equal(made.length, 3);
});

test('a file of an earlier version keeps its secrets and gets a second operator', async () => {
  const { start } = await setUp('earlier');
  const { secondOperator, ...earlier } = await ensureSandbox(start);
  await writeFile(start.file, JSON.stringify(earlier));
  const content = await ensureSandbox(start);
  assert.deepEqual({ ...content, secondOperator: undefined }, { ...earlier, secondOperator: undefined });
  assert.notEqual(content.secondOperator.clientId, secondOperator.clientId);
  assert.notEqual(content.secondOperator.clientId, content.operator.clientId);
});

test('the file is written once the service is ready, and not before', async () => {
  const { start } = await setUp('ready');
  const asked = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<void>();
  const ensured = ensureSandbox({
    ...start,
    ready: () => {
      asked.resolve();
      return ready.promise;
    },
  });
  await asked.promise;
  await assert.rejects(stat(start.file), { code: 'ENOENT' });
  ready.resolve();
  assert.deepEqual(await ensured, await contentOf(start));
  await rm(start.file);
  const never = { ...start, ready: () => Promise.reject(new Error('not ready')) };
  await assert.rejects(ensureSandbox(never), /not ready/);
  await assert.rejects(stat(start.file), { code: 'ENOENT' });
});

test('a lost, broken or foreign file is written anew with new secrets', async () => {
  const { start, made, revoked } = await setUp('lost');
  const first = await ensureSandbox(start);
  await rm(start.file);
  const second = await ensureSandbox(start);
  assert.notEqual(second.customer.clientSecret, first.customer.clientSecret);
  assert.notEqual(second.operator.clientSecret, first.operator.clientSecret);
  await writeFile(start.file, '{"customer":');
  const third = await ensureSandbox(start);
  assert.notEqual(third.customer.clientId, second.customer.clientId);
  await writeFile(
    start.file,
    JSON.stringify({ ...third, operator: { clientId: 'cli_elsewhere', clientSecret: 'x' } }),
  );
  const fourth = await ensureSandbox(start);
  assert.deepEqual(fourth.customer, third.customer);
  assert.notEqual(fourth.operator.clientId, 'cli_elsewhere');
  assert.deepEqual(await contentOf(start), fourth);
  assert.equal(made.length, 10);

  for (let i = 0; i < 10; i++) {
    await rm(start.file);
    await ensureSandbox(start);
  }
  // The tenth before the newest of each kind is the first that is ended.
  assert.ok(revoked.includes(first.customer.clientId) && revoked.includes(first.operator.clientId));
  const last = await ensureSandbox(start);
  assert.ok(!revoked.includes(last.customer.clientId) && !revoked.includes(last.operator.clientId));
});

test('instances that start at once set it up once; a start that was interrupted is continued', async () => {
  const { pool, start, made } = await setUp('together');
  let calls = 0;
  await assert.rejects(
    ensureSandbox({
      ...start,
      createClient: async () => {
        calls++;
        throw new Error('interrupted');
      },
    }),
    /interrupted/,
  );
  assert.equal(calls, 1);
  await pool.query('update sandbox_settings set seeded = false');
  const files = ['a', 'b'].map((name) => join(folder, 'together', name, 'sandbox.json'));
  await Promise.all(files.map((file) => ensureSandbox({ ...start, file })));
  const { rows } = await pool.query<{ customers: string }>('select count(*) as customers from customers');
  assert.equal(rows[0]?.customers, '1');
  assert.equal(made.length, 6);
  const { rows: active } = await pool.query(
    "select currency from settlement_instructions where status = 'active' group by currency having count(*) > 1",
  );
  assert.deepEqual(active, []);
});

test('a start waits for that of another instance, longer than a statement may wait for a lock', async () => {
  const { pool, start } = await setUp('patient');
  let goOn = (): void => undefined;
  const isSlow = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const first = ensureSandbox({ ...start, ready: () => isSlow });
  const file = join(folder, 'patient', 'other.json');
  // Sessions of the service wait 10 s.
  const connect = async () => {
    const connection = await pool.connect();
    await connection.query("set lock_timeout = '100ms'; set statement_timeout = '100ms'");
    return connection;
  };
  await until('the first one is at it', async () => {
    const { rowCount } = await pool.query("select from pg_locks where locktype = 'advisory' and granted");
    return rowCount === 1;
  });
  const second = ensureSandbox({ ...start, file, pool: { connect } as unknown as Pool });
  second.catch(() => undefined);
  await untilLocked(pool);
  await delay(300);
  goOn();
  await first;
  assert.deepEqual(Object.keys(await second).length, 6);
  const settings = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const { rows } = await pool.query<{ lock_timeout: string }>('show lock_timeout');
      return rows[0]?.lock_timeout;
    }),
  );
  assert.ok(!settings.includes('0'), 'whoever has the connection next waits no longer than usual');
});
