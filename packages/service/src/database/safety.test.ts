import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { ConfigError } from '../config.ts';
import type { Logger } from '../platform/logger.ts';
import {
  losesCommits,
  readConnectionsAllowed,
  readServerSettings,
  requireSafety,
  type ServerSettings,
  warnOfFewConnections,
} from './safety.ts';

const SAFE: ServerSettings = {
  server_version_num: '180004',
  fsync: 'on',
  full_page_writes: 'on',
  data_checksums: 'on',
  synchronous_commit: 'on',
  synchronous_standby_names: '',
  transaction_isolation: 'read committed',
  transaction_read_only: 'off',
  TimeZone: 'UTC',
};
const REFUSE = { unsafeDatabase: 'refuse', synchronousCommit: 'on' } as const;

/** What was warned of, or the refusal. */
function judge(changes: Partial<ServerSettings>, policy: Parameters<typeof requireSafety>[1] = REFUSE) {
  const warnings: string[] = [];
  const warn = (...args: unknown[]) => warnings.push(String(args.at(-1)));
  try {
    requireSafety({ ...SAFE, ...changes }, policy, { warn } as unknown as Logger);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  return warnings;
}

test('a server that may lose commits is refused, or warned of where that is wanted', () => {
  assert.deepEqual(judge({}), []);
  const warn = { ...REFUSE, unsafeDatabase: 'warn' } as const;
  for (const changes of [
    { fsync: 'off' },
    { full_page_writes: 'off' },
    { synchronous_commit: 'off' },
    { synchronous_commit: 'local' },
    { synchronous_commit: 'remote_write' },
  ]) {
    assert.match(
      String(judge(changes)),
      /^The database may lose acknowledged trades: \w+ is (off|local|remote_write): /,
    );
    assert.deepEqual(judge(changes, warn), ['the database may lose acknowledged trades']);
  }
  const all = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };
  assert.equal(losesCommits({ ...SAFE, ...all }).length, 3);
});

test('a server that cannot be used is refused whatever is wanted', () => {
  const warn = { ...REFUSE, unsafeDatabase: 'warn' } as const;
  const cases = [
    [{ server_version_num: '140011' }, 'DATABASE_URL must name a PostgreSQL 15 or later.'],
    [{ transaction_read_only: 'on' }, 'DATABASE_URL names a database that accepts no writes.'],
    [{ TimeZone: 'Etc/UTC' }, /^DATABASE_URL goes through a pooler that drops/],
    [{ transaction_isolation: 'repeatable read' }, /^DATABASE_URL goes through a pooler that drops/],
  ] as const;
  for (const [changes, message] of cases) {
    const reported = String(judge(changes, warn));
    if (typeof message === 'string') assert.equal(reported, message);
    else assert.match(reported, message);
  }
});

test('what is only worth a word is told', () => {
  assert.match(String(judge({ data_checksums: 'off' })), /^data_checksums is off/);
  const patient = { ...REFUSE, synchronousCommit: 'remote_apply' } as const;
  assert.match(String(judge({}, patient)), /commits wait for no standby$/);
  assert.deepEqual(judge({ synchronous_standby_names: 'b' }, patient), []);
});

test('the settings are those of the session', async () => {
  const { pool } = await createTestDatabase();
  const settings = await readServerSettings(pool);
  const { synchronous_commit, transaction_isolation, transaction_read_only, TimeZone } = settings;
  assert.deepEqual(
    { synchronous_commit, transaction_isolation, transaction_read_only, TimeZone },
    {
      synchronous_commit: 'on',
      transaction_isolation: 'read committed',
      transaction_read_only: 'off',
      TimeZone: 'UTC',
    },
  );
});

test('a service that may want more connections than its database allows says so', () => {
  const told: unknown[] = [];
  const logger = { warn: (...args: unknown[]) => told.push(args) } as unknown as Logger;
  const config = { processes: 3, databaseConnections: 10 };
  warnOfFewConnections(30, config, logger);
  assert.deepEqual(told, []);
  warnOfFewConnections(29, config, logger);
  assert.deepEqual(told, [
    [
      { wanted: 30, allowed: 29 },
      'FIRMQUOTE_DATABASE_CONNECTIONS is more than the database allows: under load requests will be refused with 503',
    ],
  ]);
});

test('what a database allows is what the server, the role and the database do', async () => {
  const { pool } = await createTestDatabase();
  const owner = ownerOf(pool);
  const { rows } = await owner.query<{ role: string; database: string; room: number }>(
    `select current_user as role, current_database() as database,
            current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as room`,
  );
  const { database, room } = rows[0] as { database: string; room: number };
  assert.equal(await readConnectionsAllowed(pool), room);
  await owner.query(`alter database "${database}" connection limit ${room - 1}`);
  assert.equal(await readConnectionsAllowed(pool), room - 1);
  await owner.query(`alter database "${database}" connection limit -1`);
  assert.equal(await readConnectionsAllowed(pool), room);
});
