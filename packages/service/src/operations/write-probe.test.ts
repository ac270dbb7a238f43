import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Pool } from '../database/pool.ts';
import { ReadOnlyDatabase } from '../database/session.ts';
import { WriteProbe } from './write-probe.ts';

const SAFE = {
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

/** A database whose answer is given. */
function probeOf(answer: () => Promise<object>, unsafeDatabase: 'refuse' | 'warn' = 'refuse') {
  let asked = 0;
  const query = async () => {
    asked++;
    return { rows: [await answer()] };
  };
  return {
    probe: new WriteProbe({ query } as unknown as Pool, { unsafeDatabase }),
    asked: () => asked,
  };
}

test('a heartbeat is written, and not for everybody who asks', async () => {
  const { pool } = await createTestDatabase();
  const probe = new WriteProbe(pool, { unsafeDatabase: 'warn' });
  const findings = await Promise.all(Array.from({ length: 5 }, () => probe.check()));
  assert.ok(findings.every(({ ok }) => ok));
  const { rows } = await pool.query('select beat_at = started_at as once from instance_heartbeats');
  assert.equal(rows.length, 1);
});

test('a database that becomes unsafe while it runs is not ready where production refuses it', async () => {
  const unsafe = async () => ({ ...SAFE, fsync: 'off' });
  const refused = await probeOf(unsafe).probe.check();
  assert.equal(refused.ok, false);
  assert.match(refused.detail, /^fsync is off: /);
  const warned = await probeOf(unsafe, 'warn').probe.check();
  assert.equal(warned.ok, true);
  assert.match(warned.detail, /^fsync is off: /);
  assert.deepEqual(await probeOf(async () => SAFE).probe.check(), { ok: true, detail: 'written' });
});

test('what failed has a name', async () => {
  const cases = [
    [Object.assign(new Error(''), { code: '53100' }), 'the database has run out of disk space'],
    [new ReadOnlyDatabase('a standby'), 'the database accepts no writes'],
    [Object.assign(new Error(''), { code: '55P03' }), 'a small write takes too long'],
    [Object.assign(new Error(''), { code: 'ECONNREFUSED' }), 'the database does not answer'],
    [new Error('something else'), 'a small write failed'],
  ] as const;
  for (const [error, detail] of cases) {
    const { probe } = probeOf(() => Promise.reject(error));
    assert.deepEqual(await probe.check(), { ok: false, detail });
  }
});

test('a write that hangs is not followed by others, which would take all connections', async () => {
  let release = (_: object): void => {};
  const { probe, asked } = probeOf(() => new Promise((resolve) => (release = resolve)));
  const hanging = [probe.check(), probe.check(), probe.check()];
  assert.equal(asked(), 1);
  release(SAFE);
  assert.deepEqual(
    (await Promise.all(hanging)).map(({ ok }) => ok),
    [true, true, true],
  );
});
