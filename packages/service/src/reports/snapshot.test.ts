import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Pool } from '../database/pool.ts';
import { Problem } from '../problems/problem.ts';
import { SNAPSHOTS_WAITING_MAX, Snapshots } from './snapshot.ts';

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 10 }));
});

describe('snapshots', () => {
  test('go two at once with ten connections, and give them back, whatever becomes of the work', {
    timeout: 20_000,
  }, async () => {
    const snapshots = new Snapshots(pool);
    let [now, most] = [0, 0];
    let meet = () => {};
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, i) =>
        snapshots.read(async (connection) => {
          most = Math.max(most, ++now);
          // The first waits for the second, or else for good.
          if (now === 2) meet();
          await met;
          await connection.query('select 1');
          now--;
          if (i % 3 === 0) throw new Error('no');
          return i;
        }),
      ),
    );
    assert.equal(most, 2);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 20);
    assert.equal(await snapshots.read(async () => 'again'), 'again');
  });

  test('are refused when too many wait', async () => {
    const snapshots = new Snapshots(pool);
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const taken = Array.from({ length: SNAPSHOTS_WAITING_MAX + 2 }, () => snapshots.read(() => gate));
    await assert.rejects(
      snapshots.read(async () => undefined),
      (error) => error instanceof Problem && error.code === 'overloaded',
    );
    open();
    await Promise.all(taken);
  });

  test('see one moment, and cannot write', async () => {
    const snapshots = new Snapshots(pool);
    const count = 'select count(*)::int as n from service_secrets';
    await snapshots.read(async (connection) => {
      const { rows: first } = await connection.query(count);
      await pool.query(`insert into service_secrets (name, value) values ('test', '\\x00')`);
      assert.deepEqual((await connection.query(count)).rows, first);
    });
    await assert.rejects(
      snapshots.read((connection) => connection.query('delete from service_secrets')),
      /read-only/,
    );
  });
});
