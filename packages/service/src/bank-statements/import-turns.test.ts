import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { camt } from '../../../bank-formats/src/test-support.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { lockImports } from './statement-store.ts';

let pool: Pool;
let server: OperatorServer;

before(async () => {
  ({ pool, server } = await createOperatedSandbox({ withBank: true }));
});
after(() => server.close());

test('files that are sent at once wait for each other without the connections that trades need', {
  timeout: 60_000,
}, async () => {
  const files = Array.from({ length: 2 * pool.options.max }, (_, i) =>
    camt([{ amount: '5.00', reference: `TURN-${i}` }], { number: String(100 + i) }),
  );
  let uploads: Promise<{ readonly status: number }>[] = [];
  await inTransaction(pool, async (connection) => {
    // As another instance does that imports a large file.
    await lockImports(connection);
    uploads = files.map((file, i) => server.upload(file, `?name=${i}.xml`));
    await sleep(1_000);
    const answered = pool.query('select 1').then(() => 'answered');
    assert.equal(await Promise.race([answered, sleep(3_000).then(() => 'waits')]), 'answered');
  });
  const statuses = (await Promise.all(uploads)).map(({ status }) => status);
  assert.deepEqual(statuses, Array(files.length).fill(201));
});
