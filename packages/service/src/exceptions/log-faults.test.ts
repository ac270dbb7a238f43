import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { logFaultSweep } from './log-faults.ts';

/** What the verification of the sealed logs finds is work for people. */

const ALTERED = { log: 'journal', fault: 'altered', key: 'k1', seal: '7' };

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
});
after(() => server.close());

const exceptions = async (status: string) =>
  (await server.call('GET', `/v1/operator/exceptions?type=log_fault&status=${status}`)).body.items;

test('one fault is one exception, until a person says what it was, and never again', async () => {
  let found: (typeof ALTERED)[] = [];
  const instances = [1, 2].map(() => logFaultSweep(sandbox.desk, () => found));
  const look = async () => {
    let opened = 0;
    for (const instance of instances) opened += await instance.run();
    return opened;
  };
  assert.equal(await look(), 0);
  found = [ALTERED];
  assert.equal(await look(), 1);
  assert.equal(await look(), 0, 'found again at each look');
  const [work, ...more] = await exceptions('open');
  assert.deepEqual(more, []);
  assert.deepEqual(
    [work.reason, work.logFault, work.customerId],
    ['altered', 'journal, seal 7: altered k1', null],
  );
  const path = `/v1/operator/exceptions/${work.exceptionId}`;
  const { orders } = (await server.call('GET', path)).body;
  assert.deepEqual(
    orders.map(({ order }: { order: string }) => order),
    ['resolve', 'assign'],
  );
  const events = await pool.query(`select from operator_events where type = 'exception.opened'`);
  assert.equal(events.rows.length, 1);

  found = [];
  assert.equal(await look(), 0);
  assert.equal((await exceptions('open')).length, 1, 'no machine closes it');
  const silent = await server.call('POST', `${path}/resolve`, { resolution: 'acknowledged' });
  assert.equal(silent.body.code, 'validation_failed', 'a reason is wanted');
  const note = 'A restored disk; the row was put back from the export.';
  const said = await server.call('POST', `${path}/resolve`, { resolution: 'acknowledged', note });
  assert.equal(said.status, 200, JSON.stringify(said.body));
  const { history } = (await server.call('GET', path)).body;
  assert.match(JSON.stringify(history), /A restored disk/);
  found = [ALTERED];
  assert.equal(await look(), 0, 'somebody was done with it');
  found = [ALTERED, { ...ALTERED, seal: '8', key: 'k2' }];
  assert.equal(await look(), 1, 'another one is another one');
});
