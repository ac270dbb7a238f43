import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { createManualDesk, type ManualDesk } from '../../test/support/manual-desk.ts';
import { OPERATOR_IDS } from '../../test/support/operator-server.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { enclose } from '../database/enclosure.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { lockDeposit } from '../deposits/room.ts';
import { uuidOf } from '../platform/ids.ts';
import { commandEach } from './command-each.ts';

let pool: Pool;
let desk: ManualDesk;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
  desk = await createManualDesk(pool);
});
after(() => desk.close());

/** A deposit that a trade has. @returns its id as the API writes it */
async function matched(bankReference: string): Promise<string> {
  const row = await desk.sandbox.trade({ amount: '100.00' });
  const url = await desk.arrived('100.00', { bankReference, remittanceText: row.reference });
  return url.slice(url.lastIndexOf('/') + 1);
}

test('two commands on the same deposits, each of one commit, wait for each other and not in a circle', async () => {
  const one = await matched('CIRCLE-1');
  const between = await matched('CIRCLE-2');
  const amid = await matched('CIRCLE-3');
  const other = await matched('CIRCLE-4');
  const failures: unknown[] = [];
  const unmatch = (...depositIds: readonly string[]) =>
    inTransaction(pool, async (connection) => {
      const items = depositIds.map((depositId) => ({ depositId }));
      const command = { command: 'unmatch', reason: 'not theirs', items } as const;
      const work = () =>
        commandEach(desk.sandbox.desk, command, OPERATOR_IDS.first, (error) => failures.push(error));
      return (await enclose(connection, work)).result;
    });
  let commands: ReturnType<typeof unmatch>[] = [];
  await inTransaction(pool, async (holder) => {
    for (const id of [between, amid]) await lockDeposit(holder, uuidOf('dep', id));
    // Each gets to what it names first, and then has to wait.
    commands = [unmatch(one, between, other), unmatch(other, amid, one)];
    await untilLocked(pool, 2);
  });
  const outcomes = await Promise.all(commands);
  assert.deepEqual(failures, []);
  const named = outcomes.map((each) =>
    each.map((item) => (item.outcome === 'refused' ? item.problem.code : item.outcome)),
  );
  const first = named.findIndex((each) => each.every((outcome) => outcome === 'done'));
  assert.ok(first !== -1, JSON.stringify(named));
  const refused = 'invalid_state_transition';
  assert.deepEqual(named[1 - first], [refused, 'done', refused]);
});
