import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import type { Pool } from '../database/pool.ts';

const MAPPINGS_MAX = 200;
const MAPPING = {
  delimiter: ';',
  decimalMark: ',',
  dateFormat: 'DD.MM.YYYY',
  account: 'GB29NWBK60161331926819',
  currency: 'USD',
  columns: { bookingDate: 'Datum', amount: 'Betrag' },
};
let pool: Pool;
let server: OperatorServer;

before(async () => {
  ({ pool, server } = await createOperatedSandbox());
  await pool.query(
    `insert into statement_mappings (name, mapping, version, updated_by, updated_at)
     select 'full-' || n, $1, 1, gen_random_uuid(), now() from generate_series(2, $2) n`,
    [JSON.stringify(MAPPING), MAPPINGS_MAX],
  );
});
after(() => server.close());

const set = (name: string) => server.call('PUT', `/v1/operator/statement-mappings/${name}`, MAPPING);

test('there are so many mappings and no more, also when two are made at once; the last ones can be changed', async () => {
  const blocker = await pool.connect();
  const both = [];
  try {
    await blocker.query('begin');
    // What makes one of these names has counted already when it waits for what becomes of this transaction.
    await blocker.query(
      `insert into statement_mappings (name, mapping, version, updated_by, updated_at)
       select n, $1, 1, gen_random_uuid(), now() from unnest('{one,other}'::text[]) n`,
      [JSON.stringify(MAPPING)],
    );
    for (const name of ['one', 'other']) {
      both.push(set(name));
      await untilLocked(pool, both.length);
    }
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
  const [made, refused] = (await Promise.all(both)).sort((a, b) => a.status - b.status);
  assert.deepEqual([made?.status, refused?.status], [200, 422]);
  const { code, limitType, limit, used } = refused?.body ?? {};
  assert.deepEqual(
    [code, limitType, limit, used],
    ['limit_exceeded', 'statement_mappings', MAPPINGS_MAX, MAPPINGS_MAX],
  );
  assert.deepEqual((await set(made?.body.name)).body.version, 2);
});
